package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestToldStartURLs: a start URL that brings nothing is a warning with the line to write, and a crawl of nothing else ends with
// exit code 1. What is received and followed, or left out as the operator asked, is none.
func TestToldStartURLs(t *testing.T) {
	t.Parallel()
	away := spidertest.NewSite(t)
	away.HTML("/", "<title>away</title>")
	const links = `<a href="/next">next</a>`
	for _, c := range []struct {
		name, above, robots string // sets.cnf above the Server line; robots.txt
		start               spidertest.Page
		code                int
		want                []string // parts of what is printed; AWAY, SITE and SETS stand for their places
	}{
		{
			name: "a redirect out of scope", start: movedTo(away.URL + "/home"), code: exitFailed,
			want: []string{"redirects to AWAY/home, which no Server line covers", "write: Server AWAY/home", "index: the start URL brings nothing: SITE/ redirects to"},
		},
		{name: "a redirect in scope", start: movedTo("/next"), code: exitDone},
		{
			name: "a password", start: spidertest.Page{Status: http.StatusUnauthorized}, code: exitFailed,
			want: []string{"answered 401: it asks for a password", "write above its Server line (SETS:1): AuthBasic USER:PASSWORD"},
		},
		{
			name: "a wrong password", above: "AuthBasic a:b\n", start: spidertest.Page{Status: http.StatusUnauthorized}, code: exitFailed,
			want: []string{"the password is refused", "correct AuthBasic above its Server line (SETS:2)"},
		},
		{name: "an error", start: spidertest.Page{Status: http.StatusForbidden}, code: exitFailed, want: []string{"answered 403 Forbidden", "let the web server admit this user agent: "}},
		{
			name: "robots.txt", robots: "User-agent: *\nDisallow: /\n", code: exitFailed,
			want: []string{"is barred by robots.txt line 2: Disallow: /", "write above its Server line (SETS:1): Robots no"},
		},
		{
			name: "a pattern", above: "Disallow .*\n", code: exitFailed,
			want: []string{"is barred: refused by SETS:1", "write above that line: Allow ^http://127"},
		},
		{
			name: "noindex, nofollow", start: spidertest.Page{Body: `<meta name=robots content="noindex, nofollow">` + links}, code: exitFailed,
			want: []string{"says noindex, nofollow (META robots), and nothing is followed from it", "write above its Server line (SETS:1): IgnoreMeta yes"},
		},
		{
			name: "for us alone", start: spidertest.Page{Body: `<meta name=pgseek content=none>` + links}, code: exitFailed,
			want: []string{"says noindex, nofollow (META robots), and nothing is followed from it"},
		},
		{
			name: "noindex without links", start: spidertest.Page{Body: `<meta name=robots content=noindex>no links`}, code: exitFailed,
			want: []string{"says noindex (META robots), and nothing is followed from it", "IgnoreMeta yes"},
		},
		{
			name: "a header", start: spidertest.Page{Body: links, Header: map[string]string{"X-Robots-Tag": "none"}}, code: exitFailed,
			want: []string{"says noindex, nofollow (X-Robots-Tag), and nothing is followed from it", "only the server's configuration"},
		},
		{
			name: "nofollow", start: spidertest.Page{Body: `<meta name=robots content="index, nofollow">repositories` + links}, code: exitDone,
			want: []string{"says nofollow (META robots), and nothing is followed from it", "write above its Server line (SETS:1): IgnoreMeta yes"},
		},
		{
			name: "nofollow of a header", start: spidertest.Page{Body: "repositories" + links, Header: map[string]string{"X-Robots-Tag": "nofollow"}}, code: exitDone,
			want: []string{"says nofollow (X-Robots-Tag), and nothing is followed from it", "only the server's configuration"},
		},
		{name: "nofollow, ignored", above: "IgnoreMeta yes\n", start: spidertest.Page{Body: `<meta name=robots content=nofollow>here` + links}, code: exitDone},
		{name: "nofollow, not to be followed", above: "Follow no\n", start: spidertest.Page{Body: `<meta name=robots content=nofollow>here` + links}, code: exitDone},
		{name: "noindex with links", start: spidertest.Page{Body: `<meta name=robots content=noindex>` + links}, code: exitDone},
		{name: "Index no", above: "Index no\n", start: spidertest.Page{Body: "no links"}, code: exitDone},
		{name: "CheckOnly", above: "CheckOnly .*\n", start: spidertest.Page{Body: "no links"}, code: exitDone},
		{name: "a type that nothing reads", start: spidertest.Page{Type: "image/png", Body: "x"}, code: exitFailed, want: []string{"800", "image/png"}},
		{name: "a page without anything", start: spidertest.Page{Body: "<script>draw()</script>"}, code: exitDone, want: []string{"has neither words nor links"}},
		{name: "a page", start: spidertest.Page{Body: "a page"}, code: exitDone},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			site := spidertest.NewSite(t)
			site.Set("/", c.start)
			site.HTML("/next", "<title>next</title>")
			if c.robots != "" {
				site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: c.robots})
			}
			w := newWorld(t, c.above+"Server "+site.URL+"/\n")
			places := strings.NewReplacer("AWAY", away.URL, "SITE", site.URL, "SETS", w.dir+"/sets.cnf")
			for range 2 {
				code, out, errOut := w.try()
				if code != c.code {
					t.Errorf("exit %d, want %d", code, c.code)
				}
				for _, part := range c.want {
					if !strings.Contains(errOut, places.Replace(part)) {
						t.Errorf("not told: %s", places.Replace(part))
					}
				}
				if told := strings.Contains(errOut, "brings nothing"); told != (c.want != nil) || t.Failed() {
					t.Errorf("told: %v\n%s%s", told, out, errOut)
				}
			}
			if code, _, errOut := w.try("-a", "-n", "5"); code != exitDone {
				t.Errorf("a limited run: exit %d\n%s", code, errOut)
			}
		})
	}
}

// movedTo is a redirect.
func movedTo(to string) spidertest.Page {
	return spidertest.Page{Status: http.StatusMovedPermanently, Header: map[string]string{"Location": to}}
}

// TestToldOneOfTwoStartURLs: when another start URL answers, the warning is all.
func TestToldOneOfTwoStartURLs(t *testing.T) {
	t.Parallel()
	site, other := spidertest.NewSite(t), spidertest.NewSite(t)
	site.HTML("/", "<title>here</title>")
	other.Set("/", spidertest.Page{Status: http.StatusUnauthorized})
	w := newWorld(t, "Server "+site.URL+"/\nServer "+other.URL+"/\n")
	code, _, errOut := w.try()
	if code != exitDone || !strings.Contains(errOut, "url="+other.URL+"/ what=\"answered 401") || strings.Contains(errOut, "url="+site.URL) {
		t.Errorf("exit %d\n%s", code, errOut)
	}
}

// TestToldUnknownCertificate: a certificate that nobody knows is told with the variable that names its authority, in each run.
func TestToldUnknownCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	w := newWorld(t, "Server "+server.URL+"/\n")
	for range 2 {
		code, _, errOut := w.try()
		if code != exitFailed || !strings.Contains(errOut, "has a certificate that nobody knows") || !strings.Contains(errOut, "SSL_CERT_FILE=") {
			t.Errorf("exit %d\n%s", code, errOut)
		}
	}
}
