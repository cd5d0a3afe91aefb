package crawl

import (
	"time"

	"github.com/pgseek/pgseek/store"
)

// LeaseRequest describes the work that a process asks for.
type LeaseRequest struct {
	Run       store.RunID
	Process   store.ProcessID
	Fetchers  []string      // names in table fetcher of fetchers that have no lease; each gets one at most
	Batch     int           // URLs of a schedule at most
	TimeOut   time.Duration // until the lease may be taken away
	Due       int64         // URLs with at most this next_index_time are the run's work
	HopsFirst bool          // -o
	Limits    Limits
	Hosts     Hosts // that may be asked now
	PerSite   RunLimit

	DocumentLimit bool // the run has one
}

// Lease is a schedule that a fetcher holds: URLs of one host that nobody else fetches until the deadline.
type Lease struct {
	Fetcher string // that holds it
	Seq     int64
	Attempt int
	Run     store.RunID
	Host    string
	Sites   []store.SiteID
	Pace    Pace  // of the host
	URLs    []Due // in the order of the batch, without those that an earlier holder recorded

	due int64 // the run's threshold

	fresh []store.URLID // URLs that were never fetched before, of a run with a DocumentLimit

	// Asked are URLs of the schedule that were requested, and count for the limit of a run (RunLimit).
	Asked []store.URLID

	// Answers is how long the host took to answer, all requests of the schedule together. It moves the next turn of the host.
	Answers time.Duration
}

// Idle says why a fetcher got no lease.
type Idle struct {
	Over  string        // end of the run, one of the Over constants; "" = it continues
	Open  int           // schedules that were open before, of all processes
	Full  bool          // with OverLimit: DocumentLimit is reached
	Until time.Duration // until it is worth asking again, for example the end of a host's pause; 0 = unknown
}

// Ends of a run as a lease finds them.
const (
	OverComplete = "complete"
	OverTime     = "time"   // what is left may not be fetched at this time of day
	OverPaused   = "paused" // what is left is on hosts that asked for a pause longer than LongestWait
	OverLimit    = "limit"  // what is left is of sites of which the run may request no more (RunLimit), or DocumentLimit is reached
	OverEnded    = "ended"  // by another process
)

// Due is a URL to be fetched, with the stored state that the request needs.
type Due struct {
	ID            store.URLID
	Place         int // in the batch, from 0
	Site          store.SiteID
	URL           string
	Deleted       bool // withdrawn by a rule, which is tested again
	Status        store.Status
	CRC           string
	ETag          string
	LastModified  string
	LastIndexTime int64
	Hops          int
	Start         bool // a start URL of this run
	Tag           int
	Origin        store.URLID
	HasContent    bool        // conditions may be sent: 200, or 406 with a content row
	IndexMode     int         // of the last success
	Unavailable   int64       // when the document is treated like one with noindex, epoch seconds; 0 = never
	Canonical     store.URLID // that the stored version names: 0 = none or itself, -1 = one that is not followed
	LinksHash     []byte
	Events        int  // rows ever written to crawl_history
	Attempts      int  // visits ever recorded
	Step          int  // of the adaptive schedule
	Unchanged     int  // results in a row on that step
	Reconvert     bool // another converter made its stored content
}

// dueDetailsSQL reads the state that the requests need. A 406 may be requested conditionally only when it has
// a content row.
const dueDetailsSQL = `
	SELECT /* store.Lease */ w.url_id, w.site_id, w.url, w.deleted = 1, w.status, w.crc, w.etag, w.last_modified, w.last_index_time,
		w.hops, w.next_index_time = 0, w.tag, w.origin,
		w.status & 65535 = 200 OR w.status & 65535 = 406 AND EXISTS (SELECT 1 FROM urlwords c WHERE c.url_id = w.url_id AND c.words IS NOT NULL),
		coalesce(s.index_mode, 3), s.links_hash, coalesce(s.events, 0), coalesce(s.attempts, 0), coalesce(s.step, 0), coalesce(s.unchanged, 0),
		coalesce(extract(epoch FROM s.unavailable_after)::bigint, 0), coalesce(s.canonical, 0), coalesce(s.converter = '', false)
	FROM urlword w LEFT JOIN urlstate s ON s.url_id = w.url_id
	WHERE w.url_id = ANY($1)`

// scanDue reads a row of dueDetailsSQL.
func scanDue(row interface{ Scan(...any) error }) (d Due, err error) {
	err = row.Scan(&d.ID, &d.Site, &d.URL, &d.Deleted, &d.Status, &d.CRC, &d.ETag, &d.LastModified, &d.LastIndexTime,
		&d.Hops, &d.Start, &d.Tag, &d.Origin, &d.HasContent, &d.IndexMode, &d.LinksHash, &d.Events, &d.Attempts, &d.Step, &d.Unchanged,
		&d.Unavailable, &d.Canonical, &d.Reconvert)
	return d, err
}
