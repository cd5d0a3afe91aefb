package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDuplicateHost verifies that URLs of a duplicate host become URLs of the canonical host wherever they enter; that what is known
// by a duplicate host leaves when its page is in the index by the canonical host, and not before; and that the gate of sets.cnf does not
// take this for a slip.
func TestDuplicateHost(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, port, _ := net.SplitHostPort(r.Host)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		other := "http://127.0.0.2:" + port
		switch p := r.URL.Path; {
		case p == "/":
			_, _ = fmt.Fprintf(w, `home <a href="%s/a">a</a> <a href="/b">b</a> <a href="/r">r</a> <a href="/only">o</a>`, other)
		case p == "/r":
			http.Redirect(w, r, other+"/t", http.StatusMovedPermanently)
		case slices.Contains([]string{"/a", "/b", "/t", "/typed", "/listed"}, p), p == "/only" && host == "127.0.0.2":
			_, _ = w.Write([]byte("word" + strings.TrimPrefix(p, "/")))
		default:
			http.NotFound(w, r)
		}
	}))
	_ = site.Listener.Close()
	site.Listener = listener
	site.Start()
	t.Cleanup(site.Close)
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	one, two := "http://127.0.0.1:"+port, "http://127.0.0.2:"+port
	live := func(w *world) []string {
		return w.rows(`SELECT replace(replace(url, $1, 'one'), $2, 'two') FROM urlword WHERE deleted = 0 AND status & 65535 = 200 ORDER BY 1`, one, two)
	}
	line := "DuplicateHost 127.0.0.1 127.0.0.2\n"
	spider := "AllowNetwork 127.0.0.0/8\n"

	fresh := newWorld(t, line+"Server "+two+"/\n")
	fresh.spider(spider)
	fresh.index()
	fresh.index("-i", "-u", two+"/listed")
	fresh.index("-q")
	if out := fresh.index("-T", two+"/typed"); !strings.Contains(out, "Adding URL: "+one+"/typed\nStatus: OK") {
		t.Errorf("-T: %s", out)
	}
	if got, want := live(fresh), []string{"one/", "one/a", "one/b", "one/listed", "one/t", "one/typed"}; !cmp.Equal(got, want) {
		t.Errorf("a new database: %q, want %q", got, want)
	}
	if got := fresh.one(`SELECT count(*) FROM sites WHERE site LIKE '%127.0.0.2%'`); got != "0" {
		t.Errorf("%s sites of the duplicate host", got)
	}

	// Both hosts are known: the pages of the duplicate host go at once, and that is no slip.
	both := newWorld(t, "Server "+one+"/\nServer "+two+"/\n")
	both.spider(spider)
	both.index()
	all := live(both)
	if len(all) != 7 {
		t.Fatalf("both hosts: %q", all)
	}
	both.sets(line + "Server " + one + "/\n")
	both.index()
	if got, want := live(both), []string{"one/", "one/a", "one/b", "two/a", "two/only", "two/t"}; !cmp.Equal(got, want) {
		t.Errorf("both known: %q, want %q", got, want)
	}
	both.index("-a") // the redirect leads to one/t now
	both.index("-a")
	if got, want := live(both), []string{"one/", "one/a", "one/b", "one/t", "two/only"}; !cmp.Equal(got, want) {
		t.Errorf("both visited: %q, want %q", got, want)
	}
	got := both.index("--explain", two+"/a")
	if want := "a link to it becomes one to " + one + "/a, whose rules follow"; !strings.Contains(got, want) {
		t.Errorf("--explain does not say %q: %s", want, got)
	}
	if !strings.Contains(got, "its host is a duplicate of 127.0.0.1 (DuplicateHost)") {
		t.Errorf("--explain: %s", got)
	}
	if got := both.one(`SELECT string_agg(replace(w.url, $1, 'one'), ' ') FROM word_postings('worda') p JOIN urlword w USING (url_id)`, one); got != "one/a" {
		t.Errorf("found: %s", got)
	}
	both.sets("Server " + one + "/\nServer " + two + "/\n") // without the line they come back
	both.index()
	for _, page := range all {
		if got := live(both); !slices.Contains(got, page) {
			t.Errorf("without the line: %q, want %s", got, page)
		}
	}

	// Only the duplicate host is known: nothing goes before the canonical host has answered.
	late := newWorld(t, "Server "+two+"/\n")
	late.spider(spider)
	late.index()
	late.sets(line + "Server " + one + "/\n")
	late.index("--adopt")
	if got := live(late); !slices.Contains(got, "two/a") || !slices.Contains(got, "one/a") {
		t.Errorf("before the visits: %q", got)
	}
	late.index("-a")
	late.index("-a")
	if got, want := live(late), []string{"one/", "one/a", "one/b", "one/t", "two/only"}; !cmp.Equal(got, want) {
		t.Errorf("after the visits: %q, want %q", got, want)
	}
	if got := late.one(`SELECT status FROM urlword WHERE url = $1`, one+"/only"); got != "404" {
		t.Errorf("the canonical page of what only the duplicate host has: %s", got)
	}
}
