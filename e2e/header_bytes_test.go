package e2e

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/spider/spidertest"
)

func moved(location string) spidertest.Page {
	return spidertest.Page{Status: 302, Header: map[string]string{"Location": location}}
}

// TestLatin1Location: old servers send the bytes of Latin-1 in Location. They mean the page that these bytes name.
func TestLatin1Location(t *testing.T) {
	t.Parallel()
	n := beside(t, "", "/latin1", "/utf8")
	n.site.Set("/latin1", moved("/caf\xe9/?q=\xe9t\xe9"))
	n.site.Set("/utf8", moved("/café/"))
	n.site.HTML("/caf%E9/?q=%E9t%E9", "latinword")
	n.site.HTML("/caf%C3%A9/", "utfword")
	n.crawl()
	want := []string{"/", "/caf%C3%A9/", "/caf%E9/?q=%E9t%E9", "/good.html", "/latin1", "/utf8"}
	if diff := cmp.Diff(want, n.urls()); diff != "" {
		t.Errorf("URLs (-want +got):\n%s", diff)
	}
	n.words("latinword", "/caf%E9/?q=%E9t%E9")
	n.words("utfword", "/caf%C3%A9/")
}

// TestLatin1LocationOfRobots: the redirect of a robots.txt is read in the same way.
func TestLatin1LocationOfRobots(t *testing.T) {
	t.Parallel()
	n := beside(t, "", "/secret")
	n.site.Set("/robots.txt", moved("/caf\xe9.txt"))
	n.site.Set("/caf%E9.txt", spidertest.Page{Body: "User-agent: *\nDisallow: /secret\n", Type: "text/plain"})
	n.site.HTML("/secret", "secret")
	n.crawl()
	n.words("secret")
}

// TestValidatorsThatAreNoText: an ETag that is not UTF-8 cannot be stored as it is, and a repaired one would never match.
func TestValidatorsThatAreNoText(t *testing.T) {
	t.Parallel()
	n := beside(t, "", "/page")
	n.site.Set("/page", spidertest.Page{Body: "text", ETag: "\"caf\xe9\"", Header: map[string]string{"Last-Modified": "caf\xe9"}})
	n.crawl()
	n.want("/page", "w.etag, w.last_modified", " ")
	n.crawl("-a")
	for _, r := range n.site.Requests() {
		if r.Path == "/page" && r.Header.Get("If-None-Match") != "" {
			t.Errorf("%s was asked for with If-None-Match %q", r.Path, r.Header.Get("If-None-Match"))
		}
	}
}
