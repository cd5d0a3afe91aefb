package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// withFooter is a page of a site whose pages all have the same header, navigation and footer.
func withFooter(title, text string) string {
	return `<title>` + title + `</title><body><header>Acme makes anvils <h1>` + title + `</h1><nav><a href="/recipes">Recipes</a> <a href="/a">A</a></nav></header>
		<main><p>` + text + `</p></main><div class="side"><p>Sidebar weather</p></div>
		<footer>Anvil Street 7 <a href="/cookie">Our cookie policy</a></footer></body>`
}

// TestNavigationIsNoContent: what all pages of a site have around their text is no content of theirs: not found, not shown, not part
// of phrases. Its links are followed. An index from before it learns it at each document's next visit, or by a rebuild.
func TestNavigationIsNoContent(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	text := strings.Repeat("Some words of the text of this page, which tells enough to be one. ", 3)
	site.HTML("/", withFooter("Start", text+"Welcome."))
	for i, page := range []string{"/a", "/recipes"} {
		site.HTML(page, withFooter(fmt.Sprintf("Page %d", i), text+fmt.Sprintf("Number%d ends here.", i)))
	}
	site.HTML("/cookie", withFooter("Privacy", text+"A cookie is a small file."))
	server := "Server " + site.URL + "/\n"
	w := newWorld(t, "KeepNavigation yes\n"+server)
	w.index()
	found := func(query string, want ...string) {
		t.Helper()
		got := w.best(query)
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], site.URL)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", query, got, want)
		}
	}
	all := []string{"/", "/a", "/cookie", "/recipes"}
	found("cookie", all...)
	found("anvil", all...)

	w.sets(server)
	check := func(side ...string) {
		t.Helper()
		found("cookie", "/cookie")
		found("recipes") // linked in the navigation only
		found("anvil", "/")
		found(`"be one sidebar"`)
		found("weather", side...)
		w.index("-X1")
	}
	w.index("--rebuild-index")
	check(all...)
	rebuilt := w.rows(`SELECT url, txt, s.index_mode FROM urlword JOIN urlwords USING (url_id) JOIN urlstate s USING (url_id) ORDER BY 1`)
	if texts := strings.Join(rebuilt, "\n"); strings.Contains(texts, "Acme") || strings.Contains(texts, "Street") {
		t.Errorf("texts after the rebuild:\n%s", texts)
	}

	w.sets("KeepNavigation yes\n" + server)
	w.index("-a")
	found("cookie", all...)
	if got := w.one(`SELECT count(*) FROM crawl_history WHERE rule = 'T-16'`); got != "4" {
		t.Errorf("%s documents were read again (T-16), want 4", got)
	}
	w.index("-X1")
	w.sets(server)
	w.index("-a")
	check(all...)
	if got := w.rows(`SELECT url, txt, s.index_mode FROM urlword JOIN urlwords USING (url_id) JOIN urlstate s USING (url_id) ORDER BY 1`); !slices.Equal(got, rebuilt) {
		t.Errorf("read again:\n%s\nby the rebuild:\n%s", got, rebuilt)
	}

	w.sets("LeaveOut .side\n" + server)
	w.index("-a")
	check()
	if out := w.index("--explain", site.URL+"/a"); !strings.Contains(out, "LeaveOut .side 2") || !strings.Contains(out, "footer 6") {
		t.Errorf("--explain:\n%s", out)
	}
	if out := w.index("--search", "anvil"); !strings.Contains(out, "Anvil Street 7") {
		t.Errorf("the start page:\n%s", out)
	}
	if out := w.index("--search", "words"); strings.Contains(out, "Acme") || strings.Contains(out, "policy") {
		t.Errorf("navigation in an excerpt:\n%s", out)
	}
	w.index("--rebuild-index")
	check()
}

// TestB71 selectors that are none are mistakes of their line.
func TestB71(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "LeaveOut .menu \"div > p\"\nServer http://127.0.0.1:1/\nServer http://127.0.0.2:1/\n")
	if code, _, errOut := w.try(); code == exitDone || strings.Count(errOut, "sets.cnf:1: LeaveOut:") != 1 || !strings.Contains(errOut, `"div > p" is not one of tag, .class`) {
		t.Errorf("exit %d\n%s", code, errOut)
	}
}
