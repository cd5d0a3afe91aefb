package web

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
)

// A Field is a parameter of a search that the form keeps, hidden: ps, s, ul and so on.
type Field struct{ Name, Value string }

// A Limit is something that keeps results away, in words for a person ("only www.example.org", "changed since 1 March
// 2026"), with the address of the same search without it.
type Limit struct{ Text, RemoveURL string }

// ResultsView is what the page of results shows: what was found, that nothing was, or what is wrong with the query.
type ResultsView struct {
	Frame

	// Query is what the box holds: q as it was typed, or the query that the fields of the advanced form make
	// (Query.String). Spelling is corrected in it.
	Query string
	// Kept are the parameters that another search from the box keeps; q and np are not among them.
	Kept   []Field
	Limits []Limit // that are in force

	// Result is what was found; nil when there is Err.
	Result *search.Result
	// Err is what is wrong with the query, and ErrText the whole text that Err.At is an offset in: the parameter
	// Err.Field as it was typed (q when Field is empty).
	Err     *query.Error
	ErrText string

	Page    int // from 0, as in Request
	PerPage int // as in Request; 0 = DefaultPerPage
	Order   search.Order

	PageURL  func(page int) string       // the same search, another page (from 0)
	SiteURL  func(site int32) string     // the same search in one site, not grouped
	CacheURL func(h search.Hit) string   // the cached copy of a hit, terms marked; not asked for one with NoCopy
	QueryURL func(query string) string   // another query with all other parameters of this search, from the first page
	OrderURL func(o search.Order) string // the same search in another order

	GroupURL     string // the same search, not grouped if it is grouped, and the other way round
	FormsURL     string // the same search with other forms of the words; empty when they count already
	UnlimitedURL string // the same search without Limits; needed when there are any
	ExplainURL   string // the same page with Request.Explain; empty when it is explained
	AdvancedURL  string // the advanced form with this search in it
	JSONURL      string // this page as JSON
}

// What is shown of texts that have no limit of their own, in characters. A page of 20 hits stays below 50 KB.
const (
	shownTitle   = 120
	shownExcerpt = 700 // all excerpts of a hit together
	shownQuery   = 2 * query.MaxBytes
	shownNear    = 60 // of a faulty text on either side of the fault
)

// Results writes the page of results.
func (p *Pages) Results(w io.Writer, v ResultsView) error {
	f := v.frame("search", resultsTitle(&v))
	f.JSON = v.JSONURL
	f.Ask = ask{Query: cut(v.Query, shownQuery), Kept: v.Kept, Error: v.Err != nil && slices.Contains([]string{"", "q", "iq"}, v.Err.Field)}
	// Where there is something to read, space and arrows scroll; else the next thing to do is to type.
	f.Ask.Focus = v.Err != nil || v.Result == nil || len(v.Result.Hits) == 0
	d := resultsPage{frame: f, ResultsView: v}
	switch {
	case v.Err != nil:
		d.Fault = faultAt(v.ErrText, v.Err)
	case v.Result != nil:
		d.fill()
	}
	return render(w, p.results, d)
}

func resultsTitle(v *ResultsView) string {
	title := cut(plain(v.Query), 60)
	if title == "" {
		title = "Search"
	}
	if v.Page > 0 {
		title += ", page " + grouped(v.Page+1)
	}
	return title
}

// resultsPage is what results.html shows.
type resultsPage struct {
	frame
	ResultsView
	Fault  *fault
	Groups []hitGroup
	First  int // the number of the first group, from 1
	Pager  pager
	Spell  spelling
	Cut    bool // there are more results than the pages lead to
	Empty  emptyResult
}

// A hitGroup is a hit with those of the same site that stand below it.
type hitGroup struct {
	Hits []hitLines
	Site string
	All  int    // documents of the site that match, when some are not here; else 0
	URL  string // leads to them
}

// hitLines is a hit as it is shown.
type hitLines struct {
	search.Hit
	Link     string // only http and https; else empty, and the address is shown as text
	Heading  string
	Crumbs   []string
	CacheURL string
	Excerpts []snippet.Excerpt
	Lead     bool // the text begins before the excerpts
	Trail    bool // and goes on behind them
	Terms    int  // of the query
}

func (d *resultsPage) fill() {
	r := d.Result
	perPage := d.PerPage
	if perPage <= 0 {
		perPage = search.DefaultPerPage
	}
	d.First = d.Page*perPage + 1
	for _, h := range r.Hits {
		lines := hitLines{Hit: h, Link: webLink(h.URL), Crumbs: crumbs(h.URL), Terms: len(r.Words)}
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
	if r.Grouped {
		shown = r.Sites
	}
	d.Cut = d.Page == r.Pages-1 && shown > r.Pages*perPage
	d.Spell = respell(d.Query, r.Spell, d.QueryURL)
	if len(r.Hits) == 0 {
		d.Empty = emptyBecause(&d.ResultsView)
	}
}

// cutExcerpts keeps a hit's excerpts within shownExcerpt. lead and trail tell where … belongs at the ends of the whole;
// between excerpts it always does.
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
				s.Text, trail = short, false // which ends with …
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

// A pager is links to pages of results. Without Items there is only one page.
type pager struct {
	Items          []pagerItem
	Previous, Next string
}

type pagerItem struct {
	Number  int // from 1; 0 stands for pages that are left out
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

// A fault is a text with the place where it is wrong: what stands there is At, which is empty at the end of the text.
type fault struct {
	Before, At, After string
	Field             string // what the form calls it, or the parameter's name; empty for the box
	InForm            bool   // it is a field of the advanced form
}

// fieldNames are the names that advanced.html gives to parameters.
var fieldNames = map[string]string{
	"r": "Earlier query", "iq": "With these words", "xq": "Without these words", "is": "Only these sites",
	"xs": "Not these sites", "ln": "Documents that link to", "dp": "Within", "db": "From this day on", "de": "Up to this day",
}

// faultAt is nil when there is no place to show: nothing was typed, or it is about the whole.
func faultAt(text string, e *query.Error) *fault {
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
	// A blank is shown as what it is: it would be lost at the end of the line.
	f := &fault{Before: string(before), At: plain(text[at : at+size]), After: cut(plain(after), shownNear)}
	if e.Field != "" && e.Field != "q" {
		if f.Field, f.InForm = fieldNames[e.Field]; !f.InForm {
			f.Field = e.Field
		}
	}
	return f
}
