package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestUnreadTypes verifies that a type which nothing reads is no error, and that links to files which nothing reads are not followed:
// unless an Allow or CheckOnly line fits, a Converter line names the type, or the URL is a start URL or a wiki's page about a picture.
func TestUnreadTypes(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	var links strings.Builder
	for _, path := range []string{
		"/a.png", "/b.PNG?x=1", "/c.tar.gz", "/d.zip", "/e.mp4", "/odd", "/odd2", "/archive", "/allowed.png", "/checked.png", "/page.html", "/File:tower.jpg", "/v1.0",
		"/film.mkv", "/x.iso",
	} {
		links.WriteString(`<a href="` + path + `">x</a> `)
		site.Set(path, spidertest.Page{Type: "image/png", Body: "\x89PNG"})
	}
	site.HTML("/", links.String())
	site.Set("/archive", spidertest.Page{Type: "application/x-thing; v=2", Body: "PK"})
	site.HTML("/page.html", "a page of Uppsala")
	site.HTML("/File:tower.jpg", "about a tower of Turku")
	site.Set("/start.png", spidertest.Page{Type: "image/png", Body: "\x89PNG"})
	site.Set("/d.zip", spidertest.Page{Type: "application/zip", Body: "zipped words"})
	sets := "Allow allowed\nCheckOnly checked\nConverter application/zip text/plain cat\nServer " + site.URL + "/\nServer " + site.URL + "/start.png\n"
	w := newWorld(t, sets)
	_, _, errOut := w.try()
	asked := func() (paths []string) {
		for path := range site.Count() {
			if path != "/robots.txt" && !strings.Contains(path, "sitemap") {
				paths = append(paths, path)
			}
		}
		slices.Sort(paths)
		return paths
	}
	want := []string{"/", "/File:tower.jpg", "/allowed.png", "/archive", "/checked.png", "/d.zip", "/odd", "/odd2", "/page.html", "/start.png", "/v1.0"}
	if d := cmp.Diff(want, asked()); d != "" {
		t.Errorf("asked for (-want +got):\n%s", d)
	}
	w.finds("crawled", map[string]string{"uppsala": "/page.html", "turku": "/File:tower.jpg", "zipped": "/d.zip"})
	for _, text := range []string{"failed=0 ", " unread=6", `types="image/png 5, application/x-thing 1"`} {
		if !strings.Contains(errOut, text) {
			t.Errorf("%q is not in\n%s", text, errOut)
		}
	}
	if got := w.one(`SELECT error_class || ' ' || next_why FROM urlstate JOIN urlword USING (url_id) WHERE url LIKE '%/odd'`); got != "unread type not read: 7d" {
		t.Errorf("state %q", got)
	}
	if got := w.rows(`SELECT media_type || ' ' || count(*) FROM unread_documents GROUP BY media_type ORDER BY 1`); !slices.Equal(got, []string{"application/x-thing 1", "image/png 5"}) {
		t.Errorf("unread_documents: %q", got)
	}
	if out := w.index("-S"); !strings.Contains(out, "image/png 5, application/x-thing 1") {
		t.Errorf("-S: %s", out)
	}
	if out := w.index("-S", "-u", "%/archive"); !strings.Contains(out, "application/x-thing 1") || strings.Contains(out, "image/png") {
		t.Errorf("-S of one URL: %s", out)
	}
	if got := w.one(`SELECT unread || ' ' || error_server FROM site_summary`); got != "6 0" {
		t.Errorf("site_summary: %s", got)
	}
	if n := w.one(`SELECT count(*) FROM broken_links`); n != "0" {
		t.Errorf("%s broken links", n)
	}

	// Without the list all are asked for, also those that an unchanged page links to.
	site.Forget()
	w.sets("SkipExtensions none\n" + sets)
	w.index(w.accept("-a")...)
	if d := cmp.Diff([]string{"/a.png", "/b.PNG?x=1", "/c.tar.gz", "/e.mp4", "/film.mkv", "/x.iso"}, slices.DeleteFunc(asked(), func(p string) bool { return slices.Contains(want, p) })); d != "" {
		t.Errorf("without the list asked for (-want +got):\n%s", d)
	}
}
