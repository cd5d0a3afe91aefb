package e2e

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/spider/weburl"
)

// TestBadURLs links to everything that can be wrong with a URL: B6 to B13.
func TestBadURLs(t *testing.T) {
	t.Parallel()
	// path is one that makes a URL of the site so many bytes long.
	path := func(n *neighbours, bytes int) string {
		return "/" + strings.Repeat("p", bytes-len(n.site.URL)-1)
	}

	t.Run("B6: URLs longer than MaxURLLength are dropped, never shortened", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		fits, over := path(n, 2048), path(n, 2049)
		grows := "/" + strings.Repeat("ж", 400) // 2,400 bytes once escaped
		n.site.HTML("/", fmt.Sprintf(`<a href="/good.html"><a href="%s"><a href="%s"><a href="%s"><a href="/moved">`, fits, over, grows))
		n.site.HTML(fits, "longname")
		n.site.Set("/moved", spidertest.Page{Status: 301, Header: map[string]string{"Location": over}})
		said := n.crawl()
		if diff := cmp.Diff([]string{"/", "/good.html", "/moved", fits}, n.urls()); diff != "" {
			t.Errorf("URLs (-want +got):\n%s", diff)
		}
		n.words("longname", fits)
		n.want("/moved", "w.status, w.redir, c.hrefs, h.rule", "301 0 [] T-05")
		summary(t, said, "dropped=2")
	})

	t.Run("B6: as start URL it is an error that names the line", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		n.sets("Server " + n.site.URL + "/\nServer " + n.site.URL + path(n, 2049) + "\n")
		n.refused("sets.cnf:2: Server: ", "too long")
	})

	t.Run("B7: spaces, tabs, newlines, backslashes as in browsers, and stable", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", " /a b.html ", "/t\tab\n.html", `\back\slash.html`, "/%20x y?q= z\t", "/\u00a0nbsp", "/a|b^`{}<>\"")
		for _, p := range []string{"/a%20b.html", "/tab.html", "/back/slash.html"} {
			n.site.HTML(p, "<title>"+p+"</title>browserword")
		}
		n.crawl()
		n.words("browserword", "/a%20b.html", "/back/slash.html", "/tab.html")
		want := []string{"/", "/%20x%20y?q=%20z", "/%C2%A0nbsp", "/a%20b.html", "/a|b^%60%7B%7D%3C%3E%22", "/back/slash.html", "/good.html", "/tab.html"}
		got := n.urls()
		for i := range got {
			if rest, found := strings.CutPrefix(got[i], "/a|b"); found && strings.HasPrefix(rest, "%5E") {
				got[i] = "/a|b^" + rest[3:] // the URL standard changed its mind about ^
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("URLs (-want +got):\n%s", diff)
		}
		n.stable()
	})

	t.Run("B8: bad escapes are kept as they are, digits in capitals", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		asked, url := echo(t)
		n.sets("Server " + n.site.URL + "/\nServer " + url + "/\n")
		n.site.HTML("/", fmt.Sprintf(`<a href="/good.html"><a href="%s/x%%00y"><a href="%[1]s/x%%zzy"><a href="%[1]s/x%%"><a href="%[1]s/x%%c3%%a9?%%zz%%0a">
			<a href="%[1]s/x|%%7c[]">`, url))
		n.crawl()
		want := []string{"/", "/x%", "/x%00y", "/x%C3%A9?%zz%0A", "/x%zzy", "/x|%7C[]"}
		got := n.rows(`SELECT replace(url, $1, '') FROM urlword WHERE url LIKE $1 || '%' ORDER BY url COLLATE "C"`, url)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("URLs (-want +got):\n%s", diff)
		}
		for _, p := range want {
			n.want(url+p, "w.status, h.cause", "200 ")
		}
		if diff := cmp.Diff(want, asked()); diff != "" {
			t.Errorf("as sent to the site (-want +got):\n%s", diff)
		}
		n.stable()
	})

	t.Run("B9: userinfo is removed before anything is stored, logged or sent", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		host := strings.TrimPrefix(n.site.URL, "http://")
		n.site.HTML("/", fmt.Sprintf(`<a href="/good.html"><a href="http://someone:hunter2@%s/in"><a href="//someone:hunter2@%[1]s:99999/bad">
			<a href="http://someone:hunter2@%[1]s/moved"><a href="http://someone:hunter2@[bad/"><base href="http://someone:hunter2@%[1]s/">`, host))
		n.site.HTML("/in", "userinfoword")
		n.site.Set("/moved", spidertest.Page{Status: 302, Header: map[string]string{"Location": "http://someone:hunter2@" + host + "/in"}})
		n.site.Set("/robots.txt", spidertest.Page{Status: 301, Header: map[string]string{"Location": "http://someone:hunter2@" + host + "/rules.txt"}})
		n.site.Set("/rules.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /private\n"})
		said := n.crawl("-v")
		n.words("userinfoword", "/in")
		if diff := cmp.Diff([]string{"/", "/good.html", "/in", "/moved"}, n.urls()); diff != "" {
			t.Errorf("URLs (-want +got):\n%s", diff)
		}
		n.check("the redirect's target", "/in", `SELECT replace(t.url, $1, '') FROM urlword m JOIN urlword t ON t.url_id = m.redir`, n.site.URL)
		for _, table := range []string{"urlword", "sites", "crawl_history", "robots", "robots_cache", "sitestate", "reindexing"} {
			n.check(table, "0", `SELECT count(*) FROM `+table+` t WHERE t::text LIKE '%hunter2%'`)
		}
		if strings.Contains(said, "hunter2") {
			t.Errorf("the password is in the log:\n%s", said)
		}
		for _, r := range n.site.Requests() {
			if r.Header.Get("Authorization") != "" {
				t.Errorf("%s was asked for with %q", r.Path, r.Header.Get("Authorization"))
			}
		}
	})

	t.Run("B9: nor what an operator types", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		n.crawl()
		typed := strings.Replace(n.site.URL, "//", "//someone:hunter2@", 1)
		for _, c := range []struct {
			code int
			args []string
			want string // on standard output, else on standard error
		}{
			{exitDone, []string{"-T", typed + "/good.html"}, n.site.URL + "/good.html"},
			{exitDone, []string{"-qam", "-u", typed + "/good%", "--no-merge"}, "msg=\"crawl ended\""},
			{exitDone, []string{"-i", "-u", typed + "/more.html"}, "inserted 1"},
			{exitFailed, []string{"-T", "http://someone:hunter2@/"}, "http://"},
			{exitFailed, []string{"-i", "-u", "http://someone:hunter2@elsewhere.example/"}, "http://elsewhere.example/"},
			{exitFailed, []string{"-i", "-u", "http://someone:hunter2@/"}, "http:/"},
			{exitFailed, []string{"--release", "http://someone:hunter2@[bad/"}, "[bad/"},
			{exitFailed, []string{"--release", typed}, n.site.URL},
			{exitFailed, []string{"--explain", "http://someone:hunter2@[bad/"}, "[bad/"},
			{exitFailed, []string{"-A", "1", "-u", "http://someone:hunter2@elsewhere.example/"}, "elsewhere.example"},
			{exitUsage, []string{typed}, n.site.URL},
		} {
			code, out, errOut := n.try(c.args...)
			if code != c.code || !strings.Contains(out+errOut, c.want) {
				t.Errorf("%q: exit %d, want %d and %q:\n%s%s", c.args, code, c.code, c.want, out, errOut)
			}
			if strings.Contains(out+errOut, "hunter2") {
				t.Errorf("%q: the password is shown:\n%s%s", c.args, out, errOut)
			}
		}
		n.want("/good.html", "w.status, h.rule", "200 T-17") // -m with its pattern found it
		for _, table := range []string{"urlword", "sites", "crawl_history", "reindexing"} {
			n.check(table, "0", `SELECT count(*) FROM `+table+` t WHERE t::text LIKE '%hunter2%'`)
		}
	})

	t.Run("B10, B11: other schemes, ports, hosts are dropped", func(t *testing.T) {
		t.Parallel()
		bad := []string{
			"javascript:alert(1)", "data:text/html,hello", "mailto:a@example.com", "ftp://example.com/x", "gopher://example.com/", "nonsense:x",
			"http://example.com:0/", "http://example.com:65536/", "http://", "http://[::1/", "http://[1:2:3]/", "http://exa<mple.com/",
			"http://a%00b.com/", "http://exa mple.com/", "http://1.2.3.256/", "http://example.com:8o/",
		}
		n := beside(t, "", bad...)
		n.sets("FollowOutside yes\nServer " + n.site.URL + "/\n")
		said := n.crawl()
		if diff := cmp.Diff([]string{"/", "/good.html"}, n.urls()); diff != "" {
			t.Errorf("URLs (-want +got):\n%s", diff)
		}
		n.check("sites", "1", `SELECT count(*) FROM sites`)
		summary(t, said, fmt.Sprintf("dropped=%d ", len(bad)))
	})

	t.Run("B12: names of hosts become A-labels, invalid ones are dropped", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", "http://Bücher.example/", "http://b\u00fccher.example/", "http://xn--bcher-kva.example/",
			"http://пример.испытание/x", "http://xn--zzzzzzz99999/", "http://\u00ad/", "http://"+strings.Repeat("a", 64)+".example/")
		n.sets("FollowOutside yes\nServer " + n.site.URL + "/\n")
		n.crawl("-u", n.site.URL+"%") // the others are registered, not asked for
		want := []string{"/", "/good.html", "http://xn--bcher-kva.example/", "http://xn--e1afmkfd.xn--80akhbyknj4f/x"}
		if diff := cmp.Diff(want, n.urls()); diff != "" {
			t.Errorf("URLs (-want +got):\n%s", diff)
		}
		n.check("sites", "2", `SELECT count(*) FROM sites WHERE site LIKE 'http://xn--%/'`)
	})

	t.Run("B13: one URL, one row", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		host := strings.TrimPrefix(n.site.URL, "http://")
		n.site.HTML("/", fmt.Sprintf(`<a href="/good.html#part"><a href="/x/../good.html"><a href="./good.html"><a href="HTTP://%s/%%2e/good.html#">
			<a href="/.//../good.html"><a href="http://EXAMPLE.com:80/a#b"><a href="http://example.com/a"><a href="https://Example.Com:443/a"><a href="#top">
			<a href="http://example.com">`, host))
		n.sets("FollowOutside yes\nServer " + n.site.URL + "\n")
		n.crawl("-u", n.site.URL+"%")
		want := []string{"/", "/good.html", "http://example.com/", "http://example.com/a", "https://example.com/a"}
		if diff := cmp.Diff(want, n.urls()); diff != "" {
			t.Errorf("URLs (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]int{"/": 1, "/good.html": 1}, n.site.Count()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		n.stable()
	})
}

// stable checks that every stored URL is its own normal form.
func (n *neighbours) stable() {
	n.t.Helper()
	for _, url := range n.rows(`SELECT url FROM urlword`) {
		if again, err := weburl.Normalize(url, 0); err != nil || again.Text != url {
			n.t.Errorf("%s: normalised again it is %q (%v)", url, again.Text, err)
		}
	}
}

// refused runs index, which must end with 2 and say all this, with the site not asked and the database not touched.
func (w *world) refused(say ...string) {
	w.t.Helper()
	code, out, errOut := w.try()
	if code != exitUsage {
		w.t.Errorf("exit %d, want %d\n%s%s", code, exitUsage, out, errOut)
	}
	for _, s := range say {
		if !strings.Contains(errOut, s) {
			w.t.Errorf("%q is not said:\n%s", s, errOut)
		}
	}
	if got := w.one(`SELECT (SELECT count(*) FROM reindexing) + (SELECT count(*) FROM sites) + (SELECT count(*) FROM urlword)`); got != "0" {
		w.t.Errorf("%s rows were written", got)
	}
}

// summary looks for a figure in the crawl's last line.
func summary(t *testing.T, said, want string) {
	t.Helper()
	for line := range strings.Lines(said) {
		if strings.Contains(line, `"crawl ended"`) {
			if !strings.Contains(line, want) {
				t.Errorf("the summary has no %q: %s", want, line)
			}
			return
		}
	}
	t.Errorf("no summary:\n%s", said)
}

// echo is a host that answers every request with a page of its own, whatever the path is. It tells what it was asked for,
// sorted, robots.txt aside.
func echo(t *testing.T) (asked func() []string, url string) {
	var (
		mu    sync.Mutex
		paths []string
	)
	url = spidertest.Raw(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		for header := line; err == nil && strings.TrimSpace(header) != ""; {
			header, err = in.ReadString('\n')
		}
		path := strings.Fields(line)[1]
		if path == "/robots.txt" {
			_, _ = fmt.Fprint(conn, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			return
		}
		mu.Lock()
		paths = append(paths, path)
		mu.Unlock()
		body := fmt.Sprintf("<title>%x</title>echo", path)
		fmt.Fprintf(conn, "HTTP/1.1 %d OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", http.StatusOK, len(body), body)
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Sorted(slices.Values(paths))
	}, url
}
