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
func newPages(d Defaults, look Look) (pages, error) {
	p, err := NewPages(look)
	return htmlPages{p, d}, err
}

func (htmlPages) contentType() string { return "text/html; charset=utf-8" }

func (p htmlPages) policy() string { return p.Policy() }

func (p htmlPages) language(asked, header string) (string, bool) { return p.Language(asked, header) }

func (p htmlPages) home(w io.Writer, f Frame, size *report.IndexSize) error {
	v := HomeView{Frame: f}
	if size != nil {
		v.Documents, v.Sites, v.Updated = size.Documents, size.Sites, orZero(size.Updated)
	}
	return p.Home(w, v)
}

func (p htmlPages) results(w io.Writer, frame Frame, a Answer) error {
	f := a.Form
	say, at := p.in(frame).catalog, p.d.at
	fromStart := f.At(0)
	v := ResultsView{
		Frame: frame, Query: f.Text(), Kept: kept(f), Limits: say.limitsOf(fromStart, at, facetsOf(a.Result)), Result: a.Result, Err: a.Err,
		Page: f.Page, PerPage: f.Results(p.d), Order: f.Order,
		PageURL:  func(page int) string { return at(p.samePage(a, page)) },
		SiteURL:  func(site int32) string { return at(f.InSite(site)) },
		CacheURL: func(h search.Hit) string { return CacheURL(p.d.root(), h.URLID, f) },
		QueryURL: func(query string) string { return at(fromStart.asking(query)) },
		OrderURL: func(o search.Order) string { g := fromStart; g.Order = o; return at(g) },
		FacetURL: func(facet string, v *search.FacetValue) (string, bool) {
			return at(f.Toggled(facet, v)), f.chosen(facet, v)
		},
		Group: f.grouping(),
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
	v.AdvancedURL = p.d.root() + "advanced?" + fromStart.Encode()
	asJSON := f
	asJSON.JSON = true
	v.JSONURL = at(asJSON)
	if a.Err != nil {
		v.ErrText = f.textOf(a.Err.Field)
	}
	return p.Results(w, v)
}

func facetsOf(r *search.Result) []search.Facet {
	if r == nil {
		return nil
	}
	return r.Facets
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
		if pair.Name != "explain" && pair.Name != "hl" { // base.html has hl
			fields = append(fields, Field(pair))
		}
	}
	return fields
}

// limitsOf returns the active filters, each with the address of the search without it.
func (x *catalog) limitsOf(f Form, at func(Form) string, facets []search.Facet) (limits []Limit) {
	for i, place := range f.Limits {
		without := f
		without.Limits = slices.Delete(slices.Clone(f.Limits), i, i+1)
		limits = append(limits, Limit{x.say("limit.only", "place", place), at(without)})
	}
	limits = append(limits, x.narrowingLimits(f, at, facets)...)
	for i, space := range f.Spaces {
		without := f
		without.Spaces = slices.Delete(slices.Clone(f.Spaces), i, i+1)
		limits = append(limits, Limit{x.say("limit.space", "number", strconv.Itoa(int(space))), at(without)})
	}
	if text := x.dateWords(f.Dates); text != "" {
		without := f
		without.Dates = DateForm{}
		limits = append(limits, Limit{text, at(without)})
	}
	return limits
}

// dateWords describes the date limit; empty for none.
func (x *catalog) dateWords(d DateForm) string {
	begin, end := d.Begin, d.End
	switch d.Kind {
	case DatesOlder:
		return x.say("limit.before", "time", d.Back)
	case DatesBack:
		if d.Back != "" && d.Back != "0" {
			return x.say("limit.within", "time", d.Back)
		}
	case DatesEr:
		if begin = d.Day; d.Until {
			begin, end = "", d.Day
		}
	}
	switch {
	case begin != "" && end != "":
		return x.say("limit.between", "first", x.dayOf(begin), "last", x.dayOf(end))
	case begin != "":
		return x.say("limit.since", "day", x.dayOf(begin))
	case end != "":
		return x.say("limit.until", "day", x.dayOf(end))
	case d.From != 0 || d.To != 0:
		return x.say("limit.some_time")
	}
	return ""
}

func (p htmlPages) advanced(w io.Writer, frame Frame, f Form) error {
	say := p.in(frame).say
	v := AdvancedView{
		Frame:   frame,
		Include: f.Text(), IncludePhrase: f.IncludePhrase, Exclude: f.Exclude, ExcludePhrase: f.ExcludePhrase,
		Body: f.Body, Desc: f.Desc, Keywords: f.Keywords, Title: f.Title,
		IncludeSites: f.IncludeSites, ExcludeSites: f.ExcludeSites,
		Link: f.Link, Order: f.Order, Grouped: f.Group == On, Ungrouped: f.Group == Off, PerPage: f.Results(p.d), Forms: p.formsValue(f),
		Flat: !f.Distance.over(!p.d.Flat), ASPseek: p.d.Ranking == search.ByASPseek,
	}
	if f.Link != "" {
		v.Include = ""
	}
	for _, place := range f.Limits {
		v.Subsets = append(v.Subsets, FormChoice{Value: place, Checked: true})
	}
	for _, space := range f.Spaces {
		n := strconv.Itoa(int(space))
		v.Spaces = append(v.Spaces, FormChoice{Value: "sp" + n, Label: say("advanced.space", "number", n), Checked: true})
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

func (p htmlPages) help(w io.Writer, f Frame) error {
	return p.Help(w, HelpView{
		Frame:                 f,
		MinFixedPatternLength: p.d.Parse.MinFixedPatternLength, Forms: p.d.Forms, All: p.d.All || p.d.Ranking == search.ByASPseek,
		ASPseek: p.d.Ranking == search.ByASPseek,
		QueryURL: func(queryText string) string {
			return p.d.at(Form{Params: query.Params{Query: queryText}, Language: f.stay()})
		},
	})
}

func (p htmlPages) embed(w io.Writer, f Frame, form Form, base string) error {
	return p.Embed(w, EmbedView{Frame: f, Address: base + "search", Fields: boxFields(form)})
}

func (p htmlPages) status(w io.Writer, f Frame, a statusAnswer) error {
	x := a.index
	v := StatusView{
		Frame: f, Details: a.login, Operator: newOperatorView(a.operator),
		At: x.At, Documents: x.Documents, Clones: x.Clones, Words: x.Words, Size: x.Bytes,
		MoreSites: int(x.AllSites) - len(x.Sites),
		Merge: MergeState{
			Running: x.Merge.Running, Since: orZero(x.Merge.Since), Waiting: x.Merge.Waiting, Oldest: orZero(x.Merge.Oldest),
			Marks: x.Merge.Marks, Last: orZero(x.Merge.Last),
		},
	}
	if len(a.databases) > 1 {
		v.Databases = a.databases
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

func (p htmlPages) explain(w io.Writer, f Frame, v ExplainView) error {
	v.Frame = f
	return p.Explain(w, v)
}

func (p htmlPages) fail(w io.Writer, frame Frame, f failure, form Form) error {
	text := ""
	switch say := p.in(frame).catalog; {
	case f.said != nil:
		text = say.fault(f.said)
	case f.text != "":
		text = say.sentence(f.text, f.args, f.english())
	}
	return p.Fail(w, FailView{Frame: frame, Status: f.status, Text: text, Query: form.Text(), Kept: kept(form)})
}

func (p htmlPages) static(name, base string) ([]byte, string, bool) { return p.Static(name, base) }

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
