package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestRobotsAskedAgain: a robots.txt that could not be had is asked for again by each run and by -T, at most once a minute. The
// end of a run, -S and --explain tell why, and when.
func TestRobotsAskedAgain(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.Set("/robots.txt", spidertest.Page{Status: http.StatusServiceUnavailable})
	site.HTML("/", "<title>front</title>")
	w := newWorld(t, "Server "+site.URL+"/\n")
	asked := func() (n int) {
		for _, r := range site.Requests() {
			if r.Path == "/robots.txt" {
				n++
			}
		}
		site.Forget()
		return n
	}
	told := func(where, text string) {
		t.Helper()
		if !strings.Contains(text, "503 Service Unavailable") || !strings.Contains(text, "by each run from ") {
			t.Errorf("%s does not tell:\n%s", where, text)
		}
	}
	for run, want := range []int{1, 0} { // the second one within the minute
		code, _, errOut := w.try("-a")
		if n := asked(); n != want || code != exitFailed {
			t.Errorf("run %d: exit %d, robots.txt asked for %d times", run, code, n)
		}
		told("the end of the run", errOut)
		if n := strings.Count(errOut, "level=WARN"); n != 1 {
			t.Errorf("run %d: %d warnings\n%s", run, n, errOut)
		}
	}
	if code, out, _ := w.try("-T", site.URL+"/"); code != exitFailed || asked() != 0 || !strings.Contains(out, "asked again from ") {
		t.Errorf("-T within the minute: exit %d\n%s", code, out)
	}
	told("-S", w.index("-S"))
	told("--explain", w.index("--explain", site.URL+"/"))

	minute := func() { w.rows(`UPDATE robots_cache SET fetched_at = fetched_at - interval '61 seconds'`) }
	minute()
	if code, _, _ := w.try(); code != exitFailed || asked() != 1 {
		t.Errorf("after a minute a run does not ask: exit %d", code)
	}
	site.Remove("/robots.txt")
	minute()
	if out := w.index("-T", site.URL+"/"); !strings.Contains(out, "OK (T-01)") {
		t.Errorf("-T:\n%s", out)
	}
	if out := w.index("-S"); strings.Contains(out, "Deferred") {
		t.Errorf("still deferred:\n%s", out)
	}
}

// TestRobotsNo: Robots no of a host of one's own fetches what its robots.txt forbids, without asking for it; without the line the
// documents leave again.
func TestRobotsNo(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /private\n"})
	site.HTML("/", `front <a href="/private/page">x</a>`)
	site.HTML("/private/page", "secret")
	server := "Server " + site.URL + "/\n"
	w := newWorld(t, server)
	live := func() string {
		return strings.Join(w.rows(`SELECT replace(url, $1, '') FROM urlword WHERE status & 65535 = 200 AND deleted = 0 ORDER BY url`, site.URL), " ")
	}
	w.index()
	if got := live(); got != "/" {
		t.Errorf("by robots.txt: %s", got)
	}
	w.sets("Robots no\n" + server)
	site.Forget()
	code, _, errOut := w.try("-a")
	if got := live(); code != exitDone || got != "/ /private/page" || !strings.Contains(errOut, "robots.txt is ignored (Robots no)") {
		t.Errorf("Robots no: exit %d, %s\n%s", code, got, errOut)
	}
	if slices.ContainsFunc(site.Requests(), func(r spidertest.Request) bool { return r.Path == "/robots.txt" }) {
		t.Error("robots.txt was asked for")
	}
	if out := w.index("--explain", site.URL+"/private/page"); !strings.Contains(out, "ignored: Robots no of its Server") {
		t.Errorf("--explain:\n%s", out)
	}
	w.rows(`ALTER TABLE robots_cache RENAME TO aside`) // which such a run does not read before its end
	if code, _, errOut := w.try("-n", "1"); code != exitFailed || !strings.Contains(errOut, "robots_cache") {
		t.Errorf("an error of the database at the end of a run that is not complete: exit %d\n%s", code, errOut)
	}
	w.rows(`ALTER TABLE aside RENAME TO robots_cache`)
	w.sets(server)
	w.rows(`DELETE FROM robots_cache`)
	w.index("-a")
	if got := live(); got != "/" {
		t.Errorf("robots.txt counts again: %s", got)
	}
}

