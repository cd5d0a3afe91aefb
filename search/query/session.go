package query

import "fmt"

// Limits of a query (B38).
const (
	// MaxBytes is the maximum length of a text.
	MaxBytes = 2048
	// MaxTerms is the maximum number of words, patterns and sites in a query, all its fields together. Words
	// that are not indexed do not count. Each pair of a script without blanks does, because each is a list of
	// postings to read.
	// Of more words that are no conditions a search uses those that add most to a score: rare and repeated ones.
	MaxTerms = 32
	// mostTerms is the maximum number of terms of which a search may choose.
	mostTerms = 512
	// MaxDepth is the maximum nesting of parentheses. People rarely need more than three levels; generated
	// queries reach the other limits first.
	MaxDepth = 16
	// DefaultMinFixedPatternLength is the default number of characters before a wildcard (searchd.conf). A syllable of Hangul
	// counts as two.
	DefaultMinFixedPatternLength = 3
)

// Options control how a text is parsed. The zero value is usable.
type Options struct {
	// MinFixedPatternLength is the number of characters that a pattern needs before its first wildcard. 0 =
	// DefaultMinFixedPatternLength.
	MinFixedPatternLength int
	// Stored reports whether a word is indexed (document.Rules.Stored). Other words are left out and keep
	// their place. Nil = all words are indexed.
	Stored func(word string) bool
}

// limits are the limits of one text. Only tests use wider ones than the constants, because canonical
// spellings may be longer than typed queries.
type limits struct {
	bytes, depth int
}

var usual = limits{MaxBytes, MaxDepth}

// A session is the state of parsing one query, which may have several fields.
type session struct {
	stored   func(string) bool
	minFixed int
	limits   limits
	field    string // the current parameter
	terms    int    // so far
	surplus  error  // the fault of more than MaxTerms; nil = there are not so many
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

// note adds a note, once for each kind and subject.
func (s *session) note(kind NoteKind, at int, about, format string, args ...any) {
	key := noteKey{kind, s.field, about}
	if s.noted[key] {
		return
	}
	s.noted[key] = true
	s.notes = append(s.notes, Note{Kind: kind, Field: s.field, At: at, Text: fmt.Sprintf(format, args...), Sentence: Sentence{format, args}})
}

// fault returns an error in the current field.
func (s *session) fault(kind error, at int, format string, args ...any) error {
	return &Error{Kind: kind, Field: s.field, At: at, Text: fmt.Sprintf(format, args...), Sentence: Sentence{format, args}}
}

// count adds a term to the number of terms of the query.
func (s *session) count(at int, text string) error {
	if s.terms == MaxTerms {
		s.surplus = s.fault(ErrTooManyTerms, at, "The query has too many words: %s at byte %d exceeds the limit of %d.", Quote(text), at+1, MaxTerms)
	}
	if s.terms++; s.terms > mostTerms {
		return s.surplus
	}
	return nil
}

// checkLength verifies the length of a text before anything else is done with it.
func (s *session) checkLength(text string) error {
	if len(text) > s.limits.bytes {
		return s.fault(ErrTooLong, s.limits.bytes, "The query is too long: it has %d bytes, at most %d are allowed.", len(text), s.limits.bytes)
	}
	return nil
}

// Plural returns a number with its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
