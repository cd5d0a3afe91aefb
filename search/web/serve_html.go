package web

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store/report"
)

// htmlPages shows answers as HTML: it converts them to the views of Pages.
type htmlPages struct {
	*Pages
	d Defaults
}

// newPages returns the pages of a server.
func newPages(d Defaults) (pages, error) {
	p, err := NewPages()
	return htmlPages{p, d}, err
}

func (htmlPages) contentType() string { return "text/html; charset=utf-8" }

func (htmlPages) policy() string { return PagePolicy }

func (p htmlPages) home(w io.Writer, size *report.IndexSize) error {
	var v HomeView
	if size != nil {
		v.Documents, v.Sites, v.Updated = size.Documents, size.Sites, orZero(size.Updated)
	}
	return p.Home(w, v)
}

// at returns the address of a form's results.
func at(f Form) string { return "/search?" + f.Encode() }

func (p htmlPages) results(w io.Writer, a Answer) error {
	f := a.Form
	fromStart := f.At(0)
	v := ResultsView{
		Query: f.Text(), Kept: kept(f), Limits: limitsOf(fromStart), Result: a.Result, Err: a.Err,
		Page: f.Page, PerPage: f.Results(p.d), Order: f.Order,
		PageURL:  func(page int) string { return at(p.samePage(a, page)) },
		SiteURL:  func(site int32) string { return at(f.InSite(site)) },
		CacheURL: func(h search.Hit) string { return CacheURL(h.URLID, f) },
		QueryURL: func(query string) string { return at(fromStart.asking(query)) },
		OrderURL: func(o search.Order) string { g := fromStart; g.Order = o; return at(g) },
	}
	grouping, exact, bare, explained := fromStart, fromStart, fromStart, f
	if grouping.Group = Off; f.Group == Off {
		grouping.Group = Usual
	}
	v.GroupURL = at(grouping)
	if exact.Forms = On; len(f.languages(p.d)) == 0 {
		v.FormsURL = at(exact)
	}
	bare.Limits, bare.Spaces, bare.Narrowing, bare.Dates = nil, nil, Narrowing{}, DateForm{}
	v.UnlimitedURL = at(bare)
	if explained.Explain = true; !f.Explain {
		v.ExplainURL = at(explained)
	}
	v.AdvancedURL = "/advanced?" + fromStart.Encode()
	asJSON := f
	asJSON.JSON = true
	v.JSONURL = at(asJSON)
	if a.Err != nil {
		v.ErrText = f.textOf(a.Err.Field)
	}
	return p.Results(w, v)
}

// samePage returns another page of the same answer: "the last seven days" keep their limit.
func (p htmlPages) samePage(a Answer, page int) Form {
	f := a.Form.At(page)
	if d := a.Request.Dates; f.Dates.Kind == DatesBack && !d.From.IsZero() {
		f.Dates.From = d.From.Unix()
	} else if f.Dates.Kind == DatesOlder && !d.To.IsZero() {
		f.Dates.To = d.To.Unix()
	}
	return f
}

// asking returns the form with another query and all filters, from the first page.
func (f Form) asking(queryText string) Form {
	f.Params = query.Params{Query: queryText, Body: f.Body, Desc: f.Desc, Keywords: f.Keywords, Title: f.Title}
	f.Page = 0
	return f
}

// textOf returns the text of a field of the form.
func (f Form) textOf(field string) string {
	for _, x := range f.Fields() {
		if x.Name == field || field == "" && x.Name == "q" {
			return x.Text
		}
	}
	return ""
}

// kept returns the parameters that another query from the search box keeps.
func kept(f Form) (fields []Field) {
	for _, pair := range f.asking("").Pairs() {
		if pair.Name != "explain" {
			fields = append(fields, Field(pair))
		}
	}
	return fields
}

// limitsOf returns the active filters, each with the address of the search without it.
func limitsOf(f Form) (limits []Limit) {
	for i, place := range f.Limits {
		without := f
		without.Limits = slices.Delete(slices.Clone(f.Limits), i, i+1)
		limits = append(limits, Limit{"only " + place, at(without)})
	}
	if len(f.SiteIDs) > 0 {
		without := f
		if without.SiteIDs = nil; f.Group == Off {
			without.Group = Usual
		}
		limits = append(limits, Limit{"one site only", at(without)})
	}
	for i, space := range f.Spaces {
		without := f
		without.Spaces = slices.Delete(slices.Clone(f.Spaces), i, i+1)
		limits = append(limits, Limit{"only web space " + strconv.Itoa(int(space)), at(without)})
	}
	if text := f.Dates.words(); text != "" {
		without := f
		without.Dates = DateForm{}
		limits = append(limits, Limit{text, at(without)})
	}
	return limits
}

