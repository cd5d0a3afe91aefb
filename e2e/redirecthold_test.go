package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// moving is a site of a front page and others, all of which can be put behind redirects.
type moving struct {
	*world
	t    *testing.T
	site *spidertest.Site
	n    int
}

// newMoving crawls a site of n documents.
func newMoving(t *testing.T, n int, spider string) *moving {
	t.Helper()
	m := &moving{t: t, site: spidertest.NewSite(t), n: n}
	m.open(m.paths()...)
	m.site.HTML("/login", "please log in")
	m.world = newWorld(t, "Server "+m.site.URL+"/\n")
	m.spider("BatchSize 5\n" + spider)
	m.index()
	return m
}

func (m *moving) paths() []string {
	list := []string{"/"}
	for i := 1; i < m.n; i++ {
		list = append(list, fmt.Sprintf("/p%02d", i))
	}
	return list
}

// open serves pages as they were at first.
func (m *moving) open(paths ...string) {
	links := ""
	for _, path := range m.paths()[1:] {
		links += `<a href="` + path + `">x</a> `
	}
	for _, path := range paths {
		m.site.HTML(path, "<title>page</title>hidden word"+path[1:]+" "+map[bool]string{true: links}[path == "/"])
	}
}

// close redirects pages to the login.
func (m *moving) close(paths ...string) {
	for _, path := range paths {
		m.site.Set(path, spidertest.Page{Status: 302, Header: map[string]string{"Location": "/login?next=" + path}})
		m.site.HTML("/login?next="+path, "please log in for "+path)
	}
}

// run crawls and compares why the site is on hold, how many documents are found, and the rules of the run.
func (m *moving) run(held string, found int, rules string, args ...string) (said string) {
	m.t.Helper()
	m.site.Forget()
	code, _, said := m.try(args...)
	if code != exitDone && !noStart(code, said) {
		m.t.Fatalf("index %v: exit %d\n%s", args, code, said)
	}
	if got := strings.Join(m.rows(`SELECT reason FROM sites_on_hold`), " "); got != held {
		m.t.Errorf("on hold: %q, want %q\n%s", got, held, said)
	}
	if got := m.one(`SELECT count(*) FROM search('hidden', 100)`); got != fmt.Sprint(found) {
		m.t.Errorf("%s documents are found, want %d\n%s", got, found, said)
	}
	if got := m.rules(); got != rules {
		m.t.Errorf("rules: %s, want %s", got, rules)
	}
	m.check()
	return said
}

// rules counts the rules of the last crawl.
func (m *moving) rules() string {
	return strings.Join(m.rows(`SELECT rule || ':' || count(*) FROM crawl_history
		WHERE run_id = (SELECT max(run_id) FROM reindexing WHERE kind = 'crawl') GROUP BY rule ORDER BY rule`), " ")
}

// TestLoginRedirect verifies that a login redirect over a whole site, twice in a row, loses no document, is told with its
// remedy, and that its end undoes it without a fetch.
func TestLoginRedirect(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 12} { // below and above the size from which shares count
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			m := newMoving(t, n, "")
			m.close(m.paths()...)
			m.pass(8 * day)
			said := m.run("redirects", n, fmt.Sprintf("T-01:%d T-10:%d", n, n))
			for _, want := range []string{
				"level=WARN msg=\"more than MaxLostShare of the documents of a site redirect", fmt.Sprintf("redirecting=%d live=%d", n, n),
				"/login?next=", "index --release " + m.site.URL + "/",
			} {
				if !strings.Contains(said, want) {
					t.Errorf("nothing is said of %s:\n%s", want, said)
				}
			}
			m.pass(6 * time.Hour)
			said = m.run("redirects", n, fmt.Sprintf("T-10:%d", n))
			if !strings.Contains(said, `level=WARN msg="site on hold"`) || !strings.Contains(said, "index --release "+m.site.URL+"/") {
				t.Errorf("no warning with the remedy:\n%s", said)
			}
			m.run("redirects", n, fmt.Sprintf("T-02:%d T-10:%d", n, n), "-a") // the logins are unchanged
			m.open(m.paths()...)
			m.pass(8 * day)
			m.run("", n, fmt.Sprintf("T-02:%d", 2*n))
			for _, r := range m.site.Requests() {
				if r.Status == 200 {
					t.Errorf("%s is fetched anew", r.Path)
				}
			}
			if got := m.one(`SELECT count(*) FROM crawl_history WHERE rule = 'T-05'`); got != "0" {
				t.Errorf("%s redirects were carried out", got)
			}
			if got := m.one(`SELECT count(*) FROM urlstate WHERE redirect <> 0 OR error_count > 0`); got != "0" {
				t.Errorf("%s documents still have a redirect or an error", got)
			}
			if got := m.one(`SELECT count(*) FROM docdates JOIN urlword USING (url_id) WHERE created > now() - interval '8 days' AND url NOT LIKE '%login%'`); got != "0" {
				t.Errorf("%s documents have new dates", got)
			}
		})
	}
}

