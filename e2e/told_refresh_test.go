package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestMetaRefresh: a META refresh of at most ten seconds is a redirect, whatever else the page says but nofollow. A longer one is
// a link, and one to the page itself is nothing.
func TestMetaRefresh(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	refresh := func(path, content, rest string) {
		site.HTML(path, fmt.Sprintf(`<title>page %s</title><meta http-equiv="refresh" content="%s">%s words`, path, content, rest))
	}
	refresh("/", "0; url=/en/", `<meta name="robots" content="noindex">`) // as Hugo's root
	site.HTML("/en/", `front <a href=/ten>x</a> <a href=/eleven>x</a> <a href=/self>x</a> <a href=/away>x</a> <a href=/nofollow>x</a> <a href=/mail>x</a> <a href=/based>x</a>`)
	refresh("/ten", "10;url='target10'", "")
	refresh("/eleven", "11; url=target11", "")
	refresh("/self", "5; url=#top", "")
	refresh("/away", "1; url=http://192.0.2.1/x", "")
	refresh("/nofollow", "0; url=/never", `<meta name="robots" content="nofollow">`)
	refresh("/mail", "0; url=mailto:a@example.org", "")
	refresh("/based", "3; url=target", `<base href="/sub/">`)
	for _, path := range []string{"/target10", "/target11", "/never", "/sub/target"} {
		site.HTML(path, "reached "+path)
	}
	w := newWorld(t, "Server "+site.URL+"/\n")
	for run := range 2 {
		w.index("-a")
		got := w.rows(`SELECT replace(w.url, $1, '') || ' ' || w.status || coalesce(' to ' || replace(t.url, $1, ''), '')
			FROM urlword w LEFT JOIN urlword t ON t.url_id = w.redir ORDER BY w.url COLLATE "C"`, site.URL)
		want := []string{
			"/ 302 to /en/", "/away 302", "/based 302 to /sub/target", "/eleven 200", "/en/ 200", "/mail 200", "/nofollow 200", "/self 200",
			"/sub/target 200", "/target10 200", "/target11 200", "/ten 302 to /target10",
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("run %d:\ngot  %s\nwant %s", run, strings.Join(got, ", "), strings.Join(want, ", "))
		}
	}
	out := w.index("--explain", site.URL+"/away")
	if !strings.Contains(out, "not followed, to http://192.0.2.1/x: no Server line for this site (META refresh after 1s)") {
		t.Errorf("--explain:\n%s", out)
	}
	if out := w.index("-T", site.URL+"/"); !strings.Contains(out, "302 Moved Temporarily (T-05): META refresh after 0s, redirects to "+site.URL+"/en/") {
		t.Errorf("-T:\n%s", out)
	}
	if out := w.index("--search", "page"); !strings.HasPrefix(out, "4 documents") {
		t.Errorf("pages that are redirects are found:\n%s", out)
	}
	refresh("/ten", "300; url=target10", "again a page")
	w.index("-a")
	if out := w.index("--search", `"again a page"`); !strings.HasPrefix(out, "1 document") {
		t.Errorf("what is no redirect any more is not found:\n%s", out)
	}
}

// TestToldTruncated: documents of which only the beginning was read are counted in the summary.
func TestToldTruncated(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<a href=/short>x</a><a href=/long>x</a>`+strings.Repeat("word ", 30))
	site.HTML("/short", "short")
	site.HTML("/long", strings.Repeat("long ", 100))
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("IndexLimit 120")
	if code, _, errOut := w.try(); code != exitDone || !strings.Contains(errOut, " truncated=2") || !strings.Contains(errOut, "IndexLimit") {
		t.Errorf("exit %d\n%s", code, errOut)
	}
	if code, _, errOut := w.try(); code != exitDone || strings.Contains(errOut, "truncated") {
		t.Errorf("nothing was read: exit %d\n%s", code, errOut)
	}
}

// TestToldBareHost: a host where a URL has to stand is answered with the URL.
func TestToldBareHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Server http://127.0.0.1:1/\n")
	for _, c := range [][]string{{"-T", "foo"}, {"-i", "-u", "foo"}, {"--explain", "foo"}, {"-P", "foo"}} {
		if code, _, errOut := w.try(c...); code != exitFailed || !strings.Contains(errOut, `index: "foo" is no URL: write http://foo/`) {
			t.Errorf("index %s: exit %d\n%s", strings.Join(c, " "), code, errOut)
		}
	}
}
