package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
)

type lexKind int8

const (
	lexEnd     lexKind = iota
	lexUnit            // words and patterns without a blank between them (units.go)
	lexQuote           // begins or ends a phrase
	lexOpen            // (
	lexClose           // )
	lexOr              // OR, |
	lexAnd             // AND
	lexNot             // - that excludes the next term
	lexMust            // + that makes the next term a condition
	lexSection         // one of body: desc: keywords: title:
	lexSite            // site: with its name
	lexFilter          // lang:, filetype: or inurl: with its value
)

// A lexeme is a token of the query language at text[at:end].
type lexeme struct {
	kind     lexKind
	at, end  int
	unit     unit
	sections Sections
	site     Site
	filter   Filter
}

// A token is a word as package document cuts it, with its place.
type token struct {
	word       string
	start, end int
}

// A mode selects the operators that a lexer recognizes.
type mode int8

const (
	wholeLanguage   mode = iota
	wordsAndPhrases      // quotation marks only: xq
	wordsOnly            // none, for the words of a phrase: iq and xq with p
)

// A lexer cuts one text. Separators and operators depend on its state: there are fewer operators inside of
// quotation marks.
type lexer struct {
	*session
	mode   mode
	text   string  // the typed text with blanks instead of control characters and invalid bytes, same length
	tokens []token // all words of text
	next   int     // the first token that begins at or after at
	at     int
	quoted bool
	depth  int // open parentheses inside of the quotation marks
	out    []lexeme
}

// lex cuts text, which has at most MaxBytes, into lexemes. The last one is lexEnd.
func (s *session) lex(text string, m mode) ([]lexeme, error) {
	l := &lexer{session: s, mode: m, text: Clean(text)}
	document.Tokens(l.text, func(word string, start, end int) bool {
		l.tokens = append(l.tokens, token{word, start, end})
		return true
	})
	separated := true // nothing, a blank or another separator precedes
	for l.at < len(l.text) {
		at := l.at
		for l.next < len(l.tokens) && l.tokens[l.next].start < at {
			l.next++
		}
		if l.termBegins(at) {
			if err := l.term(); err != nil {
				return nil, err
			}
			separated = false
			continue
		}
		r, size := utf8.DecodeRuneInString(l.text[at:])
		switch {
		case isQuote(r) && m != wordsOnly:
			l.emit(lexeme{kind: lexQuote}, size)
			l.quoted, l.depth = !l.quoted, 0
			separated = false
		case m != wholeLanguage:
			l.at += size
		case r == '(':
			l.emit(lexeme{kind: lexOpen}, size)
			l.depth++
			separated = true
		case r == ')':
			l.emit(lexeme{kind: lexClose}, size)
			l.depth = max(0, l.depth-1)
			separated = false
		case r == '|' && l.operators():
			l.emit(lexeme{kind: lexOr}, size)
			separated = true
		case r == '-' && separated && !l.quoted && l.operandBegins(at+size):
			l.emit(lexeme{kind: lexNot}, size)
			separated = false
		case r == '+' && separated && !l.quoted && l.operandBegins(at+size) && !l.afterPrefix():
			l.emit(lexeme{kind: lexMust}, size)
			separated = false
		default:
			l.at += size
			separated = !joins(r)
		}
	}
	l.emit(lexeme{kind: lexEnd}, 0)
	return l.out, nil
}

