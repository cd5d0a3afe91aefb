package web

import (
	"io"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// try renders every page with values in all its parts, so that an error in a template of the operator is found
// when searchd starts, not by a visitor. The error is a *TemplateError.
func (p *Pages) try() error {
	if len(p.look.Files) == 0 {
		return nil
	}
	usual := *p.sets[p.languages.usual().code]
	usual.templates = nil // only its own ones
	strict := &Pages{look: p.look, languages: p.languages, sets: map[string]*pageSet{usual.code: &usual}}
	usual.strict = true
	for _, write := range trials() {
		if err := write(strict, io.Discard); err != nil {
			return err
		}
	}
	return nil
}

// trials are pages with all kinds of values.
func trials() []func(*Pages, io.Writer) error {
	results := func(v ResultsView) func(*Pages, io.Writer) error {
		return func(p *Pages, w io.Writer) error { return p.Results(w, v) }
	}
	link := func(int) string { return "/search?q=word" }
	view := func(r *search.Result) ResultsView {
		return ResultsView{
			Query: "word other", Result: r, Kept: []Field{{"ps", "20"}}, Limits: []Limit{{"only example.org", "/search?q=word"}},
			PageURL: link, SiteURL: func(int32) string { return link(0) }, CacheURL: func(search.Hit) string { return "/cache?id=1" },
			FacetURL: func(string, *search.FacetValue) (string, bool) { return link(0), true },
			QueryURL: func(string) string { return link(0) }, OrderURL: func(search.Order) string { return link(0) },
			GroupURL: link(0), FormsURL: link(0), UnlimitedURL: link(0), ExplainURL: link(0), AdvancedURL: "/advanced", JSONURL: link(0),
		}
	}
	wrong := view(nil)
	wrong.Err, wrong.ErrText = &query.Error{Kind: query.ErrExtraSymbol, Field: "is", Text: "This is no site."}, "a b"
	pastEnd := view(trialResult())
	pastEnd.Result.Hits, pastEnd.Page = nil, 9
	now := time.Now()
	return []func(*Pages, io.Writer) error{
		func(p *Pages, w io.Writer) error { return p.Home(w, HomeView{Documents: 2, Sites: 1, Updated: now}) },
		func(p *Pages, w io.Writer) error { return p.Home(w, HomeView{}) },
		results(view(trialResult())), results(wrong), results(pastEnd), results(ResultsView{}),
		results(view(&search.Result{Words: []search.WordCount{{Text: "word"}, {Text: "other", URLs: 1, Total: 1, Words: 2}}, Spell: []search.Suggestion{{Word: "word", Instead: "world"}}})),
		results(view(&search.Result{Words: []search.WordCount{{Text: "word", URLs: 1, Total: 1, Words: 1}}})),
		func(p *Pages, w io.Writer) error { return p.Advanced(w, trialForm()) },
		func(p *Pages, w io.Writer) error { return p.Help(w, HelpView{}) },
		func(p *Pages, w io.Writer) error {
			return p.Embed(w, EmbedView{Address: "https://www.example.org/search", Fields: []Field{{"site", "example.org"}, {"type", "pdf"}}})
		},
		func(p *Pages, w io.Writer) error { return p.Status(w, trialStatus(now)) },
		func(p *Pages, w io.Writer) error { return p.Status(w, StatusView{At: now, Details: true}) },
		func(p *Pages, w io.Writer) error {
			v := trialStatus(now)
			v.Operator = trialOperator(now)
			return p.Status(w, v)
		},
		func(p *Pages, w io.Writer) error {
			return p.Explain(w, ExplainView{URL: "http://example.org/", Text: "URL"})
		},
		func(p *Pages, w io.Writer) error { return p.Fail(w, FailView{Status: 404, Query: "word"}) },
	}
}

func trialResult() *search.Result {
	hit := search.Hit{
		URLID: 1, SiteID: 1, URL: "https://www.example.org/page?a=b", Title: "Title", Size: 1000, ContentType: "application/pdf", Lang: "en",
		Modified: time.Now(), Status: int32(store.Status(200).Lose(404)), First: true, InSite: 9,
		Clones: []search.Clone{{URLID: 2, URL: "https://www.example.org/other"}}, MoreOf: 2,
		Excerpts: []snippet.Excerpt{{{Text: "a ", Term: -1, CutBefore: true}, {Text: "word", Term: 0, CutAfter: true}}},
		Parts:    &search.Parts{Site: 1, RelevanceParts: &search.RelevanceParts{Terms: []search.TermPart{{Text: "word"}}, Near: 1, Title: 1, Length: 1}},
	}
	second := hit
	second.First, second.Title, second.URL, second.NoCopy = false, "", "ftp://example.org/", true
	second.Parts = &search.Parts{ASPseekParts: &search.ASPseekParts{Section: "body", Count: 1, Phrases: 1}}
	return &search.Result{
		Sites: 9, URLs: 2000, AllURLs: 2000, AnyURLs: 3000, More: true, Grouped: true, Pages: 5, Hits: []search.Hit{hit, second},
		Words: []search.WordCount{{Text: "word", URLs: 1, Total: 2, Words: 1}}, Notes: []query.Note{{Text: "A note."}},
		Spell:      []search.Suggestion{{Word: "other", Instead: "others", Used: true}},
		KeyMatches: []search.KeyMatch{{URL: "https://www.example.org/", Title: "A key match"}},
		Facets:     []search.Facet{{Name: "lang", Values: []search.FacetValue{{Value: "en", URLs: 9}, {Value: "de", URLs: 1}}, More: 2}},
	}
}

func trialForm() AdvancedView {
	return AdvancedView{
		Include: "word", Title: true, Period: "9d", Forms: "de,en", PerPage: 30, ASPseek: true, Kept: []Field{{"st", "1"}},
		Subsets: []FormChoice{{Value: "http://example.org/%"}}, Spaces: []FormChoice{{Value: "sp1", Label: "web space 1"}},
	}
}

func trialStatus(now time.Time) StatusView {
	return StatusView{
		At: now, Documents: 2, Clones: 1, Words: 3, Size: 1000, MoreSites: 2,
		Statuses: []StatusLine{{Status: 200, Total: 1}, {Status: 404, Lost: true, Text: "text"}, {}},
		Sites:    []SiteLine{{Site: "http://example.org/", Hold: "reason"}},
		Runs:     []RunLine{{Kind: "merge", Started: now, Ended: now, Reason: "complete"}, {Kind: "crawl", Started: now}},
		Merge:    MergeState{Running: true, Since: now, Waiting: 1, Oldest: now, Marks: 1, Last: now},
		Crawl:    &CrawlState{Started: now, Fetched: 1, Due: 1, Fetchers: 1, Open: 1, Late: 1},
	}
}

func trialOperator(now time.Time) *OperatorView {
	return newOperatorView(&report.OperatorStatus{
		Growth:   []report.GrowthPoint{{At: now.Add(-time.Hour), Documents: 1}, {At: now, Documents: 2}},
		Errors:   []report.SiteErrors{{Site: "http://example.org/", All: 1, Server: 1}},
		Holds:    []report.Hold{{Site: "http://example.org/", Since: now, Reason: "share", URL: "http://example.org/a", Cause: "Not Found"}},
		Unread:   []report.UnreadType{{Type: "image/png", URLs: 1}},
		Slow:     []report.SlowHost{{Site: "http://example.org/", Fetches: 1, Mean: time.Second, Slowest: time.Minute}},
		Failures: []report.Failure{{URL: "http://example.org/a", Class: "gone", Count: 1, At: &now, Result: 404}, {URL: "http://example.org/b"}},
	})
}
