package web

import (
	"io"
	"time"
)

// StatusView has the values of the status page. An empty table has a note, a nil pointer leaves out its part,
// and a zero time is shown as a dash.
type StatusView struct {
	Frame
	At        time.Time // when the values were read
	Documents int64     // documents that a search can find
	Clones    int64     // other addresses of the same contents
	Words     int64     // in the dictionary
	Size      int64     // of the database in bytes; 0 = unknown

	Statuses []StatusLine // by status
	Sites    []SiteLine   // in the order in which they are shown
	// MoreSites is the number of sites that Sites leaves out. A page with 100 lines stays below 50 KB.
	MoreSites int
	Runs      []RunLine // the latest first
	Merge     MergeState
	Crawl     *CrawlState // nil = no crawl is running
	Databases []Database  // that are searched; none when there is only one

	Details  bool          // there is a link to the operator's part
	Operator *OperatorView // nil = the reader is not the operator
}

// A StatusLine counts the URLs of one status.
type StatusLine struct {
	Status     int    // extended status; for lost documents the status of the loss
	Lost       bool   // lost documents: a search still finds them, but the site answers Status
	Text       string // meaning of the status; empty = HTTP's reason phrase, which exists below 600 only
	Due, Total int64  // URLs that are due; all URLs
}

// A SiteLine counts the URLs of one site.
type SiteLine struct {
	Site       string // http://host[:port]/
	Live, Lost int64  // documents that a search finds; the lost ones among them
	Errors     int64  // URLs that have always failed
	Known      int64  // all registered URLs
	Due        int64  // URLs that are due
	Hold       string // reason why the site is on hold (store.Hold); empty = it is not
}

// A RunLine is a row of reindexing.
type RunLine struct {
	Kind           string // crawl, merge, realtime
	Started, Ended time.Time
	Reason         string // end_reason; empty while it runs
	Documents      int64
	// The counts of a crawl.
	Created, Changed, Unchanged, Lost, Failed, Deferred int64
}

// MergeState describes how far the index is behind the crawl.
type MergeState struct {
	Running bool
	Since   time.Time // start of the running merge
	Waiting int64     // document versions in the journal
	Oldest  time.Time // time of the oldest of them
	Marks   int64     // documents in the delete set
	Last    time.Time // end of the last merge
}

// CrawlState is the progress of the running crawl.
type CrawlState struct {
	Started  time.Time
	Fetched  int64   // answers so far
	Rate     float64 // recent answers per second
	Due      int64   // URLs that are due
	Fetchers int     // workers
	Open     int     // open schedules
	Late     int     // open schedules past their deadline
}

// Status writes the status page.
func (p *Pages) Status(w io.Writer, v StatusView) error {
	in := p.in(v.Frame)
	d := struct {
		frame
		S        StatusView
		Due, All int64
		Share    int // of the crawl, in percent
	}{frame: in.frame(v.Frame, "status", in.say("base.status")), S: v}
	for _, l := range v.Statuses {
		d.Due += l.Due
		d.All += l.Total
	}
	if v.Crawl != nil {
		d.Share = share(v.Crawl.Fetched, v.Crawl.Fetched+v.Crawl.Due)
	}
	return in.render(w, "status", d)
}
