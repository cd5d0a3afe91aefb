package query

import (
	"strings"
	"unicode"
)

// Parse reads a query in the language of aspseek.md 9.1:
//
//	query   = factor { ("OR" | "|") factor }
//	factor  = term { ["AND" | "+"] ["-"] term }        a blank is AND, too
//	term    = { "body:" | "desc:" | "keywords:" | "title:" } basic
//	basic   = word | site | phrase | "(" query ")"
//	site    = "site:" name | "(" site { OR site } ")"
//	phrase  = '"' { word | "(" words { OR words } ")" } '"'
//	or as a whole: "link:" url
//
// The error is an *Error. Where that section leaves a choice, this is what was chosen, and why:
//
//   - $ does not belong to words, since it does not in documents (design.md 5). What joins words (_ - ' . / : @ and so on)
//     makes a phrase of them, because that is what they are in the text that has them; all other signs only separate.
//   - AND and OR need something on both sides (ER_EXTRASYMBOL), as who writes capitals means them. A + does not: C++ and
//     +word are usual, and mean C and word.
//   - A * or ? that touches no word is any word, and keeps one place. A ? at the end of a question is a wildcard as said
//     there; with less than six characters before it the error says what to do.
//   - In an address (://) * and ? only separate, as people paste addresses.
//   - A quotation mark that is not closed goes on to the end; a ( is closed at the end, or with its phrase; a ) too many
//     is passed over. Each makes a note and no error (B38), since guessing right is easy there.
//   - “ and ” are quotation marks, because telephones write them.
//   - The nearest prefix decides: in title:(a body:b) b is looked for in the body. Both at once would find nothing.
//   - Inside quotation marks words follow each other; there only parentheses have operators, OR and | to choose between
//     words: "full (table OR index scan)". AND means nothing there, since two words have no place in common.
//   - Exclusions and site filters may come first: -a b is b -a. In parentheses without anything to find they belong to
//     what is around: a (-b) is a -b, and cat (site:a OR site:b) is the grammar's own. Where nothing is around, in an OR
//     or under a -, they are an error, because "all documents but" is no search.
//   - A word that the index leaves out is left out of an OR, too; it would be the only one that never matches.
//   - After site: an underscore and a port (:8080) belong to the name, because hosts and sites have them. The name may
//     follow a blank, as a word may after title:.
//   - After link: all characters up to a blank belong to the URL. Elsewhere than at the beginning link: is a word.
func Parse(text string, o Options) (*Query, error) {
	return parse(text, o, usual)
}

func parse(text string, o Options, limits limits) (*Query, error) {
	s := newSession(o, limits)
	if err := s.checkLength(text); err != nil {
		return nil, err
	}
	link, err := s.link(text)
	switch {
	case err != nil:
		return nil, err
	case link != "":
		return &Query{Link: link}, nil
	}
	v, err := s.parse(text, 0)
	if err != nil {
		return nil, err
	}
	return s.finish(v)
}

// link returns the URL of a text that is a link: query.
func (s *session) link(text string) (string, error) {
	text = Clean(text)
	at := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	if !strings.HasPrefix(text[at:], LinkPrefix) {
		return "", nil
	}
	from := at + len(LinkPrefix)
	if strings.TrimSpace(text[from:]) == "" {
		return "", s.fault(ErrExtraSymbol, at, "“link:” at byte %d needs an address after it, as in link:http://example.org/.", at+1)
	}
	return s.address(text, from)
}

// address returns the one URL that stands in text from a place on, with http:// if it has no scheme.
func (s *session) address(text string, from int) (string, error) {
	fields := strings.Fields(text[from:])
	if len(fields) == 1 {
		return withScheme(fields[0]), nil
	}
	at := from + strings.Index(text[from:], fields[0]) + len(fields[0])
	at += strings.Index(text[at:], fields[1])
	return "", s.fault(ErrLinkNotAlone, at, "“link:” cannot be combined with other terms: remove %s at byte %d.", Quote(fields[1]), at+1)
}

func withScheme(url string) string {
	if strings.Contains(url, "://") {
		return url
	}
	return "http://" + url
}

// A parser reads the lexemes of one text.
type parser struct {
	*session
	in    []lexeme
	i     int
	depth int
}

// parse reads a text in the whole language. Words without a prefix are in sections.
func (s *session) parse(text string, sections Sections) (value, error) {
	in, err := s.lex(text, wholeLanguage)
	if err != nil {
		return value{}, err
	}
	p := &parser{session: s, in: in}
	return p.query(sections)
}

