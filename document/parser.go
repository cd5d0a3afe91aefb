package document

import (
	"sync"
	"time"
)

// A parser has the state of one document while it is read. It comes from a pool, so that a crawl allocates
// only the Document itself for each document.
type parser struct {
	rules    *Rules
	reader   *reader // receives the text in ReadText and Walk, where no words are recorded; nil in Parse
	deadline time.Time
	scan     scanner
	table    wordTable

	pending []byte // body text not yet cut into words; a line end separates elements
	kept    []byte // strings of the Document

	title, text, keywords, description field

	inBody    bool // <body> was seen
	afterBody bool // </body> was seen
	hidden    bool // between <!--noindex--> and its end
	templates int  // open <template> elements

	// What is not content (leaveout.go).
	leaves bool          // some elements are not content
	now    region        // of the text
	open   []openElement // at most nestedDepth
	over   int           // open blocks beyond these
	odd    int           // of open, those that are no blocks
	whole  bool          // nothing is left out because too little would be left
	gap    bool          // words were left out since the last text
	gaps   int           // ordinals that these took
	left   []int         // words left out, by rule
	aside  field         // the beginning of asideText

	depth  int // open elements, approximately
	nested bool

	noIndex, noFollow, noArchive, noSnippet bool
	unavailable                             time.Time // unavailable_after

	lang, metaLang string
	base, refresh  span
	refreshAfter   time.Duration
	based          bool
	hrefs          []byte // the distinct links one after another, those beyond MaxLinks last
	links          spanSet
	linkList       []keptLink
	linksDropped   int
	heads          []keptHead
	headsInHead    int // of heads, before the body begins
}

type keptLink struct {
	href span
	tag  tagID
}

type keptHead [len(headAttributes)]span

// flushSize is the amount of body text that is collected before it is cut into words.
const flushSize = 1 << 16

var parsers = sync.Pool{New: func() any { return new(parser) }}

func newParser(r *Rules) *parser {
	p := parsers.Get().(*parser)
	p.begin(r, time.Now().Add(r.ParseLimit))
	return p
}

// begin prepares the parser for a document.
func (p *parser) begin(r *Rules, deadline time.Time) {
	*p = parser{
		rules:    r,
		deadline: deadline,
		leaves:   r.leave.active(),
		scan:     p.scan,
		table:    p.table,
		pending:  keep(p.pending, keepText),
		kept:     keep(p.kept, keepText),
		title:    p.title, text: p.text, keywords: p.keywords, description: p.description, aside: p.aside,
		open:     p.open[:0],
		left:     append(p.left[:0], make([]int, 1+len(leaveRules)+len(r.leave.selectors))...),
		hrefs:    keep(p.hrefs, keepText),
		links:    p.links,
		linkList: keep(p.linkList, keepEntries),
		heads:    keep(p.heads, keepEntries),
	}
	p.title.reset(TitleLimit)
	p.text.reset(TextLimit)
	p.aside.reset(TextLimit)
	p.keywords.reset(KeywordsLimit)
	p.description.reset(DescriptionLimit)
	p.table.reset(r)
	p.links.reset()
}

// release returns the parser to the pool. It keeps no reference to the document.
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

// flush processes the pending text as text of the body.
func (p *parser) flush() {
	if len(p.pending) == 0 {
		return
	}
	class := p.class(p.now)
	if f := p.column(class); f != nil {
		f.append([]byte("\n"))
		f.append(p.pending)
	}
	if p.reader != nil {
		p.reader.note(class, len(p.pending))
	}
	p.addWords(p.pending, sectionBody)
	p.pending = p.pending[:0]
}

// column returns the field for text of the body of a class, nil for none.
func (p *parser) column(class int) *field {
	switch {
	case p.afterBody:
	case class == mainText:
		return &p.text
	case class == asideText:
		return &p.aside
	}
	return nil
}

// addWords records the words of text. A document that is not to be indexed needs none.
func (p *parser) addWords(text []byte, section int) {
	switch {
	case p.reader != nil:
		p.reader.add(text, section)
	case !p.noIndex:
		p.table.add(&p.scan, text, section)
	}
}

// keepString copies a string for the Document.
func (p *parser) keepString(s []byte) span {
	p.kept = append(p.kept, s...)
	return span{len(p.kept) - len(s), len(s)}
}

// finish fills the Document. All its strings are parts of one string.
func (p *parser) finish(d *Document) {
	d.NoIndex, d.NoFollow, d.NoArchive, d.NoSnippet = p.noIndex, p.noFollow, p.noArchive, p.noSnippet
	d.UnavailableAfter = p.unavailable
	d.LinksDropped, d.Nested = p.linksDropped, p.nested
	d.Lang = p.language()
	if p.text.empty() {
		p.text, p.aside = p.aside, p.text
	}
	d.LeftOut, d.Whole = p.leftOut(), p.whole
	if p.noIndex {
		// The words before META noindex are discarded, too.
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
	d.Base, d.Refresh, d.RefreshAfter = p.base.of(all), p.refresh.of(all), p.refreshAfter
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
				Media: h[4].of(all), Title: h[5].of(all), Body: i >= p.headsInHead,
			}
		}
	}
}
