package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// together crawls with a recorder that waits until the site has answered all requests but those of its first batch. So the outcomes
// of a schedule are all there when it begins to record them.
func (w *world) together(program string, site *spidertest.Site, urls int, args ...string) {
	w.t.Helper()
	site.Forget()
	here := filepath.Join(w.t.TempDir(), "here")
	cmd := exec.CommandContext(w.t.Context(), program, append([]string{"--config", w.dir, "--no-merge"}, args...)...)
	cmd.Env = append(os.Environ(), "FAILPOINT=recorder.gather:2=wait:"+here)
	ended := make(chan error, 1)
	var out []byte
	go func() {
		var err error
		out, err = cmd.CombinedOutput()
		ended <- err
	}()
	for {
		asked := len(site.Requests())
		if _, err := os.Stat(here); err == nil && asked >= urls {
			break
		}
		select {
		case err := <-ended:
			w.t.Fatalf("ended after %d requests: %v\n%s", asked, err, out)
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := os.Remove(here); err != nil {
		w.t.Fatal(err)
	}
	if err := <-ended; err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
}

// transactions returns how many transactions recorded the URLs that match a pattern.
func (w *world) transactions(pattern string) string {
	w.t.Helper()
	return w.one(`SELECT count(DISTINCT h.xmin::text) FROM crawl_history h JOIN urlword u USING (url_id) WHERE u.url LIKE '%' || $1`, pattern)
}

// TestRecordedTogether: documents that are recorded in one transaction are recorded as if alone, in the order of their places. Those
// that depend on each other see each other.
func TestRecordedTogether(t *testing.T) {
	t.Parallel()
	program := withFailPoints(t)
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("BatchSize 100\nMaxLostShare 30%\nInfiniteSpaceDetection yes\n")
	var links strings.Builder
	var pages []string
	add := func(path, body string) {
		fmt.Fprintf(&links, `<a href="%s">x</a> `, path)
		site.HTML(path, body)
		pages = append(pages, path)
	}
	for i := range 10 {
		add(fmt.Sprintf("/own%02d", i), fmt.Sprintf(`<title>own %d</title>words of its own %d <a href="/to%d">y</a> <a href="/all">z</a>`, i, i, i))
	}
	add("/equal1", `<title>equal</title>two pages with one body`)
	add("/equal2", `<title>equal</title>two pages with one body`)
	for i := range 22 {
		add(fmt.Sprintf("/same%02d", i), `<title>same</title>too many pages with this body`)
	}
	add("/moved", "")
	site.Set("/moved", spidertest.Page{Status: 302, Header: map[string]string{"Location": "/target"}})
	add("/target", `<title>target</title>where the other leads`)
	site.HTML("/", `<title>start</title>`+links.String())

	w.together(program, site, 2+len(pages))                         // with robots.txt and the front page
	if got := w.transactions("/own__"); len(got) > 1 || got > "4" { // the last ones may have been under way
		t.Errorf("10 pages that have nothing in common were recorded in %s transactions", got)
	}
	if got := w.transactions("/equal_"); got != "2" {
		t.Errorf("equal pages were recorded in %s transactions, want 2", got)
	}
	got := w.rows(`SELECT regexp_replace(u.url, '^http://[^/]+/([a-z]+).*$', '\1'), u.status, u.origin <> 0, count(*)
		FROM urlword u WHERE u.url ~ '/[a-z]' AND u.url !~ '/(to|all)' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`)
	want := []string{
		"equal 200 false 1", "equal 200 true 1", "moved 302 false 1", "own 200 false 10",
		"same 200 false 1", "same 200 true 19", "same 903 false 2", "target 200 false 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if got := w.one(`SELECT count(*) FROM urlword a JOIN urlword b ON b.url_id = a.redir WHERE a.url LIKE '%/moved' AND b.url LIKE '%/target'`); got != "1" {
		t.Errorf("the redirect leads to %s targets", got)
	}
	if got := w.one(`SELECT count(*), count(DISTINCT url) FROM urlword WHERE url LIKE '%/all' OR url LIKE '%/to_'`); got != "11 11" {
		t.Errorf("links that several pages name were registered as %s rows and URLs, want 11 11", got)
	}
	w.index("-D")

	// The gate permits the loss of 30 % of the documents that live now, and no more.
	live := w.one(`SELECT count(*) FROM urlword WHERE deleted = 0 AND status & 65535 = 200`)
	for _, path := range pages {
		site.Set(path, spidertest.Page{Status: 404})
	}
	w.together(program, site, len(pages), "-a")
	var n int
	if _, err := fmt.Sscan(live, &n); err != nil {
		t.Fatal(err)
	}
	if got, want := w.one(`SELECT count(*) FROM urlword WHERE status >= 65536`), fmt.Sprint(n*30/100); got != want {
		t.Errorf("%s of %s live documents are lost, want %s", got, live, want)
	}
	if got := w.one(`SELECT count(*) FROM site_hold WHERE reason = 'share'`); got != "1" {
		t.Errorf("%s holds, want 1", got)
	}
}
