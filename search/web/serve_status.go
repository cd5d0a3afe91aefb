package web

import (
	"time"

	"github.com/pgseek/pgseek/store/report"
)

// statusJSON is the answer of /status as JSON (docs/http.md).
type statusJSON struct {
	At        string          `json:"at"`
	Documents int64           `json:"documents"`
	Clones    int64           `json:"clones"`
	Words     int64           `json:"words"`
	Bytes     int64           `json:"bytes"`
	Statuses  []statusRowJSON `json:"statuses"`
	Sites     []siteRowJSON   `json:"sites"`
	AllSites  int64           `json:"all_sites"`
	Runs      []runJSON       `json:"runs"`
	Merge     mergeJSON       `json:"merge"`
	Crawl     *crawlJSON      `json:"crawl"` // null = none is running
	Databases []databaseJSON  `json:"databases"`
	Records   recordsJSON     `json:"stat"`
	Operator  *operatorJSON   `json:"operator,omitempty"` // for the operator only
}

type statusRowJSON struct {
	Status int   `json:"status"`
	Lost   bool  `json:"lost"`
	Due    int64 `json:"due"`
	Total  int64 `json:"total"`
}

type siteRowJSON struct {
	Site   string `json:"site"`
	Known  int64  `json:"known"`
	Live   int64  `json:"live"`
	Lost   int64  `json:"lost"`
	Errors int64  `json:"errors"`
	Due    int64  `json:"due"`
	Hold   string `json:"hold,omitempty"`
}

type runJSON struct {
	RunID     int32  `json:"run_id"`
	Kind      string `json:"kind"`
	Started   string `json:"started"`
	Ended     string `json:"ended,omitempty"`
	Reason    string `json:"end_reason,omitempty"`
	Documents int64  `json:"documents"`
	Created   int64  `json:"created"`
	Changed   int64  `json:"changed"`
	Unchanged int64  `json:"unchanged"`
	Lost      int64  `json:"lost"`
	Failed    int64  `json:"failed"`
	Deferred  int64  `json:"deferred"`
	Words     int64  `json:"words"`
	Bytes     int64  `json:"bytes"`
}

type mergeJSON struct {
	Running bool   `json:"running"`
	Since   string `json:"since,omitempty"`
	Waiting int64  `json:"waiting"`
	Oldest  string `json:"oldest,omitempty"`
	Marks   int64  `json:"marks"`
	Last    string `json:"last,omitempty"`
}

type crawlJSON struct {
	Started       string  `json:"started"`
	Fetched       int64   `json:"fetched"`
	PerSecond     float64 `json:"per_second"` // on average since the start
	Due           int64   `json:"due"`
	Fetchers      int64   `json:"fetchers"`
	OpenSchedules int64   `json:"open_schedules"`
	LateSchedules int64   `json:"late_schedules"`
}

func newStatusJSON(x *report.IndexStatus) *statusJSON {
	j := &statusJSON{
		At: stamp(&x.At), Documents: x.Documents, Clones: x.Clones, Words: x.Words, Bytes: x.Bytes, AllSites: x.AllSites,
		Statuses: []statusRowJSON{}, Sites: []siteRowJSON{}, Runs: []runJSON{},
		Merge: mergeJSON{
			Running: x.Merge.Running, Since: stamp(x.Merge.Since), Waiting: x.Merge.Waiting, Oldest: stamp(x.Merge.Oldest),
			Marks: x.Merge.Marks, Last: stamp(x.Merge.Last),
		},
	}
	for _, l := range x.Statuses {
		j.Statuses = append(j.Statuses, statusRowJSON{l.Status, l.Lost, l.Expired, l.Total})
	}
	for _, l := range x.Sites {
		j.Sites = append(j.Sites, siteRowJSON(l))
	}
	for i := range x.Runs {
		r := &x.Runs[i]
		c := &r.Counts
		j.Runs = append(j.Runs, runJSON{
			RunID: int32(r.ID), Kind: r.Kind, Started: stamp(&r.Started), Ended: stamp(r.Ended), Reason: r.Reason,
			Documents: c.Documents, Created: c.Created, Changed: c.Changed, Unchanged: c.Unchanged, Lost: c.Lost, Failed: c.Failed,
			Deferred: c.Deferred, Words: c.Words, Bytes: c.Bytes,
		})
	}
	if c := x.Crawl; c != nil {
		j.Crawl = &crawlJSON{
			Started: stamp(&c.Started), Fetched: c.Fetched, PerSecond: perSecond(x), Due: dueURLs(x),
			Fetchers: c.Fetchers, OpenSchedules: c.Open, LateSchedules: c.Late,
		}
	}
	return j
}

// perSecond returns the average number of answers per second of the running crawl.
func perSecond(x *report.IndexStatus) float64 {
	return float64(x.Crawl.Fetched) / max(x.At.Sub(x.Crawl.Started).Seconds(), 1)
}

// dueURLs returns the number of URLs that are due.
func dueURLs(x *report.IndexStatus) (n int64) {
	for _, l := range x.Statuses {
		n += l.Expired
	}
	return n
}

// stamp returns a time in the format of JSON, empty for none.
func stamp(t *time.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