func (p *parser) peek() *lexeme { return &p.in[p.i] }

// take returns the current lexeme and goes on. lexEnd stays.
func (p *parser) take() *lexeme {
	x := &p.in[p.i]
	if x.kind != lexEnd {
		p.i++
	}
	return x
}

// open and shut count parentheses.
func (p *parser) open(x *lexeme) error {
	p.depth++
	if p.depth > p.limits.depth {
		return p.fault(ErrTooDeep, x.at, "The parenthesis at byte %d is nested too deep: %d levels are allowed.", x.at+1, p.limits.depth)
	}
	return nil
}

func (p *parser) shut(opened *lexeme) {
	p.depth--
	if p.peek().kind == lexClose {
		p.i++
		return
	}
	p.note(UnclosedParenthesis, opened.at, "", "The parenthesis at byte %d is not closed. It is read as closed at the end.", opened.at+1)
}

func (p *parser) extra(x *lexeme) {
	p.note(ExtraParenthesis, x.at, "", "The closing parenthesis at byte %d has no opening one and is ignored.", x.at+1)
}

// query reads factors between ORs, up to a parenthesis that closes it or the end.
func (p *parser) query(sections Sections) (value, error) {
	var factors []value
	var or *lexeme // the one before the current factor
	for {
		v, empty, err := p.factor(sections)
		if err != nil {
			return value{}, err
		}
		x := p.peek()
		switch {
		case empty && x.kind == lexOr:
			return value{}, p.dangling(x)
		case empty && or != nil:
			return value{}, p.dangling(or)
		}
		factors = append(factors, v)
		if x.kind != lexOr {
			return p.or(factors)
		}
		or = p.take()
	}
}

// dangling is the error about an operator or prefix without what it needs.
func (p *parser) dangling(x *lexeme) error {
	name := "OR"
	switch x.kind {
	case lexSection:
		var prefix strings.Builder
		writeSections(&prefix, x.sections)
		return p.fault(ErrExtraSymbol, x.at, "“%s” at byte %d needs a word after it.", prefix.String(), x.at+1)
	case lexAnd:
		name = "AND"
	}
	return p.fault(ErrExtraSymbol, x.at, "“%s” at byte %d needs something to search for on both sides. To search for the word, write “%s”.",
		name, x.at+1, strings.ToLower(name))
}

// factor reads terms that are anded. empty says that there was none, not even one that was left out.
func (p *parser) factor(sections Sections) (v value, empty bool, err error) {
	part := part{at: p.peek().at}
	empty = true
	for {
		x := p.peek()
		switch x.kind {
		case lexEnd, lexOr:
			return part.value(), empty, nil
		case lexClose:
			if p.depth > 0 {
				return part.value(), empty, nil
			}
			p.extra(x)
			p.i++
			continue
		case lexAnd:
			p.i++
			if next := p.peek(); empty || !next.operand() {
				return value{}, false, p.dangling(x)
			}
			continue
		case lexNot:
			p.i++
			v, err := p.term(sections)
			if err == nil {
				err = p.exclude(&part, v)
			}
			if err != nil {
				return value{}, false, err
			}
		default:
			v, err := p.term(sections)
			if err != nil {
				return value{}, false, err
			}
			part.add(v)
		}
		empty = false
	}
}

// operand reports whether a term, excluded or not, can begin with x.
func (x *lexeme) operand() bool {
	switch x.kind {
	case lexEnd, lexOr, lexAnd, lexClose:
		return false
	}
	return true
}

// term reads what may stand behind a - or alone.
func (p *parser) term(sections Sections) (value, error) {
	x := p.take()
	if x.kind == lexSection {
		prefix := x
		for sections = 0; x.kind == lexSection; x = p.take() {
			sections |= x.sections
		}
		if !x.operand() || x.kind == lexNot {
			return value{}, p.dangling(prefix)
		}
		if sections == allSections {
			sections = 0
		}
	}
	switch x.kind {
	case lexUnit:
		return unitValue(x, sections), nil
	case lexQuote:
		seq, leftOut, err := p.phrase(x)
		return phraseValue(seq, leftOut, x.at, sections), err
	case lexSite:
		return value{sites: []SiteFilter{{Any: []Site{x.site}}}, at: x.at}, nil
	}
	if err := p.open(x); err != nil { // lexOpen is what is left
		return value{}, err
	}
	v, err := p.query(sections)
	p.shut(x)
	v.at = x.at
	return v, err
}
