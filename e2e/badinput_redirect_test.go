package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestBadRedirects serves everything that can be wrong with a redirect: B6, B10, B11 as its target, B28, B29.
func TestBadRedirects(t *testing.T) {
	t.Parallel()
	redirect := func(location string) spidertest.Page {
		return spidertest.Page{Status: 302, Header: map[string]string{"Location": location}}
	}

	t.Run("B28: no Location, an empty one, one that is no URL", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		bad := map[string]spidertest.Page{
			"/without":  {Status: 301},
			"/empty":    redirect(""),
			"/blank":    spidertest.Wire("HTTP/1.1 308 Moved\r\nLocation:   \r\nContent-Length: 0\r\n\r\n"),
			"/host":     redirect("http://[bad/"),
			"/port":     redirect("http://example.com:65536/"),
			"/nul":      spidertest.Wire("HTTP/1.1 303 See\r\nLocation: http://exa\x01mple.com/\r\nContent-Length: 0\r\n\r\n"),
			"/see":      {Status: 303},
			"/tempor":   {Status: 307},
			"/encoding": spidertest.Wire("HTTP/1.1 302 Found\r\nLocation: http://\xFF\xFE/\r\nContent-Length: 0\r\n\r\n"),
		}
		n.pages(bad)
		n.crawl()
		for path := range bad {
			if path == "/nul" { // net/http refuses a control character in a header
				n.want(path, "w.status, w.redir, h.rule", "606 0 T-09")
				continue
			}
			n.want(path, "w.status, w.redir, c.url_id, h.rule, h.cause <> ''", "602 0 <nil> T-09 true")
		}
		want := slices.Sorted(maps.Keys(bad))
		if diff := cmp.Diff(append([]string{"/"}, slices.Sorted(slices.Values(append(want, "/good.html")))...), n.urls()); diff != "" {
			t.Errorf("URLs (-want +got):\n%s", diff)
		}
	})

	t.Run("B28: a document that becomes one keeps its content", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		n.period(spidertest.Page{Status: 301})
		n.want("/old", "status_base(w.status), status_lost(w.status), h.rule", "200 602 T-09")
	})

	t.Run("B6, B10: a target that is dropped leaves the source its 3xx", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		n.pages(map[string]spidertest.Page{
			"/mail": redirect("mailto:a@example.com"), "/long": redirect("/" + strings.Repeat("x", 2048)), "/outside": redirect("http://example.com/"),
		})
		n.crawl()
		for _, path := range []string{"/mail", "/long", "/outside"} {
			n.want(path, "w.status, w.redir, c.hrefs, h.rule", "302 0 [] T-05")
		}
	})

	t.Run("B29: loops and chains of more than 8", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		pages := map[string]spidertest.Page{
			"/self": redirect("/self"), "/ring0": redirect("/ring1"), "/chain0": redirect("/chain1"), "/short0": redirect("/short1"),
		}
		n.pages(pages)
		for i := 1; i < 3; i++ {
			n.site.Set(fmt.Sprintf("/ring%d", i), redirect(fmt.Sprintf("/ring%d", (i+1)%3)))
		}
		for i := 1; i < 12; i++ {
			n.site.Set(fmt.Sprintf("/chain%d", i), redirect(fmt.Sprintf("/chain%d", i+1)))
		}
		for i := 1; i < 8; i++ {
			n.site.Set(fmt.Sprintf("/short%d", i), redirect(fmt.Sprintf("/short%d", i+1)))
		}
		n.site.HTML("/short8", "<title>end</title>chainword")
		n.crawl()

		want := map[string]int{"/": 1, "/good.html": 1, "/self": 1, "/ring0": 1, "/ring1": 1, "/ring2": 1}
		for i := range 9 { // the target of the 8th redirect is asked for, that of the 9th is not
			want[fmt.Sprintf("/chain%d", i)], want[fmt.Sprintf("/short%d", i)] = 1, 1
		}
		if diff := cmp.Diff(want, n.site.Count()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		n.words("chainword", "/short8")
		n.want("/chain8", "w.status, w.redir, h.rule", "302 0 T-05")
		n.check("URLs with a 3xx of their own", "21", `SELECT count(*) FROM urlword WHERE status = 302`)
		n.check("/chain9 is no row", "0", `SELECT count(*) FROM urlword WHERE url = $1`, n.url("/chain9"))
		loops := n.rows(`SELECT replace(url, $1, ''), last_status FROM redirect_chains WHERE looped ORDER BY 1`, n.site.URL)
		if diff := cmp.Diff([]string{"/ring0 302", "/ring1 302", "/ring2 302", "/self 302"}, loops); diff != "" {
			t.Errorf("redirect_chains where looped (-want +got):\n%s", diff)
		}
		chains := n.rows(`SELECT replace(url, $1, ''), redirects, replace(last_url, $1, ''), last_status, looped FROM redirect_chains
			WHERE url IN ($1 || '/chain0', $1 || '/short0') ORDER BY 1`, n.site.URL)
		if diff := cmp.Diff([]string{"/chain0 8 /chain8 302 false", "/short0 8 /short8 200 false"}, chains); diff != "" {
			t.Errorf("redirect_chains (-want +got):\n%s", diff)
		}

		n.site.Forget() // and in a later period
		n.crawl("-a")
		if diff := cmp.Diff(want, n.site.Count()); diff != "" {
			t.Errorf("requests of the second period (-want +got):\n%s", diff)
		}
	})
}
