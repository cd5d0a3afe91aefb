package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/store"
)

func TestNumbersForPeople(t *testing.T) {
	en := testPages(t).languages.in("en")
	for _, c := range []struct{ got, want string }{
		{en.grouped(0), "0"},
		{en.grouped(999), "999"},
		{en.grouped(1000), "1,000"},
		{en.grouped(12345678), "12,345,678"},
		{en.grouped(-1234), "-1,234"},
		{en.grouped(-123), "-123"},
		{en.byteSize(1), "1 byte"},
		{en.byteSize(812), "812 bytes"},
		{en.byteSize(14_499), "14 KB"},
		{en.byteSize(999_499), "999 KB"},
		{en.byteSize(999_500), "1.0 MB"},
		{en.byteSize(1_843_200), "1.8 MB"},
		{en.byteSize(48_000_000), "48 MB"},
		{en.byteSize(1_204_332_101), "1.2 GB"},
		{en.duration(-1), "0 ms"},
		{en.duration(420 * time.Microsecond), "0.4 ms"},
		{en.duration(14 * time.Millisecond), "14 ms"},
		{en.duration(1240 * time.Millisecond), "1.2 s"},
		{en.duration(48 * time.Second), "48 s"},
		{en.duration(200 * time.Second), "3 min"},
		{en.duration(5*time.Hour + 20*time.Minute), "5 h 20 min"},
		{en.duration(5 * time.Hour), "5 h"},
		{en.duration(80 * time.Hour), "3 days"},
		{en.day(time.Date(2026, 3, 1, 23, 30, 0, 0, time.FixedZone("", -3600))), "2 March 2026"},
		{en.lostWords(int32(store.Status(200))), ""},
		{en.lostWords(int32(store.Status(200).Lose(410))), "no longer on its site"},
		{en.lostWords(int32(store.Status(200).Lose(503))), "its site answers 503 now"},
		{en.statusText(404), "Not Found"},
		{en.statusText(800), "No converter for the type"},
		{en.statusText(999), ""},
		{en.kindOf("text/html; charset=utf-8"), ""},
		{en.kindOf("application/pdf"), "PDF"},
		{en.kindOf("Text/Plain;;"), "Text"},
		{en.kindOf("image/x-unusual"), "image/x-unusual"},
		{languageOf("de"), "de"},
		{languageOf("d\""), ""},
		{languageOf("deu"), ""},
	} {
		if got := strings.ReplaceAll(c.got, "\u00a0", " "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestPlainText(t *testing.T) {
	for in, want := range map[string]string{
		"a\u202eb\u2066c\u2069":  "abc",
		"line\r\nend\ttab":       "line  end tab",
		"\x00\x1b[31m\x7f\u0085": "[31m ",
		"\xff":                   "\ufffd",
		"שלום\u200f Ⅷ 日本":        "שלום\u200f Ⅷ 日本",
	} {
		if got := plain(in); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"a b c", 3, "a…"}, {"ab", 0, "…"}} {
		if got := cut(c.in, c.n); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestAddressesForPeople(t *testing.T) {
	for in, want := range map[string]string{
		"https://www.example.org/":                     "www.example.org",
		"https://www.example.org:8443/a/b.html#c":      "www.example.org:8443 › a › b.html",
		"http://www.example.org/?q=1":                  "www.example.org › ?q=1",
		"http://www.example.org/a/?q=%C3%A4":           "www.example.org › a?q=ä",
		"http://www.example.org/%E6%97%A5%E6%9C%AC/x":  "www.example.org › 日本 › x",
		"http://www.example.org/a%2Fb%20c":             "www.example.org › a%2Fb%20c",
		"http://www.example.org/%E2%80%AEfdp":          "www.example.org › %E2%80%AEfdp",
		"http://www.example.org/%E2%80%BAx":            "www.example.org › %E2%80%BAx",
		"http://user:secret@www.example.org/x":         "www.example.org › x",
		"javascript:alert(1)":                          "javascript:alert(1)",
		"file:///etc/passwd":                           "/etc/passwd",
		"file:///srv/a%20b/%23%C3%BC%25.txt":           "/srv/a b/#ü%.txt",
		"file:///srv/%FF%0A%E2%80%AE.txt":              "/srv/%FF%0A%E2%80%AE.txt",
		"file:///" + strings.Repeat("0123456789/", 30): "/0123456789/…/" + strings.Repeat("0123456789/", 10),
		"": "(no address)",
		"http://h/" + strings.Repeat("0123456789/", 30):   "h › … › 0123456789 › 0123456789 › 0123456789 › 0123456789 › 0123456789 › 0123456789 › 0123456789 › 0123456789 › 0123456789 › 0123456789",
		"http://h/" + strings.Repeat("x", 100) + "/y?z=1": "h › " + strings.Repeat("x", 47) + "… › y?z=1",
	} {
		if got := strings.Join(testPages(t).languages.usual().crumbs(in), " › "); got != want {
			t.Errorf("crumbs(%q)\n got %s\nwant %s", in, got, want)
		}
	}
	for in, link := range map[string]bool{
		"http://h/": true, "HTTPS://h/": true, "ftp://h/": false, "http:///x": false, "http:x": false, "//h/": false,
		"javascript://h/%0aalert(1)": false, "": false, "http://h/\x00": false,
	} {
		if got := webLink(in) != ""; got != link {
			t.Errorf("webLink(%q) is a link: %v, want %v", in, got, link)
		}
	}
}

// TestFileLinks: results that are files have links with FileLinks yes only; no other scheme ever has.
func TestFileLinks(t *testing.T) {
	for _, files := range []bool{false, true} {
		for in, want := range map[string]bool{
			"http://h/": true, "file:///srv/a": files, "file://h/a": false, "file:/srv/a": false, "javascript:alert(1)": false, "data:text/html,x": false,
		} {
			if got := link(in, files) != ""; got != want {
				t.Errorf("%q, FileLinks %v: a link: %v", in, files, got)
			}
		}
	}
}

func TestPager(t *testing.T) {
	show := func(page, pages int) string {
		p := newPager(page, pages, func(n int) string { return strconv.Itoa(n) })
		var b strings.Builder
		for _, i := range p.Items {
			switch {
			case i.Current:
				fmt.Fprintf(&b, "[%d]", i.Number)
			case i.Number == 0:
				b.WriteString("…")
			default:
				fmt.Fprintf(&b, "%d", i.Number)
			}
			if i.Number > 0 && i.URL != strconv.Itoa(i.Number-1) {
				t.Errorf("page %d leads to %s", i.Number, i.URL)
			}
			b.WriteString(" ")
		}
		return p.Previous + "<" + strings.TrimSpace(b.String()) + ">" + p.Next
	}
	for _, c := range []struct {
		page, pages int
		want        string
	}{
		{0, 0, "<>"},
		{0, 1, "<>"},
		{0, 2, "<[1] 2>1"},
		{1, 2, "0<1 [2]>"},
		{0, 50, "<[1] 2 3 4 5 … 50>1"},
		{11, 50, "10<1 … 8 9 10 11 [12] 13 14 15 16 … 50>12"},
		{5, 50, "4<1 2 3 4 5 [6] 7 8 9 10 … 50>6"},
		{49, 50, "48<1 … 46 47 48 49 [50]>"},
		{50, 50, "<>"},
		{-1, 50, "<>"},
	} {
		if got := show(c.page, c.pages); got != c.want {
			t.Errorf("page %d of %d: got %s, want %s", c.page, c.pages, got, c.want)
		}
	}
}

func TestSpelling(t *testing.T) {
	url := func(q string) string { return "?" + q }
	for _, c := range []struct {
		name, query string
		suggestions []search.Suggestion
		want        spelling
	}{
		{"none", "cat", nil, spelling{}},
		{"as it was typed otherwise", `title:"Vacum the" -Tabel`, []search.Suggestion{{Word: "vacum", Instead: "vacuum"}, {Word: "tabel", Instead: "table"}}, spelling{Query: `title:"vacuum the" -table`, URL: `?title:"vacuum the" -table`}},
		{"whole words only", "cat category", []search.Suggestion{{Word: "cat", Instead: "car"}}, spelling{Query: "car category", URL: "?car category"}},
		{"several for a word", "cta", []search.Suggestion{{Word: "cta", Instead: "cat"}, {Word: "cta", Instead: "act"}}, spelling{Query: "cat", URL: "?cat", Others: []correction{{"act", "?act"}}}},
		{"of another field", "dog", []search.Suggestion{{Word: "cta", Instead: "cat"}}, spelling{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, respell(c.query, c.suggestions, url)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := respell("cta", []search.Suggestion{{Word: "cta", Instead: "cat"}}, nil); got.URL != "" {
		t.Errorf("a link without a function: %v", got)
	}
}

func TestPlaceOfTheFault(t *testing.T) {
	long := strings.Repeat("wörter ", 40)
	for _, c := range []struct {
		name, text string
		at         int
		want       *fault
	}{
		{"in the middle", "a OR b", 2, &fault{Before: "a ", At: "O", After: "R b"}},
		{"at the end", "a OR", 4, &fault{Before: "a OR"}},
		{"inside a character", "ä", 1, &fault{At: "ä"}},
		{"far behind", long + "OR", len(long), &fault{Before: "…" + string([]rune(long)[280-shownNear:]), At: "O", After: "R"}},
		{"of a long text", "(" + long, 0, &fault{At: "(", After: cut(long, shownNear)}},
		{"of nothing", " ", 0, nil},
		{"outside", "a", 2, nil},
		{"before", "a", -1, nil},
		{"with a turn", "\u202ea", 3, &fault{At: "a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, testPages(t).languages.usual().faultAt(c.text, &query.Error{At: c.at})); diff != "" {
				t.Error(diff)
			}
		})
	}
	for field, want := range map[string]fault{
		"xs": {At: "x", Field: "Not these sites", InForm: true}, "np": {At: "x", Field: "np"}, "q": {At: "x"},
	} {
		if diff := cmp.Diff(&want, testPages(t).languages.usual().faultAt("x", &query.Error{Field: field})); diff != "" {
			t.Error(diff)
		}
	}
}

// TestFieldNamesAreThoseOfTheForm: an error names a field as the advanced form does.
func TestFieldNamesAreThoseOfTheForm(t *testing.T) {
	page := samplePage{write: samplePages()[slices.IndexFunc(samplePages(), func(s samplePage) bool { return s.name == "advanced-empty" })].write}.html(t, testPages(t))
	for name, label := range fieldNames {
		if want := fmt.Sprintf(` for="%s">%s</label>`, name, testPages(t).languages.usual().say(label)); name != "r" && !strings.Contains(page, want) {
			t.Errorf("the form has no %s", want)
		}
	}
}

// TestGroupsOfHits: the hits of a site are below the best one, and only the best one has the link to all of
// them.
func TestGroupsOfHits(t *testing.T) {
	d := resultsPage{ResultsView: ResultsView{
		Page: 2, PerPage: 10, SiteURL: func(site int32) string { return fmt.Sprint("?st=", site) },
		Result: &search.Result{Pages: 5, URLs: 60, Sites: 60, Grouped: true, Hits: []search.Hit{
			{URL: "http://a/1", SiteID: 1, First: true, InSite: 7},
			{URL: "http://a/2", SiteID: 1},
			{URL: "http://b/", SiteID: 2, First: true, InSite: 1},
		}},
	}}
	d.fill()
	if d.First != 21 || len(d.Groups) != 2 || len(d.Groups[0].Hits) != 2 || d.Cut {
		t.Fatalf("got %d groups from %d on, cut %v", len(d.Groups), d.First, d.Cut)
	}
	if g := d.Groups[0]; g.All != 7 || g.URL != "?st=1" || g.Site != "a" {
		t.Errorf("the first group leads to %d of %s, %s", g.All, g.Site, g.URL)
	}
	if d.Groups[1].All != 0 {
		t.Error("a group that is shown whole leads to more")
	}
}

// TestExcerptsAreCut: excerpts are limited, so a page stays small whatever the engine returns, with one
// ellipsis where text is left out.
func TestExcerptsAreCut(t *testing.T) {
	long := strings.Repeat("x", shownExcerpt-10)
	first := snippet.Span{Text: "a", Term: -1, CutBefore: true}
	last := snippet.Span{Text: "b", CutAfter: true}
	for _, c := range []struct {
		name        string
		in, want    []snippet.Excerpt
		lead, trail bool
	}{
		{"none", nil, nil, false, false},
		{"the whole text", []snippet.Excerpt{{{Text: "a"}}}, []snippet.Excerpt{{{Text: "a"}}}, false, false},
		{"of the middle", []snippet.Excerpt{{first, last}}, []snippet.Excerpt{{first, last}}, true, true},
		{"two, to the end of the text", []snippet.Excerpt{{{Text: "b", CutAfter: true}}, {first}}, []snippet.Excerpt{{{Text: "b", CutAfter: true}}, {first}}, false, false},
		{
			"too long",
			[]snippet.Excerpt{{{Text: long}, {Text: "0123456789abc", CutAfter: true}, {Text: "lost"}}, {{Text: "lost"}}},
			[]snippet.Excerpt{{{Text: long}, {Text: "012345678…", CutAfter: true}}},
			false, false,
		},
		{"as long as can be", []snippet.Excerpt{{{Text: long + "0123456789", CutAfter: true}}}, []snippet.Excerpt{{{Text: long + "0123456789", CutAfter: true}}}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, lead, trail := cutExcerpts(c.in)
			if diff := cmp.Diff(c.want, got); diff != "" || lead != c.lead || trail != c.trail {
				t.Errorf("lead %v, trail %v, %s", lead, trail, diff)
			}
		})
	}
}
