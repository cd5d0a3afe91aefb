package web

import (
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/store/report"
	"golang.org/x/net/html"
)

// Hostile texts in titles, addresses and queries.

// hostileText tries everything at once: to end an attribute, an element, a comment, a string, and to change
// the direction.
const hostileText = `"><script>alert(1)</script><img src=x onerror=alert(2)>'--></title></textarea>{{.Root}}&lt;b&gt;` +
	"\u202e\u2066\x00\x1b[31m\r\n`${7*7}`javascript:alert(3)"

// hostileQuery is a hostile text that is a valid query.
const hostileQuery = `"<script>alert(1)</script>" title:'><img/src=x>` + "\u202e\u2067 &amp; %3Cscript%3E"

var endlessWord = strings.Repeat("Ⅷ", 10_000)

var hostileURLs = []string{
	"javascript:alert(document.cookie)",
	"JaVaScRiPt://www.example.org/%0aalert(1)",
	"data:text/html,<script>alert(1)</script>",
	"vbscript:msgbox(1)",
	"file:///etc/passwd",
	"//www.example.org/no-scheme",
	"http://",
	"http://www.example.org/\"><script>alert(1)</script>",
	"http://www.example.org/%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
	"http://www.example.org/%E2%80%AEfdp.exe",
	"http://www.example.org/a%2Fb%20%E2%80%BA%20c",
	"http://user:secret@www.example.org/",
	"http://www.example.org:99999999/",
	"http://www.example.org/?q=<script>&x='\"",
	"http://xn--pple-43d.com/",
	"http://www.example.org/" + strings.Repeat("long-path/", 200),
	"http://" + strings.Repeat("a", 5000) + ".example.org/",
	"http://[::1]:8080/x",
	"http://www.example.org/%zz",
	"",
}

func hostileResults() ResultsView {
	r := &search.Result{
		Sites: 1, URLs: len(hostileURLs), Pages: 1, Took: time.Hour,
		KeyMatches: []search.KeyMatch{{URL: "https://a.example/" + hostileText, Title: hostileText}, {URL: "javascript:alert(1)", Title: endlessWord}},
		Words:      []search.WordCount{{Text: hostileText, URLs: 1, Total: 1, Words: 1, Synonyms: []string{hostileText, endlessWord}}, {Text: endlessWord, URLs: 1, Total: 1, Words: 3}},
		Notes:      []query.Note{{Text: hostileText}, {Field: "is", Text: hostileText}},
		Spell:      []search.Suggestion{{Word: "script", Instead: hostileText}, {Word: "alert", Instead: `<b>"`}},
	}
	for _, name := range []string{"site", "lang", "type", "path", "tag", hostileText} {
		values := []search.FacetValue{{Value: hostileText, URLs: -1, Chosen: true}, {Value: endlessWord[:200], URLs: 1 << 60}, {Value: "javascript:alert(1)", URLs: 1}}
		r.Facets = append(r.Facets, search.Facet{Name: name, Values: values, More: -1})
	}
	for i, u := range hostileURLs {
		h := search.Hit{
			URLID: int32(i), URL: u, Title: hostileText, First: true, Size: 1 << 30, ContentType: `text/<script>"; x="`, Lang: `"x`,
			Modified: time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), Status: -1,
			Excerpts: []snippet.Excerpt{{{Text: hostileText, Term: -1, CutBefore: true}, {Text: hostileText}, {Text: hostileText, Term: -1}}},
			Clones:   []search.Clone{{URLID: 1, URL: u}, {URLID: 2, URL: hostileText}}, MoreOf: 1,
		}
		switch i % 3 {
		case 1:
			h.Title = endlessWord
			h.Excerpts = []snippet.Excerpt{{{Text: endlessWord}}, {{Text: endlessWord, Term: -1}}}
		case 2:
			h.Title = "\u202e \u2066"
			h.ContentType = endlessWord
		}
		r.Hits = append(r.Hits, h)
	}
	v := sampleLinks(ResultsView{Query: hostileQuery, Kept: []Field{{`"><script>`, hostileText}}, Result: r})
	v.Limits = []Limit{{hostileText, "javascript:alert(4)"}}
	v.AdvancedURL = "vbscript:x"
	v.JSONURL = "data:text/html,x"
	return v
}

func hostileEmpty() ResultsView {
	v := sampleLinks(ResultsView{Query: hostileText + endlessWord[:query.MaxBytes-len(hostileText)-1], Result: &search.Result{
		Words: []search.WordCount{{Text: hostileText, URLs: 0, Total: 0, Words: 1}, {Text: endlessWord, URLs: 0, Total: 0, Words: 1}}, Spell: []search.Suggestion{{Word: "script", Instead: hostileText}},
	}})
	v.UnlimitedURL = "javascript:x"
	v.Limits = []Limit{{hostileText, ""}}
	return v
}

