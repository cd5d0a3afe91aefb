package web

import (
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
)

// A Field is a hidden parameter of the search form: ps, s, ul and so on.
type Field struct{ Name, Value string }

// A Limit is a filter of the search in words ("only www.example.org", "changed since 1 March 2026"), with the
// address of the same search without it.
type Limit struct{ Text, RemoveURL string }

// ResultsView has the values of the page of results: the results, none, or the error of the query.
type ResultsView struct {
	Frame

	// Query is the text of the search box: q as it was typed, or the query of the fields of the advanced form
	// (Query.String). Corrections of the spelling are made in it.
	Query string
	// Kept are the parameters that another search from the box keeps. q and np are not among them.
	Kept   []Field
	Limits []Limit // active filters

	// Result is the result; nil if Err is set.
	Result *search.Result
	// Err is the error of the query, and ErrText the whole text that Err.At is an offset in: the parameter
	// Err.Field as it was typed (q if Field is empty).
	Err     *query.Error
	ErrText string

	Page    int // from 0, as in Request
	PerPage int // as in Request; 0 = DefaultPerPage
	Order   search.Order
	Group   search.Grouping

	PageURL  func(page int) string       // the same search, another page (from 0)
	SiteURL  func(site int32) string     // the same search in one site, not grouped
	CacheURL func(h search.Hit) string   // the cached copy of a hit, terms marked; not called for one with NoCopy
	QueryURL func(query string) string   // another query with all other parameters of this search, from the first page
	OrderURL func(o search.Order) string // the same search in another order

	FacetURL func(facet string, v *search.FacetValue) (url string, chosen bool) // the same search with the value, or without it if it is chosen

	GroupURL     string // the same search, ungrouped if it is grouped, else grouped
	FormsURL     string // the same search with other forms of the words; empty if they count already
	UnlimitedURL string // the same search without Limits; required if there are any
	ExplainURL   string // the same page with Request.Explain; empty if it is explained already
	AdvancedURL  string // the advanced form with this search in it
	JSONURL      string // this page as JSON
}

// Maximum lengths of texts that have no limit of their own, in characters. A page of 20 hits stays below 50
// KB.
const (
	shownTitle   = 120
	shownExcerpt = 700 // all excerpts of a hit together
	shownQuery   = 2 * query.MaxBytes
	shownNear    = 60 // text on either side of an error
)

// Results writes the page of results.
func (p *Pages) Results(w io.Writer, v ResultsView) error {
	in := p.in(v.Frame)
	f := in.frame(v.Frame, "search", in.resultsTitle(&v))
	f.JSON = v.JSONURL
	f.Ask = ask{Query: cut(v.Query, shownQuery), Kept: v.Kept, Error: v.Err != nil && slices.Contains([]string{"", "q", "iq"}, v.Err.Field)}
	// On a page with results, space and arrow keys scroll. Otherwise typing is the next step.
	f.Ask.Focus = v.Err != nil || v.Result == nil || len(v.Result.Hits) == 0
	d := resultsPage{frame: f, ResultsView: v, in: in.catalog, fileLinks: p.look.FileLinks}
	switch {
	case v.Err != nil:
		d.Fault, d.ErrSays = in.faultAt(v.ErrText, v.Err), in.sentence(v.Err.Format, v.Err.Args, v.Err.Text)
	case v.Result != nil:
		d.fill()
	}
	return in.render(w, "results", d)
}

func (x *catalog) resultsTitle(v *ResultsView) string {
	title := cut(plain(v.Query), 60)
	if title == "" {
		title = x.say("results.search")
	}
	if v.Page > 0 {
		title = x.say("results.window", "query", title, "page", v.Page+1)
	}
	return title
}

// resultsPage has the values of results.html.
type resultsPage struct {
	frame
	ResultsView
	in        *catalog
	fileLinks bool
	Fault     *fault
	ErrSays   string // the text of Err in the language of the page
	Groups    []hitGroup
	First     int // the number of the first group, from 1
	Pager     pager
	Spell     spelling
	Cut       bool // there are more results than the pages show
	Empty     emptyResult
	Facets    []facetView
}

// A hitGroup is a hit with the other hits of its site, which are shown below it.
type hitGroup struct {
	Hits []hitLines
	Site string
	All  int    // matching documents of the site if some are not shown; else 0
	URL  string // address of the search for them
}

// hitLines are the lines of a hit.
type hitLines struct {
	search.Hit
	Link     template.URL // http or https, with FileLinks yes also file; else empty, and the address is shown as text
	Heading  string
	Crumbs   []string
	CacheURL string
	Excerpts []snippet.Excerpt
	Lead     bool // the text begins before the excerpts
	Trail    bool // the text continues behind the excerpts
	Terms    int  // number of terms of the query
}

