package query

import (
	"strings"
	"unicode"
)

// Parse parses a query:
//
//	query   = factor { ("OR" | "|") factor }
//	factor  = term { ["AND"] ["-" | "+"] term }        a blank means any word (Request.All: AND)
//	term    = { "body:" | "desc:" | "keywords:" | "title:" | "intitle:" } basic
//	basic   = word | site | filter | phrase | "(" query ")"
//	site    = "site:" name | "(" site { OR site } ")"
//	filter  = "lang:" code | "filetype:" type | "inurl:" text | "(" filter { OR filter } ")"    one kind
//	phrase  = '"' { word | "(" words { OR words } ")" } '"'
//	or as a whole: "link:" url
//
// The error is an *Error. The language is ASPseek's. Where its manual leaves a choice, Parse decides as
// follows:
//
//   - $ is not part of words, because it is not in documents. Characters that join words (_ - ' . / : @ and
//     so on) make a phrase of them, because the words follow each other in a document that has them. All
//     other signs only separate.
//   - AND and OR need operands on both sides (ER_EXTRASYMBOL), because capitals are written on purpose. A +
//     before a word, behind a blank, makes it a condition, as AND does with both of its sides. Elsewhere a +
//     only separates: C++ is C.
//   - A * or ? that touches no word is any word, and keeps one place. A ? at the end of a word ends a question
//     and is no wildcard.
//   - A text that is nothing but -header is the word: people paste options of programs.
//   - In an address (://) * and ? only separate, because people paste addresses.
//   - A missing quotation mark is added at the end, a missing ) at the end or at the end of its phrase, and
//     an extra ) is ignored. Each gives a note and not an error (B38), because the intended query is
//     obvious.
//   - “ and ” are quotation marks, because telephones write them.
//   - The nearest prefix wins: in title:(a body:b) b is searched in the body. Both at once would find
//     nothing.
//   - Inside of quotation marks words follow each other. Only parentheses have operators there, OR and | to
//     choose between words: "full (table OR index scan)". AND has no meaning there, because two words cannot
//     have the same place.
//   - Exclusions and site filters may come first: -a b is b -a. Those in parentheses without anything to
//     find belong to the And around: a (-b) is a -b, and cat (site:a OR site:b) is part of the grammar.
//     Without an And around them, in an OR or under a -, they are an error, because "all documents but" is
//     not a search.
//   - A word that is not indexed is left out of an OR as well; otherwise it would be the only alternative
//     that never matches.
//   - After site: an underscore and a port (:8080) belong to the name, because hosts and sites have them.
//     The name may follow a blank, like a word after title:.
//   - Filters limit like site: and can be excluded. Their value directly follows the colon. A filetype: is a short name
//     (document_type in SQL) or a usual extension, a lang: counts up to its first -, and an inurl: extends to the next blank.
//   - After link: all characters up to a blank belong to the URL. Except at the beginning of a query, link:
//     is an ordinary word.
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
	return s.finish(alone(v))
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

// address returns the only URL in text from an offset on, with http:// if it has no scheme.
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

// parse parses a text in the whole language. Words without a prefix are in sections.
func (s *session) parse(text string, sections Sections) (value, error) {
	in, err := s.lex(text, wholeLanguage)
	if err != nil {
		return value{}, err
	}
	p := &parser{session: s, in: in}
	return p.query(sections)
}

func (p *parser) peek() *lexeme { return &p.in[p.i] }

// take returns the current lexeme and advances, except at lexEnd.
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

// query parses factors between ORs, up to a closing parenthesis or the end.
func (p *parser) query(sections Sections) (value, error) {
	var factors []value
	var or *lexeme // the OR before the current factor
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

// dangling returns the error for an operator or prefix without its operand.
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

// factor parses terms that are joined by AND. empty reports that there was none, not even one that is left
// out.
func (p *parser) factor(sections Sections) (v value, empty bool, err error) {
	part := part{at: p.peek().at}
	empty = true
	must, term := false, false // an AND precedes; the value before it is a term
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
			if must = true; term {
				part.require()
			}
			continue
		case lexMust:
			p.i++
			must = true
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
			must, term = false, false
		default:
			v, err := p.term(sections)
			if err != nil {
				return value{}, false, err
			}
			if term = part.add(v); term && must {
				part.require()
			}
			must = false
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

// term parses a term without its - sign.
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
	case lexFilter:
		return value{filters: []Filter{x.filter}, at: x.at}, nil
	}
	if err := p.open(x); err != nil { // only lexOpen remains
		return value{}, err
	}
	v, err := p.query(sections)
	p.shut(x)
	v.at = x.at
	return v, err
}
