package document

import (
	"sync"
	"time"
)

// A parser holds what is known of the document being read. It comes from a pool, so that a crawl allocates
// nothing for a document but the Document itself.
type parser struct {
	rules    *Rules
	reader   *reader // takes the words' place in ReadText and Walk; nil in Parse
	deadline time.Time
	scan     scanner
	table    wordTable

	pending []byte // body text not yet cut into words; separate elements are kept apart by a line end
	kept    []byte // strings that go into the Document

	title, text, keywords, description field

	inBody    bool // <body> was seen
	afterBody bool // </body> was seen
	hidden    bool // between <!--noindex--> and its end
	templates int  // open <template> elements
	depth     int  // open elements, about
	nested    bool

	noIndex, noFollow, noArchive, noSnippet bool

	lang, metaLang string
	base, refresh  span
	based          bool
	hrefs          []byte // the distinct links one after the other, those beyond MaxLinks last
	links          spanSet
	linkList       []keptLink
	linksDropped   int
	heads          []keptHead
}

type keptLink struct {
	href span
	tag  tagID
}

type keptHead [len(headAttributes)]span

// flushSize is how much body text is gathered before it is cut into words.
const flushSize = 1 << 16

var parsers = sync.Pool{New: func() any { return new(parser) }}

func newParser(r *Rules) *parser {
	p := parsers.Get().(*parser)
	*p = parser{
		rules:    r,
		deadline: time.Now().Add(r.ParseLimit),
		scan:     p.scan,
		table:    p.table,
		pending:  keep(p.pending, keepText),
		kept:     keep(p.kept, keepText),
		title:    p.title, text: p.text, keywords: p.keywords, description: p.description,
		hrefs:    keep(p.hrefs, keepText),
		links:    p.links,
		linkList: keep(p.linkList, keepEntries),
		heads:    keep(p.heads, keepEntries),
	}
	p.title.reset(TitleLimit)
	p.text.reset(TextLimit)
	p.keywords.reset(KeywordsLimit)
	p.description.reset(DescriptionLimit)
	p.table.reset(r)
	p.links.reset()
	return p
}

// release gives the parser back. Nothing of the document stays reachable through it.
func (p *parser) release() {
	p.scan.reset(nil)
	p.scan.folded = keep(p.scan.folded, keepText)
	p.rules, p.table.rules, p.reader = nil, nil, nil
	parsers.Put(p)
}

// late reports whether the parse limit has passed.
func (p *parser) late() bool { return time.Now().After(p.deadline) }

// separate ends a word of the body text.
func (p *parser) separate() {
	n := len(p.pending)
	if n == 0 || p.pending[n-1] == '\n' {
		return
	}
	p.pending = append(p.pending, '\n')
	if n >= flushSize {
		p.flush()
	}
}

// flush takes the pending text as text of the body.
func (p *parser) flush() {
	if len(p.pending) == 0 {
		return
	}
	if !p.afterBody {
		p.text.append([]byte("\n"))
		p.text.append(p.pending)
	}
	p.addWords(p.pending, sectionBody)
	p.pending = p.pending[:0]
}

// addWords notes the words of text. A document that is not to be indexed needs none.
func (p *parser) addWords(text []byte, section int) {
	switch {
	case p.reader != nil:
		p.reader.add(text, section)
	case !p.noIndex:
		p.table.add(&p.scan, text, section)
	}
}

// keepString keeps a string for the Document.
func (p *parser) keepString(s []byte) span {
	p.kept = append(p.kept, s...)
	return span{len(p.kept) - len(s), len(s)}
}

// finish fills the Document. All its strings are parts of one.
func (p *parser) finish(d *Document) {
	d.NoIndex, d.NoFollow, d.NoArchive, d.NoSnippet = p.noIndex, p.noFollow, p.noArchive, p.noSnippet
	d.LinksDropped, d.Nested = p.linksDropped, p.nested
	d.Lang = p.language()
	if p.noIndex {
		// The words that came before the META are not wanted either (aspseek.md 10.2).
		p.text.reset(0)
		p.table.reset(p.rules)
	}

	title, text := p.keepString(p.title.text), p.keepString(p.text.text)
	keywords, description := p.keepString(p.keywords.text), p.keepString(p.description.text)
	words := p.keepString(p.table.text)
	var hrefs span
	if n := len(p.linkList); n > 0 {
		last := p.linkList[n-1].href
		hrefs = p.keepString(p.hrefs[:last.start+last.length])
	}
	all := string(p.kept)

	d.Title, d.Text, d.Keywords, d.Description = title.of(all), text.of(all), keywords.of(all), description.of(all)
	d.Base, d.Refresh = p.base.of(all), p.refresh.of(all)
	d.Words = p.table.words(words.of(all))
	d.WordCount, d.TotalCount = len(d.Words), p.table.total
	if len(p.linkList) > 0 {
		d.Links = make([]Link, len(p.linkList))
		text := hrefs.of(all)
		for i, l := range p.linkList {
			d.Links[i] = Link{Href: l.href.of(text), Tag: linkElements[l.tag].name}
		}
	}
	if len(p.heads) > 0 {
		d.Heads = make([]HeadLink, len(p.heads))
		for i, h := range p.heads {
			d.Heads[i] = HeadLink{
				Rel: h[0].of(all), Href: h[1].of(all), Type: h[2].of(all), HrefLang: h[3].of(all),
				Media: h[4].of(all), Title: h[5].of(all),
			}
		}
	}
}