func (d *resultsPage) fill() {
	r := d.Result
	perPage := d.PerPage
	if perPage <= 0 {
		perPage = search.DefaultPerPage
	}
	d.First = d.Page*perPage + 1
	for _, h := range r.Hits {
		lines := hitLines{Hit: h, Link: link(h.URL, d.fileLinks), Crumbs: d.in.crumbs(h.URL), Terms: len(r.Words)}
		lines.Excerpts, lines.Lead, lines.Trail = cutExcerpts(h.Excerpts)
		lines.Heading = cut(plain(h.Title), shownTitle)
		if unseen(lines.Heading) {
			lines.Heading = cut(strings.Join(lines.Crumbs, " › "), shownTitle)
		}
		if d.CacheURL != nil && !h.NoCopy {
			lines.CacheURL = d.CacheURL(h)
		}
		if h.First || len(d.Groups) == 0 {
			d.Groups = append(d.Groups, hitGroup{Site: lines.Crumbs[0]})
		}
		g := &d.Groups[len(d.Groups)-1]
		g.Hits = append(g.Hits, lines)
		if h.First && h.InSite > 0 && d.SiteURL != nil {
			g.All, g.URL = h.InSite, d.SiteURL(h.SiteID)
		}
	}
	for i := range d.Groups {
		if g := &d.Groups[i]; g.All <= len(g.Hits) {
			g.All = 0
		}
	}
	if d.PageURL != nil {
		d.Pager = newPager(d.Page, r.Pages, d.PageURL)
	}
	shown := r.URLs
	if r.Grouped && d.Group == search.SiteGroups {
		shown = r.Sites
	}
	d.Facets = d.facets()
	d.Cut = d.Page == r.Pages-1 && shown > r.Pages*perPage
	d.Spell = respell(d.Query, r.Spell, d.QueryURL)
	if len(r.Hits) == 0 {
		d.Empty = emptyBecause(&d.ResultsView)
	}
}

// cutExcerpts limits the excerpts of a hit to shownExcerpt. lead and trail report whether an ellipsis belongs
// at the ends; between excerpts there is always one.
func cutExcerpts(excerpts []snippet.Excerpt) (out []snippet.Excerpt, lead, trail bool) {
	left := shownExcerpt
	for _, e := range excerpts {
		var spans snippet.Excerpt
		for _, s := range e {
			if left <= 0 {
				break
			}
			lead = lead || len(out) == 0 && len(spans) == 0 && s.CutBefore
			trail = s.CutAfter
			if short := cut(s.Text, left); short != s.Text {
				s.Text, trail = short, false // short ends with …
				left = 0
			}
			left -= utf8.RuneCountInString(s.Text)
			spans = append(spans, s)
		}
		if len(spans) > 0 {
			out = append(out, spans)
		}
	}
	return out, lead, trail
}

// A pager is links to pages of results. It has no Items if there is only one page.
type pager struct {
	Items          []pagerItem
	Previous, Next string
}

type pagerItem struct {
	Number  int // from 1; 0 for a gap
	URL     string
	Current bool
}

// pagerSide is the number of pages on either side of the current one that have links.
const pagerSide = 4

func newPager(page, pages int, url func(int) string) pager {
	if pages <= 1 || page < 0 || page >= pages {
		return pager{}
	}
	var p pager
	numbers := []int{0, pages - 1}
	for n := max(0, page-pagerSide); n <= min(pages-1, page+pagerSide); n++ {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	last := -1
	for _, n := range slices.Compact(numbers) {
		if n > last+1 {
			p.Items = append(p.Items, pagerItem{})
		}
		p.Items = append(p.Items, pagerItem{Number: n + 1, URL: url(n), Current: n == page})
		last = n
	}
	if page > 0 {
		p.Previous = url(page - 1)
	}
	if page < pages-1 {
		p.Next = url(page + 1)
	}
	return p
}

// A fault is a text with the position of an error in it: At is the wrong part, empty at the end of the text.
type fault struct {
	Before, At, After string
	Field             string // name of the field in the form, or the parameter's name; empty for the box
	InForm            bool   // it is a field of the advanced form
}

// fieldNames has the messages that name fields in advanced.html, by parameter.
var fieldNames = map[string]string{
	"r": "advanced.earlier", "iq": "advanced.include", "xq": "advanced.exclude", "is": "advanced.sites", "xs": "advanced.not_sites",
	"ln": "advanced.links_to", "dp": "advanced.within", "db": "advanced.from", "de": "advanced.to",
}

// faultAt returns nil if there is no position to show: the text is empty, or the error is about the whole
// query.
func (x *catalog) faultAt(text string, e *query.Error) *fault {
	if strings.TrimSpace(text) == "" || e.At < 0 || e.At > len(text) {
		return nil
	}
	at := e.At
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	size := 0
	if at < len(text) {
		_, size = utf8.DecodeRuneInString(text[at:])
	}
	before, after := []rune(plain(text[:at])), text[at+size:]
	if len(before) > shownNear {
		before = append([]rune("…"), before[len(before)-shownNear:]...)
	}
	// A blank is shown as a visible character: it would be lost at the end of a line.
	f := &fault{Before: string(before), At: plain(text[at : at+size]), After: cut(plain(after), shownNear)}
	if e.Field != "" && e.Field != "q" {
		f.Field = e.Field
		if key, ok := fieldNames[e.Field]; ok {
			f.Field, f.InForm = x.say(key), true
		}
	}
	return f
}
