package web

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store/report"
)

var update = flag.Bool("update", false, "rewrite the pinned pages of testdata/pages")

// usualPages are the pages without a Look. Parsing takes some time, and pages do not change.
var usualPages = sync.OnceValues(func() (*Pages, error) { return NewPages(Look{}) })

func testPages(t testing.TB) *Pages {
	t.Helper()
	p, err := usualPages()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A samplePage is a page with its sample data.
type samplePage struct {
	name  string
	write func(p *Pages, w io.Writer) error
}

func resultsOf(v ResultsView) func(*Pages, io.Writer) error {
	return func(p *Pages, w io.Writer) error { return p.Results(w, v) }
}

func samplePages() []samplePage {
	return []samplePage{
		{"home", func(p *Pages, w io.Writer) error { return p.Home(w, sampleHome()) }},
		{"home-empty", func(p *Pages, w io.Writer) error { return p.Home(w, HomeView{}) }},
		{"results", resultsOf(sampleResults(0))},
		{"results-page-12", resultsOf(sampleResults(11))},
		{"results-last", resultsOf(sampleResults(49))},
		{"results-explained", resultsOf(sampleExplained())},
		{"empty-misspelt", resultsOf(sampleEmpty())},
		{"empty-apart", resultsOf(sampleApart())},
		{"empty-link", resultsOf(sampleLinks(ResultsView{Query: "link:http://www.example.net/", Result: &search.Result{}}))},
		{"past-the-end", resultsOf(samplePastEnd())},
		{"no-query", resultsOf(ResultsView{})},
		{"error", resultsOf(sampleError("(vacuum OR analyze) AND OR table"))},
		{"error-at-the-end", resultsOf(sampleError("vacuum OR"))},
		{"error-in-a-field", resultsOf(sampleLinks(ResultsView{
			Query: "cat", ErrText: "example.org http://", Err: &query.Error{Kind: query.ErrExtraSymbol, Field: "is", At: 12, Text: "“http://” at byte 13 is no name of a site."},
		}))},
		{"advanced", func(p *Pages, w io.Writer) error { return p.Advanced(w, sampleAdvanced()) }},
		{"advanced-empty", func(p *Pages, w io.Writer) error { return p.Advanced(w, AdvancedView{}) }},
		{"help", func(p *Pages, w io.Writer) error { return p.Help(w, sampleHelp()) }},
		{"embed", func(p *Pages, w io.Writer) error {
			return p.Embed(w, EmbedView{Address: "https://www.example.org/find/search", Fields: []Field{{"site", "docs.example.org"}, {"type", "pdf"}}})
		}},
		{"hostile-embed", func(p *Pages, w io.Writer) error {
			return p.Embed(w, EmbedView{Address: "https://a.example/\"'<", Fields: []Field{{"site", hostileText}, {"type", hostileText + "</textarea>"}}})
		}},
		{"status", func(p *Pages, w io.Writer) error { return p.Status(w, sampleStatus()) }},
		{"status-empty", func(p *Pages, w io.Writer) error { return p.Status(w, StatusView{At: sampleNow}) }},
		{"status-operator", func(p *Pages, w io.Writer) error { return p.Status(w, sampleOperator()) }},
		{"status-operator-empty", func(p *Pages, w io.Writer) error {
			return p.Status(w, StatusView{At: sampleNow, Operator: newOperatorView(&report.OperatorStatus{})})
		}},
		{"explain", func(p *Pages, w io.Writer) error {
			return p.Explain(w, ExplainView{URL: "https://www.example.org/a", Text: "URL         https://www.example.org/a\nStatus      200 OK\n"})
		}},
		{"explain-none", func(p *Pages, w io.Writer) error { return p.Explain(w, ExplainView{}) }},
		{"fail-404", func(p *Pages, w io.Writer) error { return p.Fail(w, FailView{Status: 404}) }},
		{"fail-503", func(p *Pages, w io.Writer) error {
			return p.Fail(w, FailView{Status: 503, Query: "vacuum", Kept: []Field{{"ps", "50"}}})
		}},
		{"hostile-results", resultsOf(hostileResults())},
		{"hostile-empty", resultsOf(hostileEmpty())},
		{"hostile-error", resultsOf(sampleError(hostileQuery + " OR"))},
		{"hostile-advanced", func(p *Pages, w io.Writer) error { return p.Advanced(w, hostileAdvanced()) }},
		{"hostile-status", func(p *Pages, w io.Writer) error { return p.Status(w, hostileStatus()) }},
		{"hostile-operator", func(p *Pages, w io.Writer) error { return p.Status(w, hostileOperator()) }},
		{"hostile-explain", func(p *Pages, w io.Writer) error {
			return p.Explain(w, ExplainView{URL: hostileText, Text: hostileText})
		}},
		{"hostile-fail", func(p *Pages, w io.Writer) error {
			return p.Fail(w, FailView{Status: 400, Title: hostileText, Text: hostileText, Query: hostileText})
		}},
	}
}

func (s samplePage) html(t testing.TB, p *Pages) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.write(p, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPagesArePinned compares the pages with testdata/pages; -update rewrites these files.
func TestPagesArePinned(t *testing.T) {
	p := testPages(t)
	for _, s := range samplePages() {
		t.Run(s.name, func(t *testing.T) {
			got := s.html(t, p)
			file := filepath.Join("testdata", "pages", s.name+".html")
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the page differs from %s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// TestPagesAreValid verifies strict HTML, labels, landmarks, the order of headings, and that PagePolicy
// forbids nothing in the pages.
func TestPagesAreValid(t *testing.T) {
	p := testPages(t)
	for _, s := range samplePages() {
		t.Run(s.name, func(t *testing.T) {
			for _, wrong := range invalid(s.html(t, p)) {
				t.Error(wrong)
			}
		})
	}
}

// TestInvalidPagesAreNoticed verifies the checks of TestPagesAreValid.
func TestInvalidPagesAreNoticed(t *testing.T) {
	var b bytes.Buffer
	if err := testPages(t).Results(&b, sampleResults(0)); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for _, c := range []struct{ name, old, with, want string }{
		{"a missing end", "</article>", "", "closes nothing"},
		{"an attribute twice", `id="main"`, `id="main" id="main"`, "twice"},
		{"an id twice", `<p class="count">`, `<p id="q">`, "not unique"},
		{"a quotation mark missing", `class="count"`, `class=count`, "not strict"},
		{"a field without a label", `for="q"`, `for="main"`, "no label"},
		{"a label for nothing", `for="q"`, `for="r"`, "no element"},
		{"a skipped heading", "<h2>", "<h3>", "level"},
		{"no main", "<main", "<section", "main"},
		{"two landmarks of one name", `aria-label="pgseek"`, `aria-label="Pages of results"`, "landmarks"},
		{"a script", "<main", "<script></script><main", "element script"},
		{"an event", `<main`, `<main onclick="x"`, "forbids"},
		{"a style", `<main`, `<main style="x"`, "forbids"},
		{"javascript:", `href="/help"`, `href="javascript:x"`, "leads to"},
		{"another host's style", `href="/style.css"`, `href="https://example.net/style.css"`, "leads to"},
		{"a block in a paragraph", `<p class="count">`, `<p class="count"><ul></ul>`, "ul in p"},
		{"a link in a link", `<bdi>VACUUM`, `<a href="/">x</a><bdi>VACUUM`, "inside"},
		{"no language", ` lang="en">`, `>`, "lang"},
		{"no title", "<title>", "<title></title><title>", "title"},
		{"a link without text", ">Help</a>", "></a>", "without text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := strings.Replace(good, c.old, c.with, 1)
			if bad == good {
				t.Fatalf("the page has no %q", c.old)
			}
			if wrong := strings.Join(invalid(bad), "\n"); !strings.Contains(wrong, c.want) {
				t.Errorf("got %q, want something with %q", wrong, c.want)
			}
		})
	}
}

// pageLimit is the maximum size of a page in bytes.
const pageLimit = 50_000

func TestPagesAreSmall(t *testing.T) {
	p := testPages(t)
	for _, s := range samplePages() {
		limit := pageLimit
		if strings.HasPrefix(s.name, "hostile") {
			limit *= 2 // thousands of quotation marks, five bytes each
		}
		if n := len(s.html(t, p)); n > limit {
			t.Errorf("%s has %d bytes, more than %d", s.name, n, limit)
		} else {
			t.Logf("%-18s %6d bytes", s.name, n)
		}
	}
}

// TestTitlesOfWindows: the title of a window identifies its page among others.
func TestTitlesOfWindows(t *testing.T) {
	p := testPages(t)
	want := map[string]string{
		"home": "pgseek", "results": "vacuum the table – pgseek", "results-page-12": "vacuum the table, page 12 – pgseek",
		"advanced": "Advanced search – pgseek", "fail-404": "Page not found – pgseek", "no-query": "Search – pgseek",
	}
	for _, s := range samplePages() {
		title := strings.SplitN(strings.SplitN(s.html(t, p), "<title>", 2)[1], "</title>", 2)[0]
		if w := want[s.name]; w != "" && title != w {
			t.Errorf("%s is called %q, want %q", s.name, title, w)
		}
	}
}

// TestFocus: a text field has the focus if typing is the next step; on a page with results none has, so that
// keys scroll.
func TestFocus(t *testing.T) {
	p := testPages(t)
	for _, s := range samplePages() {
		want := 1
		for _, reading := range []string{"results", "hostile-results", "status", "help", "hostile-status", "hostile-operator", "embed", "hostile-embed"} {
			if s.name == reading || strings.HasPrefix(s.name, reading+"-") {
				want = 0
			}
		}
		if got := strings.Count(s.html(t, p), " autofocus"); got != want {
			t.Errorf("%s has the cursor in %d boxes, want %d", s.name, got, want)
		}
	}
}

// TestPagesTellTheRanking: the help describes the ranking that is set, and the form offers ad only with ASPseek's.
func TestPagesTellTheRanking(t *testing.T) {
	p := testPages(t)
	for _, aspseek := range []bool{false, true} {
		var help, form strings.Builder
		if err := errors.Join(p.Help(&help, HelpView{ASPseek: aspseek}), p.Advanced(&form, AdvancedView{ASPseek: aspseek})); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(help.String(), "ordered by the section"); got != aspseek {
			t.Errorf("ASPseek %v: the help has the order by sections: %v", aspseek, got)
		}
		if got := strings.Contains(help.String(), "the fewer documents have a word"); got == aspseek {
			t.Errorf("ASPseek %v: the help has the order by relevance: %v", aspseek, got)
		}
		if got := strings.Contains(form.String(), `name="ad"`); got != aspseek {
			t.Errorf("ASPseek %v: the form has ad: %v", aspseek, got)
		}
	}
}

// TestHelpExamplesAreQueries: the examples are links, so each must be a valid query.
func TestHelpExamplesAreQueries(t *testing.T) {
	v := HelpView{Site: "www.postgresql.org", MinFixedPatternLength: query.DefaultMinFixedPatternLength}
	n := 0
	for _, part := range testPages(t).languages.usual().helpParts(&v) {
		for _, l := range part.Lines {
			n++
			q, err := query.Parse(l.Query, query.Options{})
			if err != nil {
				t.Errorf("%s: %v", l.Query, err)
			} else if len(q.Notes) > 0 {
				t.Errorf("%s: %v", l.Query, q.Notes)
			}
		}
	}
	if n < 15 {
		t.Errorf("there are %d examples only", n)
	}
}

func TestRootIsPutBeforeOwnLinks(t *testing.T) {
	p := testPages(t)
	f := Frame{Root: "/find/"}
	var b bytes.Buffer
	for _, err := range []error{
		p.Home(&b, HomeView{Frame: f}), p.Results(&b, ResultsView{Frame: f}), p.Advanced(&b, AdvancedView{Frame: f}),
		p.Help(&b, HelpView{Frame: f}), p.Status(&b, StatusView{Frame: f}), p.Fail(&b, FailView{Frame: f}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, attr := range []string{`href="/`, `action="/`} {
		for _, rest := range strings.Split(b.String(), attr)[1:] {
			if !strings.HasPrefix(rest, "find/") {
				t.Errorf("a link outside of the root: %s%.30s", attr, rest)
			}
		}
	}
}

func TestStatic(t *testing.T) {
	p := testPages(t)
	for name, wantType := range map[string]string{
		"style.css": "text/css; charset=utf-8", "favicon.svg": "image/svg+xml",
		"opensearch.xml": "application/opensearchdescription+xml; charset=utf-8",
	} {
		body, contentType, ok := p.Static(name, `https://x"<&'>/`)
		if !ok || contentType != wantType || len(body) == 0 {
			t.Errorf("%s: %d bytes of %q, %v", name, len(body), contentType, ok)
		}
		if strings.Contains(string(body), "{base}") {
			t.Errorf("%s: the address is not filled in", name)
		}
		if name == "style.css" {
			if strings.Contains(string(body), "url(") || strings.Contains(string(body), "@import") {
				t.Error("style.css asks for something else")
			}
			continue
		}
		d := xml.NewDecoder(bytes.NewReader(body))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	for _, name := range []string{"", "home.html", "../page.go", "style.css/", "base.html"} {
		if _, _, ok := p.Static(name, ""); ok {
			t.Errorf("%q is served", name)
		}
	}
}

func TestOpenSearchAddresses(t *testing.T) {
	body, _, _ := testPages(t).Static("opensearch.xml", "https://search.example.org/")
	var d struct {
		URLs []struct {
			Type     string `xml:"type,attr"`
			Template string `xml:"template,attr"`
		} `xml:"Url"`
	}
	if err := xml.Unmarshal(body, &d); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, u := range d.URLs {
		got[u.Type] = u.Template
	}
	want := map[string]string{
		"text/html":                             "https://search.example.org/search?q={searchTerms}",
		"application/json":                      "https://search.example.org/search?q={searchTerms}&format=json",
		"application/opensearchdescription+xml": "https://search.example.org/opensearch.xml",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestFailuresOfWritersAreReturned: an error of the writer is returned, and a page is written in one piece.
func TestFailuresOfWritersAreReturned(t *testing.T) {
	w := &stuckWriter{}
	if err := testPages(t).Home(w, sampleHome()); !errors.Is(err, io.ErrClosedPipe) || w.calls != 1 {
		t.Errorf("got %v after %d calls", err, w.calls)
	}
}

type stuckWriter struct{ calls int }

func (w *stuckWriter) Write([]byte) (int, error) { w.calls++; return 0, io.ErrClosedPipe }

// visible returns the characters of a page that a browser acts on: bidirectional controls and control
// characters.
func visible(page string) (bad []rune) {
	for _, r := range page {
		if '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069' || unicode.IsControl(r) && r != '\n' {
			bad = append(bad, r)
		}
	}
	return bad
}
