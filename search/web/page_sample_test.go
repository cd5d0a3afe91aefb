package web

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/store"
)

// The sample data of the pages: an index of a manual and of two smaller sites.

var sampleNow = time.Date(2026, 11, 21, 18, 42, 7, 0, time.UTC)

const sampleManual = "https://www.postgresql.org/docs/15/"

// sampleQuery returns addresses as a server makes them.
func sampleQuery(pairs ...string) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return "/search?" + v.Encode()
}

// marked returns an excerpt of text in which [ ] enclose terms.
func marked(text string) snippet.Excerpt {
	var e snippet.Excerpt
	for i, piece := range strings.FieldsFunc(text, func(r rune) bool { return r == '[' || r == ']' }) {
		term := -1
		if (i%2 == 1) != strings.HasPrefix(text, "[") {
			term = 0
		}
		e = append(e, snippet.Span{Text: piece, Term: term})
	}
	e[len(e)-1].CutAfter = !strings.HasSuffix(text, "done.")
	return e
}

type sampleHit struct {
	path, title, text string
	site              int32
	first             bool
}

var sampleHits = []sampleHit{
	{sampleManual + "sql-vacuum.html", "VACUUM: garbage-collect and optionally analyze a database", "[VACUUM] reclaims storage occupied by dead tuples. In normal operation, tuples that are deleted or obsoleted by an update are not physically removed from their [table] until a [VACUUM] is done.", 1, true},
	{sampleManual + "routine-vacuuming.html", "25.1. Routine Vacuuming", "PostgreSQL’s [VACUUM] command has to process each [table] on a regular basis for several reasons: to recover or reuse disk space occupied by updated or deleted rows, to update data statistics.", 1, false},
	{"https://wiki.postgresql.org/wiki/VACUUM_FULL", "VACUUM FULL - PostgreSQL wiki", "[VACUUM] FULL rewrites the entire [table] and requires an ACCESS EXCLUSIVE lock for that. In most cases a plain [VACUUM] and some patience are the better answer.", 2, true},
	{"https://wiki.postgresql.org/wiki/Show_database_bloat", "Show database bloat", "This query lists how much of each [table] is waste, so that one can see what a [VACUUM] would give back.", 2, false},
	{"http://mirror.example.org/papers/mvcc-and-vacuum.pdf", "Multi-version concurrency control, and what cleans up behind it", "A row version is dead when no snapshot can see it any more; only then may [vacuum] remove it from the [table] and its indexes.", 3, true},
	{sampleManual + "runtime-config-autovacuum.html", "20.10. Automatic Vacuuming", "autovacuum_vacuum_threshold specifies the minimum number of updated or deleted tuples needed to trigger a [VACUUM] in any one [table]. The default is 50 tuples.", 1, true},
	{sampleManual + "progress-reporting.html", "28.4. Progress Reporting", "Whenever [VACUUM] is running, the pg_stat_progress_vacuum view will contain one row for each backend that is currently vacuuming a [table].", 1, true},
	{sampleManual + "storage-vm.html", "73.4. Visibility Map", "Each heap relation has a Visibility Map to keep track of which pages contain only tuples that are known to be visible to all active transactions; [vacuum] uses it to skip parts of a [table].", 1, true},
}

// sampleResult returns a page of 20 groups of results.
func sampleResult(explain bool) *search.Result {
	r := &search.Result{
		Sites: 3, URLs: 12345, Grouped: true, Pages: 50, Took: 14 * time.Millisecond,
		Words:      []search.WordCount{{Text: "vacuum", URLs: 812, Total: 9204, Words: 1, Synonyms: []string{"clean up"}}, {Text: "table", URLs: 11533, Total: 88120, Words: 1}},
		KeyMatches: []search.KeyMatch{{URL: "https://www.example.org/vacuum", Title: "How we vacuum"}},
		Notes:      []query.Note{{Kind: query.LeftOut, Text: "“the” at byte 8 is left out: it is too common to be in the index."}},
	}
	if !explain {
		r.Facets = sampleFacets()
	}
	groups := 0
	for i := 0; groups < search.DefaultPerPage; i++ {
		s := sampleHits[i%len(sampleHits)]
		h := search.Hit{
			URLID: int32(i + 1), SiteID: s.site, URL: s.path, Title: s.title, First: s.first, Size: 48211 + 977*i,
			ContentType: "text/html; charset=utf-8", Lang: "en", Status: 200,
			Modified: sampleNow.AddDate(0, -i, -i), Excerpts: []snippet.Excerpt{marked(s.text)}, Rank: 0xf8001234 - uint32(i),
		}
		if s.first {
			groups++
			if s.site == 1 && i == 0 {
				h.InSite = 1091
			}
		}
		if strings.HasSuffix(s.path, ".pdf") {
			h.ContentType, h.Size = "application/pdf", 1843200
			h.Clones = []search.Clone{{URLID: 900, URL: "http://www.example.net/vacuum.pdf"}, {URLID: 901, URL: "http://www.example.net/old/vacuum%20(1).pdf"}}
			h.MoreOf = 3
		}
		if i == 3 {
			h.Status = int32(store.Status(200).Lose(404))
		}
		if i == 5 {
			h.Title, h.NoCopy = "", true
		}
		if explain {
			h.Parts = &search.Parts{Link: 52011 - 100*i}
			if i > 2 {
				h.Parts.ASPseekParts = &search.ASPseekParts{Section: "body", Place: -1, Count: 41, Exact: true, Phrases: 1}
			} else {
				h.Parts.RelevanceParts = &search.RelevanceParts{
					Score: 9.25, Near: 0.5, Title: 0.75, Links: 0.4, Length: 1200, Average: 800,
					Terms: []search.TermPart{{Text: "vacuum", IDF: 2.5, Count: 3.25, Score: 4.1, Synonyms: []string{"clean up"}}, {Text: "full", IDF: 2, Count: 1, Score: 2}},
				}
			}
		}
		r.Hits = append(r.Hits, h)
	}
	return r
}

