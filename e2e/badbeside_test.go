package e2e

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// badDocument is a document among good ones, and what its record says.
type badDocument struct {
	name          string
	path          string                     // empty = /bad
	href          string                     // as the front page links to it, empty = path
	page          spidertest.Page            // its answer
	more          map[string]spidertest.Page // other pages, to which the front page links
	columns, want string                     // as in neighbours.want
}

func (d badDocument) complete() badDocument {
	if d.path == "" {
		d.path = "/bad"
	}
	if d.href == "" {
		d.href = d.path
	}
	return d
}

// TestBadDocumentAmongGoodOnes serves the bad documents of B1 to B33 and B37, and values that the database refuses, each on
// a host of its own beside good pages, to one crawl of all hosts at once. Each costs itself only (P8), whatever is written
// together with it: all good pages are indexed, and the bad one has the result of its own test.
func TestBadDocumentAmongGoodOnes(t *testing.T) {
	t.Parallel()
	good := 12
	if soak() {
		good = 99
	}
	w := newWorld(t, "")
	w.refuseValues()
	list := badDocuments()
	var sets strings.Builder
	hosts := make([]*neighbours, len(list))
	for i, d := range list {
		d = d.complete()
		list[i] = d
		n := &neighbours{w, spidertest.NewSiteOn(t, fmt.Sprintf("127.0.3.%d", 1+i))}
		hosts[i] = n
		fmt.Fprintf(&sets, "Server %s/\n", n.site.URL)
		var links strings.Builder
		link := func(href string) { fmt.Fprintf(&links, ` <a href="%s">x</a>`, html.EscapeString(href)) }
		for k := range good {
			if k == good/2 { // in the middle of them
				link(strings.ReplaceAll(d.href, "SITE", strings.TrimPrefix(n.site.URL, "http://")))
				for path := range d.more {
					link(path)
				}
			}
			path := fmt.Sprintf("/good%d.html", k)
			link(path)
			n.site.HTML(path, fmt.Sprintf("<title>good %d</title>goodof%d page%dof%d", k, i, k, i))
		}
		n.site.HTML("/", "<title>front</title>front"+links.String())
		n.site.Set(d.path, d.page)
		for path, page := range d.more {
			n.site.Set(path, page)
		}
	}
	w.sets(sets.String())
	w.spider("Threads 40\nIndexLimit 600000\nMaxLinksPerPage 400\nReadTimeOut 60s\n")
	w.index("-u", "%/", "-u", "%/good%", "-u", "%/bad%", "-u", "%/BAD%")
	for i, d := range list {
		n := hosts[i]
		n.want(d.path, d.columns, d.want)
		n.check(d.name+": good pages", fmt.Sprintf("%d %[1]d", good), `
			SELECT count(*) FILTER (WHERE status = 200 AND deleted = 0 AND last_index_time > 0), (SELECT count(*) FROM word_postings($2))
			FROM urlword WHERE url LIKE $1 || '/good%'`, n.site.URL, fmt.Sprintf("goodof%d", i))
	}
	if code, out, _ := w.try("-X1"); code != exitDone {
		t.Errorf("-X1: exit %d\n%s", code, out)
	}
}

// refuseValues makes the database refuse some values: documents whose title is "refused" with an error code, and a body that is
// too large for the row of an index.
func (w *world) refuseValues() {
	w.t.Helper()
	w.rows(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		RAISE EXCEPTION 'a value is refused' USING ERRCODE = split_part(NEW.title, ' ', 2);
	END $$`)
	for n := range 16 {
		w.rows(fmt.Sprintf(`CREATE INDEX ON urlwords%02d (words) WHERE title = 'too large'`, n))
		w.rows(fmt.Sprintf(`CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON urlwords%02d FOR EACH ROW
			WHEN (NEW.title LIKE 'refused %%') EXECUTE FUNCTION refuse()`, n))
	}
}
