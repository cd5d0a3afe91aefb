package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestFormats verifies that documents of other formats are found by their words and titles without a program, that links in them are
// followed, and that a check and a rebuild agree with the crawl. The files were made by LibreOffice.
func TestFormats(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	list := ""
	add := func(path, kind, body string) {
		site.Set(path, spidertest.Page{Type: kind, Body: body})
		list += `<a href="` + path + `">x</a> `
	}
	for _, name := range []string{"text.docx", "table.xlsx", "slides.odp", "text.epub"} {
		body, err := os.ReadFile(filepath.Join("../convert/reader/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		// The extension says what these are, except for the last one.
		kind := "application/octet-stream"
		if name == "text.epub" {
			kind = "application/epub+zip"
		}
		add("/"+name, kind, string(body))
	}
	add("/a.md", "text/markdown", "# Windlass\n\nA *cap*stan, [more](/linked.html).\n")
	add("/a.json", "application/json", `{"title":"Manifest","cargo":["cinnamon"]}`)
	add("/feed", "application/rss+xml", `<rss><channel><title>Tides</title><item><title>Springtide</title><link>/fed.html</link></item></channel></rss>`)
	add("/broken.docx", "application/octet-stream", "PK\x03\x04 no zip file")
	site.HTML("/", list)
	site.HTML("/linked.html", "mizzen")
	site.HTML("/fed.html", "topsail")
	w := newWorld(t, "Server "+site.URL+"/\n")
	found := map[string]string{
		"augustin": "/text.docx /text.epub", "fresnel": "/text.docx /text.epub", "gallen": "/table.xlsx", "foghorn": "/slides.odp",
		"capstan": "/a.md", "cinnamon": "/a.json", "springtide": "/feed", "mizzen": "/linked.html", "topsail": "/fed.html",
	}
	w.index()
	w.finds("crawled", found)
	for path, want := range map[string]string{
		"/text.docx": "Handbook of lighthouses", "/slides.odp": "Harbour slides", "/a.md": "Windlass", "/a.json": "Manifest", "/feed": "Tides",
	} {
		if got := w.one(`SELECT title FROM urlwords JOIN urlword USING (url_id) WHERE url = $1`, site.URL+path); got != want {
			t.Errorf("%s: title %q, want %q", path, got, want)
		}
	}
	if got := w.one(`SELECT status FROM urlword WHERE url = $1`, site.URL+"/broken.docx"); got != "801" {
		t.Errorf("the damaged file has status %s, want 801", got)
	}
	w.index("--rebuild-index")
	w.finds("rebuilt", found)
	if code, out, errOut := w.try("-X1"); code != exitDone {
		t.Errorf("-X1 ended with %d\n%s%s", code, out, errOut)
	}
}
