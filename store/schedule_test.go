package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

// ask leases as a worker does, in batches of three unless change says otherwise.
func (f *frontier) ask(change func(*crawl.LeaseRequest)) (*crawl.Lease, crawl.Idle) {
	f.t.Helper()
	f.asked++
	r := crawl.LeaseRequest{
		Run: f.process.Run.ID, Process: f.process.ID, Fetcher: fmt.Sprint("worker ", f.asked), Batch: 3, TimeOut: time.Hour, Due: f.process.Run.Start,
	}
	if change != nil {
		change(&r)
	}
	lease, idle, err := f.s.Lease(f.t.Context(), r)
	if err != nil {
		f.t.Fatal(err)
	}
	return lease, idle
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
	if err := f.s.Acknowledge(f.t.Context(), l, 0); err != nil {
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

// TestFrontierOrder: groups, classes, and the order inside them.
func TestFrontierOrder(t *testing.T) {
	for _, c := range []struct {
		name   string
		lines  []string
		start  crawl.CrawlStart
		change func(*crawl.LeaseRequest)
		want   []string
	}{
		{
			name: "recrawl and start URLs, then new ones, those of this run last, then known ones, then withdrawn ones",
			lines: []string{
				"a withdrawn deleted=1 status=200", "a known status=200", "a found next_index_time=START", "a new",
				"a start next_index_time=0", "a asked next_index_time=-1 status=200",
			},
			want: []string{"asked start", "new found", "known", "withdrawn"},
		}, {
			name:   "the host with the most urgent group first, then in turns",
			lines:  []string{"a known status=200", "a known2 status=200", "b new1", "b new2", "c new3"},
			change: func(r *crawl.LeaseRequest) { r.Batch = 1 },
			want:   []string{"new1", "new3", "new2", "known", "known2"},
		}, {
			name:  "the oldest of a group first, when nothing else decides",
			lines: []string{"a third next_index_time=30", "a first next_index_time=10", "a second next_index_time=20", "a fourth next_index_time=40"},
			want:  []string{"first second third", "fourth"},
		}, {
			name: "pages that change often and were not seen for 23 hours, then by how much of the interval is over, errors last",
			lines: []string{
				"a late status=200 last_index_time=START-3000 next_index_time=START-2000",
				"a just status=200 last_index_time=START-3000 next_index_time=START-1",
				"a failing status=200 last_index_time=START-3000 next_index_time=START-1 .error_count=1 .error_class='server'",
				"a often status=200 next_index_time=START-1 last_index_time=START-90000 .pace=1 .last_attempt=now()-interval'25h'",
				"a lately status=200 next_index_time=START-1 last_index_time=START-80000 .pace=1 .last_attempt=now()-interval'22h'",
			},
			change: func(r *crawl.LeaseRequest) { r.Batch = 5 },
			want:   []string{"often late just lately failing"},
		}, {
			name:   "shallow ones first",
			lines:  []string{"a deep hops=3 next_index_time=10", "a flat hops=1 next_index_time=20", "a middle hops=2 next_index_time=15"},
			change: func(r *crawl.LeaseRequest) { r.HopsFirst = true },
			want:   []string{"flat middle deep"},
		}, {
			name:  "nothing that is not due",
			lines: []string{"a later status=200 next_index_time=START+5", "a now status=200"},
			want:  []string{"now"},
		}, {
			name:  "-a: all but purged orphans",
			lines: []string{"a later status=200 next_index_time=START+5", "a never status=200 deleted=1 next_index_time=4611686018427387904"},
			start: crawl.CrawlStart{All: true},
			want:  []string{"later"},
		}, {
			name:   "--respider: what is asked for and what links reach, due or not; what an earlier one left must be reached anew",
			lines:  []string{"a due", "a start next_index_time=0", "a left next_index_time=-2"},
			start:  crawl.CrawlStart{Respider: true},
			change: func(r *crawl.LeaseRequest) { r.Due = 0 },
			want:   []string{"start"},
		}, {
			name:   "limits: groups without anything within them are passed over",
			lines:  []string{"a new", "a known status=200", "b known404 status=404", "b start next_index_time=0"},
			change: func(r *crawl.LeaseRequest) { r.Limits.Statuses = []int32{404} },
			want:   []string{"known404"},
		}, {
			name:   "a closed host is left alone",
			lines:  []string{"a new", "b other"},
			change: func(r *crawl.LeaseRequest) { r.Hosts.Except = []string{"a"} },
			want:   []string{"other"},
		}, {
			name:   "only open hosts",
			lines:  []string{"a new", "b other"},
			change: func(r *crawl.LeaseRequest) { r.Hosts.Only = []string{"a"} },
			want:   []string{"new"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFrontier(t, c.lines...)
			f.begin(c.start)
			got, over := f.all(c.change)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("batches (-want +got):\n%s", d)
			}
			want := crawl.OverComplete
			if strings.Contains(c.name, "host") && strings.Contains(c.name, "open") || strings.Contains(c.name, "closed") {
				want = crawl.OverTime
			}
			if over != want {
				t.Errorf("the run is over as %q, want %q", over, want)
			}
		})
	}
}

// TestRankComesFirst: of otherwise equal URLs the one with more links to it goes first, and a new URL has the
// importance of its referrer.
func TestRankComesFirst(t *testing.T) {
	f := newFrontier(t, "a plain status=200 last_index_time=900", "a linked status=200 last_index_time=900", "b orphan", "b child")
	ids := map[string]store.URLID{}
	for id, name := range f.names {
		ids[name] = id
	}
	f.exec(`INSERT INTO citation VALUES ($1, '{7,8,9}')`, ids["linked"])
	f.exec(`UPDATE urlword SET referrer = $2 WHERE url_id = $1`, ids["child"], ids["linked"])
	f.begin(crawl.CrawlStart{})
	got, _ := f.all(nil)
	if d := cmp.Diff([]string{"child orphan", "linked plain"}, got); d != "" {
		t.Errorf("batches (-want +got):\n%s", d)
	}
}

// TestLimitToTmpurl is -M: the URLs of the table, due or not.
func TestLimitToTmpurl(t *testing.T) {
	f := newFrontier(t, "a due", "a wanted status=200 next_index_time=START+900", "a later status=200 next_index_time=START+900")
	f.exec(`INSERT INTO tmpurl SELECT url_id, 0 FROM urlword WHERE url LIKE '%wanted'`)
	limits := crawl.Limits{Tmpurl: true}
	f.begin(crawl.CrawlStart{All: true, Limits: limits})
	got, over := f.all(func(r *crawl.LeaseRequest) { r.Limits = limits })
	if d := cmp.Diff([]string{"wanted"}, got); d != "" || over != crawl.OverComplete {
		t.Errorf("over %q, batches (-want +got):\n%s", over, d)
	}
}

// TestRefusingHost: a host that refuses pauses for every fetcher. A run waits for a short pause, and ends without the rest
// when only hosts with long ones are left. The pace of the host comes with its next lease, until it is asked without a delay.
func TestRefusingHost(t *testing.T) {
	f := newFrontier(t, "a one", "a two", "b other")
	f.begin(crawl.CrawlStart{})
	refuse := func(pause time.Duration) {
		t.Helper()
		err := f.s.HostRefused(t.Context(), crawl.Refusal{
			Host: "a", Pace: crawl.Pace{Delay: 200 * time.Millisecond, Refusals: 1}, Pause: pause, Status: 429, URL: "http://a/one",
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	refuse(time.Minute)
	if l, _ := f.ask(nil); f.paths(l) != "other" {
		t.Fatalf("leased %s, want other", f.paths(l))
	} else if err := f.s.Acknowledge(t.Context(), l, 0); err != nil {
		t.Fatal(err)
	}
	f.exec(`UPDATE urlword SET next_index_time = next_index_time + 100000 WHERE url LIKE 'http://b/%'`)
	f.exec(`UPDATE sitestate SET next_class = 9 WHERE host = 'b'`)
	if l, idle := f.ask(nil); l != nil || idle.Over != "" || idle.Until <= 0 || idle.Until > time.Minute {
		t.Fatalf("lease %v, %+v; want to wait a minute", l, idle)
	}
	refuse(time.Hour)
	if l, idle := f.ask(nil); l != nil || idle.Over != crawl.OverPaused {
		t.Fatalf("lease %v, %+v; want the run to be over as paused", l, idle)
	}
	list, err := f.s.LimitedHosts(t.Context(), "")
	if err != nil || len(list) != 1 || list[0].Host != "a" || !list[0].Due || list[0].Status != 429 || time.Until(list[0].Until) < 59*time.Minute {
		t.Errorf("limited hosts %+v, %v", list, err)
	}
	f.exec(`UPDATE sitestate SET ready_at = now()`)
	f.exec(`UPDATE host_limit SET pause_until = now()`)
	l, _ := f.ask(nil)
	if want := (crawl.Pace{Delay: 200 * time.Millisecond, Refusals: 1}); f.paths(l) != "one two" || l.Pace != want {
		t.Errorf("leased %s at %+v, want %+v", f.paths(l), l.Pace, want)
	}
	if err := f.s.SavePace(t.Context(), "a", crawl.Pace{Delay: 100 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if got := f.one(`SELECT delay_ms, refusals FROM host_limit`); got != "100 0" {
		t.Errorf("pace %s", got)
	}
	if err := f.s.SavePace(t.Context(), "a", crawl.Pace{}); err != nil {
		t.Fatal(err)
	}
	if got := f.one(`SELECT count(*) FROM host_limit`); got != "0" {
		t.Errorf("%s hosts left", got)
	}
}

// TestRecrawl: URLs that an operator asks for are due before all others, also in a run that has found no more
// work.
func TestRecrawl(t *testing.T) {
	f := newFrontier(t, "a later status=200 next_index_time=START+900", "b other status=200 next_index_time=START+900",
		"a gone deleted=1 status=200 next_index_time=4611686018427387904")
	f.begin(crawl.CrawlStart{})
	if l, idle := f.ask(nil); l != nil || idle.Over != crawl.OverComplete {
		t.Fatalf("lease %v, %+v; want the run to be over", l, idle)
	}
	n, err := f.s.Recrawl(t.Context(), "http://a/%")
	if err != nil || n != 1 {
		t.Fatalf("%d URLs, %v; want 1", n, err)
	}
	l, _ := f.ask(nil)
	if got := f.paths(l); got != "later" {
		t.Errorf("leased %s, want later", got)
	}
}

// TestWindow: no more schedules are open than fetchers live; a host that is held is not leased again; and
// a run is not over while a schedule is open.
func TestWindow(t *testing.T) {
	f := newFrontier(t, "a x", "b y", "c z")
	f.begin(crawl.CrawlStart{})
	first, _ := f.ask(nil)
	if l, idle := f.ask(nil); l != nil || idle.Over != "" || idle.Open != 1 {
		t.Fatalf("with one fetcher and one schedule: lease %q, %+v", f.paths(l), idle)
	}
	f.exec(`INSERT INTO fetcher (name, run_id, heartbeat) VALUES ('stale', 1, now() - interval '31 seconds'), ('other', 1, now())`)
	second, _ := f.ask(nil)
	if f.paths(first) != "x" || f.paths(second) != "y" {
		t.Fatalf("leased %q and %q, want x and y", f.paths(first), f.paths(second))
	}
	if l, idle := f.ask(nil); l != nil || idle.Open != 2 {
		t.Fatalf("with two fetchers and two schedules: lease %q, %+v", f.paths(l), idle)
	}
	f.record(second)
	third, _ := f.ask(nil)
	f.record(third)
	if l, idle := f.ask(nil); l != nil || idle.Over != "" {
		t.Errorf("lease %q, %+v: the first schedule is open", f.paths(l), idle)
	}
	f.record(first)
	if l, idle := f.ask(nil); l != nil || idle.Over != crawl.OverComplete {
		t.Errorf("lease %q, %+v; want the run to be over", f.paths(l), idle)
	}
}

// TestReissue: a late schedule comes first, with its number, without what is recorded; its former
// holder can do nothing more with it.
func TestReissue(t *testing.T) {
	f := newFrontier(t, "a one next_index_time=1", "a two next_index_time=2", "b urgent next_index_time=0")
	f.exec(`UPDATE sitestate SET lease_seq = 0`)
	f.begin(crawl.CrawlStart{})
	urgent, _ := f.ask(nil)
	f.record(urgent)
	late, _ := f.ask(func(r *crawl.LeaseRequest) { r.TimeOut = time.Microsecond })
	f.exec(`UPDATE urlstate SET last_attempt = now() WHERE url_id = $1`, late.URLs[0].ID)
	f.exec(`UPDATE urlword SET next_index_time = 0 WHERE url_id = $1`, urgent.URLs[0].ID) // it does not come before
	again, _ := f.ask(nil)
	if again == nil || again.Seq != late.Seq || again.Attempt != 2 || f.paths(again) != "two" || again.Host != "a" || again.URLs[0].Place != 1 {
		t.Fatalf("got %+v, want the rest of schedule %d", again, late.Seq)
	}
	if err := f.s.Acknowledge(t.Context(), late, 0); !errors.Is(err, store.ErrScheduleLost) {
		t.Errorf("its former holder acknowledges it: %v", err)
	}
	if got := f.one(`SELECT status::text, reschedule_count, process_id = $2 FROM schedule WHERE seq = $1`, late.Seq, f.process.ID); got != "s 1 true" {
		t.Errorf("schedule: %s", got)
	}
	// All of it is recorded but not acknowledged: no fetcher needs to take it over.
	f.exec(`UPDATE urlstate SET last_attempt = now()`)
	f.exec(`UPDATE urlword SET next_index_time = $1`, f.process.Run.Start+1000)
	f.exec(`UPDATE schedule SET deadline = schedule_time + interval '1 microsecond' WHERE status = 's'`)
	if l, idle := f.ask(nil); l != nil || idle.Over != crawl.OverComplete {
		t.Errorf("lease %q, %+v; want the run to be over", f.paths(l), idle)
	}
}

// TestPauseOfAHost (P11, across processes): a host that pauses is not leased, and the run is not over
// meanwhile.
func TestPauseOfAHost(t *testing.T) {
	f := newFrontier(t, "a x", "a y")
	f.begin(crawl.CrawlStart{})
	one := func(r *crawl.LeaseRequest) { r.Batch = 1 }
	l, _ := f.ask(one)
	f.exec(`UPDATE urlword SET status = 200, next_index_time = $2 WHERE url_id = $1`, l.URLs[0].ID, f.process.Run.Start+1000)
	if err := f.s.Acknowledge(t.Context(), l, time.Minute); err != nil {
		t.Fatal(err)
	}
	next, idle := f.ask(one)
	if next != nil || idle.Over != "" || idle.Until <= 50*time.Second || idle.Until > time.Minute {
		t.Fatalf("lease %q, %+v; want to wait a minute", f.paths(next), idle)
	}
	f.exec(`UPDATE sitestate SET ready_at = now()`)
	if next, _ = f.ask(one); f.paths(next) != "y" {
		t.Errorf("after the pause: %s, want y", f.paths(next))
	}
}

// TestNewsOfAHeldSite: URLs that are registered while a site is held, or while its schedule is being
// acknowledged, are found.
func TestNewsOfAHeldSite(t *testing.T) {
	f := newFrontier(t, "a x", "b y")
	f.begin(crawl.CrawlStart{})
	l, _ := f.ask(nil)
	site := l.Sites[0]
	id, _, err := f.s.RegisterURL(t.Context(), crawl.NewURL{URL: "http://a/new", Hash: store.HashURL("http://a/new"), Site: site}, f.process.Run.Start)
	if err != nil {
		t.Fatal(err)
	}
	f.names[id] = "new"
	if err := f.s.WakeSites(t.Context(), []store.SiteID{site}, f.process.Run.Start); err != nil {
		t.Fatal(err)
	}
	f.record(l)
	got, _ := f.all(nil)
	slices.Sort(got)
	if d := cmp.Diff([]string{"new", "y"}, got); d != "" {
		t.Errorf("batches (-want +got):\n%s", d)
	}
}

// TestLostAnswer (P6): a fetcher that asks while it holds a schedule has not received the answer, and gets
// the schedule at once, whatever its deadline.
func TestLostAnswer(t *testing.T) {
	f := newFrontier(t, "a x", "b y")
	f.begin(crawl.CrawlStart{})
	same := func(r *crawl.LeaseRequest) { r.Fetcher = "forgetful" }
	lost, _ := f.ask(same)
	again, _ := f.ask(same)
	if again == nil || again.Seq != lost.Seq || again.Attempt != 2 || f.paths(again) != "x" {
		t.Errorf("got %+v, want schedule %d again", again, lost.Seq)
	}
}

// id returns the URL of a path.
func (f *frontier) id(path string) store.URLID {
	f.t.Helper()
	for id, name := range f.names {
		if name == path {
			return id
		}
	}
	f.t.Fatalf("no URL is called %q", path)
	return 0
}

// register registers a new URL that an URL of a lease links to, as a worker does, but wakes nobody.
func (f *frontier) register(site store.SiteID, host, path string, from store.URLID) {
	f.t.Helper()
	url := "http://" + host + "/" + path
	id, _, err := f.s.RegisterURL(f.t.Context(), crawl.NewURL{URL: url, Hash: store.HashURL(url), Site: site, Hops: 1, Referrer: from}, f.process.Run.Start)
	if err != nil {
		f.t.Fatal(err)
	}
	f.names[id] = path
}

// TestNewsOfTheDead (P6): a fetcher dies between registering or reaching a URL of another site and waking
// that site. The fetcher that takes over its schedule finds the URL registered, or reached. The run is not
// complete without it.
func TestNewsOfTheDead(t *testing.T) {
	for _, c := range []struct {
		name string
		run  crawl.CrawlStart
		find func(f *frontier, l *crawl.Lease)
		want string
	}{
		{"registered", crawl.CrawlStart{}, func(f *frontier, l *crawl.Lease) {
			site, err := f.s.RegisterSite(f.t.Context(), "http://b/", "b")
			if err != nil {
				f.t.Fatal(err)
			}
			f.register(site, "b", "new", l.URLs[0].ID)
		}, "new"},
		{"reached", crawl.CrawlStart{Respider: true}, func(f *frontier, l *crawl.Lease) {
			if _, err := f.s.Reach(f.t.Context(), f.process.Run.ID, l.URLs[0].ID, 1, []store.URLID{f.id("known")}); err != nil {
				f.t.Fatal(err)
			}
		}, "known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFrontier(t, "a start next_index_time=0", "b known status=200 next_index_time=START+5000")
			settle(f)
			f.begin(c.run)
			ours := func(r *crawl.LeaseRequest) {
				if c.run.Respider {
					r.Due = 0
				}
			}
			other := f.enter(crawl.CrawlRequest{Program: "two"})
			held, _ := f.ask(func(r *crawl.LeaseRequest) { ours(r); r.Process = other.ID })
			c.find(f, held)
			f.kill(other)
			if err := f.process.ReapDead(t.Context()); err != nil {
				t.Fatal(err)
			}
			again, _ := f.ask(ours)
			if f.paths(again) != "start" {
				t.Fatalf("issued again: %s", f.paths(again))
			}
			f.record(again)
			l, idle := f.ask(ours)
			if f.paths(l) != c.want {
				t.Fatalf("got %s, %+v; want %s", f.paths(l), idle, c.want)
			}
			f.record(l)
			if l, idle := f.ask(ours); l != nil || idle.Over != crawl.OverComplete {
				t.Errorf("after it: %s, %+v", f.paths(l), idle)
			}
		})
	}
}

// TestCompleteWithinLimits: URLs that a run does not visit by its limits, or not at this time of day, do not
// prevent its end.
func TestCompleteWithinLimits(t *testing.T) {
	f := newFrontier(t, "a mine status=404", "a other status=200", "b closed status=404")
	limited := func(r *crawl.LeaseRequest) {
		r.Limits.Statuses = []int32{404}
		r.Hosts.Except = []string{"b"}
	}
	f.begin(crawl.CrawlStart{})
	f.exec(`UPDATE sitestate SET next_class = 9`) // as if nobody had said so
	if got, over := f.all(limited); strings.Join(got, ", ") != "mine" || over != crawl.OverTime {
		t.Errorf("batches %q, over as %q", got, over)
	}
	if got, over := f.all(func(r *crawl.LeaseRequest) { r.Limits.Statuses = []int32{404} }); strings.Join(got, ", ") != "closed" || over != crawl.OverComplete {
		t.Errorf("batches %q, over as %q", got, over)
	}
}

// TestNewsWhileALeaseLooks: while a lease lowers the urgency of a site, URLs of the site become due. The site
// keeps the higher urgency. A trigger makes the lease slow.
func TestNewsWhileALeaseLooks(t *testing.T) {
	f := newFrontier(t, "a first next_index_time=0 status=200", "b later status=200 next_index_time=START+5000")
	f.begin(crawl.CrawlStart{})
	b, err := f.s.RegisterSite(t.Context(), "http://b/", "b")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.s.WakeSites(t.Context(), []store.SiteID{b}, f.process.Run.Start); err != nil { // too late: b has nothing any more
		t.Fatal(err)
	}
	first, _ := f.ask(nil)
	f.exec(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NEW; END $$`)
	f.exec(`CREATE TRIGGER slow BEFORE UPDATE OF next_class ON sitestate FOR EACH ROW WHEN (OLD.next_class = 1 AND NEW.next_class = 3) EXECUTE FUNCTION slow()`)
	gate, err := f.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gate.Exec(t.Context(), `SELECT pg_advisory_xact_lock(77)`); err != nil {
		t.Fatal(err)
	}
	other := f.enter(crawl.CrawlRequest{Program: "two"})
	done := make(chan error, 2)
	ctx := t.Context()
	go func() {
		_, _, err := f.s.Lease(ctx, crawl.LeaseRequest{Run: f.process.Run.ID, Process: other.ID, Fetcher: "other", Batch: 3, TimeOut: time.Hour, Due: f.process.Run.Start})
		done <- err
	}()
	waits := `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`
	until := func(query string) {
		for f.one(waits, query) != "1" {
			time.Sleep(time.Millisecond)
		}
	}
	until("%store.Lease%")
	f.register(b, "b", "new", first.URLs[0].ID)
	go func() { done <- f.s.WakeSites(ctx, []store.SiteID{b}, f.process.Run.Start) }()
	until("%store.WakeSites%")
	if err := gate.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if got := f.one(`SELECT next_class < 9 OR lease_seq <> 0 FROM sitestate WHERE host = 'b'`); got != "true" {
		t.Errorf("the site has work and says it has none")
	}
}
