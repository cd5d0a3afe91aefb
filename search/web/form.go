package web

import (
	"errors"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// ErrParameter: a parameter of the request other than a text to search for has a value that it cannot have.
var ErrParameter = errors.New("bad parameter")

// A Form is a search as a browser sends it: the parameters of s.cgi (aspseek.md 9.2) by ReadForm, which rules.md 8 and
// docs/http.md add a few to. Request makes of it what an Engine is asked, Encode the part of a URL that asks the same again.
//
// Its texts are valid UTF-8 without control characters, and come from outside: pages escape them.
type Form struct {
	query.Params // q r in iq im xq xm is xs ln bd ds kw tl

	Limits []string // ul: addresses of sites, or masks of subsets; as typed
	Spaces []int32  // sp: web spaces, ascending, each once
	Site   int32    // st: a site's id; 0 = all

	Dates DateForm // dt dp dx dd dm dy db de fr to

	Page    int // np: from 0
	PerPage int // ps: 1 to MaxPerPage; 0 = as searchd.conf says
	Order   search.Order
	Flat    bool // gr=off: not grouped by site

	Forms     Choose   // fm
	Languages []string // fm, when it names languages: ascending, each once; Forms is On then
	Distance  Choose   // ad: the place of a word in its section counts

	Jump    bool // t: straight to the first result
	Explain bool // explain
	JSON    bool // format=json
}

// Choose is the value of a switch that searchd.conf has a default for.
type Choose int8

// The positions of such a switch.
const (
	Usual Choose = iota // as searchd.conf says
	On
	Off
)

// over is the switch's value where the default is usual.
func (c Choose) over(usual bool) bool {
	if c == Usual {
		return usual
	}
	return c == On
}

// Defaults are what searchd.conf says for requests that do not (rules.md 2.4).
type Defaults struct {
	Parse   query.Options
	PerPage int  // ResultsPerPage; 0 = DefaultPerPage
	Flat    bool // AccountDistance no
	// Forms: other forms of words count (WordForms); Languages are those whose forms do when the request names none. Nil =
	// FormLanguages.
	Forms     bool
	Languages []string

	Excerpts, ExcerptLength int // as in Request
}

// Results is how many results (groups when grouped) a page of the form has.
func (f Form) Results(d Defaults) int {
	switch {
	case f.PerPage > 0:
		return f.PerPage
	case d.PerPage > 0:
		return d.PerPage
	}
	return search.DefaultPerPage
}

// Request is what an Engine is to be asked at a time, in whose time zone dates are read. The error is an *Error.
func (f Form) Request(d Defaults, now time.Time) (search.Request, error) {
	perPage := f.Results(d)
	if f.Page > 0 && f.Page > (search.MaxResults-1)/perPage { // not np*ps, which may overflow
		return search.Request{}, wrong("np", "Only the first %d results can be shown; with %d on a page, the last page is np=%d.",
			search.MaxResults, perPage, (search.MaxResults-1)/perPage)
	}
	sites, subsets, err := splitLimits(f.Limits)
	if err != nil {
		return search.Request{}, err
	}
	dates, err := f.Dates.limits(now)
	if err != nil {
		return search.Request{}, err
	}
	query, err := f.Parse(d.Parse)
	if err != nil {
		return search.Request{}, err
	}
	return search.Request{
		Query: query, Sites: sites, Subsets: subsets, Spaces: f.Spaces, Site: f.Site, Dates: dates,
		Order: f.Order, Group: !f.Flat, Page: f.Page, PerPage: perPage,
		Forms: f.languages(d), Flat: !f.Distance.over(!d.Flat),
		Excerpts: d.Excerpts, ExcerptLength: d.ExcerptLength, Explain: f.Explain,
	}, nil
}

// languages are those in which other forms of words count.
func (f Form) languages(d Defaults) []string {
	switch {
	case !f.Forms.over(d.Forms):
		return nil
	case len(f.Languages) > 0:
		return f.Languages
	case len(d.Languages) > 0:
		return d.Languages
	}
	return search.FormLanguages()
}

// At is the same search at another page, from 0.
func (f Form) At(page int) Form {
	f.Page = page
	return f
}

// InSite is the same search in one site, ungrouped, from the first page: "more from this site".
func (f Form) InSite(site int32) Form {
	f.Site, f.Flat, f.Page = site, true, 0
	return f
}

// Text is the query as a person would type it into one box, empty for a form without one: what a page's title and its box
// show, and what table stat keeps.
func (f Form) Text() string {
	switch {
	case !query.IsBlank(f.Include):
		return f.Include
	case !query.IsBlank(f.Query):
		return f.Query
	case !query.IsBlank(f.Link):
		return query.LinkPrefix + f.Link
	}
	return ""
}

// Asks reports whether the form has a text to search for, however odd: one without is the visit of somebody who is about to
// type.
func (f Form) Asks() bool {
	for _, x := range f.Fields() {
		if !query.IsBlank(x.Text) {
			return true
		}
	}
	return false
}
