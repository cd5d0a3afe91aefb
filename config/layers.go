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
	// commandLine is the File of problems in flags.
	commandLine = "command line"
	envPrefix   = "PGSEEK_"
	// viperType is the name under which viper requests our decoder. viper accepts only types of its own list,
	// which has no "cnf"; for this one it has no decoder itself.
	viperType = "properties"
)

// cnfCodec is our parser as viper's decoder, for a file whose keywords fill a T. viper passes only bytes, so
// there is one codec for each file: Include and the messages need the origin of the bytes.
type cnfCodec[T any] struct {
	home string // the file's usual name, to which its keywords belong
	keys []key[T]
	path string
	info os.FileInfo
	errs *Errors
}

// Decoder makes cnfCodec a viper.DecoderRegistry of one format.
func (c *cnfCodec[T]) Decoder(string) (viper.Decoder, error) { return c, nil }

// Decode stores all lines of a keyword, []directive, under its lower-cased name, so that viper carries file
// and line of each value along. Problems go to errs, not to viper, which would wrap the first and lose the
// others. Every line is checked here: a bad line that a flag or the environment overrides is an error as
// well, because it would appear on another day.
func (c *cnfCodec[T]) Decode(b []byte, into map[string]any) error {
	lines, problems := parseBytes(c.path, b, c.info)
	for _, e := range problems {
		c.errs.add(e)
	}
	var unused T
	for _, d := range lines {
		k, ok := findKey(c.keys, d.keyword)
		if !ok {
			// Strict: no unknown keyword reaches viper.
			if !c.errs.full() {
				c.errs.add(unknown(d, c.home))
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

// readLayers fills a T by the keys of the file called home, from the flags, the environment, the file at path
// ("" = none) and the defaults. viper decides which of them holds for a keyword. The keys decode it, not
// viper's reflection, which knows neither our times and sizes nor the line of a bad value. held has the line
// in force of each keyword.
func readLayers[T any](home string, keys []key[T], path string, overrides map[string]string, errs *Errors) (t T, held map[string]directive) {
	codec := cnfCodec[T]{home: home, keys: keys, path: path, errs: errs}
	// A key is never split: no keyword contains this delimiter, while viper's own, the dot, would split host
	// names.
	v := viper.NewWithOptions(viper.KeyDelimiter("::"), viper.WithDecoderRegistry(&codec))
	for _, k := range keys {
		if k.def != "" {
			v.SetDefault(k.name, []directive{defaultLine(k.name, k.def)})
		}
		// Bound one by one: AutomaticEnv ignores keys without default.
		v.MustBindEnv(k.name, variable(k))
	}
	if path != "" {
		if err := readInto(v, &codec); err != nil {
			errs.add(Error{File: path, Reason: err.Error()})
		}
	}
	setFlags(v, home, keys, overrides, errs)

	held = map[string]directive{}
	for _, k := range keys {
		for _, d := range inForce(v, k, errs) {
			held[k.name] = d
			if err := k.set(&t, d); err != nil {
				errs.add(d.problem(k.name, err.Error()))
			}
		}
	}
	return t, held
}

// readSpider returns the Spider of the flags, the environment, the file at path ("" = none) and the defaults.
func readSpider(path string, overrides map[string]string, errs *Errors) Spider {
	keys := slices.Clone(spiderKeys)
	for i := range keys {
		if keys[i].name == "DataDir" {
			keys[i].def = defaultDataDir(os.Geteuid())
		}
	}
	s, held := readLayers(spiderName, keys, path, overrides, errs)
	checkWordLengths(&s, held, errs)
	checkWindows(&s, held, errs)
	if s.BatchTimeout == 0 {
		s.BatchTimeout = batchTimeout(&s)
	}
	return s
}

// readInto lets viper read the file through codec.
func readInto[T any](v *viper.Viper, codec *cnfCodec[T]) error {
	b, info, err := readFile(codec.path)
	if err != nil {
		return err
	}
	codec.info = info
	v.SetConfigType(viperType)
	return v.ReadConfig(bytes.NewReader(b))
}

// variable returns the name of a keyword's environment variable.
func variable[T any](k key[T]) string { return envPrefix + strings.ToUpper(k.name) }

// setFlags enters the flags, in a stable order.
func setFlags[T any](v *viper.Viper, home string, keys []key[T], overrides map[string]string, errs *Errors) {
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		k, ok := findKey(keys, name)
		if !ok {
			errs.add(unknown(directive{keyword: name, file: commandLine}, home))
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

// inForce returns viper's lines in force for a keyword, none when it has no value.
func inForce[T any](v *viper.Viper, k key[T], errs *Errors) []directive {
	switch value := v.Get(k.name).(type) {
	case []directive:
		return value
	case string: // only the environment has text
		d, err := fromText(k, variable(k), value)
		if err != nil {
			errs.add(d.problem(k.name, err.Error()))
			return nil
		}
		return []directive{d}
	}
	return nil
}

// fromText makes a line of a value that comes from no file. The shell has removed the quotes already, so only
// a list is split at blanks.
func fromText[T any](k key[T], source, text string) (directive, error) {
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

// checkWordLengths compares two keywords; the message names one that was set.
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
