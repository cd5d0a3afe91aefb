package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// maxAsked is how often a URL may be asked for in a run.
const maxAsked = 3

// TestEveryStatus lets URLs in every previous state answer with every HTTP status, in a crawl and in index -T. No status
// ends a run or is asked for more than three times in one, and a document that answered with an error is still found.
func TestEveryStatus(t *testing.T) {
	t.Parallel()
	s := newStatusTest(t)
	s.phase.Store(1)
	s.w.index("-a")
	s.phase.Store(2)
	s.visit("fails once", "-am")

	s.phase.Store(3)
	s.visit("every status in a crawl", "-am")
	s.stillFound()
	var realtime []string
	for _, url := range s.urls {
		realtime = append(realtime, "-T", url)
	}
	s.visit("every status in index -T", realtime...)
	s.w.sets("HeadFirst yes\n" + s.sets)
	s.visit("every status in a second crawl", "-a")
	s.visit("the merge", "-D")
	s.stillFound()

	s.phase.Store(4)
	s.visit("all answer again", "-am")
	for _, p := range s.pages {
		if got := s.w.one(`SELECT status, error_count, (SELECT count(*) FROM search($2)) FROM urlword JOIN urlstate USING (url_id) WHERE url = $1`,
			p.site.URL+p.path(), p.word()); got != p.atLast() {
			t.Errorf("%s at last: %s, want %s", p.path(), got, p.atLast())
		}
	}
}

// TestAnswer406 verifies that a 406 of the server is an error like any other: it makes a document lost (T-07), and one that
// never was a document has no series of noindex (T-08).
func TestAnswer406(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("MaxLostShare 100%\n")
	site.HTML("/", `<a href="/good">x</a> <a href="/never">x</a> <a href="/noindex">x</a>`)
	site.HTML("/good", "apple")
	site.HTML("/noindex", `<meta name="robots" content="noindex">pear <a href="/good">x</a>`)
	refused := spidertest.Page{Status: http.StatusNotAcceptable, Body: "Not Acceptable!"}
	site.Set("/never", refused)
	w.index()
	state := func(what, path, want string) {
		t.Helper()
		if got := w.one(`SELECT status_base(status), status_lost(status), crc <> '', error_class, error_count,
				(SELECT rule FROM crawl_history h WHERE h.url_id = urlword.url_id ORDER BY at DESC, slot DESC LIMIT 1),
				(SELECT count(*) FROM broken_links b WHERE b.url_id = urlword.url_id),
				(SELECT count(*) FROM journal j WHERE j.url_id = urlword.url_id),
				round((next_index_time - extract(epoch FROM now())) / 60)::integer
			FROM urlword JOIN urlstate USING (url_id) WHERE url = $1`, site.URL+path); got != want {
			t.Errorf("%s, %s: %s, want %s", what, path, got, want)
		}
	}
	state("at first", "/never", "406 0 false server 1 T-08 1 0 10")
	if out := w.index("--explain", site.URL+"/never"); !strings.Contains(out, "no: answered 406 Not Acceptable") {
		t.Errorf("--explain says:\n%s", out)
	}
	state("at first", "/noindex", "406 0 true  0 T-06 0 0 10080")

	site.Set("/good", refused)
	site.Set("/noindex", refused)
	w.index("-a")
	state("refused", "/good", "200 406 true server 1 T-07 1 0 1440")
	state("refused", "/noindex", "406 0 false server 1 T-08 1 0 1440")
	w.finds("refused", map[string]string{"apple": "/good", "pear": ""})

	site.HTML("/good", "apple")
	site.HTML("/noindex", "pear")
	site.HTML("/never", "plum")
	w.index("-a")
	w.finds("in the end", map[string]string{"apple": "/good", "pear": "/noindex", "plum": "/never"})
}

