package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestBadRobots serves everything that can be wrong with a robots.txt: B34 and B35. Each host has one of its own.
func TestBadRobots(t *testing.T) {
	t.Parallel()
	rules := spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /private\n"}
	moved := func(location string) spidertest.Page {
		return spidertest.Page{Status: 301, Header: map[string]string{"Location": location}}
	}

	t.Run("B34: statuses", func(t *testing.T) {
		t.Parallel()
		const open, obeyed, deferred = "open", "obeyed", "deferred"
		cases := []struct {
			name, want string
			status     int // in robots_cache
			page       spidertest.Page
			hops       int // redirects before the page
		}{
			{"404", open, 404, spidertest.Page{Status: 404}, 0},
			{"403", open, 403, spidertest.Page{Status: 403}, 0},
			{"410", open, 410, spidertest.Page{Status: 410, Body: "User-agent: *\nDisallow: /\n"}, 0},
			{"200", obeyed, 200, rules, 0},
			{"429", deferred, 429, spidertest.Page{Status: 429}, 0},
			{"500", deferred, 500, spidertest.Page{Status: 500}, 0},
			{"503", deferred, 503, spidertest.Page{Status: 503, Header: map[string]string{"Retry-After": "1000000"}}, 0},
			{"timeout", deferred, 704, spidertest.Hang, 0},
			{"reset", deferred, 705, spidertest.Reset("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser"), 0},
			{"garbage", deferred, 600, spidertest.Wire("garbage\r\n\r\n"), 0},
			{"broken gzip", deferred, 802, encoded("gzip", []byte("User-agent: *\nDisallow: /private\n")), 0},
			{"1 redirect", obeyed, 200, rules, 1},
			{"5 redirects", obeyed, 200, rules, 5},
			{"6 redirects", deferred, 301, rules, 6},
			{"5 redirects to 404", open, 404, spidertest.Page{Status: 404}, 5},
			{"loop", deferred, 301, moved("/robots.txt"), 0},
			{"no Location", deferred, 602, spidertest.Page{Status: 302}, 0},
			{"to another scheme", deferred, 301, moved("ftp://example.com/robots.txt"), 0},
		}
		n := beside(t, "Threads 10\nReadTimeOut 10s\n")
		sets := "Server " + n.site.URL + "/\n"
		sites := make([]*spidertest.Site, len(cases))
		for i, c := range cases {
			site := spidertest.NewSite(t)
			sites[i] = site
			path := "/robots.txt"
			for hop := range c.hops {
				next := fmt.Sprintf("/robots%d.txt", hop)
				site.Set(path, moved(next))
				path = next
			}
			site.Set(path, c.page)
			site.HTML("/", fmt.Sprintf(`<title>%s</title>robotsword <a href="/private"><a href="/public">`, c.name))
			site.HTML("/private", "private "+c.name)
			site.HTML("/public", "public "+c.name)
			sets += "Server " + site.URL + "/\n"
		}
		n.sets(sets)
		n.crawl()
		for i, c := range cases {
			url, host := sites[i].URL, strings.TrimPrefix(sites[i].URL, "http://")
			asked := make(map[string]int)
			for path, times := range sites[i].Count() {
				if !strings.HasPrefix(path, "/robots") {
					asked[path] = times
				}
			}
			var want map[string]int
			failures := "0"
			switch c.want {
			case open:
				want = map[string]int{"/": 1, "/private": 1, "/public": 1}
			case obeyed:
				want = map[string]int{"/": 1, "/public": 1}
				n.check(c.name+": robots", "/private", `SELECT path FROM robots WHERE hostinfo = $1`, host)
			case deferred:
				want, failures = map[string]int{}, "1"
				state := "0 0 0 T-10 902"
				if c.status >= 700 && c.status < 800 { // nobody answered: that is the page's own result
					state = fmt.Sprintf("%d 0 0 T-10n %[1]d", c.status)
				}
				n.want(url+"/", "w.status, w.deleted, w.last_index_time, h.rule, h.result", state)
			}
			if diff := cmp.Diff(want, asked); diff != "" {
				t.Errorf("%s: requests (-want +got):\n%s", c.name, diff)
			}
			n.check(c.name+": robots_cache", fmt.Sprintf("%d %s", c.status, failures), `SELECT status, failures FROM robots_cache WHERE hostinfo = $1`, host)
		}
	})

	t.Run("B34: out of reach later: the last good rules and the documents stay", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		other := spidertest.NewSite(t)
		other.Set("/robots.txt", rules)
		other.HTML("/", `<title>other</title>otherword <a href="/private">`)
		n.sets("Server " + n.site.URL + "/\nServer " + other.URL + "/\n")
		n.crawl()
		if _, err := n.pool.Exec(t.Context(), `UPDATE robots_cache SET fetched_at = now() - interval '1 day'`); err != nil {
			t.Fatal(err)
		}
		other.Set("/robots.txt", spidertest.Page{Status: 503})
		other.Forget()
		n.crawl("-a")
		if asked := other.Count(); len(asked) > 0 {
			t.Errorf("a deferred host was asked for %v", asked)
		}
		n.want(other.URL+"/", "w.status, w.deleted, h.rule, h.result, s.error_class", "200 0 T-10 902 unreachable")
		n.words("otherword", other.URL+"/")
		n.check("robots", "/private", `SELECT path FROM robots WHERE hostinfo = $1`, strings.TrimPrefix(other.URL, "http://"))
	})

	t.Run("B35: large, binary, HTML, BOM, CR, endless lines", func(t *testing.T) {
		t.Parallel()
		random := rand.New(rand.NewPCG(35, 1))
		noise := make([]byte, 50_000)
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		endless := make([]byte, 40_000) // that no compression shortens
		for i := range endless {
			endless[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[random.IntN(36)]
		}
		group := "User-agent: *\n"
		cases := []struct {
			name, body string
			forbidden  bool // /private
		}{
			{"a rule within 512,000 bytes, and one beyond", group + "Disallow: /private\n" + strings.Repeat("# comment\n", 51_200) + "Disallow: /public\n", true},
			{"beyond only", group + strings.Repeat("# comment\n", 51_200) + "Disallow: /private\n", false},
			{"a rule cut in two by the limit", group + strings.Repeat("#", 512_000-len(group)-len("\nDisallow: /p")) + "\nDisallow: /private/deep\n", false},
			{"binary", string(noise), false},
			{"NULs around a rule", "\x00\x00\n" + group + "Disallow: /private\nDisallow: /nul\x00path\n\xFF: \xFE\n", true},
			{"HTML", "<!DOCTYPE html><title>not found</title><p>User-agent: *<br>Disallow: /private", false},
			{"BOM and CR", "\xEF\xBB\xBFUser-agent: *\rDisallow: /private\r", true},
			{"CRLF without an end", "User-agent: *\r\nDisallow: /private", true},
			{"an endless line", group + "Disallow: /" + string(endless) + "\nDisallow: /private\n", true},
			{"many rules", group + "Disallow: /private\n" + manyRules(20_000), true},
			{"nonsense", "Disallow\n: /\nUser-agent\n:::\nDisallow: /private\nAllow = /\n", false},
			{"empty", "", false},
		}
		n := beside(t, "")
		sets := "Server " + n.site.URL + "/\n"
		sites := make([]*spidertest.Site, len(cases))
		for i, c := range cases {
			sites[i] = spidertest.NewSite(t)
			sites[i].Set("/robots.txt", spidertest.Page{Type: "application/octet-stream", Body: c.body})
			sites[i].HTML("/", fmt.Sprintf(`<title>%s</title><a href="/private"><a href="/public">`, c.name))
			sites[i].HTML("/private", "private "+c.name)
			sites[i].HTML("/public", "public "+c.name)
			sets += "Server " + sites[i].URL + "/\n"
		}
		n.sets(sets)
		n.crawl()
		for i, c := range cases {
			want := map[string]int{"/": 1, "/private": 1, "/public": 1}
			if c.forbidden {
				delete(want, "/private")
			}
			if diff := cmp.Diff(want, sites[i].Count()); diff != "" {
				t.Errorf("%s: requests (-want +got):\n%s", c.name, diff)
			}
			host := strings.TrimPrefix(sites[i].URL, "http://")
			n.check(c.name, "200 0 true", `SELECT status, failures, octet_length(body) <= 512000 FROM robots_cache WHERE hostinfo = $1`, host)
			n.check(c.name, fmt.Sprint(c.forbidden), `SELECT count(*) = 1 FROM robots WHERE hostinfo = $1 AND path = '/private'`, host)
		}
	})
}

// manyRules are n Disallow lines.
func manyRules(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Disallow: /r%d\n", i)
	}
	return b.String()
}
