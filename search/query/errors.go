package query

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The kinds of errors of a query. Every *Error wraps one of them; their own texts are for programs. The first
// five mean that there is nothing to find, so the result is empty; the others, that the query cannot be
// parsed. ASPseek's names are in parentheses.
var (
	// ErrEmpty: the query has no word, or no text at all (ER_EMPTYQUERY).
	ErrEmpty = errors.New("empty query")
	// ErrOnlyStopWords: none of its words is indexed (ER_STOPWORDS).
	ErrOnlyStopWords = errors.New("only words that are not indexed")
	// ErrOnlyExclusions: the query, or an alternative of an OR, has exclusions only (ER_EMPTYQUERY).
	ErrOnlyExclusions = errors.New("only exclusions")
	// ErrOnlySites: the query, or an alternative of an OR, has site filters only (ER_STOPWORDS).
	ErrOnlySites = errors.New("only site filters")
	// ErrTooShort: too few characters before a wildcard (ER_TOOSHORT).
	ErrTooShort = errors.New("pattern too short")
	// ErrExtraSymbol: an operator or prefix without its operand (ER_EXTRASYMBOL).
	ErrExtraSymbol = errors.New("operator without operand")
	// ErrLinkNotAlone: a link: query has other terms.
	ErrLinkNotAlone = errors.New("link with other terms")
	// ErrTooLong: the text has more than MaxBytes (B38).
	ErrTooLong = errors.New("query too long")
	// ErrTooManyTerms: more than MaxTerms (B38).
	ErrTooManyTerms = errors.New("too many terms")
	// ErrTooDeep: parentheses are nested deeper than MaxDepth.
	ErrTooDeep = errors.New("too many nested parentheses")
)

// An Error describes what is wrong with a query. Its Error method returns a sentence for the person who typed
// the query. The sentence contains pieces of the query without control characters, and must be escaped like
// any text.
type Error struct {
	Kind  error  // one of the kinds above
	Field string // the parameter with the error; empty for the text given to Parse
	At    int    // offset in bytes in that text, from 0; the sentence counts from 1
	Text  string // the sentence without the field
	Sentence
}

// A Sentence has the format of a text and the parts in it, for pages in other languages (search/web/messages).
// It is empty for a text without one.
type Sentence struct {
	Format string // in English, of package fmt
	Args   []any
}

// A Count is a number with an English noun as a part of a Sentence.
type Count struct {
	N    int
	Noun string
}

func (c Count) String() string { return Plural(c.N, c.Noun) }

func (e *Error) Error() string { return inField(e.Field, e.Text) }

// Unwrap returns the kind, for errors.Is.
func (e *Error) Unwrap() error { return e.Kind }

func inField(field, text string) string {
	if field == "" || field == "q" {
		return text
	}
	return "In " + field + ": " + text
}

// A NoteKind is the kind of a Note.
type NoteKind int8

// The kinds of notes.
const (
	UnclosedQuote       NoteKind = iota + 1 // the phrase extends to the end
	UnclosedParenthesis                     // closed at the end, or together with the phrase around it
	ExtraParenthesis                        // a closing parenthesis without an opening one, perhaps several
	LeftOut                                 // a word that is not indexed: too common, too short or too long
	NeedlessWildcard                        // a wildcard after a run of a script without blanks, which is found inside longer runs anyway
	LinkInside                              // link: in the middle of a query is an ordinary word
	ManyWords                               // a pattern matches more words than the search reads
	UnknownAddress                          // the address of link: is not in the index
	UnknownPlace                            // a site, subset or space that is not in the index
	LoosePhrase                             // a phrase that no document has, whose words are searched for
)

// A Note reports that a query was understood in another way than it was written.
type Note struct {
	Kind  NoteKind
	Field string // as in Error
	At    int    // as in Error
	Text  string // a sentence for people, as in Error
	Sentence
}

// NewNote returns a note about the whole search, for packages that find more than the text of the query tells.
func NewNote(kind NoteKind, format string, args ...any) Note {
	return Note{Kind: kind, Text: fmt.Sprintf(format, args...), Sentence: Sentence{format, args}}
}

func (n Note) String() string { return inField(n.Field, n.Text) }

// shownLength is the maximum length of a piece of the query in a sentence, in characters.
const shownLength = 40

// Quote returns a piece of the query as it appears in a sentence.
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
