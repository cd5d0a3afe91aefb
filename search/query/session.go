package query

import "fmt"

// Limits of a query (reliability.md B38).
const (
	// MaxBytes is the longest text.
	MaxBytes = 1024
	// MaxTerms is the highest number of words, patterns and sites in a query, all its fields together. Words that the
	// index leaves out do not count; each pair of Han, kana or Thai does, because each is a list to read.
	MaxTerms = 32
	// MaxDepth is how deep parentheses may be nested. A person stops at three; a program that writes queries meets the
	// other limits first.
	MaxDepth = 16
	// DefaultMinFixedPatternLength is the number of characters before a wildcard (searchd.conf, rules.md 2.4).
	DefaultMinFixedPatternLength = 6
)

// Options say how a text is read. The zero value is usable.
type Options struct {
	// MinFixedPatternLength is the number of characters that a pattern needs before its first wildcard.
	// 0 = DefaultMinFixedPatternLength.
	MinFixedPatternLength int
	// Stored reports whether the index has a word (document.Rules.Stored): others are left out and keep their place.
	// Nil = all are stored.
	Stored func(word string) bool
}

// limits are those of one text. Only canonical spellings go beyond the usual ones: they may be longer than what was typed.
type limits struct {
	bytes, depth int
}

var usual = limits{MaxBytes, MaxDepth}

// A session is the reading of one query, which may have several fields.
type session struct {
	stored   func(string) bool
	minFixed int
	limits   limits
	field    string // the parameter that is read now
	terms    int    // so far
	notes    []Note
	noted    map[noteKey]bool
}

type noteKey struct {
	kind  NoteKind
	field string
	about string
}

func newSession(o Options, limits limits) *session {
	s := &session{stored: o.Stored, minFixed: o.MinFixedPatternLength, limits: limits, noted: map[noteKey]bool{}}
	if s.stored == nil {
		s.stored = func(string) bool { return true }
	}
	if s.minFixed <= 0 {
		s.minFixed = DefaultMinFixedPatternLength
	}
	return s
}

// note makes a note, once for each thing it is about.
func (s *session) note(kind NoteKind, at int, about, format string, args ...any) {
	key := noteKey{kind, s.field, about}
	if s.noted[key] {
		return
	}
	s.noted[key] = true
	s.notes = append(s.notes, Note{Kind: kind, Field: s.field, At: at, Text: fmt.Sprintf(format, args...)})
}

// fault is an error in the field that is read.
func (s *session) fault(kind error, at int, format string, args ...any) error {
	return &Error{Kind: kind, Field: s.field, At: at, Text: fmt.Sprintf(format, args...)}
}

// count adds a term to those of the query.
func (s *session) count(at int, text string) error {
	if s.terms == MaxTerms {
		return s.fault(ErrTooManyTerms, at, "The query has too many words: %s at byte %d exceeds the limit of %d.", Quote(text), at+1, MaxTerms)
	}
	s.terms++
	return nil
}

// checkLength is the first thing done with a text.
func (s *session) checkLength(text string) error {
	if len(text) > s.limits.bytes {
		return s.fault(ErrTooLong, s.limits.bytes, "The query is too long: it has %d bytes, at most %d are allowed.", len(text), s.limits.bytes)
	}
	return nil
}

// Plural writes a count with its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
