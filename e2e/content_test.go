package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// manyWords returns a text of at least so many bytes.
func manyWords(bytes int) string {
	var b strings.Builder
	for n := 0; b.Len() < bytes; n++ {
		fmt.Fprintf(&b, "word%d ", n%3000)
	}
	return b.String()
}

// TestStoredContentAboveTodaysLimit verifies that stored content longer than the present IndexLimit is read
// again, for the links of an unchanged document and for the words of a successor, as far as the present limit
// allows.
func TestStoredContentAboveTodaysLimit(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	site.HTML("/", `apple <a href="/big">b</a> <a href="/c">c</a> <a href="/twin1">1</a> <a href="/twin2">2</a>`)
	site.HTML("/big", manyWords(200_000)+"endword")
	site.HTML("/c", "cherry")
	site.HTML("/twin1", "twinword "+manyWords(200_000)+"laterword")
	site.HTML("/twin2", "twinword "+manyWords(200_000)+"laterword")
	w.index()
	w.spider("IndexLimit 100KB\nLostLimit 1\n")
	site.HTML("/c", "cherry date")
	w.index("-a")
	want := map[string]string{"date": "/c", "word7": "/big /twin1", "endword": "/big"}
	if diff := cmp.Diff(want, w.found("date", "word7", "endword")); diff != "" {
		t.Errorf("after a crawl (-want +got):\n%s", diff)
	}
	w.index("-T", site.URL+"/big", "-T", site.URL+"/c")

	site.Remove("/twin1")
	w.index("-a")
	w.index("-D")
	want = map[string]string{"twinword": "/twin2", "laterword": ""}
	if diff := cmp.Diff(want, w.found("twinword", "laterword")); diff != "" {
		t.Errorf("after the purge of an original (-want +got):\n%s", diff)
	}
	w.check()
}

// TestSuccessorIsCountedByTodaysRules verifies that a successor's word counts follow the present word rules.
func TestSuccessorIsCountedByTodaysRules(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	site.HTML("/", `apple <a href="/a">a</a> <a href="/b">b</a>`)
	site.HTML("/a", "apple pie of the day")
	site.HTML("/b", "apple pie of the day")
	w.index()
	w.spider("MinWordLength 4\n")
	site.HTML("/a", "something wholly different")
	w.index("-a")
	if got := w.one(`SELECT c.wordcount, c.totalcount FROM urlword w JOIN urlwords c USING (url_id) WHERE w.url LIKE '%/b'`); got != "1 1" {
		t.Errorf("counts of the successor: %s, want 1 1", got)
	}
	w.check()
}

// TestDamagedContentStopsNobodyElse verifies that damaged content affects its own document only, until that
// document is fetched again (P8).
func TestDamagedContentStopsNobodyElse(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	site.HTML("/", `apple <a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a> <a href="/d">d</a>`)
	site.HTML("/a", "same text here")
	site.HTML("/b", "same text here")
	site.HTML("/c", `cherry <a href="/d">d</a>`)
	site.HTML("/d", "date")
	w.index()
	damage := func(path string) {
		w.rows(fmt.Sprintf(`UPDATE urlwords%02s SET words = '\x0000' WHERE url_id = (SELECT url_id FROM urlword WHERE url LIKE '%%%s')`,
			w.one(`SELECT url_id % 16 FROM urlword WHERE url LIKE '%'||$1`, path), path))
	}

	// The links of an unchanged document would be read again. They stay as they are.
	damage("/c")
	site.HTML("/d", "date tree")
	w.spider("LinkTags a area\n")
	w.index("-a")
	if diff := cmp.Diff(map[string]string{"tree": "/d", "cherry": "/c"}, w.found("tree", "cherry")); diff != "" {
		t.Errorf("after new rules for links (-want +got):\n%s", diff)
	}
	// The Server asks for another indexing mode. The document is fetched, which repairs it.
	w.sets("Follow no\nServer " + site.URL + "/c\nFollow yes\nServer " + site.URL + "/\n")
	w.index("-a")
	w.check()

	// The original of a clone is purged. The clone is promoted, and the next crawl fetches it.
	damage("/a")
	w.spider("LinkTags a area\nLostLimit 1\n")
	site.Remove("/a")
	w.index("-T", site.URL+"/d")
	if code, _, _ := w.try("-T", site.URL+"/a"); code != exitFailed {
		t.Errorf("-T of a page that is gone: exit %d", code)
	}
	site.HTML("/new", "fresh")
	w.index("-T", site.URL+"/new")
	w.index("-D")
	if diff := cmp.Diff(map[string]string{"fresh": "/new", "same": ""}, w.found("fresh", "same")); diff != "" {
		t.Errorf("after the purge (-want +got):\n%s", diff)
	}
	w.index()
	if diff := cmp.Diff(map[string]string{"same": "/b", "here": "/b"}, w.found("same", "here")); diff != "" {
		t.Errorf("after the next crawl (-want +got):\n%s", diff)
	}
	w.check()
}
