package e2e

import (
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestSearchCorrects: a word that no document has is found by the one that is meant, and the answer says so. Phrases, words
// with digits and exclusions stay as they were typed.
func TestSearchCorrects(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<title>home</title><a href="/vacuum.html">one</a> <a href="/tables.html">other</a>`)
	site.HTML("/vacuum.html", "<title>a</title>how to vacuum a table, release x25")
	site.HTML("/tables.html", "<title>b</title>tables and other things")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	said := `No document has "vacum"; these are for "vacuum"`
	for _, c := range []struct {
		query       string
		found, says bool
	}{
		{"vacum", true, true},
		{"vacum table", true, true},
		{"+vacum +table", true, true},
		{"vacuum", true, false},
		{`"vacum a table"`, false, false},
		{"x26", false, false},
		{"home -vacum", false, false},
	} {
		for range 2 { // read, and from the words that are kept
			code, out, errOut := w.try("--search", c.query)
			if code != exitDone || strings.Contains(out, "/vacuum.html") != c.found || strings.Contains(out, said) != c.says {
				t.Errorf("%s: exit %d, want found %v, said %v\n%s%s", c.query, code, c.found, c.says, out, errOut)
			}
		}
	}
	if _, out, _ := w.try("--search", "vacum tables"); !strings.Contains(out, "/vacuum.html") || !strings.Contains(out, "/tables.html") {
		t.Errorf("any of the words is enough:\n%s", out)
	}
}
