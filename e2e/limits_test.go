package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestLimitsOfPositions runs the limits of positions (docs/limits.md) through a crawl and a merge: a word
// that occurs 70,000 times on a page has 16,383 positions and its true count in the content row; words after
// the 16,383rd share the last position; nothing wraps (P9).
func TestLimitsOfPositions(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<title>limits</title><a href="/many">x</a> <a href="/long">x</a>`)
	site.HTML("/many", "<title>echo echo</title><body>"+strings.Repeat("echo ", 70_000))
	var long strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&long, "n%d ", i)
	}
	site.HTML("/long", "<title>long</title><body>"+long.String()+"echo")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	for _, c := range []struct{ what, query, want string }{
		{
			"the content row counts all", // 2 in the title
			`SELECT wordcount, totalcount FROM urlwords JOIN urlword USING (url_id) WHERE url LIKE '%/many'`, "1 70002",
		},
		{
			"the blob has 16,383 positions: the first ones of the body, all of the title",
			`SELECT cnt, positions[1], positions[16381], positions[16382], positions[16383], cardinality(positions)
			 FROM word_postings('echo') WHERE url LIKE '%/many'`, "16383 0 16380 49152 49153 16383",
		},
		{
			"a word behind the last ordinal shares it",
			`SELECT cnt, positions FROM word_postings('echo') WHERE url LIKE '%/long'`, "1 [16383]",
		},
		{
			"and so do its neighbours",
			`SELECT string_agg(word || ' ' || positions::text, ', ' ORDER BY word) FROM unnest('{n16382,n16383,n16384,n19999}'::text[]) word, word_postings(word)`,
			"n16382 {16382}, n16383 {16383}, n16384 {16383}, n19999 {16383}",
		},
		{"counts of the word are those of its blob", `SELECT urlcount, totalcount FROM wordurl WHERE word = 'echo'`, "2 16384"},
		{"counts of the page", `SELECT wordcount, totalcount FROM urlwords JOIN urlword USING (url_id) WHERE url LIKE '%/long'`, "20002 20002"},
	} {
		if got := w.one(c.query); got != c.want {
			t.Errorf("%s: got %s, want %s", c.what, got, c.want)
		}
	}
}

// TestLimitsOfIds runs the limits of ids (docs/limits.md) through a crawl and a merge: URLs and sites with
// the highest ids are crawled, merged and found like others. When ids run out the program reports it and
// keeps its data.
func TestLimitsOfIds(t *testing.T) {
	t.Parallel()
	first, second, third := spidertest.NewSite(t), spidertest.NewSite(t), spidertest.NewSite(t)
	first.HTML("/", fmt.Sprintf(`<title>first</title>highest numbers <a href="%s/">x</a> <a href="/b">x</a>`, second.URL))
	first.HTML("/b", `<title>b</title>numbers`)
	second.HTML("/", fmt.Sprintf(`<title>second</title>numbers <a href="%s/">one site too many</a>`, third.URL))
	third.HTML("/", `<title>third</title>numbers`)
	w := newWorld(t, fmt.Sprintf("Server %s/\n", first.URL))
	w.one(`SELECT setval('sites_site_id_seq', 16777213), setval('urlword_url_id_seq', 2147483647 - 1000)`)
	w.index()
	w.sets(fmt.Sprintf("Server %s/\nServer %s/\n", first.URL, second.URL))
	w.index("-a")
	if got := w.one(`SELECT min(site_id), max(site_id), min(url_id) >= 2147482648, count(*) FROM word_postings('numbers')`); got != "16777214 16777215 true 3" {
		t.Errorf("got %s", got)
	}
	w.check()

	// There is no id for the site of a third start URL: the program reports it and changes nothing.
	w.sets(fmt.Sprintf("Server %s/\nServer %s/\nServer %s/\n", first.URL, second.URL, third.URL))
	if code, _, errOut := w.try("-a"); code != exitFailed || !strings.Contains(errOut, "no number is left for another site") {
		t.Errorf("exit %d, %s", code, errOut)
	}
	w.check()

	// There are no more URL ids: the page is read, its link to a registered URL is kept, the other link is
	// dropped and counted.
	first.HTML("/b", `<title>b</title>changed numbers <a href="/c">x</a> <a href="/">x</a>`)
	first.HTML("/c", `<title>c</title>`)
	w.sets(fmt.Sprintf("Server %s/\nServer %s/\n", first.URL, second.URL))
	w.one(`SELECT setval('urlword_url_id_seq', 2147483647)`)
	if code, _, errOut := w.try("-a"); code != exitDone || !strings.Contains(errOut, "no number is left for another url") || !strings.Contains(errOut, "dropped=1") {
		t.Errorf("exit %d, %s", code, errOut)
	}
	if got := w.one(`SELECT status, cardinality(hrefs), (SELECT count(*) FROM word_postings('changed')) FROM urlword JOIN urlwords USING (url_id)
		WHERE url LIKE '%/b'`); got != "200 1 1" {
		t.Errorf("got %s", got)
	}
}
