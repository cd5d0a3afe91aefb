package web

import (
	"errors"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// ErrParameter is the kind of errors in parameters that are no query text.
var ErrParameter = errors.New("bad parameter")

// A Form is a search as a browser sends it. Its parameters are those of ASPseek's s.cgi and a few more
// (docs/http.md). ReadForm makes a Form, Request converts it into a request for an Engine, and Encode writes
// it as a URL.
//
// Its texts are valid UTF-8 without control characters. They come from outside, so pages must escape them.
type Form struct {
	query.Params // q r in iq im xq xm is xs ln bd ds kw tl

	Limits []string // ul: addresses of sites, or masks of subsets; as typed
	Spaces []int32  // sp: web spaces, ascending, each once

	Narrowing // st lang type tag path

	Dates DateForm // dt dp dx dd dm dy db de fr to

	Page    int // np: from 0
	PerPage int // ps: 1 to MaxPerPage; 0 = Defaults.PerPage
	Order   search.Order
	Group   Choose // gr: On is a result for each site, Off none of it, and usually sites are mixed
	Facets  bool   // facets

	Match     Choose   // match: On is all words, Off any word
	Forms     Choose   // fm
	Languages []string // fm, if it has languages: ascending, each once; Forms is On then
	Distance  Choose   // ad: the ordinal of a word in its section counts

	Jump    bool // t: redirect to the first result
	Explain bool // explain
	JSON    bool // format=json

	Language string // hl: the language of the page, a tag such as de or pt-BR
}

// Choose is the value of a switch whose default is in searchd.conf.
type Choose int8

// The values of a switch.
const (
	Usual Choose = iota // the default of searchd.conf
	On
	Off
)

// over returns the value of the switch if the default is usual.
func (c Choose) over(usual bool) bool {
	if c == Usual {
		return usual
	}
	return c == On
}

// Defaults are the values of searchd.conf for parameters that a request does not have.
type Defaults struct {
	// Root is the path of the home page, with a slash at both ends (Prefix). Empty = /. All addresses begin
	// with it.
	Root    string
	Parse   query.Options
	PerPage int  // ResultsPerPage; 0 = DefaultPerPage
	Flat    bool // AccountDistance no
	Ranking search.Ranking
	All     bool // Match all
	// Forms enables other forms of words (WordForms). Languages are those of requests that name none. Nil =
	// those of the documents.
	Forms     bool
	Languages []string

	Excerpts, ExcerptLength int // as in Request
}

// Results returns the number of results (groups with gr=on) on a page of the form.
func (f Form) Results(d Defaults) int {
	switch {
	case f.PerPage > 0:
		return f.PerPage
	case d.PerPage > 0:
		return d.PerPage
	}
	return search.DefaultPerPage
}

// Request returns the request for an Engine at a time, whose time zone is that of the dates. The error is an
// *Error.
func (f Form) Request(d Defaults, now time.Time) (search.Request, error) {
	perPage := f.Results(d)
	if f.Page > 0 && f.Page > (search.MaxResults-1)/perPage { // np*ps may overflow
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
		Query: query, Sites: sites, Subsets: subsets, Spaces: f.Spaces, Dates: dates,
		SiteIDs: f.SiteIDs, Languages: f.Langs, Types: f.Types, Tags: f.Tags, Path: f.Path, Facets: f.Facets, Now: now,
		Ranking: d.Ranking, All: f.Match.over(d.All), Order: f.Order, Group: f.grouping(), Page: f.Page, PerPage: perPage,
		Forms: f.languages(d), NoSynonyms: f.Forms == Off, Flat: !f.Distance.over(!d.Flat),
		Excerpts: d.Excerpts, ExcerptLength: d.ExcerptLength, Explain: f.Explain,
	}, nil
}

// languages returns the languages in which other forms of words count.
func (f Form) languages(d Defaults) []string {
	switch {
	case !f.Forms.over(d.Forms):
		return nil
	case len(f.Languages) > 0:
		return f.Languages
	case len(d.Languages) > 0:
		return d.Languages
	}
	return []string{search.DocumentLanguages}
}

// root returns the path of the home page.
func (d *Defaults) root() string {
	if d.Root == "" {
		return "/"
	}
	return d.Root
}

// at returns the address of a form's results.
func (d *Defaults) at(f Form) string { return d.root() + "search?" + f.Encode() }

// At returns the same search at another page, from 0.
func (f Form) At(page int) Form {
	f.Page = page
	return f
}

// InSite returns the same search in one site, ungrouped, from the first page ("more from this site").
func (f Form) InSite(site int32) Form {
	f.SiteIDs, f.Group, f.Page = []int32{site}, Off, 0
	return f
}

// grouping returns how the results of one site stand to each other.
func (f Form) grouping() search.Grouping {
	return map[Choose]search.Grouping{Usual: search.MixedSites, On: search.SiteGroups, Off: search.NoGroups}[f.Group]
}

// Limited reports whether filters exclude documents: sites, parts, facets or dates.
func (f Form) Limited() bool {
	return f.IncludeSites != "" || f.ExcludeSites != "" || len(f.Limits) > 0 || len(f.Spaces) > 0 || f.Dates != (DateForm{}) ||
		len(f.SiteIDs)+len(f.Langs)+len(f.Types)+len(f.Tags)+len(f.Path) > 0
}

// Text returns the query as one text, empty for a form without one. The title and the search box of a page
// show it, and table stat stores it.
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

// Asks reports whether the form has a query text that is not blank, valid or not. A form without one is shown
// without results and without an error.
func (f Form) Asks() bool {
	for _, x := range f.Fields() {
		if !query.IsBlank(x.Text) {
			return true
		}
	}
	return false
}
