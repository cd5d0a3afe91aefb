package config

import "regexp"

// PaceLine is one CrawlFrequently, CrawlInfrequently or ForceRecrawl line. It is safe for concurrent use.
type PaceLine struct {
	Patterns []*regexp.Regexp // at least one; RE2, ignoring case, unanchored
	File     string
	Line     int
	Text     string // the line as written, for --explain
}

// Match reports whether one of the patterns matches in the whole normalized URL.
func (p *PaceLine) Match(url string) bool {
	for _, re := range p.Patterns {
		if re.MatchString(url) {
			return true
		}
	}
	return false
}

// PaceLines are the lines of one pace directive in file order; an empty list matches nothing. They are safe
// for concurrent use.
type PaceLines []PaceLine

// Match reports whether a line matches the whole normalized URL.
func (ps PaceLines) Match(url string) bool { return ps.Find(url) != nil }

// Find returns the first line that matches the whole normalized URL, nil when none does.
func (ps PaceLines) Find(url string) *PaceLine {
	for i := range ps {
		if ps[i].Match(url) {
			return &ps[i]
		}
	}
	return nil
}

// paceKey returns a directive whose lines add up.
func paceKey(name string, field func(*Sets) *PaceLines) key[setsReader] {
	return key[setsReader]{name: name, listed: true, set: func(r *setsReader, d directive) error {
		patterns, err := patterns(d)
		if err != nil {
			return err
		}
		lines := field(&r.sets)
		*lines = append(*lines, PaceLine{Patterns: patterns, File: d.file, Line: d.line, Text: d.text})
		return nil
	}}
}