// TestRedirectsTakeEffect verifies that the redirects of a site take its documents out after LostLimit different days, or by
// --release, and that nothing else ends the hold: not LostPeriod, not a host that is silent.
func TestRedirectsTakeEffect(t *testing.T) {
	t.Parallel()
	m := newMoving(t, 12, "LostLimit 3\nLostPeriod 10d\n")
	m.close(m.paths()...)
	m.pass(8 * day)
	m.run("redirects", 12, "T-01:12 T-10:12")
	m.pass(40 * day)
	for _, path := range m.paths() {
		m.site.Set(path, spidertest.Reset(""))
	}
	m.run("redirects", 12, "T-02:12 T-10:12")
	if got := m.one(`SELECT days FROM site_hold`); got != "1" {
		t.Errorf("days after a silent one: %s, want 1", got)
	}
	m.close(m.paths()...)
	m.pass(day)
	m.run("redirects", 12, "T-02:12 T-10:12", "-a")
	m.run("redirects", 12, "T-02:12 T-10:12", "-a") // the same day
	m.pass(day)
	said := m.run("", 0, "T-02:12 T-05:12 T-10:12", "-a")
	if !strings.Contains(said, "level=WARN msg=\"most documents of a site have redirected on LostLimit days") {
		t.Errorf("nothing is said:\n%s", said)
	}
	if got := m.one(`SELECT ended_by || ' ' || days FROM site_hold`); got != "expired 3" {
		t.Errorf("the hold: %s, want expired 3", got)
	}
	m.open(m.paths()...)
	m.run("", 12, "T-02:12 T-04:12", "-a")
	m.close("/", "/p01")
	m.run("", 10, "T-02:22 T-05:2", "-a") // at once, for LostPeriod

	m.open(m.paths()...)
	m.pass(11 * day)
	m.run("", 12, "T-02:22 T-04:2")
	m.close(m.paths()...)
	m.run("redirects", 12, "T-02:12 T-10:12", "-a")
	if got := m.index("--release", m.site.URL+"/"); !strings.Contains(got, "documents that redirect leave the index at their next visit") {
		t.Errorf("--release says %q", got)
	}
	m.run("", 0, "T-02:12 T-05:12", "-a")
}

