package spider

import (
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/robots"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store/crawl"
)

// TestRule: what the configuration says of a known URL, and by which line.
func TestRule(t *testing.T) {
	start, err := weburl.Normalize("http://a.example/", 0)
	if err != nil {
		t.Fatal(err)
	}
	has := func(part string) func(string) bool {
		return func(url string) bool { return strings.Contains(url, part) }
	}
	scope := NewScope([]Server{{URL: start, MaxHops: 3, Where: "sets.cnf:9"}}, nil, []Filter{
		{Verdict: Allow, Match: has("/open/"), Where: "sets.cnf:1"},
		{Verdict: Disallow, Match: has("/closed/"), Where: "sets.cnf:2"},
		{Verdict: CheckOnly, Match: has("/check/"), Where: "sets.cnf:3"},
	})
	for _, c := range []struct {
		url            string
		hops           int
		refused, where string
	}{
		{"http://a.example/x", 3, "", "sets.cnf:9"},
		{"http://a.example/x", 4, "deeper than MaxHops 3", "sets.cnf:9"},
		{"http://a.example/closed/x", 1, "refused by sets.cnf:2", "sets.cnf:2"},
		{"http://a.example/open/closed/x", 1, "", "sets.cnf:1"},
		{"http://a.example/open/x", 9, "deeper than MaxHops 3", "sets.cnf:9"},
		{"http://a.example/check/x", 1, "", "sets.cnf:3"},
		{"https://a.example/x", 1, "no Server line for this site", ""},
	} {
		if r := scope.rule(c.url, c.hops); r.refused != c.refused || r.where != c.where {
			t.Errorf("%s, %d hops: got %q by %q, want %q by %q", c.url, c.hops, r.refused, r.where, c.refused, c.where)
		}
	}
}

// TestStoredRobots: what a stored robots.txt means.
func TestStoredRobots(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /x\n")
	for _, c := range []struct {
		what     string
		gsa      bool
		file     crawl.RobotsFile
		deferred bool
		forbids  string // /x
		other    string // /y
	}{
		{"200", false, crawl.RobotsFile{Status: 200, Body: body}, false, "robots.txt line 2: Disallow: /x", ""},
		{"404", false, crawl.RobotsFile{Status: 404, Body: []byte{}}, false, "", ""},
		{"503 after 200: the last good rules, deferred", false, crawl.RobotsFile{Status: 503, Failures: 1, Body: body}, true, "robots.txt line 2: Disallow: /x", ""},
		{"rfc9309 closes nothing", false, crawl.RobotsFile{Status: 403, Failures: 9, Refusals: 9}, true, "", ""},
		{"gsa: refused, not often enough", true, crawl.RobotsFile{Status: 403, Failures: 2, Refusals: 2, Body: body}, true, "robots.txt line 2: Disallow: /x", ""},
		{"gsa: refused for good", true, crawl.RobotsFile{Status: 403, Failures: 3, Refusals: 3, Body: body}, false, "robots.txt answered 403, 3 times in a row", "robots.txt answered 403, 3 times in a row"},
		{"gsa: nobody answers closes nothing", true, crawl.RobotsFile{Status: 702, Failures: 9, Refusals: 3, Body: body}, true, "robots.txt line 2: Disallow: /x", ""},
	} {
		cache := robotsCache{agent: "pgseek", gsa: c.gsa, limit: 3}
		p := cache.stored(&c.file)
		if x, y := p.forbids("/x"), p.forbids("/y"); p.deferred != c.deferred || x != c.forbids || y != c.other {
			t.Errorf("%s: deferred %v, /x %q, /y %q; want %v, %q, %q", c.what, p.deferred, x, y, c.deferred, c.forbids, c.other)
		}
	}
	if hash, all := robots.Closed("answered 403").Hash(), robots.Parse([]byte("User-agent: *\nDisallow: /\n"), "pgseek").Hash(); hash != all {
		t.Error("a closed host and one that forbids everything have the same rules, and other hashes")
	}
}
