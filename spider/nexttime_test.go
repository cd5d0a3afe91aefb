package spider

import (
	"testing"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// TestNextErrorKept: a URL that a rule took out waits like a document while it is kept, and like a URL that was never indexed
// when T-20 has removed what was kept, after each error of a series.
func TestNextErrorKept(t *testing.T) {
	kept := func(status int) crawl.Previous {
		p := previousStates["kept"]
		p.Status = store.Status(status)
		return p
	}
	removed := func(status int) crawl.Previous {
		return crawl.Previous{Status: store.Status(status), IndexMode: 3, Deleted: true, WithdrawnBy: "T-12"}
	}
	redirect := crawl.Previous{Status: 301, HasRow: true, Deleted: true, WithdrawnBy: "T-12"}
	for _, c := range []struct {
		name    string
		p       crawl.Previous
		reasons []string
	}{
		{"200 kept", kept(200), []string{"unreachable error 1: 5h", "unreachable error 2: 1d", "unreachable error 3: 5d"}},
		{"406 kept", kept(406), []string{"unreachable error 1: 5h", "unreachable error 2: 1d", "unreachable error 3: 5d"}},
		{"200 removed", removed(200), []string{"no longer kept, unreachable error 1: 10m", "no longer kept, unreachable error 2: 20m"}},
		{"406 removed", removed(406), []string{"no longer kept, unreachable error 1: 10m", "no longer kept, unreachable error 2: 20m"}},
		{"withdrawn, never", previousStates["withdrawn, never"], []string{"never indexed, unreachable error 1: 10m"}},
		{"301 withdrawn", redirect, []string{"unreachable error 1: 5h"}},
	} {
		for _, want := range c.reasons {
			a := application{
				o: &outcome{status: 705, opt: &Options{BackoffBase: 10 * time.Minute, MaxInterval: 14 * day}},
				d: &crawl.DocumentTx{Prev: c.p},
			}
			a.nextError(classUnreachable)
			if a.row.NextWhy != want {
				t.Errorf("%s: %s, want %s", c.name, a.row.NextWhy, want)
			}
			c.p.ErrorClass, c.p.ErrorCount = a.row.ErrorClass, a.row.ErrorCount
		}
	}
}
