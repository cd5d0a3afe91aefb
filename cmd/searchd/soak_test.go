package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/store/storetest"
)

// soakClients is the number of concurrent clients.
const soakClients = 16

// soak is a run: its clients and their findings.
type soak struct {
	*install
	web *soakWeb

	mu       sync.Mutex
	answered map[string]int // queries that were answered from the database, and how many documents they found
	refused  map[string]bool
	outage   outage
	failures int // reported ones; a hundred of a kind say no more than one
}

// outage is a period in which the database was not available.
type outage struct {
	began, ended time.Time     // zero: not yet
	noticed      chan struct{} // each search that was refused meanwhile, as long as anybody listens
}

// TestSearchBesideEverything runs 16 clients that search during crawls, merges, -T and a restart of
// PostgreSQL. No answer may be wrong, errors may occur only while the database is not available and must say
// so, and table stat must have each answered search exactly once. The test takes some seconds, and five
// minutes in make soak.
func TestSearchBesideEverything(t *testing.T) {
	t.Parallel()
	lasts := 8 * time.Second
	if os.Getenv("PGSEEK_SOAK") != "" {
		lasts = 5 * time.Minute
	}
	cluster := storetest.Cluster(t)
	s := &soak{web: newSoakWeb(t), answered: map[string]int{}, refused: map[string]bool{}, outage: outage{noticed: make(chan struct{}, 1000)}}
	s.install = newInstall(t, cluster.DSN(), s.web.sets(), "Threads 4\n", "MaxSearches 20\nSearchTimeOut 60s\n")
	s.run()
	s.serve()

	ctx, end := context.WithCancel(t.Context())
	var clients, others sync.WaitGroup
	for i := range soakClients {
		clients.Go(func() { s.search(ctx, i) })
	}
	crawled, indexed := make(chan struct{}, 10_000), make(chan struct{}, 10_000)
	others.Go(func() { s.crawl(ctx, crawled) })
	others.Go(func() { s.realtime(ctx, indexed) })
	over := time.After(lasts)
	<-crawled
	<-indexed
	s.away(func() {
		if err := cluster.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}, func() {
		if err := cluster.Start(t.Context()); err != nil {
			t.Error(err)
		}
	})
	<-crawled
	<-indexed
	<-over
	end()
	clients.Wait()
	others.Wait()
	s.checkStat(cluster.DSN())
	if t.Failed() {
		t.Logf("searchd said:\n%s", s.said)
	}
	s.halt()
	storetest.CheckInvariants(t, cluster.DSN())
	t.Logf("%d searches answered, %d refused; %d crawls with their merges, %d real-time runs", len(s.answered), len(s.refused), len(crawled)+2, len(indexed)+2)
}

// away stops the database until a search of each client was refused, so that the outage is longer than their
// time-out.
func (s *soak) away(stop, start func()) {
	s.mu.Lock()
	s.outage.began = time.Now()
	s.mu.Unlock()
	stop()
	for range soakClients {
		<-s.outage.noticed
	}
	start()
	s.mu.Lock()
	s.outage.ended = time.Now()
	s.mu.Unlock()
}

// wasAway reports whether the database may have been unavailable at any time since begin.
func (s *soak) wasAway(begin time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := &s.outage
	return !o.began.IsZero() && (o.ended.IsZero() || begin.Before(o.ended))
}

// wrong reports a failure.
func (s *soak) wrong(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failures++; s.failures < 30 {
		s.t.Errorf(format, args...)
	}
}

// search is one client. Each of its queries is unique: it excludes a word of its own that no document has.
func (s *soak) search(ctx context.Context, client int) {
	random := rand.New(rand.NewPCG(5, uint64(client)))
	for n := 0; ctx.Err() == nil; n++ {
		q := s.web.question(random)
		q.text += fmt.Sprintf(" -nobody%dasks%d", client, n)
		begin := time.Now()
		p, err := s.ask(context.WithoutCancel(ctx), q.target())
		switch {
		case err != nil:
			s.wrong("%s: %v", q.text, err)
		case p.status == 503:
			s.checkRefusal(q, p)
			if !s.wasAway(begin) {
				s.wrong("%s: refused while the database was there: %s", q.text, p.body)
			}
			s.mu.Lock()
			s.refused[q.text] = true
			s.mu.Unlock()
			select {
			case s.outage.noticed <- struct{}{}:
			default:
			}
		default:
			found, problem := q.check(p)
			if problem != "" {
				s.wrong("%s: %s\n%d %s", q.target(), problem, p.status, p.body)
			}
			s.mu.Lock()
			s.answered[q.text] = found
			s.mu.Unlock()
		}
	}
}

// awayText is the message of searchd while the database is not available.
const awayText = "The database is not available. Please try again in a moment."

// checkRefusal verifies that an error names its reason and the time to retry, and shows no internals.
func (s *soak) checkRefusal(q question, p page) {
	if p.header.Get("Retry-After") == "" || p.header.Get("Cache-Control") != "no-store" {
		s.wrong("refused with %v", p.header)
	}
	body := strings.ToLower(p.body)
	for _, inside := range []string{"sqlstate", "postgres", ".s.pgsql", "dial", "refused", "fatal", "57p0", "/tmp/", "/dev/shm/", "store.", "pgx", "eof"} {
		if strings.Contains(body, inside) {
			s.wrong("a refusal tells of our inside (%s): %s", inside, p.body)
		}
	}
	if !strings.Contains(p.body, awayText) || !q.asPage && !strings.Contains(p.body, `"code": "database_away"`) {
		s.wrong("a refusal does not say plainly what it is: %s", p.body)
	}
}

// statPatience is the time limit for the last rows of stat.
const statPatience = 20 * time.Second

// checkStat verifies that table stat has every answered search once, with its result, and no refused one.
// searchd writes the row after the answer, so checkStat waits for the last ones.
func (s *soak) checkStat(dsn string) {
	conn, err := pgx.Connect(s.t.Context(), dsn)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for late := time.Now().Add(statPatience); time.Now().Before(late); time.Sleep(50 * time.Millisecond) {
		var rows int
		if err := conn.QueryRow(s.t.Context(), `SELECT count(DISTINCT query) FROM stat WHERE query LIKE '%-nobody%'`).Scan(&rows); err != nil {
			s.t.Fatal(err)
		}
		if rows >= len(s.answered) {
			break
		}
	}
	got, err := conn.Query(s.t.Context(), `SELECT query, count(*), min(urls), max(urls) FROM stat WHERE query LIKE '%-nobody%' GROUP BY query`)
	if err != nil {
		s.t.Fatal(err)
	}
	var query string
	var times, least, most int
	seen := map[string]bool{}
	if _, err := pgx.ForEachRow(got, []any{&query, &times, &least, &most}, func() error {
		seen[query] = true
		want, answered := s.answered[query]
		switch {
		case !answered:
			s.wrong("stat has %q, which was not answered (refused: %v)", query, s.refused[query])
		case times != 1:
			s.wrong("stat has %q %d times", query, times)
		case least != want || most != want:
			s.wrong("stat says that %q found %d, and the answer was %d", query, least, want)
		}
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
	var missing []string
	for q := range s.answered {
		if !seen[q] {
			missing = append(missing, q)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		s.t.Errorf("stat lacks %d of %d searches that were answered: %.5q", len(missing), len(s.answered), missing[:min(5, len(missing))])
	}
}
