package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Params are the parameters of a search form that say what to find. The names in the comments are those of
// the request (docs/http.md). Each text is parsed by itself and the results are joined as trees: the content
// of one field cannot change the meaning of another.
type Params struct {
	// Query (q) is a query in the language of Parse.
	Query string
	// Previous (r) is an earlier query that the results must match as well, if Within (in) is set.
	Previous string
	Within   bool

	// Include (iq) replaces Query unless it is blank. With IncludePhrase (im=p) it has no operators, but is
	// the words of one phrase.
	Include       string
	IncludePhrase bool
	// Exclude (xq) is words and "phrases" that must not occur in a document, with ExcludePhrase (xm=p) one
	// phrase. Quotation marks are its only operators.
	Exclude       string
	ExcludePhrase bool

	// IncludeSites and ExcludeSites (is, xs) are sites as in site:, or addresses whose hosts count, separated
	// by blanks or commas. A document must match one of the former and none of the latter.
	IncludeSites, ExcludeSites string

	// Link (ln) is a URL: the query finds the documents that link to it, and must have nothing else.
	Link string

	// Body, Desc, Keywords and Title (bd, ds, kw, tl) are the sections of words without a prefix in Query,
	// Previous, Include and Exclude. All or none of them mean everywhere.
	Body, Desc, Keywords, Title bool
}

// Parse makes a query of the parameters. The error is an *Error whose Field is the name of the parameter.
func (p Params) Parse(o Options) (*Query, error) {
	s := newSession(o, usual)
	for _, f := range p.Fields() {
		s.field = f.Name
		if err := s.checkLength(f.Text); err != nil {
			return nil, err
		}
	}
	link, err := p.link(s)
	switch {
	case err != nil:
		return nil, err
	case link != "":
		return &Query{Link: link}, nil
	}
	v, err := p.build(s)
	if err != nil {
		return nil, err
	}
	return s.finish(v)
}

type Field struct{ Name, Text string }

func IsBlank(text string) bool { return strings.TrimSpace(Clean(text)) == "" }

// Fields returns the texts that count, the main one first.
func (p Params) Fields() []Field {
	all := []Field{p.main()}
	if p.Within {
		all = append(all, Field{"r", p.Previous})
	}
	return append(all, Field{"xq", p.Exclude}, Field{"is", p.IncludeSites}, Field{"xs", p.ExcludeSites}, Field{"ln", p.Link})
}

// main returns iq or q.
func (p Params) main() Field {
	if !IsBlank(p.Include) {
		return Field{"iq", p.Include}
	}
	return Field{"q", p.Query}
}

// link returns the URL of ln or of a link: query. All other texts must then be blank.
func (p Params) link(s *session) (string, error) {
	link, of := "", ""
	for _, f := range p.Fields() {
		s.field = f.Name
		var url string
		var err error
		switch {
		case f.Name == "ln" && !IsBlank(f.Text):
			url, err = s.address(Clean(f.Text), 0)
		case f.Name == "q", f.Name == "r", f.Name == "iq" && !p.IncludePhrase:
			url, err = s.link(f.Text)
		}
		if err != nil {
			return "", err
		}
		if url != "" {
			link, of = url, f.Name
		}
	}
	if link == "" {
		return "", nil
	}
	for _, f := range p.Fields() {
		if f.Name != of && !IsBlank(f.Text) {
			s.field = f.Name
			return "", s.fault(ErrLinkNotAlone, 0, "A search for links to an address cannot be combined with other fields. Clear this field.")
		}
	}
	return link, nil
}

// build joins the texts: (r) (q) -xq is -xs.
func (p Params) build(s *session) (value, error) {
	var whole part
	sections := p.sections()
	if p.Within {
		s.field = "r"
		v, err := s.parse(p.Previous, sections)
		if err != nil {
			return value{}, err
		}
		if whole.add(v) {
			whole.require()
		}
	}
	main := p.main()
	s.field = main.Name
	var v value
	var err error
	if main.Name == "iq" && p.IncludePhrase {
		v, err = s.parsePhrase(main.Text, sections)
	} else {
		v, err = s.parse(main.Text, sections)
	}
	if err != nil {
		return value{}, err
	}
	if !p.Within {
		v = alone(v)
	}
	if whole.add(v) && p.Within {
		whole.require()
	}

	s.field = "xq"
	excluded, err := s.parseExcluded(p.Exclude, p.ExcludePhrase, sections)
	if err != nil {
		return value{}, err
	}
	for _, v := range excluded {
		if err := s.exclude(&whole, v); err != nil {
			return value{}, err
		}
	}
	for _, f := range []struct {
		Field
		not bool
	}{{Field{"is", p.IncludeSites}, false}, {Field{"xs", p.ExcludeSites}, true}} {
		s.field = f.Name
		sites, err := s.parseSites(f.Text)
		if err != nil {
			return value{}, err
		}
		if len(sites) > 0 {
			whole.sites = append(whole.sites, SiteFilter{Not: f.not, Any: sites})
		}
	}
	s.field = main.Name // errors about the whole query belong to this field
	return whole.value(), nil
}

func (p Params) sections() Sections {
	var s Sections
	for _, x := range []struct {
		on      bool
		section Sections
	}{{p.Body, Body}, {p.Desc, Desc}, {p.Keywords, Keywords}, {p.Title, Title}} {
		if x.on {
			s |= x.section
		}
	}
	if s == allSections {
		return 0
	}
	return s
}

// parsePhrase parses all words of a text as one phrase.
func (s *session) parsePhrase(text string, sections Sections) (value, error) {
	in, err := s.lex(text, wordsOnly)
	if err != nil {
		return value{}, err
	}
	p := &parser{session: s, in: in}
	seq, leftOut, err := p.sequence(0)
	return phraseValue(seq, leftOut, in[0].at, sections), err
}

// parseExcluded parses xq: each word and each phrase is a value.
func (s *session) parseExcluded(text string, phrase bool, sections Sections) ([]value, error) {
	if phrase {
		v, err := s.parsePhrase(text, sections)
		return []value{v}, err
	}
	in, err := s.lex(text, wordsAndPhrases)
	if err != nil {
		return nil, err
	}
	p := &parser{session: s, in: in}
	var all []value
	for p.peek().kind != lexEnd {
		v, err := p.term(sections)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// parseSites parses is and xs.
func (s *session) parseSites(text string) ([]Site, error) {
	text = Clean(text)
	var sites []Site
	for at := 0; at < len(text); {
		name := text[at:]
		if i := strings.IndexFunc(name, betweenSites); i >= 0 {
			name = name[:i]
		}
		if name == "" {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		if name != "OR" {
			site, err := s.parseSite(name, at)
			if err != nil {
				return nil, err
			}
			sites = append(sites, site)
		}
		at += len(name)
	}
	return sites, nil
}

func betweenSites(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|", r) }

func (s *session) parseSite(name string, at int) (Site, error) {
	host := strings.TrimPrefix(name, sitePrefix)
	if filesExtent(host, 0) > 0 {
		return Files, s.count(at, name)
	}
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	host, _, _ = strings.Cut(host, "/")
	host = strings.TrimPrefix(host, "*.")
	site, ok := newSite(host)
	if !ok || siteExtent(host, 0) != len(host) {
		return "", s.fault(ErrExtraSymbol, at, "%s at byte %d is not the name of a site such as www.example.org.", Quote(name), at+1)
	}
	return site, s.count(at, name)
}
