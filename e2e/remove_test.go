package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestRemovedPage verifies that a page that was taken out by index --remove is not found after the commit, that nothing of its
// contents is stored, that its clone takes its place, and that no crawl brings it back before somebody names it (T-21).
func TestRemovedPage(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `start <a href="/a?x=1">a</a> <a href="/twin">b</a> <a href="/moved">c</a>`)
	site.HTML("/a?x=1", `<title>Secret title</title>secret <a href="/b">b</a>`)
	site.HTML("/twin", `<title>Secret title</title>secret <a href="/b">b</a>`)
	site.HTML("/b", "banana")
	site.Set("/moved", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/a?x=1"}})
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	site.HTML("/a?x=1", `<title>Secret title</title>secret newest <a href="/b">b</a>`)
	site.HTML("/twin", `<title>Secret title</title>secret newest <a href="/b">b</a>`)
	w.index("-a", "--no-merge") // its words wait in the journal
	a := site.URL + "/a?x=1"
	if got, want := w.index("--remove", a), "removed "+a+"; searches do not find it any more; the next merge (index -D) removes their words from the index\n"+
		site.URL+"/twin has the same content and is found from the next merge on: remove it as well if that must not be\n"+
		"It stays out until index -T, -i or --recrawl names it. To keep it out of every index:\n\n"+
		"# "+site.URL+"/robots.txt\nUser-agent: *\nDisallow: /a?x=1$\n\n"+
		"# sets.cnf, above the Server lines\nDisallow ^"+strings.ReplaceAll(strings.ReplaceAll(a, ".", `\.`), "?", `\?`)+"$\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	w.finds("removed before the merge", map[string]string{"secret": "", "start": "/", "banana": "/b"})
	stored := func() string {
		return w.one(`SELECT deleted, withdrawn_by, next_why, crc = '' AND etag = '' AND redir = 0 AND origin = 0, meta IS NULL,
			(SELECT count(*) FROM urlwords c WHERE c.url_id = w.url_id), (SELECT count(*) FROM journal j WHERE j.url_id = w.url_id AND words IS NOT NULL)
			FROM urlword w JOIN urlstate USING (url_id) WHERE url = $1`, a)
	}
	out := "1 T-21 not until it is asked for by name true true 0 0"
	if got := stored(); got != out {
		t.Errorf("stored: %s, want %s", got, out)
	}
	w.index("-D")
	w.finds("merged", map[string]string{"secret": "/twin", "newest": "/twin"})
	w.index("--remove", site.URL+"/twin")
	w.index("-D")
	w.finds("both removed", map[string]string{"secret": "", "newest": "", "banana": "/b"})
	if got := w.index("--remove", a); !strings.HasPrefix(got, a+" was removed before\n") {
		t.Errorf("again: %s", got)
	}
	if code, said, errOut := w.try("--remove", site.URL+"/unknown"); code != exitFailed || !strings.Contains(errOut, "/unknown is not registered; nothing was removed") ||
		!strings.Contains(said, "Disallow: /unknown$\n") {
		t.Errorf("unknown: exit %d %s%s", code, said, errOut)
	}

	for _, bad := range []string{"nonsense", "ftp://h/", "http://[::1"} { // B76
		if code, out, errOut := w.try("--remove", bad); code != exitUsage || out != "" || !strings.Contains(errOut, "--remove") {
			t.Errorf("--remove %s: exit %d %s%s", bad, code, out, errOut)
		}
	}

	// No run brings it back: its links are read again, everything is due, a --respider run reaches it, a pattern fits it.
	site.HTML("/", `start again <a href="/a?x=1">a</a> <a href="/twin">b</a> <a href="/moved">c</a>`)
	site.Forget()
	w.index("-a")
	w.index("--respider")
	w.index("--recrawl", "%")
	w.index()
	w.finds("after three runs", map[string]string{"secret": "", "banana": "/b"})
	if got := stored(); got != out || site.Count()["/a?x=1"] != 0 || site.Count()["/a"] != 0 {
		t.Errorf("after three runs: %s; requests %v", got, site.Count())
	}
	if got := w.index("--explain", a); !strings.Contains(got, "by T-21: index --remove") {
		t.Errorf("--explain: %s", got)
	}

	// Naming it does.
	for _, back := range [][]string{{"-T", a}, {"-i", "-u", a}, {"--recrawl", a}} {
		said := w.index(back...)
		w.index()
		w.finds(back[0]+": "+said, map[string]string{"secret": "/a?x=1", "banana": "/b"})
		w.index("--remove", a)
		w.finds("removed again", map[string]string{"secret": ""})
	}
	w.index("-D")
	if got := w.one(`SELECT status, old_status FROM urlword JOIN crawl_history USING (url_id) WHERE url = $1 AND rule = 'T-21' ORDER BY at LIMIT 1`, a); got != "200 200" {
		t.Errorf("history: %s", got)
	}
}

// TestClearedURLs verifies that index -C with limits asks, removes the URLs within the limits, hands contents on to the clones that
// stay, and that a link brings such a URL back (T-21).
func TestClearedURLs(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `start <a href="/old/a">a</a> <a href="/old/b">b</a> <a href="/keep">k</a> <a href="/old/gone">g</a>`)
	site.HTML("/old/a", `apple <a href="/old/b">b</a>`)
	site.HTML("/old/b", "banana")
	site.HTML("/keep", `apple <a href="/old/b">b</a>`)
	site.Set("/old/gone", spidertest.Page{Status: 404})
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	if got := w.index("-C", "-w", "-u", "%/nothing/%"); got != "no URL matches; nothing was removed\n" {
		t.Errorf("no match: %s", got)
	}
	question := "This removes 3 URLs (documents: 2) from the database "
	if code, out, errOut := w.try("-C", "-u", "%/old/%"); code != exitFailed || !strings.HasPrefix(out, question) || !strings.HasSuffix(out, "Type YES to go on: ") ||
		!strings.Contains(errOut, "index: nothing was removed") {
		t.Errorf("exit %d %s%s", code, out, errOut)
	}
	w.write("list", "%/old/%\n")
	if got := w.index("-C", "--yes", "-f", w.dir+"/list"); got != "removed 3 URLs; the next merge (index -D) removes their words from the index\n" {
		t.Errorf("removed: %s", got)
	}
	w.finds("before the merge", map[string]string{"apple": "", "banana": "", "start": "/"})
	w.index("-D")
	w.finds("merged", map[string]string{"apple": "/keep", "banana": "", "start": "/"})
	if got, want := w.rows(`SELECT substring(url FROM '//[^/]*(/.*)$'), status, next_why FROM urlword JOIN urlstate USING (url_id) WHERE deleted = 1 AND withdrawn_by = 'T-21' ORDER BY 1`),
		[]string{"/old/a 200 not until a link reaches it", "/old/b 200 not until a link reaches it", "/old/gone 404 not until a link reaches it"}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := w.one(`SELECT count(*) FROM citation c JOIN urlword w USING (url_id) WHERE w.url LIKE '%/old/%' AND EXISTS (
		SELECT 1 FROM unnest(referrers) r JOIN urlword p ON p.url_id = r WHERE p.url LIKE '%/old/%')`); got != "0" {
		t.Errorf("%s citations by removed pages", got)
	}
	site.Forget()
	w.index("-a")
	if n := site.Count()["/old/a"]; n != 0 {
		t.Errorf("asked for %d times", n)
	}
	site.HTML("/keep", `apple pie <a href="/old/b">b</a>`)
	w.index("-a")
	w.finds("a link leads to it", map[string]string{"apple": "/keep", "banana": "/old/b"})
}
