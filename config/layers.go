package config

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/viper"
)

const (
	// commandLine stands in place of a file in messages about flags.
	commandLine = "command line"
	envPrefix   = "PGSEEK_"
	// viperType is the name under which viper asks for our decoder. viper accepts only types of its own list, which has
	// no "cnf"; of this one it has no decoder itself.
	viperType = "properties"
)

// cnfCodec is our parser as viper's decoder. viper hands over bytes alone, so one is made for each file: Include and
// the messages need to know where the bytes come from.
type cnfCodec struct {
	path string
	info os.FileInfo
	errs *Errors
}

// Decoder makes cnfCodec a viper.DecoderRegistry of one format.
func (c *cnfCodec) Decoder(string) (viper.Decoder, error) { return c, nil }

// Decode puts all lines of a keyword, []directive, under its lower-cased name, so that viper carries file and line of
// each value along. Problems go to errs, not to viper, which would wrap the first and lose the others. Every line is
// checked here: one that a flag or the environment hides is a mistake all the same, and would appear on another day.
func (c *cnfCodec) Decode(b []byte, into map[string]any) error {
	lines, problems := parseBytes(c.path, b, c.info)
	for _, e := range problems {
		c.errs.add(e)
	}
	var unused Spider
	for _, d := range lines {
		k, ok := findKey(spiderKeys, d.keyword)
		if !ok {
			// Strict: nothing that we do not know reaches viper.
			if !c.errs.full() {
				c.errs.add(unknown(d, spiderName))
			}
			continue
		}
		if err := k.set(&unused, d); err != nil {
			c.errs.add(d.problem(k.name, err.Error()))
		}
		name := strings.ToLower(k.name)
		before, _ := into[name].([]directive)
		into[name] = append(before, d)
	}
	return nil
}

// readSpider makes Spider of the flags, the environment, the file at path ("" = none) and the defaults. viper decides
// which of them holds for a keyword; spiderKeys decodes it, in place of viper's own decoding by reflection, which knows
// neither our times and sizes nor the line that a bad value stands on.
func readSpider(path string, overrides map[string]string, errs *Errors) Spider {
	codec := cnfCodec{path: path, errs: errs}
	// A key is never split: no keyword holds this delimiter, while viper's own, the dot, would tear host names apart.
	v := viper.NewWithOptions(viper.KeyDelimiter("::"), viper.WithDecoderRegistry(&codec))
	for _, k := range spiderKeys {
		if k.name == "DataDir" {
			k.def = defaultDataDir(os.Geteuid())
		}
		if k.def != "" {
			v.SetDefault(k.name, []directive{defaultLine(k.name, k.def)})
		}
		// Bound one by one: AutomaticEnv is blind to keys without default.
		v.MustBindEnv(k.name, variable(k))
	}
	if path != "" {
		if err := readInto(v, &codec); err != nil {
			errs.add(Error{File: path, Reason: err.Error()})
		}
	}
	setFlags(v, overrides, errs)

	var s Spider
	held := map[string]directive{} // the line in force of each keyword
	for _, k := range spiderKeys {
		for _, d := range inForce(v, k, errs) {
			held[k.name] = d
			if err := k.set(&s, d); err != nil {
				errs.add(d.problem(k.name, err.Error()))
			}
		}
	}
	checkWordLengths(&s, held, errs)
	if s.BatchTimeout == 0 {
		s.BatchTimeout = batchTimeout(&s)
	}
	return s
}

// readInto lets viper read the file through codec.
func readInto(v *viper.Viper, codec *cnfCodec) error {
	b, info, err := readFile(codec.path)
	if err != nil {
		return err
	}
	codec.info = info
	v.SetConfigType(viperType)
	return v.ReadConfig(bytes.NewReader(b))
}

// variable is the name of a keyword's environment variable (rules.md 2.3).
func variable(k key[Spider]) string { return envPrefix + strings.ToUpper(k.name) }

// setFlags enters the flags, in a stable order.
func setFlags(v *viper.Viper, overrides map[string]string, errs *Errors) {
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		k, ok := findKey(spiderKeys, name)
		if !ok {
			errs.add(unknown(directive{keyword: name, file: commandLine}, spiderName))
			continue
		}
		d, err := fromText(k, commandLine, overrides[name])
		if err != nil {
			errs.add(d.problem(k.name, err.Error()))
			continue
		}
		v.Set(k.name, []directive{d})
	}
}

// inForce asks viper for the lines that hold for a keyword, none when it has no value.
func inForce(v *viper.Viper, k key[Spider], errs *Errors) []directive {
	switch value := v.Get(k.name).(type) {
	case []directive:
		return value
	case string: // only the environment gives text
		d, err := fromText(k, variable(k), value)
		if err != nil {
			errs.add(d.problem(k.name, err.Error()))
			return nil
		}
		return []directive{d}
	}
	return nil
}

// fromText makes a line of a value that stands in no file: the shell has quoted it already, so that only a list is
// taken apart at blanks.
func fromText(k key[Spider], source, text string) (directive, error) {
	d := directive{keyword: k.name, file: source, args: []string{text}, text: text}
	if err := checkText(text); err != nil {
		return d, err
	}
	var err error
	if k.list {
		d.args, err = splitValues(text)
	}
	return d, err
}

// checkWordLengths compares two keywords; the message stands at one that was set.
func checkWordLengths(s *Spider, held map[string]directive, errs *Errors) {
	if s.MinWordLength <= s.MaxWordLength || s.MaxWordLength == 0 { // 0: refused, and reported already
		return
	}
	if at := held["MinWordLength"]; at.file != "" {
		errs.add(at.problem("MinWordLength", reasonf("%d is more than MaxWordLength, %d", s.MinWordLength, s.MaxWordLength).Error()))
		return
	}
	errs.add(held["MaxWordLength"].problem("MaxWordLength",
		reasonf("%d is less than MinWordLength, %d", s.MaxWordLength, s.MinWordLength).Error()))
}