func hostileAdvanced() AdvancedView {
	return AdvancedView{
		Include: hostileText, Exclude: endlessWord, IncludeSites: hostileText, ExcludeSites: hostileText, Link: "javascript:alert(1)",
		Subsets: []FormChoice{{hostileText, hostileText, true}}, Spaces: []FormChoice{{`sp1" onfocus="x`, hostileText, false}},
		Period: hostileText, PerPage: -1, Forms: hostileText, From: hostileText, To: "2026-02-30", Kept: []Field{{hostileText, hostileText}},
	}
}

func hostileStatus() StatusView {
	return StatusView{
		Statuses: []StatusLine{{-1, true, hostileText, -1, -1}},
		Sites:    []SiteLine{{hostileText, -1, -1, -1, -1, -1, hostileText}, {Site: "javascript:" + endlessWord, Hold: endlessWord}},
		Runs:     []RunLine{{Kind: hostileText, Reason: hostileText}},
		Crawl:    &CrawlState{Fetched: -5, Rate: -1},
	}
}

func hostileOperator() StatusView {
	v := hostileStatus()
	v.Details = true
	v.Operator = newOperatorView(&report.OperatorStatus{
		Growth: []report.GrowthPoint{{At: sampleNow, Documents: -5}, {At: sampleNow.Add(time.Hour), Documents: 1 << 60}},
		Errors: []report.SiteErrors{{Site: hostileText, All: -1}}, Unread: []report.UnreadType{{Type: hostileText, URLs: -1}},
		Holds: []report.Hold{{Site: hostileText, Reason: hostileText, URL: endlessWord, Cause: hostileText}},
		Slow:  []report.SlowHost{{Site: endlessWord, Mean: -1}}, Failures: []report.Failure{{URL: "javascript:" + hostileText, Class: hostileText, Cause: hostileText}},
	})
	return v
}

// TestHostileTextIsShownAsText: see B38 and docs/reference/promises.md, Security rules, 7. TestPagesAreValid
// parses the same pages strictly, so they have no foreign elements or attributes; this test verifies what a
// valid page could still do.
func TestHostileTextIsShownAsText(t *testing.T) {
	p := testPages(t)
	checked := 0
	for _, s := range samplePages() {
		if !strings.HasPrefix(s.name, "hostile") {
			continue
		}
		page := s.html(t, p)
		doc := html.NewTokenizer(strings.NewReader(page))
		for doc.Next() != html.ErrorToken {
			tok := doc.Token()
			if tok.Type != html.StartTagToken {
				if tok.Type == html.TextToken {
					if bad := visible(tok.Data); bad != nil {
						t.Errorf("%s: the text %.60q has %U", s.name, tok.Data, bad)
					}
				}
				continue
			}
			checked++
			for _, a := range tok.Attr {
				if a.Key == "href" && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "#") &&
					!strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://") {
					t.Errorf("%s: a link to %.60q", s.name, a.Val)
				}
			}
		}
		if strings.Contains(page, "secret") && !strings.Contains(page, `href="http://user:secret@`) {
			t.Errorf("%s shows a password", s.name)
		}
	}
	if checked < 500 {
		t.Errorf("only %d elements were looked at", checked)
	}
}

// FuzzPages: no text makes an invalid page.
func FuzzPages(f *testing.F) {
	for _, s := range append([]string{hostileText, hostileQuery, "vacuum", "", "\xff\xfe"}, hostileURLs...) {
		f.Add(s, 0)
	}
	p := testPages(f)
	f.Fuzz(func(t *testing.T, s string, at int) {
		r := &search.Result{
			Sites: 1, URLs: 2, Pages: 1, Words: []search.WordCount{{Text: "x" + s, Synonyms: []string{s}}}, KeyMatches: []search.KeyMatch{{URL: s, Title: s}, {URL: "http://a/" + s, Title: s}}, Spell: []search.Suggestion{{Word: s, Instead: s}}, Notes: []query.Note{{Text: s}},
			Hits: []search.Hit{{URL: s, Title: s, ContentType: s, Lang: s, First: true, Excerpts: []snippet.Excerpt{{{Text: s}}}, Clones: []search.Clone{{URLID: 1, URL: s}}}},
		}
		found := sampleLinks(ResultsView{Query: s, Result: r, Limits: []Limit{{s, ""}}})
		none := sampleLinks(ResultsView{Query: s, Result: &search.Result{Words: r.Words, Spell: r.Spell}})
		wrong := ResultsView{Query: s, ErrText: s, Err: &query.Error{At: at, Text: s, Field: "q"}}
		for _, v := range []ResultsView{found, none, wrong} {
			page := samplePage{"", resultsOf(v)}.html(t, p)
			if problems := invalid(page); problems != nil {
				t.Errorf("%q: %q", s, problems)
			}
		}
	})
}
