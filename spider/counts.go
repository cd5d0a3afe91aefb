package spider

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store"
)

// counts adds up the work of this process in a run, for reports only: nothing is decided by it.
type counts struct {
	began                                                    time.Time
	found, dropped                                           atomic.Int64
	overLimit                                                atomic.Int64
	ofPaused, ofRepeats                                      atomic.Int64
	sitemaps, sitemapsFailed, sitemapEntries, sitemapRefused atomic.Int64

	mu     sync.Mutex
	c      store.Counts
	unread map[string]int64 // by media type
	failed map[int]int64
	cut    int64

	fetched, refused int64
	canonical        int64 // pages that were united
	leftOut          int64 // files that may not be read
}

// add counts a recorded attempt by the rule that decided it.
func (n *counts) add(rule string, o *outcome) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.c.Documents++
	n.c.Bytes += o.bytes()
	silent := rule == "T-10" || rule == "T-10n"
	switch {
	case silent && o.refused != notRefused:
		n.refused++
	case o.answer != nil:
		n.fetched++
	}
	if o.doc != nil {
		n.c.Words += int64(o.doc.TotalCount)
		if o.truncated() {
			n.cut++
		}
	}
	switch rule {
	case "T-01", "T-01c", "T-01o":
		n.c.Created++
	case "T-02", "T-03", "T-19":
		n.c.Unchanged++
	case "T-04", "T-16", "T-17":
		n.c.Changed++
	case "T-05", "T-06":
		if o.due.Status.Base() == 200 {
			n.c.Changed++
		}
	case "T-07":
		n.c.Lost++
	case "T-09", "T-11", "T-13":
		switch {
		case o.due.Status.Base() == 200:
			n.c.Lost++
		case o.status == fetch.StatusNoConverter:
			n.countUnread(media(o.answer.ContentType))
		default:
			n.c.Failed++
		}
	case "T-12":
		if refusedFile(o.status) {
			n.leftOut++
		} else {
			n.c.Failed++
		}
	case "T-15": // is fetched next
	case "T-10", "T-10n":
		switch {
		case o.status == statusPaused:
			n.ofPaused.Add(1)
		case !o.again:
			n.c.Deferred++
		}
	default:
		n.c.Failed++
	}
	if o.status >= 400 && o.status != statusPaused && !refusedFile(o.status) && !o.excluded && (o.status != fetch.StatusNoConverter || o.due.Status.Base() == 200) {
		if n.failed == nil {
			n.failed = make(map[int]int64)
		}
		n.failed[o.status]++
	}
}

// maxUnreadTypes bounds how many types are counted: a server can make up as many as it likes.
const maxUnreadTypes = 100

// countUnread counts a new URL whose type nothing reads.
func (n *counts) countUnread(mediaType string) {
	if n.unread == nil {
		n.unread = make(map[string]int64)
	}
	if _, ok := n.unread[mediaType]; !ok && len(n.unread) >= maxUnreadTypes {
		mediaType = "others"
	}
	n.unread[mediaType]++
}

// carriedOut counts a redirect that was put off until those of its site were counted, in this run or an earlier one.
func (n *counts) carriedOut(inThisRun bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.c.Changed++
	if inThisRun && n.c.Deferred > 0 {
		n.c.Deferred--
	}
}

// united counts a page that was united with its canonical page. A page that was created in this run is not counted as created any more.
func (n *counts) united(created bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.canonical++
	switch {
	case !created:
		n.c.Changed++
	case n.c.Created > 0:
		n.c.Created--
	}
}

func (n *counts) progress() Progress {
	n.mu.Lock()
	defer n.mu.Unlock()
	return Progress{
		Counts: n.c, Found: n.found.Load(), Dropped: n.dropped.Load(), OverLimit: n.overLimit.Load(), OfPaused: n.ofPaused.Load(), OfRepeats: n.ofRepeats.Load(),
		Elapsed: time.Since(n.began), Failed: maps.Clone(n.failed), Cut: n.cut, Unread: maps.Clone(n.unread),
		Fetched: n.fetched, Refused: n.refused, Canonical: n.canonical, LeftOut: n.leftOut,
		Sitemaps: Sitemaps{
			Asked: n.sitemaps.Load(), Failed: n.sitemapsFailed.Load(), Entries: n.sitemapEntries.Load(), Refused: n.sitemapRefused.Load(),
		},
	}
}
