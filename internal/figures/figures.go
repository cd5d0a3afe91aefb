// Package figures has the metrics of crawls and merges, for /metrics of searchd and of a continuous crawl. docs/metrics.md
// describes them.
package figures

import (
	"context"
	"sync"
	"time"

	"github.com/pgseek/pgseek/store/report"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	kept    = 15 * time.Second // figures are read again after this time, however many scrapers there are
	timeOut = 2 * time.Second  // to read them; /metrics is answered without them if they are late
)

// A Collector reads the figures when they are asked for. While the database does not answer it has pgseek_figures_ok 0 only.
type Collector struct {
	read func(context.Context) (*report.Figures, error)

	mu    sync.Mutex
	last  *report.Figures
	asked time.Time
}

// New returns a Collector. read is report.Store.Figures; nil figures without an error mean that there is no database yet.
func New(read func(context.Context) (*report.Figures, error)) *Collector {
	return &Collector{read: read}
}

var (
	ok       = desc("figures_ok", "1 if the figures of crawls and merges were read.")
	docs     = desc("documents", "Documents with words in the merged index.")
	words    = desc("words", "Words of the merged index.")
	lost     = desc("documents_lost", "Documents whose site answers with an error, counted up to 10000.")
	due      = desc("urls_due", "URLs that are due, counted up to 10000.")
	sitesDue = desc("sites_due", "Sites with URLs that are due.")
	held     = desc("sites_held", "Sites on hold.")
	paused   = desc("hosts_paused", "Hosts that asked for a pause.")
	open     = desc("schedules_open", "Schedules whose results are not all recorded.")
	late     = desc("schedules_late", "Open schedules past their deadline.")
	fetchers = desc("fetchers", "Fetchers with a heartbeat in the last 30 seconds.")
	journal  = desc("journal_rows", "Document versions that wait for a merge.")
	age      = desc("merge_lag_seconds", "Age of the oldest document version that waits for a merge; 0 if none waits.")
	marks    = desc("marks", "Documents whose old postings the next merge removes.")
	running  = desc("running", "1 while a run of this kind is going on.", "kind")
	phase    = desc("crawl_phase", "1 for what the crawl does at the moment, else 0.", "phase")
	refused  = desc("configuration_refused", "1 if a changed configuration was not taken: the one before goes on.")
	next     = desc("next_round_timestamp_seconds", "When the next round of a continuous crawl begins; missing while that is not known.")
	ended    = desc("last_run_end_timestamp_seconds", "End of the last run of a kind that has ended.", "kind")
	took     = desc("last_run_seconds", "How long the last run of a kind took.", "kind")
	reason   = desc("last_run_reason", "1 with the reason for which the last run of a kind ended.", "kind", "reason")
	counts   = desc("last_run_documents", "Documents of the last run of a kind, by what became of them.", "kind", "result")
)

var all = []*prometheus.Desc{
	ok, docs, words, lost, due, sitesDue, held, paused, open, late, fetchers, journal, age, marks, running, phase, refused, next, ended, took, reason, counts,
}

// phases are the values of crawl_state.phase.
var phases = []string{"stopped", "crawling", "merging", "waiting", "paused", "outage"}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("pgseek_"+name, help, labels, nil)
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range all {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	f := c.figures()
	send := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	if f == nil {
		send(ok, 0)
		return
	}
	send(ok, 1)
	for d, n := range map[*prometheus.Desc]int64{
		docs: f.Documents, words: f.Words, lost: f.Lost, due: f.Due, sitesDue: f.SitesDue, held: f.SitesHeld, paused: f.HostsPaused,
		open: f.OpenSchedules, late: f.LateSchedules, fetchers: f.Fetchers, journal: f.JournalRows, marks: f.Marks,
	} {
		send(d, float64(n))
	}
	send(age, f.JournalAge.Seconds())
	send(running, one(f.CrawlRunning), "crawl")
	send(running, one(f.MergeRuns), "merge")
	for _, name := range phases {
		send(phase, one(f.Phase == name), name)
	}
	send(refused, one(f.RulesRefused))
	if !f.NextRound.IsZero() {
		send(next, float64(f.NextRound.UnixMilli())/1000)
	}
	for i := range f.LastRuns {
		r := &f.LastRuns[i]
		send(ended, float64(r.Ended.UnixMilli())/1000, r.Kind)
		send(took, r.Ended.Sub(r.Started).Seconds(), r.Kind)
		send(reason, 1, r.Kind, r.Reason)
		for name, n := range map[string]int64{
			"all": r.Counts.Documents, "created": r.Counts.Created, "changed": r.Counts.Changed, "unchanged": r.Counts.Unchanged,
			"lost": r.Counts.Lost, "failed": r.Counts.Failed, "deferred": r.Counts.Deferred,
		} {
			if name == "all" || r.Kind != "merge" {
				send(counts, float64(n), r.Kind, name)
			}
		}
	}
}

// figures returns the last figures, at most kept old; nil if they could not be read.
func (c *Collector) figures() *report.Figures {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.asked.IsZero() && time.Since(c.asked) < kept && c.last != nil {
		return c.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeOut)
	defer cancel()
	f, err := c.read(ctx)
	if err != nil {
		f = nil
	}
	c.last, c.asked = f, time.Now()
	return f
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
