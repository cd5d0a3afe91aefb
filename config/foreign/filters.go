package foreign

import (
	"regexp"
	"slices"
	"strings"
)

// filterWord are the words with which the patterns of mnoGoSearch may begin.
var filterWord = map[string]bool{
	"match": true, "nomatch": true, "case": true, "nocase": true, "string": true, "regex": true, "regexp": true,
}

// filter has the values of a line of mnoGoSearch with patterns.
type filter struct {
	noMatch, exact, regex bool
	args                  []string
}

func readFilter(args []string) (f filter) {
	for len(args) > 0 && filterWord[strings.ToLower(args[0])] {
		switch strings.ToLower(args[0]) {
		case "match":
			f.noMatch = false
		case "nomatch":
			f.noMatch = true
		case "case":
			f.exact = true
		case "nocase":
			f.exact = false
		case "string":
			f.regex = false
		default:
			f.regex = true
		}
		args = args[1:]
	}
	f.args = args
	return f
}

// pattern returns one of the values as an expression of ours.
func (f *filter) pattern(s string) string {
	if f.regex {
		s = ere(s)
	} else {
		s = glob(s)
	}
	if f.exact {
		s = "(?-i)" + s
	}
	return s
}

// filterMnogo writes a line with the patterns. Under NoMatch each pattern is a line: one line here means that none of them matches.
func filterMnogo(im *importer, e *entry, _ *rule) {
	f := readFilter(im.fields(e))
	if len(f.args) == 0 {
		e.leave("it has no pattern")
		return
	}
	keyword := filterName(e.keyword)
	var list []string
	for _, arg := range f.args {
		list = append(list, f.pattern(arg))
	}
	if !f.noMatch {
		im.patterns(e, keyword, list)
		return
	}
	for _, p := range list {
		im.patterns(e, keyword+"NoMatch", []string{p})
	}
}

// filterASPseek writes a line with the patterns as they are. Those that a split puts first are written there.
func filterASPseek(im *importer, e *entry, _ *rule) {
	args := strings.Fields(e.rest)
	if len(args) == 0 {
		e.leave("it has no pattern")
		return
	}
	var list, first []string
	for _, arg := range args {
		if im.split != nil && extension.MatchString(arg) && !strings.HasSuffix(strings.ToLower(e.keyword), "nomatch") {
			if im.split.decides(arg, e) {
				first = append(first, arg)
			}
			continue
		}
		list = append(list, ere(arg))
	}
	if len(list) > 0 {
		im.patterns(e, filterName(e.keyword), list)
	}
	if e.outcome == LeftOut || im.split == nil {
		return
	}
	if len(first) > 0 {
		at := len(e.out)
		im.patterns(e, filterName(e.keyword), first)
		for i := at; i < len(e.out); i++ {
			e.out[i].first = true
		}
		e.outcome, e.why = Changed, "patterns of extensions are tried first there, so they are at the beginning"
	}
	if len(e.out) == 0 {
		e.leave("a later line about the same extensions decides there")
	}
}

// patterns writes a line with those patterns that can be used, and says which cannot.
func (im *importer) patterns(e *entry, keyword string, list []string) {
	good := slices.DeleteFunc(slices.Clone(list), func(p string) bool { return !compiles(p) })
	if len(good) < len(list) {
		bad := slices.DeleteFunc(slices.Clone(list), compiles)
		why := "not a regular expression of RE2: " + withoutSecrets(strings.Join(bad, " "))
		if im.lost++; len(good) == 0 {
			e.leave(why)
			return
		}
		e.why = why
	}
	e.write(keyword, good...)
}

// filterName returns a keyword in our spelling.
func filterName(s string) string {
	for _, name := range []string{"Allow", "Disallow", "CheckOnly", "AllowNoMatch", "DisallowNoMatch", "CheckOnlyNoMatch"} {
		if strings.EqualFold(name, s) {
			return name
		}
	}
	return s
}

// extension matches the patterns that ASPseek tries before all others, whatever their place; of several for one extension the last
// one counts.
var extension = regexp.MustCompile(`^\\\.[A-Za-z0-9]+\$$`)

// filterSplit says which line about an extension decides.
type filterSplit struct {
	last map[string]string // extension -> file and number of the line
}

func (s *filterSplit) decides(pattern string, e *entry) bool {
	return s.last[strings.ToLower(pattern)] == e.place()
}

// splitFilters returns the split if the order of lines matters: if filters have more than one action.
func splitFilters(lines []line) *filterSplit {
	s := &filterSplit{last: map[string]string{}}
	actions := map[string]bool{}
	for _, l := range lines {
		keyword := strings.ToLower(l.keyword)
		switch action := strings.TrimSuffix(keyword, "nomatch"); action {
		case "allow", "disallow", "checkonly":
			actions[action] = true
			if action != keyword {
				continue
			}
			for arg := range strings.FieldsSeq(l.rest) {
				if extension.MatchString(arg) {
					s.last[strings.ToLower(arg)] = l.place()
				}
			}
		}
	}
	if len(actions) < 2 || len(s.last) == 0 {
		return nil
	}
	return s
}
