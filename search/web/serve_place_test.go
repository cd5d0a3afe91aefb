package web

import (
	"context"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/store/report"
)

// linkPattern finds the addresses in a page, in JSON and in opensearch.xml.
var linkPattern = regexp.MustCompile(`(?:href|action|src)="([^"]*)"|"(?:next|previous|more|cached|url)": "([^"]*)"|template="([^"]*)"`)

// TestEveryLinkIsBelowThePrefix follows all links of searchd's own pages, as a crawler does.
func TestEveryLinkIsBelowThePrefix(t *testing.T) {
	x := &fakeIndex{
		status: &report.IndexStatus{At: fixedNow, Documents: 7},
		answer: func(context.Context, search.Request) (*search.Result, error) {
			r := twoHits()
			r.Facets = sampleFacets()
			return r, nil
		},
	}
	s, err := NewServer(ServerOptions{Defaults: Defaults{Root: "/find/in/"}, Now: func() time.Time { return fixedNow }})
	if err != nil {
		t.Fatal(err)
	}
	s.Connect(x.backend())
	todo := []string{
		"/find/in/", "/find/in/opensearch.xml", "/find/in/search?q=vacum&ul=http%3A%2F%2Fa.example%2F&np=1&hl=de", "/find/in/search?q=vacum&format=json&np=1",
		"/find/in/search?hl=es&q=a+OR", "/find/in/none", "/find/in/s.cgi?q=a&ch=http%3A%2F%2Fa.example%2F", "/find/in/favicon.ico",
	}
	seen := map[string]bool{}
	for len(todo) > 0 && len(seen) < 150 { // the combinations of parameters are many
		target := todo[0]
		todo = todo[1:]
		if seen[kindOfLink(target)] {
			continue
		}
		seen[kindOfLink(target)] = true
		r := get(t, s, target)
		if r.StatusCode >= 400 && target != "/find/in/none" && !strings.Contains(target, "OR") {
			t.Errorf("%s: %d %s", target, r.StatusCode, r.text)
		}
		links := []string{r.Header.Get("Location")}
		for _, m := range linkPattern.FindAllStringSubmatch(r.text, -1) {
			links = append(links, html.UnescapeString(m[1]+m[2]+m[3]))
		}
		for _, link := range links {
			link = strings.TrimPrefix(link, "http://example.com")
			link = strings.NewReplacer("{searchTerms}", "x", `\u0026`, "&").Replace(link)
			link, _, _ = strings.Cut(link, "#")
			if link == "" || strings.Contains(link, "://") {
				continue
			}
			if !strings.HasPrefix(link, "/find/in/") {
				t.Errorf("%s links to %s", target, link)
			}
			todo = append(todo, link)
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d pages were seen", len(seen))
	}
	for path, want := range map[string]int{
		"/": 404, "/search?q=a": 404, "/find/": 404, "/find/in": 301, "/find/inside": 404,
		"/healthz": 200, "/metrics": 200, "/robots.txt": 200, "/find/in/robots.txt": 200, "/find/in/healthz": 200,
	} {
		if r := get(t, s, path); r.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, r.StatusCode, want)
		}
	}
	if r := get(t, s, "/find/in?q=a"); r.Header.Get("Location") != "/find/in/?q=a" {
		t.Errorf("the prefix without its slash leads to %q", r.Header.Get("Location"))
	}
}

// kindOfLink returns a link without the values of its parameters, of which there are too many.
func kindOfLink(link string) string {
	return regexp.MustCompile(`=[^&]*`).ReplaceAllString(link, "")
}

// TestRobots: crawlers keep out of what has no end.
func TestRobots(t *testing.T) {
	for root, want := range map[string]string{"": "Disallow: /search\n", "/find/": "Disallow: /find/search\n"} {
		s, _ := newTestServer(nil, ServerOptions{Defaults: Defaults{Root: root}})
		r := get(t, s, "/robots.txt")
		if r.StatusCode != 200 || !strings.HasPrefix(r.text, "User-agent: *\n") || !strings.Contains(r.text, want) {
			t.Errorf("%d %q, want %q in it", r.StatusCode, r.text, want)
		}
		if strings.Contains(r.text, "Disallow: "+strings.TrimPrefix(root, "")+"\n") {
			t.Errorf("the home page is forbidden: %q", r.text)
		}
	}
}

// TestAllowOrigin: scripts of the named sites may read JSON, those of others and pages may not.
func TestAllowOrigin(t *testing.T) {
	s, _ := newTestServer(&fakeIndex{status: &report.IndexStatus{At: fixedNow}}, ServerOptions{Origins: []string{"https://www.example.org", "http://localhost:8080"}})
	for _, c := range []struct{ path, origin, want string }{
		{"/search?q=a&format=json", "https://www.example.org", "https://www.example.org"},
		{"/search?q=a+OR&format=json", "http://localhost:8080", "http://localhost:8080"},
		{"/status?format=json", "https://www.example.org", "https://www.example.org"},
		{"/none?format=json", "https://www.example.org", "https://www.example.org"},
		{"/search?q=a&format=json", "https://www.example.org.evil.example", ""},
		{"/search?q=a&format=json", "https://evil.example", ""},
		{"/search?q=a&format=json", "null", ""},
		{"/search?q=a&format=json", "", ""},
		{"/search?q=a", "https://www.example.org", ""},
		{"/help", "https://www.example.org", ""},
	} {
		r := get(t, s, c.path, "Origin", c.origin)
		if got := r.Header.Get("Access-Control-Allow-Origin"); got != c.want {
			t.Errorf("%s from %q: allowed to %q, want %q", c.path, c.origin, got, c.want)
		}
		vary := strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "Origin")
		if json := strings.Contains(c.path, "json"); vary != json {
			t.Errorf("%s: Vary: Origin is %v", c.path, vary)
		}
		if r.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: credentials are allowed", c.path)
		}
	}
	without, _ := newTestServer(&fakeIndex{}, ServerOptions{})
	if r := get(t, without, "/search?q=a&format=json", "Origin", "https://www.example.org"); r.Header.Get("Access-Control-Allow-Origin") != "" || len(r.Header.Values("Vary")) != 1 {
		t.Errorf("without AllowOrigin: %v", http.Header(r.Header))
	}
}
