package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// transitionTest is a world with one site for tests of transitions. Each step makes some URLs due, runs index
// on them alone, and compares the records of all URLs with those before the step, except where the test
// expects a change.
type transitionTest struct {
	*world
	site *spidertest.Site
	read *reader

	want       map[string]*record
	conditions map[string]string // that a request may send, by what was stored before the step
}

// testPage is a page of a test: title and text are words separated by blanks, links are paths.
type testPage struct {
	title, text string
	links       []string
	noindex     bool
}

func (p testPage) html() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<title>%s</title>", p.title)
	if p.noindex {
		b.WriteString(`<meta name="robots" content="noindex">`)
	}
	b.WriteString(p.text)
	for _, l := range p.links {
		fmt.Fprintf(&b, `<a href="%s"></a>`, l)
	}
	return b.String()
}

// words returns the page's words as the journal has them.
func (p testPage) words() string {
	at := map[string][]string{}
	for i, w := range strings.Fields(p.text) {
		at[w] = append(at[w], fmt.Sprintf("b%d", i))
	}
	for i, w := range strings.Fields(p.title) {
		at[w] = append(at[w], fmt.Sprintf("t%d", i))
	}
	var list []string
	for w, positions := range at {
		list = append(list, w+" "+strings.Join(positions, " "))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// content returns the page's row of urlwordsNN.
func (p testPage) content() *contentRow {
	distinct := map[string]bool{}
	for _, w := range strings.Fields(p.title + " " + p.text) {
		distinct[w] = true
	}
	links := slices.Clone(p.links)
	slices.Sort(links)
	return &contentRow{
		WordCount: len(distinct), TotalCount: len(strings.Fields(p.title + " " + p.text)), DocSize: len(p.html()),
		ContentType: "text/html; charset=utf-8", Charset: "utf-8", Title: p.title, Text: p.text,
		Links: strings.Join(links, " "), Body: p.html(),
	}
}

// etag returns the ETag that the site sends with the page.
func (p testPage) etag() string { return fmt.Sprintf("%q", crcOf(p.html())[:8]) }

// put gives a path a page.
func (s *transitionTest) put(path string, p testPage) {
	s.site.Set(path, spidertest.Page{Body: p.html(), ETag: p.etag()})
}

// answer gives a path an answer without a page: a status, with its headers in pairs.
func (s *transitionTest) answer(path string, status int, headers ...string) {
	p := spidertest.Page{Status: status, Body: "sorry", Header: map[string]string{}}
	for i := 0; i+1 < len(headers); i += 2 {
		p.Header[headers[i]] = headers[i+1]
	}
	s.site.Set(path, p)
}

// mute makes a path end the connection without an answer (705).
func (s *transitionTest) mute(path string) {
	s.site.Set(path, spidertest.Page{Serve: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }})
}

// newTransitionTest makes a site whose front page links to these pages in this order, so that their ids
// ascend, runs a crawl and a merge, and lets a day pass. sets comes before the Server line.
func newTransitionTest(t *testing.T, sets, spider string, pages map[string]testPage, order ...string) *transitionTest {
	t.Helper()
	s := newEmptyTransitionTest(t, sets, spider)
	for path, p := range pages {
		s.put(path, p)
	}
	s.front(order...)
	s.index()
	s.pass(24 * time.Hour)
	return s
}

func newEmptyTransitionTest(t *testing.T, sets, spider string) *transitionTest {
	t.Helper()
	s := &transitionTest{site: spidertest.NewSite(t)}
	s.world = newWorld(t, "HostLoad * 0 24 1\n"+sets+"\nServer "+s.site.URL+"/\n")
	s.spider("Threads 2\n" + spider) // one host keeps one of them busy
	s.read = &reader{w: s.world, base: s.site.URL, hashes: map[string]string{}}
	return s
}

// front sets the front page.
func (s *transitionTest) front(paths ...string) { s.put("/", testPage{title: "front", links: paths}) }

// rules rewrites sets.cnf. The Server line stays.
func (s *transitionTest) rules(sets string) {
	s.sets("HostLoad * 0 24 1\n" + sets + "\nServer " + s.site.URL + "/\n")
}

// begin makes URLs due and records the state of all. The due ones get the same age, so that those without an
// error are visited in the order of their ids.
func (s *transitionTest) begin(due ...string) {
	s.t.Helper()
	urls := make([]string, len(due))
	for i, path := range due {
		urls[i] = s.site.URL + path
	}
	woken := s.rows(`UPDATE urlword SET next_index_time = extract(epoch FROM now())::bigint - 1, last_index_time = CASE WHEN last_index_time = 0 THEN 0 ELSE
			(SELECT min(last_index_time) FROM urlword WHERE url = ANY($1) AND last_index_time > 0) END
		WHERE url = ANY($1) RETURNING url_id`, urls)
	if len(woken) != len(due) {
		s.t.Fatalf("%d of these are known: %v", len(woken), due)
	}
	s.want = s.read.all()
	for _, r := range s.want {
		r.History = nil
		if r.State != nil && r.State.Seen != "" {
			r.State.Seen = "before"
		}
	}
	s.conditions = map[string]string{}
	for path, r := range s.want {
		if r.URL.ETag != "" {
			s.conditions[path] += " If-None-Match=" + r.URL.ETag
		}
		since := r.URL.LastModified
		if since == "" && r.URL.LastIndex != "0" {
			at, err := strconv.ParseInt(s.one(`SELECT last_index_time FROM urlword WHERE url = $1`, s.site.URL+path), 10, 64)
			if err != nil {
				s.t.Fatal(err)
			}
			since = time.Unix(at, 0).UTC().Format(http.TimeFormat)
		}
		if since != "" {
			s.conditions[path] += " If-Modified-Since=" + since
		}
	}
	s.site.Forget()
}

// plain describes an unconditional request, for asked.
func (s *transitionTest) plain(path string, status int) string {
	return fmt.Sprintf("GET %s %d", path, status)
}

// conditional describes a request with all validators that were stored before the step, for asked.
func (s *transitionTest) conditional(path string, status int) string {
	s.t.Helper()
	if s.conditions[path] == "" {
		s.t.Errorf("nothing is stored that a request for %s may be conditional on", path)
	}
	return s.plain(path, status) + s.conditions[path]
}

// expect states how a URL will differ after the step.
func (s *transitionTest) expect(path string, change func(*record)) {
	s.t.Helper()
	if s.want[path] == nil {
		s.want[path] = &record{}
	}
	if s.want[path].State == nil {
		s.want[path].State = &stateRow{Mode: 3}
	}
	change(s.want[path])
}

// known returns the record of a URL at the begin of the step.
func (s *transitionTest) known(path string) *record { return s.want[path].clone() }

// run crawls the due URLs without the start URLs, and compares all records.
func (s *transitionTest) run(args ...string) {
	s.t.Helper()
	s.index(append([]string{"-q", "--no-merge"}, args...)...)
	s.compare()
}

func (s *transitionTest) compare() {
	s.t.Helper()
	if diff := cmp.Diff(s.want, s.read.all()); diff != "" {
		s.t.Errorf("records of the URLs (-want +got):\n%s", diff)
	}
}

// asked compares the requests, without those of robots.txt. plain and conditional describe them. Requests of
// one URL are compared in their order; the order of the URLs does not matter.
func (s *transitionTest) asked(want ...string) {
	s.t.Helper()
	if diff := cmp.Diff(byPath(want), byPath(s.requests())); diff != "" {
		s.t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// byPath sorts requests by their paths.
func byPath(list []string) []string {
	list = append([]string{}, list...)
	slices.SortStableFunc(list, func(a, b string) int { return strings.Compare(strings.Fields(a)[1], strings.Fields(b)[1]) })
	return list
}

// askedAgain is asked for a connection that ends without an answer: if it has served other requests, the
// request is sent twice.
func (s *transitionTest) askedAgain(want ...string) {
	s.t.Helper()
	if diff := cmp.Diff(byPath(want), slices.Compact(byPath(s.requests()))); diff != "" {
		s.t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func (s *transitionTest) requests() []string {
	list := []string{}
	for _, r := range s.site.Requests() {
		if r.Path == "/robots.txt" {
			continue
		}
		line := fmt.Sprintf("%s %s %d", r.Method, r.Path, r.Status)
		for _, name := range []string{"If-None-Match", "If-Modified-Since"} {
			if v := r.Header.Get(name); v != "" {
				line += " " + name + "=" + v
			}
		}
		list = append(list, line)
	}
	return list
}

// merge runs a merge, after which nothing may wait, and compares where words are found: "alpha: /a /b".
func (s *transitionTest) merge(words ...string) {
	s.t.Helper()
	s.index("-D")
	if got := s.one(`SELECT (SELECT count(*) FROM journal), (SELECT count(*) FROM markdel)`); got != "0 0" {
		s.t.Errorf("journal and delete set after the merge: %s", got)
	}
	for _, want := range words {
		word, _, _ := strings.Cut(want, ":")
		got := strings.TrimSpace(word + ": " + strings.Join(s.rows(`SELECT replace(url, $2, '') FROM word_postings($1) ORDER BY url`, word, s.site.URL), " "))
		if got != strings.TrimSpace(want) {
			s.t.Errorf("found: got %q, want %q", got, want)
		}
	}
	s.check()
}

// cited compares which documents link to a URL.
func (s *transitionTest) cited(path, want string) {
	s.t.Helper()
	got := strings.Join(s.rows(`SELECT replace(f.url, $2, '') FROM citation c JOIN urlword t USING (url_id) CROSS JOIN unnest(referrers) r
		JOIN urlword f ON f.url_id = r WHERE t.url = $1 ORDER BY 1`, s.site.URL+path, s.site.URL), " ")
	if got != want {
		s.t.Errorf("%s is cited by %q, want %q", path, got, want)
	}
}

// attempt sets what any attempt leaves in urlstate and crawl_history.
func (r *record) attempt(rule string, result int, status string, bytes int, cause string) {
	s := r.State
	s.Attempts++
	s.Events++
	s.Last, s.Seen = "now", "this run"
	r.History = append(r.History, historyRow{
		Rule: rule, Result: result, Old: r.URL.Status, New: status, Bytes: int64(bytes), Cause: cause, At: "now",
	})
	r.URL.Status = status
}

// version sets a new version of the page that was read in this step.
func (r *record) version(p testPage) {
	r.checked()
	r.URL.CRC, r.URL.ETag, r.URL.LastModified, r.URL.Redir, r.URL.Origin = crcOf(p.html()), p.etag(), "", "", ""
	r.Content = p.content()
	r.State.Mode, r.State.Hash = 3, "A"
	r.next("+7d", "period 7d")
}

// checked sets what every success does.
func (r *record) checked() {
	r.URL.LastIndex = "now"
	r.well()
}

// next sets when and why the URL is due.
func (r *record) next(at, why string) { r.URL.Next, r.State.NextWhy = at, why }

// well ends a series of errors.
func (r *record) well() { r.State.Class, r.State.Errors = "", 0 }

// ill counts an error.
func (r *record) ill(class string, count int) { r.State.Class, r.State.Errors = class, count }

// httpTime writes a time as a header has it.
func httpTime(t time.Time) string { return t.UTC().Format(http.TimeFormat) }

// textPage returns a page of plain text.
func textPage(body string) spidertest.Page { return spidertest.Page{Type: "text/plain", Body: body} }
