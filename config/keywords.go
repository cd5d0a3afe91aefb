package config

import (
	"fmt"
	"slices"
	"strings"
)

// The names of the files to which keywords belong.
const (
	setsName   = "sets.cnf"
	spiderName = "spider.cnf"
	searchName = "searchd.conf"
)

// A key is one keyword of a file whose lines fill a T.
type key[T any] struct {
	name   string // as the example files spell it
	def    string // the default, as in a line of the file; "" = no value
	list   bool   // one line takes several values
	listed bool   // supported by this version, so that the example file has it
	// set reads one line: a list grows by it, of everything else the last line counts.
	set func(*T, directive) error
}

// scalar returns a key whose one value goes into one field.
func scalar[T, V any](name, def string, read func(string) (V, error), field func(*T) *V) key[T] {
	return key[T]{name: name, def: def, listed: true, set: func(t *T, d directive) error {
		s, err := one(d)
		if err != nil {
			return err
		}
		v, err := read(s)
		if err != nil {
			return err
		}
		*field(t) = v
		return nil
	}}
}

// sized is scalar for sizes, whose number and unit may be separated: `MergeMemory 256 MB`.
func sized[T any](name, def string, read func(string) (int64, error), field func(*T) *int64) key[T] {
	k := scalar(name, def, read, field)
	set := k.set
	k.set = func(t *T, d directive) error {
		if len(d.args) == 2 {
			d.args = []string{d.args[0] + " " + d.args[1]}
		}
		return set(t, d)
	}
	return k
}

// notYet ends every refusal of a reserved keyword or value that this version does not support. Accepting it
// without effect would let an operator rely on it.
const notYet = "not supported by this version"

// only returns a key of which this version supports only the default.
func only[T any](name, def string, others ...string) key[T] {
	read := choice(append([]string{def}, others...)...)
	return key[T]{name: name, def: def, listed: true, set: func(_ *T, d directive) error {
		s, err := one(d)
		if err != nil {
			return err
		}
		switch v, err := read(s); {
		case err != nil:
			return err
		case v != def:
			return reasonf("%s is %s; only %s is supported", quote(v), notYet, def)
		}
		return nil
	}}
}

// later returns a key that this version does not support: any value but the default is refused. The value is
// checked first, so that a bad value is reported as bad.
func later[T any, V comparable](name, def string, read func(string) (V, error)) key[T] {
	return key[T]{name: name, def: def, set: func(_ *T, d directive) error {
		s, err := one(d)
		if err != nil {
			return err
		}
		v, err := read(s)
		if err != nil {
			return err
		}
		if standard, err := read(def); err != nil || v != standard {
			return reasonf("%s; without the line the default %s applies", notYet, def)
		}
		return nil
	}}
}

// absent returns a key without default that this version does not support. Nothing of its value is repeated:
// FormLogin and DBSource contain passwords.
func absent[T any](name string) key[T] {
	return key[T]{name: name, set: func(*T, directive) error { return reasonf("%s", notYet) }}
}

// never returns a switch that has only one position, for the given reason.
func never[T any](name, def, reason string) key[T] {
	standard, _ := yesNo(def)
	return key[T]{name: name, def: def, set: func(_ *T, d directive) error {
		s, err := one(d)
		if err != nil {
			return err
		}
		switch v, err := yesNo(s); {
		case err != nil:
			return err
		case v != standard:
			return reasonf("%s", reason)
		}
		return nil
	}}
}

// findKey finds a keyword in any case.
func findKey[T any](keys []key[T], name string) (key[T], bool) {
	for _, k := range keys {
		if strings.EqualFold(k.name, name) {
			return k, true
		}
	}
	return key[T]{}, false
}

