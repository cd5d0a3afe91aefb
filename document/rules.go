package document

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits and defaults of Rules (spider.cnf).
const (
	// MaxWordLength is the longest word that can be stored, in characters.
	MaxWordLength = 32
	// DefaultIndexLimit and MaxIndexLimit bound the bytes of a document that are read.
	DefaultIndexLimit = 2621440
	MaxIndexLimit     = 10485760
	// DefaultParseLimit is the longest time for one document (B24).
	DefaultParseLimit = 10 * time.Second
)

// Rules are the settings for reading words and links (spider.cnf). The zero value is not usable: NewRules
// checks the fields and fills in defaults. Afterwards the value must not be changed, and is safe for
// concurrent use.
type Rules struct {
	// MinWordLength and MaxWordLength are the shortest and longest stored word in characters, 1 to 32.
	// 0 = 1 and 32. Other words take an ordinal and are not stored (B15).
	MinWordLength, MaxWordLength int
	// IndexLimit is the number of bytes read of a body. 0 = DefaultIndexLimit.
	IndexLimit int
	// LinkTags are the elements whose links are reported: a, area, frame, iframe, img, link. Any case; empty
	// = a only.
	LinkTags []string
	// FollowRelNofollow reports links with rel=nofollow too.
	FollowRelNofollow bool
	// MaxLinks is the largest number of links reported of a document. 0 = all (B14).
	MaxLinks int
	// Stopwords are not stored, take an ordinal, and vote for a language: word -> two-letter code, or an
	// empty string for no vote. Words are folded here; an entry that is not exactly one word ("don't") has
	// no effect.
	Stopwords map[string]string
	// ParseLimit is the longest time for one document. 0 = DefaultParseLimit.
	ParseLimit time.Duration
	// IgnoreMeta leaves noindex, nofollow and none of META robots unheeded. noarchive and nosnippet count all the same.
	IgnoreMeta bool
	// Agent is the name by which a page addresses us alone, in lower case: META with this name counts like META robots. Empty = none.
	Agent string
	// Charset is that of documents that declare none and are not UTF-8, by its WHATWG name. Empty = it is guessed.
	Charset string
	// NoLanguage leaves Document.Lang empty. It is for documents that are read again only for their words: a
	// guess by letters may take several times as long as the rest.
	NoLanguage bool

	leave    leaving
	linkTags [tagCount]bool
	stop     map[string]uint8 // word -> index into langs, plus one; 0 = no vote
	langs    []string         // ascending
}

// Patient returns the same rules for reading documents again from their stored contents: with a time limit of
// at least an hour and without guessing the language.
func (r *Rules) Patient() *Rules {
	p := *r
	p.ParseLimit = max(p.ParseLimit, time.Hour)
	p.NoLanguage = true
	return &p
}

// ForAgent returns the same rules, by which META with the name of an agent counts like META robots.
func (r *Rules) ForAgent(name string) *Rules {
	p := *r
	p.Agent = strings.ToLower(name)
	return &p
}

// WithoutMeta returns the same rules, by which META robots forbids neither words nor links.
func (r *Rules) WithoutMeta() *Rules {
	p := *r
	p.IgnoreMeta = true
	return &p
}

// WithCharset returns the same rules for documents that have a charset when they declare none, by its number (CharsetNumber).
func (r *Rules) WithCharset(number int) *Rules {
	name := charsetOf(number)
	if name == r.Charset {
		return r
	}
	p := *r
	p.Charset = name
	return &p
}

// NewRules returns r checked, with its defaults filled in. The error names the field by its keyword in
// spider.cnf.
func NewRules(r Rules) (*Rules, error) {
	if r.MinWordLength == 0 {
		r.MinWordLength = 1
	}
	if r.MaxWordLength == 0 {
		r.MaxWordLength = MaxWordLength
	}
	if r.IndexLimit == 0 {
		r.IndexLimit = DefaultIndexLimit
	}
	if r.ParseLimit == 0 {
		r.ParseLimit = DefaultParseLimit
	}
	if len(r.LinkTags) == 0 {
		r.LinkTags = []string{"a"}
	}
	switch {
	case r.MaxWordLength < 1 || r.MaxWordLength > MaxWordLength:
		return nil, fmt.Errorf("MaxWordLength: %d is not in 1..%d", r.MaxWordLength, MaxWordLength)
	case r.MinWordLength < 1 || r.MinWordLength > r.MaxWordLength:
		return nil, fmt.Errorf("MinWordLength: %d is not in 1..%d", r.MinWordLength, r.MaxWordLength)
	case r.IndexLimit < 0 || r.IndexLimit > MaxIndexLimit:
		return nil, fmt.Errorf("IndexLimit: %d is not in 1..%d", r.IndexLimit, MaxIndexLimit)
	case r.MaxLinks < 0:
		return nil, fmt.Errorf("MaxLinksPerPage: %d is negative", r.MaxLinks)
	case r.ParseLimit < 0:
		return nil, fmt.Errorf("parse limit: %v is negative", r.ParseLimit)
	}
	for _, name := range r.LinkTags {
		name = strings.ToLower(name)
		id := tagNamed([]byte(name))
		if linkElements[id].name != name || name == "" {
			return nil, fmt.Errorf("LinkTags: %q is not one of a, area, frame, iframe, img, link", name)
		}
		r.linkTags[id] = true
	}
	if err := r.foldStopwords(); err != nil {
		return nil, err
	}
	return &r, nil
}

// foldStopwords builds the table that the inner loop uses.
func (r *Rules) foldStopwords() error {
	for _, lang := range r.Stopwords {
		if lang != "" && !slices.Contains(r.langs, lang) {
			r.langs = append(r.langs, lang)
		}
	}
	if len(r.langs) > 255 {
		return fmt.Errorf("StopwordFile: %d languages are more than 255", len(r.langs))
	}
	slices.Sort(r.langs)
	r.stop = make(map[string]uint8, len(r.Stopwords))
	for word, lang := range r.Stopwords {
		if len(lang) != 2 && lang != "" {
			return fmt.Errorf("StopwordFile: %q is not a two-letter language code", lang)
		}
		folded, n := "", 0
		for w := range words(word) {
			folded = w
			n++
		}
		if n != 1 || folded == "" {
			continue
		}
		vote, _ := slices.BinarySearch(r.langs, lang)
		if lang == "" {
			vote = -1
		}
		// Two spellings may fold into one word ("The", "the"): the higher code wins, whatever the order of
		// the map, so that the same configuration makes the same index.
		r.stop[folded] = max(r.stop[folded], uint8(vote+1))
	}
	return nil
}

// Stored reports whether a word that Tokens yields is stored in an index made by these rules. A query leaves
// out the others, which keep their place in a phrase.
func (r *Rules) Stored(word string) bool {
	n := utf8.RuneCountInString(word)
	if n < r.MinWordLength || n > r.MaxWordLength {
		return false
	}
	_, stop := r.stop[word]
	return !stop
}
