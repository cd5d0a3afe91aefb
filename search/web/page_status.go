package web

import (
	"io"
	"time"
)

// StatusView is what the status page shows. Tables without lines say so, pointers that are nil leave their part out, and
// zero times are shown as a dash.
type StatusView struct {
	Frame
	At        time.Time // when all of it was read
	Documents int64     // that a search can find
	Clones    int64     // further addresses of the same contents
	Words     int64     // in the dictionary
	Size      int64     // of the database in bytes; 0 = unknown

	Statuses []StatusLine // by status
	Sites    []SiteLine   // the biggest first, or by name: as they come
	// MoreSites is the number of sites that Sites leaves out. A hundred lines are enough for a page below 50 KB.
	MoreSites int
	Runs      []RunLine // the last first; ten are enough
	Merge     MergeState
	Crawl     *CrawlState // nil = none is running
}

// A StatusLine counts URLs of one status.
type StatusLine struct {
	Status     int    // extended status (rules.md 3.3); of lost documents that of the loss
	Lost       bool   // still found, though the site answers Status now
	Text       string // what the status means; empty = the words of HTTP, which has none for 600 and above
	Due, Total int64  // to be fetched now; all
}

// A SiteLine counts URLs of one site.
type SiteLine struct {
	Site       string // http://host[:port]/
	Live, Lost int64  // documents that can be found; of them those that the site answers with an error now
	Errors     int64  // URLs that only ever failed
	Known      int64  // URLs in all
	Due        int64  // to be fetched now: the queue
	Hold       string // why the site is on hold (store.Hold); empty = it is not
}

// A RunLine is a row of reindexing.
type RunLine struct {
	Kind           string // crawl, merge, realtime
	Started, Ended time.Time
	Reason         string // end_reason; empty while it runs
	Documents      int64
	// The others are of crawls.
	Created, Changed, Unchanged, Lost, Failed, Deferred int64
}

// MergeState says how far the index is behind the crawl.
type MergeState struct {
	Running bool
	Since   time.Time // when the one that runs began
	Waiting int64     // document versions in the journal
	Oldest  time.Time // of them
	Marks   int64     // documents in the delete set
	Last    time.Time // end of the last one that ended
}

// CrawlState is the progress of the crawl that runs.
type CrawlState struct {
	Started  time.Time
	Fetched  int64   // answers so far
	Rate     float64 // answers a second, of late
	Due      int64   // URLs that are still to be fetched
	Fetchers int     // workers
	Open     int     // schedules that are being fetched
	Late     int     // of them those past their time
}

// Status writes the status page.
func (p *Pages) Status(w io.Writer, v StatusView) error {
	d := struct {
		frame
		S        StatusView
		Due, All int64
		Share    int // of the crawl, in percent
	}{frame: v.frame("status", "Status"), S: v}
	for _, l := range v.Statuses {
		d.Due += l.Due
		d.All += l.Total
	}
	if v.Crawl != nil {
		d.Share = share(v.Crawl.Fetched, v.Crawl.Fetched+v.Crawl.Due)
	}
	return render(w, p.status, d)
}
