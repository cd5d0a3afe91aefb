package query

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What can be wrong with a query. Every *Error wraps one of them; their own texts are for programs. The first five say
// that nothing was asked for, so that the answer is empty; the others that the query cannot be read (aspseek.md 9.1 has
// them by the names given).
var (
	// ErrEmpty: there is no word in it, or no text at all (ER_EMPTYQUERY).
	ErrEmpty = errors.New("empty query")
	// ErrOnlyStopWords: the index leaves out all its words (ER_STOPWORDS).
	ErrOnlyStopWords = errors.New("only words that are not indexed")
	// ErrOnlyExclusions: it, or an alternative of an OR, only says what not to find (ER_EMPTYQUERY).
	ErrOnlyExclusions = errors.New("only exclusions")
	// ErrOnlySites: it, or an alternative of an OR, only names sites (ER_STOPWORDS).
	ErrOnlySites = errors.New("only site filters")
	// ErrTooShort: too few characters before a wildcard (ER_TOOSHORT).
	ErrTooShort = errors.New("pattern too short")
	// ErrExtraSymbol: an operator or prefix without what it needs (ER_EXTRASYMBOL).
	ErrExtraSymbol = errors.New("operator without operand")
	// ErrLinkNotAlone: link: is a whole query, and there is more.
	ErrLinkNotAlone = errors.New("link with other terms")
	// ErrTooLong: more than MaxBytes (reliability.md B38).
	ErrTooLong = errors.New("query too long")
	// ErrTooManyTerms: more than MaxTerms (B38).
	ErrTooManyTerms = errors.New("too many terms")
	// ErrTooDeep: parentheses in parentheses beyond MaxDepth.
	ErrTooDeep = errors.New("too many nested parentheses")
)

// An Error says what is wrong with a query: its Error method is a sentence in plain words, to be shown to the person who
// typed it. It holds pieces of the query, no control characters, and must be escaped like any text.
type Error struct {
	Kind  error  // one of the kinds above
	Field string // the parameter that it is about (aspseek.md 9.2); empty for the text given to Parse
	At    int    // the offset in bytes in that text, from 0; the sentence counts from 1
	Text  string // the sentence without the field
}

func (e *Error) Error() string { return inField(e.Field, e.Text) }

// Unwrap gives the kind, for errors.Is.
func (e *Error) Unwrap() error { return e.Kind }

func inField(field, text string) string {
	if field == "" || field == "q" {
		return text
	}
	return "In " + field + ": " + text
}

// A NoteKind tells the notes apart.
type NoteKind int8

// What a Note may be about.
const (
	UnclosedQuote       NoteKind = iota + 1 // the phrase goes on to the end
	UnclosedParenthesis                     // closed at the end, or with the phrase around it
	ExtraParenthesis                        // one that closes nothing; there may be more of them
	LeftOut                                 // a word that is not indexed: too common, too short or too long
	NeedlessWildcard                        // at the end of a run of Han, kana or Thai, which is found inside longer ones anyway
	LinkInside                              // link: in the middle of a query is a word
	ManyWords                               // a pattern fits more words than are looked at
	UnknownAddress                          // the index does not have the address of link:
	UnknownPlace                            // a site, subset or space that the index does not have
)

// A Note says what was understood otherwise than written.
type Note struct {
	Kind  NoteKind
	Field string // as in Error
	At    int    // as in Error
	Text  string // a sentence to be shown, as in Error
}

func (n Note) String() string { return inField(n.Field, n.Text) }

// shownLength is how much of the query a sentence repeats, in characters.
const shownLength = 40

// Quote puts a piece of the query into a sentence.
func Quote(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) > shownLength {
		s = string([]rune(s)[:shownLength]) + "…"
	}
	return "“" + s + "”"
}
