package spider

import (
	"testing"

	"github.com/pgseek/pgseek/spider/weburl"
)

// TestServerOfAURL: the longest directory that fits rules; beside the directories of Server path lines there is no Server, unless
// another line has the site in scope.
func TestServerOfAURL(t *testing.T) {
	const none = ""
	for _, c := range []struct {
		name    string
		servers []Server // URL.Text and Path are filled in
		want    map[string]string
	}{
		{"a directory", servers(t, "+http://a.example/docs/start.html"), map[string]string{
			"/docs/": "/docs/start.html", "/docs/x/y?z": "/docs/start.html", "/": none, "/docs": none, "/docs2/": none, "/Docs/": none, "/?/docs/": none,
		}},
		{"a slash in the query", servers(t, "+http://a.example/docs/?p=/x/"), map[string]string{"/docs/y": "/docs/?p=/x/", "/x/": none}},
		{"two directories", servers(t, "+http://a.example/a/", "+http://a.example/a/b/"), map[string]string{"/a/x": "/a/", "/a/b/x": "/a/b/", "/c": none}},
		{"a directory of a site", servers(t, "+http://a.example/a/", "http://a.example/"), map[string]string{"/a/x": "/a/", "/c": "/"}},
		{"a page of a site", servers(t, "+http://a.example/a/", "http://a.example/b/c"), map[string]string{"/a/x": "/a/", "/d": "/b/c"}},
		{"the site by its path", servers(t, "+http://a.example/"), map[string]string{"/": "/", "/x": "/"}},
	} {
		scope := NewScope(c.servers, nil, nil)
		for path, want := range c.want {
			u, err := weburl.Normalize("http://a.example"+path, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := none
			if server := scope.Server(u); server != nil {
				got = server.URL.Path
			}
			if got != want {
				t.Errorf("%s: %s is ruled by %q, want %q", c.name, path, got, want)
			}
			if r := scope.match(u, 0); (r.refused == NoPath) != (want == none) {
				t.Errorf("%s: %s is refused as %q", c.name, path, r.refused)
			}
			if scope.Manners(u) == nil {
				t.Errorf("%s: nobody's manners for %s", c.name, path)
			}
		}
	}
}

// servers makes Servers of URLs; a plus makes it a Server path.
func servers(t *testing.T, lines ...string) (list []Server) {
	t.Helper()
	for _, line := range lines {
		path := line[0] == '+'
		if path {
			line = line[1:]
		}
		u, err := weburl.Normalize(line, 0)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Server{URL: u, Path: path, MaxHops: 9})
	}
	return list
}
