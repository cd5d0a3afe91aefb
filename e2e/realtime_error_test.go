package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestRealtimeErrorCountsOnce runs index -T several times while a site fails for a minute. That counts as one
// loss, and nothing is purged for it (P7). The next loss counts after the back-off of the first.
func TestRealtimeErrorCountsOnce(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	var links strings.Builder
	for n := range 20 { // so that one page is no bad day of the whole site
		fmt.Fprintf(&links, `<a href="/%d">x</a> `, n)
		site.HTML(fmt.Sprintf("/%d", n), fmt.Sprintf("apple word%d", n))
	}
	site.HTML("/", links.String())
	w.index()

	state := func() string {
		return w.one(`SELECT status_base(status), status_lost(status), status_lost_count(status), error_class, error_count,
			round((next_index_time - extract(epoch FROM now())) / 3600)::integer FROM urlword JOIN urlstate USING (url_id) WHERE url LIKE '%/7'`)
	}
	ask := func(want string) {
		t.Helper()
		if code, out, errOut := w.try("-T", site.URL+"/7"); code != exitFailed {
			t.Errorf("exit %d:\n%s%s", code, out, errOut)
		}
		if got := state(); got != want {
			t.Errorf("state: %s, want %s", got, want)
		}
	}
	site.Set("/7", spidertest.Page{Status: 502})
	for range 5 {
		ask("200 502 1 server 1 24")
	}
	site.Set("/7", spidertest.Page{Status: 404}) // another class begins its own series, but it is still the same loss
	for range 3 {
		ask("200 404 1 gone 1 24")
	}
	w.index("-D")
	w.finds("after a bad minute", map[string]string{"word7": "/7"})

	w.rows(`UPDATE urlword SET next_index_time = extract(epoch FROM now())::bigint - 1 WHERE url LIKE '%/7'`)
	for range 3 {
		ask("200 404 2 gone 2 72")
	}
	site.HTML("/7", "apple word7 again")
	w.index("-T", site.URL+"/7")
	if got := w.one(`SELECT status, error_count FROM urlword JOIN urlstate USING (url_id) WHERE url LIKE '%/7'`); got != "200 0" {
		t.Errorf("when it answers again: %s", got)
	}
	w.finds("when it answers again", map[string]string{"word7": "/7", "again": "/7"})

	// The back-off of a URL that never was a document does not grow either.
	site.Set("/none", spidertest.Page{Status: 500})
	first := ""
	for range 3 {
		w.try("-T", site.URL+"/none")
		got := w.one(`SELECT status, error_count, next_index_time FROM urlword JOIN urlstate USING (url_id) WHERE url LIKE '%/none'`)
		if first == "" {
			first = got
		}
		if got != first {
			t.Errorf("a URL that never answered well: %s, first %s", got, first)
		}
	}
}
