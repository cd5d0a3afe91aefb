package e2e

import (
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestTypedAddressOpensItself verifies that a URL typed by the operator opens its literal address and port
// for later crawls, and that a link to it opens nothing (docs/reference/promises.md, Security rules).
func TestTypedAddressOpensItself(t *testing.T) {
	t.Parallel()
	own, other := spidertest.NewSite(t), spidertest.NewSite(t)
	own.HTML("/", `<title>own</title><a href="`+other.URL+`/linked.html">x</a>`)
	other.HTML("/linked.html", "<title>linked</title>")
	other.HTML("/typed.html", "<title>typed</title>typedword")

	w := newWorld(t, "FollowOutside yes\nServer "+own.URL+"/\n")
	w.index()
	if n := len(other.Requests()); n != 0 {
		t.Fatalf("a link opened a private address: %d requests", n)
	}
	if got := w.one(`SELECT cause FROM crawl_history JOIN urlword USING (url_id) WHERE url LIKE '%/linked.html'`); got != "robots.txt: address 127.0.0.1 denied: loopback" {
		t.Errorf("cause: got %q", got)
	}
	w.index("-i", "-u", other.URL+"/typed.html")
	if _, err := w.pool.Exec(t.Context(), `DELETE FROM robots_cache WHERE hostinfo <> $1`, own.URL[len("http://"):]); err != nil {
		t.Fatal(err)
	}
	w.index()
	if got := w.one(`SELECT count(*) FROM word_postings('typedword')`); got != "1" {
		t.Errorf("the typed URL is not indexed: %v", w.rows(`SELECT url, status FROM urlword`))
	}
}
