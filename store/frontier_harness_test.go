package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/storetest"
)

// frontier is a database with some URLs and a process that leases them.
type frontier struct {
	t       *testing.T
	dsn     string
	pool    *pgxpool.Pool
	s       *crawl.Store
	process *crawl.Process
	names   map[store.URLID]string
	asked   int
	answers map[string]time.Duration // that record pretends for a schedule of a host
}

// newFrontier makes one of lines "host path column=value ...", whose values are SQL: columns of urlword, and
// with a leading dot columns of urlstate. START is the start of the run. Hosts are sites of http://host/.
func newFrontier(t *testing.T, lines ...string) *frontier {
	t.Helper()
	ctx := t.Context()
	f := &frontier{t: t, dsn: storetest.New(t), names: map[store.URLID]string{}}
	f.pool = storetest.Connect(t, f.dsn)
	f.s = crawl.New(openStore(t, f.dsn))
	f.process = f.enter(crawl.CrawlRequest{Program: "one"})
	for _, line := range lines {
		fields := strings.Fields(line)
		host, path := fields[0], fields[1]
		site, err := f.s.RegisterSite(ctx, "http://"+host+"/", host)
		if err != nil {
			t.Fatal(err)
		}
		url := "http://" + host + "/" + path
		id, _, err := f.s.RegisterURL(ctx, crawl.NewURL{URL: url, Hash: store.HashURL(url), Site: site}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		f.names[id] = path
		f.exec(`INSERT INTO urlstate (url_id) VALUES ($1)`, id)
		for _, assignment := range fields[2:] {
			table := "urlword"
			if rest, state := strings.CutPrefix(assignment, "."); state {
				table, assignment = "urlstate", rest
			}
			assignment = strings.ReplaceAll(assignment, "START", fmt.Sprint(f.process.Run.Start))
			f.exec(`UPDATE `+table+` SET `+assignment+` WHERE url_id = $1`, id)
		}
	}
	return f
}

func openStore(t *testing.T, dsn string) *store.DB {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test", WaitLimit: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func (f *frontier) exec(query string, args ...any) {
	f.t.Helper()
	if _, err := f.pool.Exec(context.Background(), query, args...); err != nil {
		f.t.Fatalf("%v\n%s", err, query)
	}
}

func (f *frontier) one(query string, args ...any) string {
	f.t.Helper()
	rows, err := f.pool.Query(context.Background(), query, args...)
	if err != nil {
		f.t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		values, err := row.Values()
		return strings.TrimSuffix(fmt.Sprintln(values...), "\n"), err
	})
	if err != nil || len(list) != 1 {
		f.t.Fatalf("%v, rows %q\n%s", err, list, query)
	}
	return list[0]
}

// enter takes part in the crawl, with one worker.
func (f *frontier) enter(wish crawl.CrawlRequest) *crawl.Process {
	f.t.Helper()
	p, err := f.s.EnterCrawl(f.t.Context(), wish)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if _, err := p.Leave(context.Background(), "stopped", store.Counts{}); err != nil {
			f.t.Error(err)
		}
	})
	if err := p.Heartbeat(f.t.Context(), []string{fmt.Sprint("worker of ", p.ID)}, store.Counts{}); err != nil {
		f.t.Fatal(err)
	}
	return p
}

// begin makes the frontier ready.
func (f *frontier) begin(c crawl.CrawlStart) {
	f.t.Helper()
	c.Run, c.Start = f.process.Run.ID, f.process.Run.Start
	c.Gate = crawl.GateRules{Share: 1, Period: time.Hour}
	if err := f.s.BeginCrawl(f.t.Context(), c); err != nil {
		f.t.Fatal(err)
	}
}

// ask leases for one fetcher, in batches of three unless change says otherwise.
func (f *frontier) ask(change func(*crawl.LeaseRequest)) (*crawl.Lease, crawl.Idle) {
	f.t.Helper()
	leases, idle := f.askFor(1, change)
	if len(leases) == 0 {
		return nil, idle
	}
	return leases[0], idle
}

// askFor leases for n fetchers of a process.
func (f *frontier) askFor(n int, change func(*crawl.LeaseRequest)) ([]*crawl.Lease, crawl.Idle) {
	f.t.Helper()
	r := f.request(n)
	if change != nil {
		change(&r)
	}
	leases, idle, err := f.s.Lease(f.t.Context(), r)
	if err != nil {
		f.t.Fatal(err)
	}
	return leases, idle
}

func (f *frontier) request(fetchers int) crawl.LeaseRequest {
	r := crawl.LeaseRequest{Run: f.process.Run.ID, Process: f.process.ID, Batch: 3, TimeOut: time.Hour, Due: f.process.Run.Start}
	for range fetchers {
		f.asked++
		r.Fetchers = append(r.Fetchers, fmt.Sprint("worker ", f.asked))
	}
	return r
}

// acknowledge acknowledges a lease as its holder does.
func (f *frontier) acknowledge(l *crawl.Lease, pause time.Duration) error {
	lost, err := f.s.Acknowledge(f.t.Context(), crawl.Finished{Lease: l, Pause: pause})
	if err == nil && lost[0] {
		err = store.ErrScheduleLost
	}
	return err
}

// paths returns the URLs of a lease, by path.
func (f *frontier) paths(l *crawl.Lease) string {
	if l == nil {
		return "none"
	}
	var list []string
	for _, u := range l.URLs {
		list = append(list, f.names[u.ID])
	}
	return strings.Join(list, " ")
}

// record pretends that all URLs of a lease were fetched, and acknowledges it.
func (f *frontier) record(l *crawl.Lease) {
	f.t.Helper()
	for _, u := range l.URLs {
		f.exec(`UPDATE urlword SET status = 200, next_index_time = $2::bigint, last_index_time = $2::bigint - 1000 WHERE url_id = $1`, u.ID, f.process.Run.Start+1000)
		f.exec(`UPDATE urlstate SET last_attempt = now() WHERE url_id = $1`, u.ID)
	}
	l.Answers = f.answers[l.Host]
	if err := f.acknowledge(l, 0); err != nil {
		f.t.Fatal(err)
	}
}

// all leases everything that is due, batch by batch.
func (f *frontier) all(change func(*crawl.LeaseRequest)) (batches []string, over string) {
	f.t.Helper()
	for range 50 {
		l, idle := f.ask(change)
		if l == nil {
			return batches, idle.Over
		}
		batches = append(batches, f.paths(l))
		f.record(l)
	}
	f.t.Fatal("it does not end")
	return nil, ""
}