// sampleFacets are facets with every kind of value.
func sampleFacets() []search.Facet {
	return []search.Facet{
		{Name: "site", Values: []search.FacetValue{
			{Value: "https://www.postgresql.org/", Site: 1, URLs: 10310, Chosen: true}, {Value: "http://wiki.postgresql.org/", Site: 2, URLs: 2035},
		}, More: 4},
		{Name: "lang", Values: []search.FacetValue{{Value: "en", URLs: 12004}, {Value: "de", URLs: 340}, {Value: "zz", URLs: 1}}},
		{Name: "type", Values: []search.FacetValue{{Value: "html", URLs: 12000}, {Value: "pdf", URLs: 300}, {Value: "text", URLs: 44}, {Value: "x-c++", URLs: 1}}},
		{Name: "date", Values: []search.FacetValue{
			{Value: "day"}, {Value: "week", URLs: 12}, {Value: "month", URLs: 40}, {Value: "year", URLs: 4001}, {Value: "older", URLs: 8344},
		}},
		{Name: "path", Values: []search.FacetValue{{Value: "/docs/", URLs: 10310}}}, // one value is no choice
		{Name: "tag", Values: []search.FacetValue{{Value: "3", URLs: 9}, {Value: "7", URLs: 2}}},
	}
}

// sampleLinks sets the functions of a view.
func sampleLinks(v ResultsView) ResultsView {
	q := v.Query
	v.PageURL = func(page int) string { return sampleQuery("q", q, "np", strconv.Itoa(page)) }
	v.SiteURL = func(site int32) string { return sampleQuery("q", q, "st", strconv.Itoa(int(site)), "gr", "off") }
	v.CacheURL = func(h search.Hit) string { return fmt.Sprintf("/cache?id=%d&q=%s", h.URLID, url.QueryEscape(q)) }
	v.QueryURL = func(query string) string { return sampleQuery("q", query) }
	v.OrderURL = func(o search.Order) string { return sampleQuery("q", q, "s", []string{"rate", "date"}[o]) }
	v.Group = search.SiteGroups
	v.FacetURL = func(facet string, value *search.FacetValue) (string, bool) {
		return sampleQuery("q", q, map[string]string{"site": "st", "date": "dp"}[facet], value.Value), value.Chosen
	}
	v.GroupURL = sampleQuery("q", q, "gr", "off")
	v.FormsURL = sampleQuery("q", q, "fm", "on")
	v.ExplainURL = sampleQuery("q", q, "explain", "1")
	v.AdvancedURL = "/advanced?" + url.Values{"iq": {q}}.Encode()
	v.JSONURL = sampleQuery("q", q, "format", "json")
	v.UnlimitedURL = sampleQuery("q", q)
	return v
}

func sampleHome() HomeView { return HomeView{Documents: 12804, Sites: 3, Updated: sampleNow} }

func sampleResults(page int) ResultsView {
	return sampleLinks(ResultsView{Query: "vacuum the table", Kept: []Field{{"ps", "20"}}, Result: sampleResult(false), Page: page})
}

func sampleExplained() ResultsView {
	v := sampleLinks(ResultsView{Query: "vacuum table", Result: sampleResult(true)})
	v.ExplainURL = ""
	v.Limits = []Limit{{"only www.postgresql.org", sampleQuery("q", "vacuum table")}, {"changed since 1 March 2026", sampleQuery("q", "vacuum table", "st", "1")}}
	return v
}