// TestMovedPages verifies that the move of a few pages of a site takes effect in the same run, and that a site of which each run
// visits a part is put on hold when all of that redirects.
func TestMovedPages(t *testing.T) {
	t.Parallel()
	m := newMoving(t, 12, "")
	m.site.Set("/p01", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/p02"}})
	m.site.Set("/p03", spidertest.Page{Body: `<meta http-equiv="refresh" content="0; url=/p04"><title>moved</title>`})
	m.pass(8 * day)
	m.run("", 10, "T-02:10 T-05:2 T-10:2")
	if got := m.one(`SELECT string_agg(result || ' ' || cause, ', ' ORDER BY url_id) FROM crawl_history WHERE rule = 'T-05'`); got != "301 , 302 META refresh after 0s" {
		t.Errorf("the redirects: %s", got)
	}
	if got := m.one(`SELECT changed || ' ' || unchanged || ' ' || deferred FROM reindexing WHERE kind = 'crawl' ORDER BY run_id DESC LIMIT 1`); got != "2 10 0" {
		t.Errorf("changed, unchanged and deferred: %s, want 2 10 0", got)
	}
	if got := m.one(`SELECT count(*) FROM urlword WHERE url LIKE '%/p01' AND status = 301 AND redir <> 0 AND next_index_time > extract(epoch FROM now()) + 6.9*86400`); got != "1" {
		t.Error("/p01 is no redirect that is due after Period")
	}

	t.Run("a part of the site a day", func(t *testing.T) {
		t.Parallel()
		m := newMoving(t, 60, "")
		m.close(m.paths()...)
		m.rows(`UPDATE urlword SET next_index_time = next_index_time + 86400 * (url_id % 12)`)
		m.pass(7*day + time.Hour)
		m.run("", 60, "T-01:6 T-10:6") // all that answered, but too few to tell
		m.pass(day)
		m.run("redirects", 60, "T-01:4 T-10:10")
		m.pass(day)
		m.run("redirects", 60, "T-01:5 T-10:15")
		if got := m.one(`SELECT live || ' ' || turned_lost || ' ' || days FROM site_hold`); got != "66 15 2" { // with the logins of the first day
			t.Errorf("the hold: %s, want 66 15 2", got)
		}
	})
	t.Run("-T", func(t *testing.T) {
		t.Parallel()
		m := newMoving(t, 12, "")
		m.close(m.paths()...)
		for _, path := range []string{"/p01", "/p02"} { // each is found under its login
			if out := m.index("-T", m.site.URL+path); !strings.Contains(out, "(T-05), redirects to") {
				t.Errorf("-T %s says %s", path, out)
			}
		}
		code, out, _ := m.try("-T", m.site.URL+"/p03", "-T", m.site.URL+"/p04", "-T", m.site.URL+"/p05", "-T", m.site.URL+"/p06")
		if code != exitFailed || strings.Count(out, "(T-05)") != 3 || strings.Count(out, "(T-10): not carried out yet") != 1 {
			t.Errorf("-T of more than may move: exit %d\n%s", code, out)
		}
		m.run("redirects", 7, "T-01:7 T-02:5 T-05:5 T-10:7", "-a")
		if code, out, _ := m.try("-T", m.site.URL+"/p07"); code != exitFailed || !strings.Contains(out, "site on hold") {
			t.Errorf("-T on a site on hold: exit %d\n%s", code, out)
		}
	})
	t.Run("no gate", func(t *testing.T) {
		t.Parallel()
		m := newMoving(t, 12, "MaxLostShare 100%\n")
		m.close(m.paths()...)
		m.run("", 0, "T-01:12 T-05:12", "-a")
	})
}

// TestKillBeforeRedirectsAreCounted verifies that redirects of a run that was killed are counted by the next one: carried out
// when they are few, a hold when they are many.
func TestKillBeforeRedirectsAreCounted(t *testing.T) {
	t.Parallel()
	program := withFailPoints(t)
	for _, c := range []struct {
		moved       int
		held, rules string
		found       int
	}{{1, "", "T-05:1", 11}, {11, "redirects", "", 12}} {
		t.Run(fmt.Sprint(c.moved), func(t *testing.T) {
			t.Parallel()
			m := newMoving(t, 12, "")
			m.close(m.paths()[1 : c.moved+1]...)
			m.pass(8 * day)
			if !m.died(program, "FAILPOINT=redirects.before-count:2=kill") {
				t.Fatal("the crawl does not come to it")
			}
			if got := m.one(`SELECT count(*) FROM urlstate WHERE redirect = 302 AND redirect_to <> 0`); got != fmt.Sprint(c.moved) {
				t.Fatalf("%s redirects wait, want %d", got, c.moved)
			}
			if c.held == "" {
				m.open("/p01") // it is not asked again
			}
			m.run(c.held, c.found, strings.TrimSpace("T-02:1 "+c.rules))
		})
	}
}

// TestRedirectsOfADay: a site of 20 documents begins to redirect to its login, a few documents at a time: several runs a day take no
// more out than one may, and a day later more redirects take effect.
func TestRedirectsOfADay(t *testing.T) {
	t.Parallel()
	m := newMoving(t, 20, "")
	left := func(want string) {
		t.Helper()
		if got := m.one(`SELECT count(*) FROM urlword WHERE deleted = 0 AND status IN (301, 302)`); got != want {
			t.Errorf("%s documents are redirects, want %s", got, want)
		}
	}
	paths := m.paths()
	for i := range 5 {
		m.close(paths[i+1])
		m.crawl("-a", "--no-merge")
		m.pass(time.Hour)
	}
	left("5")
	m.close(paths[6:9]...)
	m.crawl("-a", "--no-merge")
	left("5")
	m.pass(25 * time.Hour)
	m.crawl("-a", "--no-merge")
	if got := m.one(`SELECT reason, ended_by IS NULL FROM site_hold`); got != "redirects true" {
		t.Errorf("hold: %s", got)
	}
	m.index("--release", m.site.URL+"/")
	m.crawl("-a")
	left("8")
	m.check()
}
