package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

func gzipOf(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, s)
	_ = z.Close()
	return b.String()
}

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
	for _, name := range []string{"text.docx", "text.odt", "table.xlsx", "table.ods", "slides.pptx", "slides.odp", "text.epub"} {
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
	add("/atom", "application/atom+xml", `<feed xmlns="http://www.w3.org/2005/Atom"><title>Winds</title><entry><title>Sirocco</title><link href="fed2.html"/></entry></feed>`)
	add("/a.csv", "text/csv", "port,depth\nTrieste,vertigo\n")
	add("/a.tsv", "application/octet-stream", "quay\tlength\nbollard\t7\n")
	add("/a.xml", "application/octet-stream", "<r><title>Charts</title><p>soundings</p></r>")
	add("/hours.txt.gz", "application/gzip", gzipOf("Opening hours\n\nharbourmaster\n"))
	add("/sources", "application/gzip", gzipOf(strings.Repeat("\x00", 257)+"ustar"+strings.Repeat("\x00", 250)))
	// The body says what these are.
	add("/sniffed", "application/octet-stream", "\n\nSailing   notice\n\nAll moorings are closed.\n")
	book, _ := os.ReadFile("../convert/reader/testdata/text.docx")
	add("/download", "application/octet-stream", string(book)+" ")
	add("/dir/rules%20of%20the%20road.txt", "text/plain", "* * *\n")
	add("/broken.docx", "application/octet-stream", "PK\x03\x04 no zip file")
	site.HTML("/", list)
	site.HTML("/linked.html", "mizzen")
	site.HTML("/fed.html", "topsail")
	site.HTML("/fed2.html", "staysail")
	w := newWorld(t, "Server "+site.URL+"/\n")
	found := map[string]string{
		"augustin": "/download /text.docx /text.epub /text.odt", "fresnel": "/download /text.docx /text.epub /text.odt", "gallen": "/table.ods /table.xlsx",
		"foghorn": "/slides.odp /slides.pptx", "capstan": "/a.md", "cinnamon": "/a.json", "springtide": "/feed", "sirocco": "/atom",
		"vertigo": "/a.csv", "bollard": "/a.tsv", "soundings": "/a.xml", "harbourmaster": "/hours.txt.gz", "moorings": "/sniffed",
		"mizzen": "/linked.html", "topsail": "/fed.html", "staysail": "/fed2.html",
	}
	w.index()
	w.finds("crawled", found)
	for path, want := range map[string]string{
		"/text.docx": "Handbook of lighthouses", "/slides.odp": "Harbour slides", "/a.md": "Windlass", "/a.json": "Manifest", "/feed": "Tides",
		"/atom": "Winds", "/text.odt": "Handbook of lighthouses", "/text.epub": "Handbook of lighthouses", "/slides.pptx": "Harbour slides",
		"/table.ods": "table.ods", "/a.csv": "port, depth", "/a.xml": "Charts", "/hours.txt.gz": "Opening hours",
		"/sniffed": "Sailing notice", "/download": "Handbook of lighthouses", "/dir/rules%20of%20the%20road.txt": "rules of the road.txt",
	} {
		if got := w.one(`SELECT title FROM urlwords JOIN urlword USING (url_id) WHERE url = $1`, site.URL+path); got != want {
			t.Errorf("%s: title %q, want %q", path, got, want)
		}
	}
	if got := w.one(`SELECT status FROM urlword WHERE url = $1`, site.URL+"/broken.docx"); got != "801" {
		t.Errorf("the damaged file has status %s, want 801", got)
	}
	if got := w.one(`SELECT error_class, next_why FROM urlstate JOIN urlword USING (url_id) WHERE url = $1`, site.URL+"/broken.docx"); got != "unread cannot be read: 7d" {
		t.Errorf("the damaged file: %s, want the next visit after Period", got)
	}
	if got := w.one(`SELECT unread = (SELECT count(*) FROM unread_documents), unread > 1, error_server FROM site_summary`); got != "true true 0" {
		t.Errorf("site_summary: all that is unread, some, server errors: %s", got)
	}
	if got := w.one(`SELECT status, media_type FROM unread_documents WHERE url = $1`, site.URL+"/sources"); got != "800 application/gzip" {
		t.Errorf("the gzip of a tar file: %s, want 800 application/gzip", got)
	}
	const bytesOfIndex = `SELECT md5(string_agg(word || encode(urls, 'hex'), ' ' ORDER BY word)) FROM wordurl`
	before := w.one(bytesOfIndex)
	w.index("--rebuild-index")
	if got := w.one(bytesOfIndex); got != before {
		t.Error("a rebuild makes other bytes")
	}
	w.finds("rebuilt", found)
	if code, out, errOut := w.try("-X1"); code != exitDone {
		t.Errorf("-X1 ended with %d\n%s%s", code, out, errOut)
	}
}