// words describes the date limit; empty for none.
func (d DateForm) words() string {
	switch d.Kind {
	case DatesOlder:
		return "changed before the last " + d.Back
	case DatesBack:
		if d.Back != "" && d.Back != "0" {
			return "changed within " + d.Back
		}
	case DatesEr:
		if d.Until {
			return "changed until " + d.Day
		}
		return "changed since " + d.Day
	case DatesRange:
		switch {
		case d.Begin != "" && d.End != "":
			return "changed from " + d.Begin + " to " + d.End
		case d.Begin != "":
			return "changed since " + d.Begin
		case d.End != "":
			return "changed until " + d.End
		}
	}
	if d.From != 0 || d.To != 0 {
		return "changed within a time"
	}
	return ""
}

func (p htmlPages) advanced(w io.Writer, f Form) error {
	v := AdvancedView{
		Include: f.Text(), IncludePhrase: f.IncludePhrase, Exclude: f.Exclude, ExcludePhrase: f.ExcludePhrase,
		Body: f.Body, Desc: f.Desc, Keywords: f.Keywords, Title: f.Title,
		IncludeSites: f.IncludeSites, ExcludeSites: f.ExcludeSites,
		Link: f.Link, Order: f.Order, Ungrouped: f.Group == Off, PerPage: f.Results(p.d), Forms: p.formsValue(f),
		Flat: !f.Distance.over(!p.d.Flat),
	}
	if f.Link != "" {
		v.Include = ""
	}
	for _, place := range f.Limits {
		v.Subsets = append(v.Subsets, FormChoice{Value: place, Checked: true})
	}
	for _, space := range f.Spaces {
		n := strconv.Itoa(int(space))
		v.Spaces = append(v.Spaces, FormChoice{Value: "sp" + n, Label: "web space " + n, Checked: true})
	}
	switch f.Dates.Kind {
	case DatesBack:
		v.Period = f.Dates.Back
	case DatesRange:
		v.From, v.To = f.Dates.Begin, f.Dates.End
	case DatesEr:
		if f.Dates.Until {
			v.To = f.Dates.Day
		} else {
			v.From = f.Dates.Day
		}
	}
	var kept pairs
	kept.narrowing(f.Narrowing)
	for _, pair := range kept {
		v.Kept = append(v.Kept, Field(pair))
	}
	return p.Advanced(w, v)
}

// formsValue returns fm as the form has it.
func (p htmlPages) formsValue(f Form) string {
	switch {
	case !f.Forms.over(p.d.Forms):
		return "off"
	case len(f.Languages) > 0:
		return strings.Join(f.Languages, ",")
	}
	return "on"
}

func (p htmlPages) help(w io.Writer) error {
	return p.Help(w, HelpView{
		MinFixedPatternLength: p.d.Parse.MinFixedPatternLength, Forms: p.d.Forms, All: p.d.All || p.d.Ranking == search.ByASPseek,
		QueryURL: func(queryText string) string { return at(Form{Params: query.Params{Query: queryText}}) },
	})
}

func (p htmlPages) status(w io.Writer, x *report.IndexStatus) error {
	v := StatusView{
		At: x.At, Documents: x.Documents, Clones: x.Clones, Words: x.Words, Size: x.Bytes,
		MoreSites: int(x.AllSites) - len(x.Sites),
		Merge: MergeState{
			Running: x.Merge.Running, Since: orZero(x.Merge.Since), Waiting: x.Merge.Waiting, Oldest: orZero(x.Merge.Oldest),
			Marks: x.Merge.Marks, Last: orZero(x.Merge.Last),
		},
	}
	for _, l := range x.Statuses {
		v.Statuses = append(v.Statuses, StatusLine{Status: l.Status, Lost: l.Lost, Due: l.Expired, Total: l.Total})
	}
	for _, l := range x.Sites {
		v.Sites = append(v.Sites, SiteLine{
			Site: l.Site, Live: l.Live, Lost: l.Lost, Errors: l.Errors, Known: l.Known, Due: l.Due, Hold: l.Hold,
		})
	}
	for i := range x.Runs {
		r := &x.Runs[i]
		c := &r.Counts
		v.Runs = append(v.Runs, RunLine{
			Kind: r.Kind, Started: r.Started, Ended: orZero(r.Ended), Reason: r.Reason, Documents: c.Documents,
			Created: c.Created, Changed: c.Changed, Unchanged: c.Unchanged, Lost: c.Lost, Failed: c.Failed, Deferred: c.Deferred,
		})
	}
	if c := x.Crawl; c != nil {
		v.Crawl = &CrawlState{
			Started: c.Started, Fetched: c.Fetched, Rate: perSecond(x), Due: dueURLs(x),
			Fetchers: int(c.Fetchers), Open: int(c.Open), Late: int(c.Late),
		}
	}
	return p.Status(w, v)
}

func (p htmlPages) fail(w io.Writer, f failure, form Form) error {
	return p.Fail(w, FailView{Status: f.status, Text: f.text, Query: form.Text(), Kept: kept(form)})
}

func (p htmlPages) static(name, base string) ([]byte, string, bool) { return p.Static(name, base) }

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
