package e2e

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store"
)

// TestConvertedContent verifies that of a document that was converted the HTML is stored, and that everything that reads a stored
// content again reads this: a check, a rebuild, a promoted clone, links under new rules, a document that is allowed again and one
// that was forbidden by its site. Its type and digest stay those of the bytes that were fetched.
func TestConvertedContent(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	table := spidertest.Page{Type: "text/csv; charset=iso-8859-1", Body: "name,sort\nGravensteiner,\"s\xfc\xdf, fest\"\n"}
	site.HTML("/", `<a href="/a.csv">x</a> <a href="/b.csv">x</a>`)
	site.Set("/a.csv", table)
	site.Set("/b.csv", table)
	sets := "Server " + site.URL + "/\n"
	w := newWorld(t, sets)
	w.index()
	stored := func(path string) string {
		packed, err := hex.DecodeString(w.one(`SELECT encode(words, 'hex') FROM urlwords JOIN urlword USING (url_id) WHERE url = $1`, site.URL+path))
		if err != nil {
			t.Fatal(err)
		}
		body, err := store.UnpackContent(packed, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		return w.one(`SELECT content_type, read_as, md5($3::bytea) = content_crc, crc = md5($2::bytea) FROM urlword JOIN urlstate USING (url_id)
			JOIN urlwords USING (url_id) WHERE url = $1`, site.URL+path, []byte(table.Body), body)
	}
	const want = "text/csv; charset=iso-8859-1 text/html; charset=utf-8 true true"
	sound := func(when, path string) {
		t.Helper()
		if got := stored(path); got != want {
			t.Errorf("%s: %s: got %s, want %s", when, path, got, want)
		}
		w.finds(when, map[string]string{"gravensteiner": path, "süß": path})
		if code, out, errOut := w.try("-X1"); code != exitDone {
			t.Errorf("%s: -X1 ended with %d\n%s%s", when, code, out, errOut)
		}
	}
	sound("crawled", "/a.csv")

	before := w.contents()
	w.index("--rebuild-index")
	sound("rebuilt", "/a.csv")
	if d := cmp.Diff(before, w.contents()); d != "" {
		t.Errorf("rebuilt (-before +after):\n%s", d)
	}

	site.Set("/a.csv", spidertest.Page{Type: "text/html", Body: "another page"})
	w.index("-a")
	sound("the clone took the original's place", "/b.csv")

	w.sets("Disallow b.csv\n" + sets)
	w.index(w.accept()...)
	w.finds("forbidden", map[string]string{"gravensteiner": ""})
	w.sets(sets)
	w.index()
	sound("allowed again", "/b.csv")

	w.sets("Disallow never\n" + sets) // other rules: links are read again from what is stored
	w.index("-a")
	sound("under other rules", "/b.csv")
	w.sets("Index no\n" + sets)
	w.index(w.accept("-a")...)
	w.sets(sets)
	w.index("-a")
	sound("indexed again", "/b.csv")

	site.Set("/b.csv", spidertest.Page{Type: "text/plain", Body: "plain Gravensteiner"})
	w.index("-a")
	if got := w.one(`SELECT count(*) FROM urlstate WHERE read_as IS NOT NULL`); got != "0" {
		t.Errorf("%s documents count as converted, none is", got)
	}
	w.finds("plain", map[string]string{"gravensteiner": "/b.csv", "süß": ""})
	if out := w.index("--search", "gravensteiner"); !strings.Contains(out, "b.csv") {
		t.Errorf("--search: %s", out)
	}
}
