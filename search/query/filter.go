package query

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A FilterKind is the value of a document that a Filter compares.
type FilterKind int8

// The kinds of filters.
const (
	ByLanguage FilterKind = iota + 1 // lang: the primary subtag of the document's language
	ByType                           // filetype: the short name of its content type (document_type in SQL)
	ByURL                            // inurl: a part of its address, in any case of letters
)

// filterPrefixes has the prefix of each kind.
var filterPrefixes = []struct {
	text string
	kind FilterKind
}{
	{"filetype:", ByType},
	{"inurl:", ByURL},
	{"lang:", ByLanguage},
}

// A Filter accepts documents that have one of some values or, with Not, none of them. The values are as newFilter makes
// them.
type Filter struct {
	Kind FilterKind
	Not  bool
	Any  []string
}

// Accepts reports whether a document with a value passes. It is not for ByURL.
func (f Filter) Accepts(value string) bool { return slices.Contains(f.Any, value) != f.Not }

// String returns the filter as it is written in a query.
func (f Filter) String() string {
	var prefix string
	for _, p := range filterPrefixes {
		if p.kind == f.Kind {
			prefix = p.text
		}
	}
	var b strings.Builder
	if f.Not {
		b.WriteString("-")
	}
	if len(f.Any) != 1 {
		b.WriteString("(")
	}
	for i, value := range f.Any {
		if i > 0 {
			b.WriteString(" OR ")
		}
		b.WriteString(prefix)
		b.WriteString(value)
	}
	if len(f.Any) != 1 {
		b.WriteString(")")
	}
	return b.String()
}

// Language returns the primary subtag of a language tag in lower case ("de" of de-AT), or false if the text is none.
func Language(tag string) (string, bool) {
	code, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	for _, c := range []byte(code) {
		if c < 'a' || c > 'z' {
			return "", false
		}
	}
	return code, len(code) == 2 || len(code) == 3
}

// typeAliases are other names of types, most of them extensions of file names.
var typeAliases = map[string]string{
	"htm": "html", "shtml": "html", "xhtml": "html", "xht": "html", "txt": "text", "plain": "text", "md": "markdown", "js": "javascript",
	"rss": "feed", "atom": "feed", "doc": "word", "docx": "word", "odt": "word", "xls": "sheet", "xlsx": "sheet", "ods": "sheet",
	"ppt": "slides", "pptx": "slides", "odp": "slides",
}

// TypeNamed returns the short name of a type that somebody wrote: htm and HTML are html, txt is text.
func TypeNamed(name string) string {
	name = strings.ToLower(name)
	if short, ok := typeAliases[name]; ok {
		return short
	}
	return name
}

// filterValue returns the normal form of a value.
func filterValue(kind FilterKind, text string) (string, bool) {
	switch kind {
	case ByLanguage:
		return Language(text)
	case ByType:
		text = TypeNamed(strings.TrimLeft(text, "."))
	case ByURL:
		text = escapedLower(text)
	}
	return text, text != ""
}

// escapedLower returns a part of an address as addresses are stored, in lower case: other characters than those of ASCII are
// escaped.
func escapedLower(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(url.PathEscape(string(r)))
		}
	}
	return strings.ToLower(b.String())
}

// filterExtent returns the end of the value that begins at start.
func filterExtent(kind FilterKind, text string, start int) int {
	in := func(r rune) bool { return !unicode.IsSpace(r) && !isQuote(r) && !strings.ContainsRune("()|", r) }
	if kind != ByURL {
		in = func(r rune) bool {
			return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_+.", r))
		}
	}
	i := start
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !in(r) {
			break
		}
		i += size
	}
	return i
}

// filter reads lang:, filetype: or inurl: with its value. It returns false if none of them is here. A blank behind the
// colon makes an ordinary word of it.
func (l *lexer) filter() (bool, error) {
	at := l.at
	for _, p := range filterPrefixes {
		start := at + len(p.text)
		if !strings.HasPrefix(l.text[at:], p.text) {
			continue
		}
		end := filterExtent(p.kind, l.text, start)
		if end == start && (end == len(l.text) || l.text[end] == ' ') {
			return false, nil
		}
		value, ok := filterValue(p.kind, l.text[start:end])
		if !ok {
			return false, l.noValue(p.kind, at)
		}
		if err := l.count(at, l.text[at:end]); err != nil {
			return false, err
		}
		l.emit(lexeme{kind: lexFilter, filter: Filter{Kind: p.kind, Any: []string{value}}}, end-at)
		return true, nil
	}
	return false, nil
}

// oneKind returns the filter of lang:a OR lang:b.
func oneKind(factors []value) (f Filter, ok bool) {
	for i, v := range factors {
		if v.node != nil || v.leftOut || len(v.not) > 0 || len(v.sites) > 0 || len(v.filters) != 1 || v.filters[0].Not {
			return f, false
		}
		if i > 0 && v.filters[0].Kind != f.Kind {
			return f, false
		}
		f.Kind, f.Any = v.filters[0].Kind, append(f.Any[:len(f.Any):len(f.Any)], v.filters[0].Any...)
	}
	return f, true
}

// noValue is the error of a prefix without a value.
func (l *lexer) noValue(kind FilterKind, at int) error {
	switch kind {
	case ByType:
		return l.fault(ErrExtraSymbol, at, "“filetype:” at byte %d needs a type after it, as in filetype:html.", at+1)
	case ByURL:
		return l.fault(ErrExtraSymbol, at, "“inurl:” at byte %d needs a part of an address after it, as in inurl:docs.", at+1)
	}
	return l.fault(ErrExtraSymbol, at, "“lang:” at byte %d needs a language code of two or three letters after it, as in lang:de.", at+1)
}
