package explain

import (
	"fmt"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/store"
)

// history adds the last fetches, newest first.
func (x *explanation) history() {
	if len(x.Fetches) == 0 {
		x.Line("Fetches", "none")
		return
	}
	x.Line("Fetches", "%s; history, newest first:", wording.Plural(x.State.Attempts, "attempt"))
	var results, changes []string
	for _, f := range x.Fetches {
		result := "not fetched"
		if f.Result != 0 {
			result = wording.Numbered(f.Result)
		}
		results, changes = append(results, result), append(changes, shortStatus(f.Old)+" -> "+shortStatus(f.New))
	}
	for i, f := range x.Fetches {
		x.Detail("  %s  %-5s  %-*s  %-*s  %8d bytes  %6d ms  %s", f.At.Local().Format(time.DateTime), f.Rule,
			longest(results), results[i], longest(changes), changes[i], f.Bytes, f.Elapsed.Milliseconds(), f.Cause)
	}
}

// shortStatus returns urlword.status in a few characters: "200", "200 lost 404 x2".
func shortStatus(s store.Status) string {
	if s.Lost() != 0 {
		return fmt.Sprintf("%d lost %d x%d", s.Base(), s.Lost(), s.LostCount())
	}
	return fmt.Sprint(s.Base())
}

func longest(list []string) (n int) {
	for _, s := range list {
		n = max(n, len(s))
	}
	return n
}
