package e2e

import (
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestWordsAsTyped: what people type is found, in the program and in SQL, however the page writes it. An index of older rules
// says so until it is rebuilt.
func TestWordsAsTyped(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", "<title>words</title>Die Wirt&shy;schaft atmet CO&#x2082; auf 5 m². <p>設定の書き込みを置き換える。</p> <p>ខ្មែរ ការ\u200bអភិវឌ្ឍន៍</p>")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	for _, query := range []string{"Wirtschaft", "CO2", "CO₂", "m2", "書き込み", "置き換え", "ការអភិវឌ្ឍន៍", "អភិវឌ្ឍ"} {
		if code, out, errOut := w.try("--search", query); code != exitDone || !strings.Contains(out, site.URL) || errOut != "" {
			t.Errorf("%s: exit %d\n%s%s", query, code, out, errOut)
		}
		if got := w.one(`SELECT count(*) FROM search($1)`, query); got != "1" {
			t.Errorf("%s: search() has %s documents", query, got)
		}
	}
	w.one(`UPDATE wordrules SET version = 1 RETURNING version`)
	older := func(want bool, args ...string) {
		t.Helper()
		code, out, errOut := w.try(args...)
		said := strings.Contains(errOut, "newer rules") && strings.Contains(errOut, "index --rebuild-index")
		if code != exitDone || said != want {
			t.Errorf("index %s: exit %d, warned %v, want %v\n%s%s", strings.Join(args, " "), code, said, want, out, errOut)
		}
	}
	older(true, "--search", "words")
	older(true)
	older(false, "--rebuild-index")
	older(false, "--search", "words")
	if got := w.one(`SELECT version FROM wordrules`); got != "2" {
		t.Errorf("after the rebuild the index has the rules %s", got)
	}
}