// TestXRobotsTag: noindex and nofollow of the header are obeyed. They take effect and end without a change of the page, and a 304
// keeps what the last 200 said.
func TestXRobotsTag(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	page := func(path, body, tag string) {
		p := spidertest.Page{Body: body, ETag: `"` + strings.Trim(path, "/") + `"`, Header: map[string]string{}}
		if tag != "" {
			p.Header["X-Robots-Tag"] = tag
		}
		site.Set(path, p)
	}
	bare := func(path, tag string) { // answers 304 without the header, as Apache does
		site.Set(path, spidertest.Page{Serve: func(rw http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead {
				rw.Header().Set("X-Robots-Tag", tag)
				return
			}
			if r.Header.Get("If-None-Match") == "" {
				t.Errorf("%s: unconditional", path)
			}
			rw.WriteHeader(http.StatusNotModified)
		}})
	}
	site.HTML("/", `front <a href="/secret">x</a> <a href="/hub">x</a>`)
	page("/secret", `salary <a href="/from-secret">x</a>`, "noindex")
	page("/hub", `hub <a href="/from-hub">x</a>`, "pgseek: nofollow")
	site.HTML("/from-secret", "followed")
	site.HTML("/from-hub", "not followed")
	w := newWorld(t, "Server "+site.URL+"/\n")
	state := func() string {
		return strings.Join(w.rows(`SELECT replace(url, $1, '') || ' ' || status FROM urlword ORDER BY url`, site.URL), ", ")
	}
	want := "/ 200, /from-secret 200, /hub 200, /secret 406"
	w.index()
	if got := state(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if out := w.index("--explain", site.URL+"/hub"); !strings.Contains(out, "nofollow (X-Robots-Tag)") {
		t.Errorf("--explain:\n%s", out)
	}
	if out := w.index("--explain", site.URL+"/secret"); !strings.Contains(out, "no: noindex (X-Robots-Tag)") {
		t.Errorf("--explain:\n%s", out)
	}
	bare("/secret", "noindex")
	bare("/hub", "")
	w.index("-a")
	if got := state(); got != want {
		t.Errorf("after a 304: got %s, want %s", got, want)
	}

	page("/secret", `salary <a href="/from-secret">x</a>`, "")
	page("/hub", `hub <a href="/from-hub">x</a>`, "")
	w.index("-am") // the same bodies; a 304 would keep what was said
	if got, want := state(), "/ 200, /from-hub 200, /from-secret 200, /hub 200, /secret 200"; got != want {
		t.Errorf("without the headers: got %s, want %s", got, want)
	}
	page("/secret", `salary <a href="/from-secret">x</a>`, "noindex") // sends it with its 304, as nginx does
	w.index("-a")
	if got, want := state(), "/ 200, /from-hub 200, /from-secret 200, /hub 200, /secret 406"; got != want {
		t.Errorf("a 304 that says noindex: got %s, want %s", got, want)
	}
	if out := w.index("--search", "salary"); !strings.HasPrefix(out, "0 documents") || !strings.Contains(out, "index -S tells what is indexed") {
		t.Errorf("still found:\n%s", out)
	}
	w.index("--rebuild-index")
	w.index("-X1")
}

// TestIgnoreMeta: IgnoreMeta yes indexes a wiki that says noindex and nofollow everywhere; excerpts, a rebuild and a check know it.
func TestIgnoreMeta(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	const none = `<meta name="robots" content="noindex, nofollow">`
	site.HTML("/", none+`<p>frontpage words here <a href="/a">x</a>`)
	site.HTML("/a", none+"<p>apple words here")
	server := "Server " + site.URL + "/\n"
	w := newWorld(t, server)
	if code, _, _ := w.try(); code != exitFailed {
		t.Errorf("a start page that says none: exit %d", code)
	}
	if out := w.index("--explain", site.URL+"/"); !strings.Contains(out, "noindex, nofollow (META robots)") || !strings.Contains(out, "its links are not followed") {
		t.Errorf("--explain:\n%s", out)
	}
	w.sets("IgnoreMeta yes\n" + server)
	code, _, errOut := w.try("-a")
	if code != exitDone || !strings.Contains(errOut, "META robots are ignored (IgnoreMeta yes)") {
		t.Errorf("exit %d\n%s", code, errOut)
	}
	for _, word := range []string{"frontpage", "apple"} {
		for _, again := range []string{"", "--rebuild-index"} {
			if again != "" {
				w.index(again)
			}
			if out := w.index("--search", word); !strings.HasPrefix(out, "1 document") || !strings.Contains(out, "words here") {
				t.Errorf("%s, %s:\n%s", word, again, out)
			}
		}
	}
	w.index("-X1")
	if out := w.index("--explain", site.URL+"/"); !strings.Contains(out, "ignored (IgnoreMeta yes)") {
		t.Errorf("--explain:\n%s", out)
	}
	w.sets(server)
	if code, _, _ := w.try("-a"); code != exitFailed {
		t.Errorf("without the line: exit %d", code)
	}
	if out := w.index("--search", "apple OR frontpage"); !strings.HasPrefix(out, "0 documents") {
		t.Errorf("without the line:\n%s", out)
	}
}