func sampleEmpty() ResultsView {
	return sampleLinks(ResultsView{Query: "autovacum treshold", Result: &search.Result{
		Took: 3 * time.Millisecond, Words: []search.WordCount{{Text: "autovacum", URLs: 0, Total: 0, Words: 1}, {Text: "treshold", URLs: 0, Total: 0, Words: 1}},
		Spell: []search.Suggestion{{Word: "autovacum", Instead: "autovacuum"}, {Word: "treshold", Instead: "threshold"}, {Word: "treshold", Instead: "thresholds"}},
	}})
}

// sampleApart returns an empty result of two words that occur in documents, but in no document together.
func sampleApart() ResultsView {
	v := sampleLinks(ResultsView{Query: "tablespace gin_fuzzy_search_limit", Result: &search.Result{
		Took: 2 * time.Millisecond, Words: []search.WordCount{{Text: "tablespace", URLs: 61, Total: 507, Words: 1}, {Text: "gin_fuzzy*", URLs: 2, Total: 5, Words: 1}},
	}})
	v.Limits = []Limit{{"only wiki.postgresql.org", sampleQuery("q", v.Query)}}
	return v
}

func samplePastEnd() ResultsView {
	return sampleLinks(ResultsView{Query: "vacuum", Page: 60, Result: &search.Result{Sites: 1, URLs: 812, Pages: 41, Took: time.Millisecond}})
}

func sampleError(queryText string) ResultsView {
	_, err := query.Parse(queryText, query.Options{})
	var e *query.Error
	if !errors.As(err, &e) {
		panic("the sample query has no error: " + queryText)
	}
	return sampleLinks(ResultsView{Query: queryText, Err: e, ErrText: queryText})
}

func sampleAdvanced() AdvancedView {
	return AdvancedView{
		Include: "vacuum table", Exclude: "full", Title: true, IncludeSites: "www.postgresql.org",
		Subsets: []FormChoice{{"https://www.postgresql.org/docs/15/%", "The manual of version 15", true}, {"https://www.postgresql.org/about/%", "", false}},
		Spaces:  []FormChoice{{"sp1", "Documentation", true}, {"sp2", "Wiki", false}},
		From:    "2026-03-01", PerPage: 25, Forms: "de,en",
	}
}

func sampleHelp() HelpView {
	return HelpView{Site: "www.postgresql.org", QueryURL: func(q string) string { return sampleQuery("q", q) }}
}

func sampleStatus() StatusView {
	return StatusView{
		At: sampleNow, Documents: 12804, Clones: 211, Words: 184301, Size: 1_204_332_101,
		Statuses: []StatusLine{
			{0, false, "Not indexed yet", 118, 118},
			{200, false, "OK", 402, 12766},
			{404, true, "Not found", 12, 38},
			{301, false, "Moved Permanently", 9, 204},
			{404, false, "Not found", 3, 97},
			{603, false, "Host name not found", 2, 2},
		},
		Sites: []SiteLine{
			{"https://www.postgresql.org/", 11533, 0, 64, 11801, 240, ""},
			{"https://wiki.postgresql.org/", 1109, 38, 31, 1240, 300, "more than half of its documents answered 503 since 20 November 2026"},
			{"http://mirror.example.org/", 162, 0, 4, 184, 6, ""},
		},
		Runs: []RunLine{
			{Kind: "crawl", Started: sampleNow.Add(-12 * time.Minute), Documents: 1804, Created: 96, Changed: 41, Unchanged: 1602, Lost: 12, Failed: 53},
			{Kind: "realtime", Started: sampleNow.Add(-5 * time.Hour), Ended: sampleNow.Add(-5*time.Hour + 800*time.Millisecond), Reason: "complete", Documents: 1, Changed: 1},
			{Kind: "merge", Started: sampleNow.Add(-20 * time.Hour), Ended: sampleNow.Add(-20*time.Hour + 48*time.Second), Reason: "complete", Documents: 12708},
			{Kind: "crawl", Started: sampleNow.Add(-21 * time.Hour), Ended: sampleNow.Add(-20 * time.Hour), Reason: "complete", Documents: 13227, Created: 12708, Lost: 0, Failed: 319},
		},
		Merge: MergeState{Waiting: 137, Oldest: sampleNow.Add(-11 * time.Minute), Marks: 4, Last: sampleNow.Add(-20 * time.Hour)},
		Crawl: &CrawlState{Started: sampleNow.Add(-12 * time.Minute), Fetched: 1804, Rate: 2.48, Due: 546, Fetchers: 8, Open: 8},
		Databases: []Database{
			{Name: "10.0.0.2:5432", State: "ok", Lag: 200 * time.Millisecond, Searches: 81204},
			{Name: "10.0.0.3:5432", State: "behind", Lag: 3 * time.Minute, Searches: 60311, Left: 2},
			{Name: "10.0.0.1:5432", State: "ok", Primary: true},
		},
	}
}