// homes returns every keyword, in the spelling of the example files, with the file it belongs to. DBAddr and
// DataDir, which searchd.conf may have too, belong to spider.cnf first.
func homes() map[string]string {
	all := map[string]string{}
	for _, k := range searchKeys {
		all[k.name] = searchName
	}
	for _, k := range setsKeys {
		all[k.name] = setsName
	}
	for _, k := range spiderKeys {
		all[k.name] = spiderName
	}
	return all
}

// word returns the letters and digits with which s begins, at most excerptRunes of them: the part of an
// unknown keyword that may be printed. The rest is hidden, because `AuthBasic:user:secret` and
// `DBAddr=postgres://...` are such tokens.
func word(s string) string {
	letters := func(r rune) bool {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	end := strings.IndexFunc(s, func(r rune) bool { return !letters(r) })
	if end < 0 {
		end = len(s)
	}
	return s[:min(end, excerptRunes)]
}

// spelling returns the keyword in the spelling of the example files, or the printable part of an unknown one.
func spelling(s string) string {
	shown := word(s)
	if strings.EqualFold(shown, "Include") {
		return "Include"
	}
	for name := range homes() {
		if strings.EqualFold(name, shown) {
			return name
		}
	}
	return shown
}

// unknown returns the problem of a directive whose keyword does not belong in the file called home.
func unknown(d directive, home string) Error {
	shown := word(d.keyword)
	switch {
	case strings.HasPrefix(d.keyword, "#"):
		return d.problem("", `unknown keyword "#": a comment needs a line of its own, with # as its first character`)
	case shown == "":
		return d.problem("", "unknown keyword: a line begins with a keyword of letters")
	case shown != d.keyword && len(shown) < excerptRunes:
		return d.problem(spelling(shown), "unknown keyword: a keyword has letters only, and a space separates it from its value")
	}
	if what := elsewhere[strings.ToLower(shown)]; what != "" {
		return d.problem(shown, "unknown keyword; "+what)
	}
	best, distance := "", 1+len(shown)/4 // one mistake in four letters, and one more
	all := homes()
	for name, file := range all {
		if strings.EqualFold(name, shown) {
			return d.problem(name, fmt.Sprintf("unknown keyword in %s: it belongs in %s", home, file))
		}
		n := slips(strings.ToLower(name), strings.ToLower(shown))
		// The map has no order, so ties are broken: this file's keyword first, then by name.
		if n < distance || n == distance && (best == "" || better(name, best, home, all)) {
			best, distance = name, n
		}
	}
	switch {
	case best == "":
		return d.problem(shown, "unknown keyword")
	case all[best] != home:
		return d.problem(shown, fmt.Sprintf("unknown keyword; did you mean %s in %s?", best, all[best]))
	}
	return d.problem(shown, fmt.Sprintf("unknown keyword; did you mean %s?", best))
}

func better(a, b, home string, all map[string]string) bool {
	if (all[a] == home) != (all[b] == home) {
		return all[a] == home
	}
	return a < b
}

// Supported returns the keywords of a file that this version supports: those of its example.
func Supported(file string) []string {
	switch file {
	case setsName:
		return supported(setsKeys)
	case spiderName:
		return supported(spiderKeys)
	}
	return supported(searchKeys)
}

func supported[T any](keys []key[T]) (names []string) {
	for _, k := range keys {
		if k.listed {
			names = append(names, k.name)
		}
	}
	slices.Sort(names)
	return names
}

// Keyword returns the keyword that a word is, in any case, and the file it belongs in; empty for none.
func Keyword(word string) (name, file string) {
	for name, file := range homes() {
		if strings.EqualFold(name, word) {
			return name, file
		}
	}
	return "", ""
}

// Slips returns how far two words are apart: how many single letters were inserted, left out, replaced or exchanged.
func Slips(a, b string) int { return slips(a, b) }

// slips returns the number of single letters to insert, remove or replace, or neighbors to exchange, that
// make a into b.
func slips(a, b string) int {
	// Three rows of the usual table: the one in progress and the two above it.
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			differs := 1
			if a[i-1] == b[j-1] {
				differs = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+differs)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