// TestRefusingPages verifies that a page which answers 429 or 503 for ever is asked for at most three times in a run, in a
// crawl and in index -T, in different previous states, and that the others are asked for. One that is 503 alone is lost.
func TestRefusingPages(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			site := spidertest.NewSite(t)
			refused := spidertest.Page{Status: status}
			var front strings.Builder
			for i := range 30 {
				fmt.Fprintf(&front, `<a href="/p%d">x</a>`, i)
				site.HTML(fmt.Sprintf("/p%d", i), fmt.Sprintf("word%d", i))
			}
			site.HTML("/", front.String()+`<a href="/checked">x</a>`)
			site.HTML("/checked", "checked")
			w := newWorld(t, "CheckOnly /checked\nServer "+site.URL+"/\n")
			w.index()
			paths := []string{"/p3", "/new", "/checked", "/"}
			if !soak() {
				paths = map[int][]string{429: {"/p3", "/checked"}, 503: {"/p3", "/new"}}[status]
			}
			for step, path := range paths {
				before := fmt.Sprint(front.String(), `<a href="/checked">x</a>`)
				site.HTML("/", before+`<a href="/new">x</a>`)
				site.HTML("/p3", "word3")
				site.HTML("/checked", "checked")
				site.Remove("/new")
				site.Set(path, refused)
				for _, args := range [][]string{{"-a"}, {"-T", site.URL + path}} {
					site.Forget()
					code, out, errOut := w.try(args...)
					if code != exitDone && !noStart(code, errOut) && (args[0] != "-T" || code != exitFailed) {
						t.Fatalf("step %d, index %s: exit %d\n%s%s", step, args, code, out, errOut)
					}
					count := site.Count()
					if n := count[path]; n < 2 || n > maxAsked {
						t.Errorf("index %s: %s was asked for %d times", args, path, n)
					}
					if args[0] == "-a" && len(count) < 30 {
						t.Errorf("index %s: %d pages were asked for", args, len(count))
					}
				}
				w.finds(path, map[string]string{"word3": "/p3", "word29": "/p29"})
				if got := w.one(`SELECT count(*) FROM urlword WHERE status >= 65536`); (got != "0") != (status == 503 && path == "/p3") {
					t.Errorf("%s: %s documents are lost", path, got)
				}
				site.Set(path, spidertest.Page{})
				w.pass(time.Hour)
			}
		})
	}
}

// statusTest is a site with a page for each previous state and status.
type statusTest struct {
	t     *testing.T
	w     *world
	site  *spidertest.Site
	sites []*spidertest.Site // this and others: each page that makes its host pause has one of its own
	sets  string             // sets.cnf
	pages []statusPage
	urls  []string
	phase atomic.Int32 // 1 = the previous states, 2 = some of them fail, 3 = every status, 4 = all answer with a page
}

// statusPage is one of its pages.
type statusPage struct {
	before string
	status int
	site   *spidertest.Site
}

func (p statusPage) path() string { return fmt.Sprintf("/%s-%d", p.before, p.status) }
func (p statusPage) word() string { return fmt.Sprintf("%s%d", p.before, p.status) }

// atLast returns the status, the errors in a row and the number of results when the page answers again.
func (p statusPage) atLast() string {
	if p.before == "checked" {
		return "406 0 0"
	}
	return "200 0 1"
}

