package program

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider"
)

// writeSummary writes the end of a crawl for people: a line for what each kind of URL was. Kinds that did not occur are left out.
func writeSummary(w io.Writer, reason string, p *spider.Progress) {
	fmt.Fprintf(w, "crawl ended (%s) after %s: %s requested\n", reason, p.Elapsed.Round(100*time.Millisecond), plural(p.Fetched, "URL"))
	errors := make([]string, 0, len(p.Failed))
	failed := int64(0)
	for _, status := range slices.Sorted(maps.Keys(p.Failed)) {
		errors = append(errors, fmt.Sprintf("%s %d", numbered(status), p.Failed[status]))
		failed += p.Failed[status]
	}
	for _, row := range []struct {
		what string
		n    int64
		note string
	}{
		{"new", p.Created, ""},
		{"changed", p.Changed, ""},
		{"unchanged", p.Unchanged, ""},
		{"not readable", total(p.Unread), byNumber(p.Unread)},
		{"errors", failed, strings.Join(errors, ", ")},
		{"left out", p.LeftOut, "files that others may not read, or that are none; index -S counts them"},
		{"lost", p.Lost, "they stay in the index until LostLimit"},
		{"refused", p.Refused, "by hosts, because there were too many requests"},
		{"put off", p.Deferred, "to a later run"},
		{"over limit", p.OverLimit, "of MaxURLsPerServer"},
		{"endless", p.OfRepeats, "URLs whose parts repeat: InfiniteSpaceRepeat"},
		{"paused", p.OfPaused, "of paused patterns"},
		{"united", p.Canonical, "with their canonical pages"},
		{"truncated", p.Cut, ""},
	} {
		if row.n == 0 {
			continue
		}
		fmt.Fprintf(w, "  %-12s %9d", row.what, row.n)
		if row.note != "" {
			fmt.Fprintf(w, "  (%s)", row.note)
		}
		fmt.Fprintln(w)
	}
}

// writeMergeSummary writes the end of a merge for people, and what to do next.
func writeMergeSummary(w io.Writer, m merge.Summary, elapsed time.Duration) {
	fmt.Fprintf(w, "merge ended after %s: %s merged\n", elapsed.Round(100*time.Millisecond), plural(m.Documents, "document"))
	if m.Removed > 0 {
		fmt.Fprintf(w, "  %-12s %9d  (removed from the index)\n", "gone", m.Removed)
	}
	fmt.Fprintln(w, "next: index --search 'some words' finds them, searchd shows them in a browser; index -S --sites counts errors by site")
}