// Clean replaces control characters and invalid bytes by spaces. It differs from printable.String, which
// escapes them: the words of a query must keep their offsets.
func Clean(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 || unicode.IsControl(r) {
			b.WriteString("  "[:size])
		} else {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// emit adds a lexeme of the next size bytes.
func (l *lexer) emit(x lexeme, size int) {
	x.at, x.end = l.at, l.at+size
	l.at = x.end
	l.out = append(l.out, x)
}

// operators reports whether OR and AND are operators here: outside of quotation marks, and inside of them in
// parentheses.
func (l *lexer) operators() bool { return l.mode == wholeLanguage && (!l.quoted || l.depth > 0) }

// termBegins reports whether a word or wildcard begins at a place, which is not before the lexer's.
func (l *lexer) termBegins(at int) bool { return l.wordBegins(l.next, at) || isWildcard(l.text, at) }

// wordBegins reports whether token k or a later one begins at a place.
func (l *lexer) wordBegins(k, at int) bool {
	for k < len(l.tokens) && l.tokens[k].start < at {
		k++
	}
	return k < len(l.tokens) && l.tokens[k].start == at
}

// operandBegins reports whether an operand of - can begin at a place.
func (l *lexer) operandBegins(at int) bool {
	r, _ := utf8.DecodeRuneInString(l.text[at:])
	return r == '(' || isQuote(r) || l.termBegins(at)
}

// afterPrefix reports whether the last lexeme is a prefix such as title:.
func (l *lexer) afterPrefix() bool {
	n := len(l.out)
	return n > 0 && l.out[n-1].kind == lexSection
}

func isWildcard(text string, at int) bool {
	return at < len(text) && (text[at] == '*' || text[at] == '?')
}

// isQuote reports whether r is a quotation mark. Telephones write “ and ” when " is typed.
func isQuote(r rune) bool { return r == '"' || '“' <= r && r <= '‟' }

// joiners are the characters that join words without a blank to a phrase.
const joiners = "_-'’`./\\:@&#%=~^$·‐‑"

// joins reports whether words with r between them are a phrase. Characters without width (soft hyphens,
// joiners of scripts, direction marks) join as well, because they are invisible.
func joins(r rune) bool { return strings.ContainsRune(joiners, r) || unicode.Is(unicode.Cf, r) }

// term reads a word, or something that begins like a word: an operator, a prefix, a site.
func (l *lexer) term() error {
	at := l.at
	if l.mode == wholeLanguage && !l.quoted {
		rest := l.text[at:]
		if strings.HasPrefix(rest, sitePrefix) {
			return l.siteName()
		}
		if ok, err := l.filter(); ok || err != nil {
			return err
		}
		for _, p := range append(sectionPrefixes, sectionAliases...) {
			if strings.HasPrefix(rest, p.text) {
				l.emit(lexeme{kind: lexSection, sections: p.section}, len(p.text))
				return nil
			}
		}
		if strings.HasPrefix(rest, LinkPrefix) && l.wordBegins(l.next, at+len(LinkPrefix)) {
			l.note(LinkInside, at, LinkPrefix,
				"“link:” at byte %d is read as a word; as an operator it must be the whole query.", at+1)
		}
	}
	pieces, end := l.pieces()
	if len(pieces) == 1 && l.operators() {
		switch l.text[pieces[0].start:pieces[0].end] {
		case "OR":
			l.emit(lexeme{kind: lexOr}, end-at)
			return nil
		case "AND":
			l.emit(lexeme{kind: lexAnd}, end-at)
			return nil
		}
	}
	u, err := l.unit(pieces)
	if err != nil {
		return err
	}
	l.emit(lexeme{kind: lexUnit, unit: u}, end-at)
	return nil
}

// siteName reads site: and the name behind it. The name may follow blanks, and a *. before it has no effect.
func (l *lexer) siteName() error {
	at := l.at
	start := at + len(sitePrefix)
	start += len(l.text[start:]) - len(strings.TrimLeftFunc(l.text[start:], unicode.IsSpace))
	if strings.HasPrefix(l.text[start:], "*.") {
		start += len("*.")
	}
	site, ok := Files, true
	end := filesExtent(l.text, start)
	if end == start {
		end = siteExtent(l.text, start)
		site, ok = newSite(l.text[start:end])
	}
	if !ok {
		return l.fault(ErrExtraSymbol, at, "“site:” at byte %d needs the name of a site after it, as in site:example.org.", at+1)
	}
	// A path would be read as words, and the scheme of an address as the site.
	name := end
	if site == Files {
		name-- // its last slash
	}
	rest := strings.TrimLeftFunc(l.text[end:], joins)
	if path := len(l.text) - len(rest); strings.Contains(l.text[name:path], "/") && l.wordBegins(l.next, path) {
		return l.fault(ErrExtraSymbol, at, "“site:” at byte %d takes the name of a site without http:// and path, as in site:example.org.", at+1)
	}
	if err := l.count(at, l.text[at:end]); err != nil {
		return err
	}
	l.emit(lexeme{kind: lexSite, site: site}, end-at)
	return nil
}