// newStatusTest makes the site. Without the long series each state has the statuses with a meaning of their own and a
// sample of the others.
func newStatusTest(t *testing.T) *statusTest {
	s := &statusTest{t: t, site: spidertest.NewSite(t)}
	s.sites = []*spidertest.Site{s.site}
	refusals := map[string]int{"gone": 429, "moved": 503} // TestRefusingPages has others
	own := map[int]bool{
		100: true, 101: true, 200: true, 204: true, 206: true, 301: true, 302: true, 303: true, 304: true, 307: true, 308: true, 401: true,
		404: true, 406: true, 410: true, 500: true,
	}
	var front strings.Builder
	for i, before := range []string{"new", "live", "lost", "gone", "moved", "unwanted", "checked", "broken", "silent"} {
		for status := 100; status <= 599; status++ {
			refusal := status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
			if refusal && !soak() && status != refusals[before] {
				continue
			}
			if !refusal && !soak() && i > 1 && !own[status] && status%27 != 3*i {
				continue
			}
			if !refusal && !soak() && i <= 1 && !own[status] && status%6 != 3*i {
				continue
			}
			p := statusPage{before, status, s.site}
			link := fmt.Sprintf(`<a href="%s">x</a>`, p.path())
			if refusal {
				p.site = spidertest.NewSiteOn(t, fmt.Sprintf("127.0.0.%d", 1+len(s.sites)))
				p.site.HTML("/", link+p.word()+"front")
				p.site.HTML("/target", "target"+p.word())
				s.sites = append(s.sites, p.site)
			} else {
				front.WriteString(link)
			}
			s.pages = append(s.pages, p)
			s.urls = append(s.urls, p.site.URL+p.path())
			p.site.Set(p.path(), spidertest.Page{Serve: func(w http.ResponseWriter, r *http.Request) { s.answer(p, w, r) }})
		}
	}
	s.site.HTML("/", front.String())
	s.site.HTML("/target", "target")
	s.sets = "HostLoad * 0 24 8\nCheckOnly /checked-\n"
	for _, site := range s.sites {
		s.sets += "Server " + site.URL + "/\n"
	}
	s.w = newWorld(t, s.sets)
	s.w.spider("MaxLostShare 100%\n")
	return s
}

// answer answers a request for a page.
func (s *statusTest) answer(p statusPage, w http.ResponseWriter, r *http.Request) {
	good := spidertest.Page{Body: p.word(), ETag: `"` + p.word() + `"`}
	status := func(n int) spidertest.Page { return spidertest.Page{Status: n, Body: "an answer"} }
	silent := spidertest.Page{Serve: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}
	page := good
	switch s.phase.Load() {
	case 1:
		switch p.before {
		case "new", "silent":
			page = silent
		case "gone":
			page = status(http.StatusNotFound)
		case "broken":
			page = status(http.StatusInternalServerError)
		case "moved":
			page = status(http.StatusFound)
			page.Header = map[string]string{"Location": "/target"}
		case "unwanted":
			page.Body = `<meta name="robots" content="noindex"><a href="/target">x</a>` + p.word()
		}
	case 2:
		switch p.before {
		case "new", "silent":
			page = silent
		case "lost":
			page = status(http.StatusBadGateway)
		}
	case 3:
		if page = status(p.status); p.status < 200 {
			page = spidertest.Wire(fmt.Sprintf("HTTP/1.1 %d Odd\r\n\r\n", p.status))
		}
	}
	if page.Serve != nil {
		page.Serve(w, r)
		return
	}
	page.Answer(w, r)
}

// visit makes every URL due and runs index, which must come to its end.
func (s *statusTest) visit(what string, args ...string) {
	s.t.Helper()
	for _, site := range s.sites {
		site.Forget()
	}
	s.w.rows(`DELETE FROM host_limit`) // another answer came in between
	code, out, errOut := s.w.try(args...)
	if code != exitDone && (args[0] != "-T" || code != exitFailed) {
		s.t.Fatalf("%s: exit %d\n%.2000s%.2000s", what, code, out, errOut)
	}
	for _, site := range s.sites {
		for path, n := range site.Count() {
			if n > maxAsked {
				s.t.Errorf("%s: %s was asked for %d times", what, path, n)
			}
		}
	}
	if open := s.w.rows(`SELECT seq FROM schedule WHERE status = 's'`); len(open) > 0 {
		s.t.Errorf("%s: open schedules: %q", what, open)
	}
	s.w.check()
}

// stillFound verifies that documents are found which answered with an error.
func (s *statusTest) stillFound() {
	s.t.Helper()
	for _, p := range s.pages {
		if p.before != "live" && p.before != "lost" || p.status == http.StatusOK {
			continue
		}
		if got := s.w.rows(`SELECT url FROM search($1)`, p.word()); len(got) != 1 {
			s.t.Errorf("%s is not found: %q", p.path(), got)
		}
	}
}
