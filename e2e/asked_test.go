package e2e

import (
	"errors"
	"testing"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// TestAskedFor verifies that urlstate.marks holds what a document asks of a search engine in META tags or
// headers. The marks belong to the version that was read: unchanged answers (T-02, T-03) keep them, and a new
// version (T-04) brings its own.
func TestAskedFor(t *testing.T) {
	t.Parallel()
	n := beside(t, "", "/plain", "/meta", "/header", "/both", "/other", "/text.txt", "/same", "/clone", "/shy")
	put := func(path, body, etag, tag string) {
		p := spidertest.Page{Body: body, ETag: etag}
		if tag != "" {
			p.Header = map[string]string{"X-Robots-Tag": tag}
		}
		if path == "/text.txt" {
			p.Type = "text/plain"
		}
		n.site.Set(path, p)
	}
	const linked = "header <a href=/plain>x</a>" // its content stays, even when it is not indexed
	put("/plain", "plain", "", "")
	put("/meta", "<meta name=robots content='NoSnippet, noarchive'>meta", "", "")
	put("/header", linked, `"1"`, "noarchive")
	put("/both", "<meta name=robots content=noarchive>both", "", "nosnippet, noarchive")
	put("/other", "other", "", "otherbot: noarchive, nosnippet")
	put("/text.txt", "text", "", "noarchive")
	put("/same", "same", "", "nosnippet")
	put("/clone", "same", "", "")
	put("/shy", "same", "", "noarchive")
	n.crawl()
	first := map[string]string{
		"/plain": "[]", "/meta": "[noarchive nosnippet]", "/header": "[noarchive]", "/both": "[noarchive nosnippet]", "/other": "[]",
		"/text.txt": "[noarchive]", "/same": "[nosnippet]", "/clone": "[]", "/shy": "[noarchive]",
	}
	for path, marks := range first {
		n.want(path, "w.status, s.marks", "200 "+marks)
	}

	// Each of several equal documents has its own marks, although they share one content row.
	n.copies("/same", nil)
	n.copies("/clone", nil)
	n.copies("/shy", snippet.ErrNoArchive)
	n.copies("/header", snippet.ErrNoArchive)

	// The documents are unchanged, but the headers differ.
	put("/header", linked, `"1"`, "")
	put("/text.txt", "text", "", "")
	put("/plain", "plain", "", "noarchive")
	n.crawl("-a")
	for path, rule := range map[string]string{"/header": "T-02 304", "/text.txt": "T-03 200", "/plain": "T-03 200"} {
		n.want(path, "h.rule, h.result, s.marks", rule+" "+first[path])
	}

	// The same content is indexed again. On a 304 the earlier marks still hold.
	n.sets("Index no\nServer " + n.site.URL + "/\n")
	n.index(n.accept("-a")...)
	n.want("/header", "h.rule, h.result, w.status, s.marks", "T-16 406 406 [noarchive]")
	n.sets("Server " + n.site.URL + "/\n")
	n.crawl("-a")
	n.want("/header", "h.rule, w.status, s.marks", "T-16 200 [noarchive]")

	// New versions bring new marks.
	put("/header", "header again", `"2"`, "")
	put("/meta", "<meta name=robots content=nosnippet>meta again", "", "")
	put("/other", "other again", "", "noarchive")
	n.crawl("-a")
	for path, marks := range map[string]string{"/header": "[]", "/meta": "[nosnippet]", "/other": "[noarchive]"} {
		n.want(path, "h.rule, s.marks", "T-04 "+marks)
	}

	// index -T sets marks as a crawl does, on request also for an unchanged document (T-17).
	put("/other", "other for the third time", "", "nosnippet")
	n.index("-T", n.site.URL+"/other")
	n.want("/other", "h.rule, s.marks", "T-04 [nosnippet]")
	n.crawl("-a", "-m")
	n.want("/plain", "h.rule, s.marks", "T-17 [noarchive]")
	n.want("/text.txt", "h.rule, s.marks", "T-17 []")

	// A lost document keeps its marks.
	n.site.Set("/plain", spidertest.Page{Status: 500})
	n.crawl("-a")
	n.want("/plain", "h.rule, s.marks", "T-07 [noarchive]")
}

// copies requests the cached copy of a page and compares the error with want.
func (n *neighbours) copies(path string, want error) {
	n.t.Helper()
	s, err := store.Open(n.t.Context(), store.Options{DSN: n.dsn, Application: "test"})
	if err != nil {
		n.t.Fatal(err)
	}
	defer s.Close()
	engine, err := search.NewEngine(n.t.Context(), lookup.New(s), search.EngineOptions{})
	if err != nil {
		n.t.Fatal(err)
	}
	page, err := engine.Copy(n.t.Context(), search.CopyRequest{URL: n.site.URL + path})
	if !errors.Is(err, want) || (want == nil) != (len(page) > 0) {
		n.t.Errorf("copy of %s: %d bytes, %v; want %v", path, len(page), err, want)
	}
}
