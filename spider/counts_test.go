package spider

import (
	"fmt"
	"testing"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// TestCounts: what a type or a pause keeps from being read is no error of a run, unless it was a document.
func TestCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, rule  string
		was, status int
		want        string // failed, lost, deferred, unread, of paused patterns; the failures by status
	}{
		{"a new picture", "T-11", 0, 800, "0 0 0 map[image/png:1] 0 map[]"},
		{"a picture once more", "T-11", 800, 800, "0 0 0 map[image/png:1] 0 map[]"},
		{"a document that became an archive", "T-11", 200, 800, "0 1 0 map[] 0 map[800:1]"},
		{"a broken encoding", "T-11", 0, 802, "1 0 0 map[] 0 map[802:1]"},
		{"a new URL of a paused pattern", "T-10", 0, statusPaused, "0 0 0 map[] 1 map[]"},
		{"a robots.txt that cannot be had", "T-10", 0, statusRobotsUnavailable, "0 0 1 map[] 0 map[902:1]"},
	} {
		var n counts
		n.add(c.rule, &outcome{due: &crawl.Due{Status: store.Status(c.was)}, status: c.status, answer: &fetch.Answer{ContentType: "image/PNG; x=y"}})
		p := n.progress()
		if got := fmt.Sprint(p.Counts.Failed, p.Lost, p.Deferred, p.Unread, p.OfPaused, p.Failed); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}
