package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/embedded"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/storetest"
)

// crash ends a server as a power cut does, without a shutdown.
func crash(t *testing.T, c *embedded.Cluster) {
	t.Helper()
	pid := c.PostmasterPID()
	if pid == 0 {
		t.Fatal("the server does not run")
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of a server", func() bool { return c.PostmasterPID() == 0 })
}

func start(t *testing.T, c *embedded.Cluster) {
	t.Helper()
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// execOn runs statements on a server.
func execOn(t *testing.T, c *embedded.Cluster, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, s := range statements {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// TestStandbys runs searchd over two standbys, with the primary in spider.cnf.
func TestStandbys(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<title>Fruit</title> an apple`)
	primary := storetest.Cluster(t)
	in := newInstall(t, primary.DSN(), "Server "+site.URL+"/\n", "", "")
	in.run()
	a, b := storetest.Standby(t, primary), storetest.Standby(t, primary)
	conf := fmt.Sprintf("DBAddr %s\nDBAddr %s\nMaxStandbyLag 2s\n", a.DSN(), b.DSN())
	if err := os.WriteFile(filepath.Join(in.dir, "searchd.conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	in.serve()
	name := func(c *embedded.Cluster) string { return store.ServerName(c.DSN()) }
	find := func(query string) error {
		p, err := in.ask(t.Context(), "/search?format=json&match=all&q="+query)
		if err == nil && (p.status != 200 || !strings.Contains(p.body, `"total_urls"`)) {
			err = fmt.Errorf("status %d: %s", p.status, p.body)
		}
		return err
	}
	type answer struct {
		Databases []struct {
			Name, Role, State string
			Searches          int
		}
		Stat struct{ Waiting, Lost int }
	}
	status := func() (got answer) {
		p, err := in.ask(t.Context(), "/status?format=json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(p.body), &got); err != nil {
			t.Fatalf("%v\n%s", err, p.body)
		}
		return got
	}
	state := func(c *embedded.Cluster) (state, role string, searches int) {
		for _, d := range status().Databases {
			if d.Name == name(c) {
				return d.State, d.Role, d.Searches
			}
		}
		t.Fatalf("/status does not name %s", name(c))
		return
	}
	is := func(c *embedded.Cluster, want string) func() bool {
		return func() bool { got, _, _ := state(c); return got == want }
	}
	// during searches while f runs: none may fail. Each has a different query, so that no cache answers.
	var number atomic.Int64
	during := func(t *testing.T, f func()) {
		t.Helper()
		over := make(chan struct{})
		var searching sync.WaitGroup
		for range 3 {
			searching.Go(func() {
				for {
					if err := find(fmt.Sprintf("apple+during%d", number.Add(1))); err != nil {
						t.Error(err)
						return
					}
					select {
					case <-over:
						return
					case <-time.After(5 * time.Millisecond):
					}
				}
			})
		}
		f()
		close(over)
		searching.Wait()
	}
	count := func(c *embedded.Cluster) int { _, _, n := state(c); return n }
	until(t, "both standbys", func() bool { return is(a, "ok")() && is(b, "ok")() })

	t.Run("searches are spread over the standbys and recorded on the primary", func(t *testing.T) {
		for range 10 {
			if err := find("apple+spread"); err != nil {
				t.Error(err)
			}
		}
		if na, nb, np := count(a), count(b), count(primary); na < 4 || nb < 4 || np != 0 {
			t.Errorf("searches: %d and %d on the standbys, %d on the primary", na, nb, np)
		}
		if _, role, _ := state(primary); role != "primary" {
			t.Errorf("the primary is a %s", role)
		}
		until(t, "the rows of stat", func() bool { return searches(t, primary.DSN(), "apple spread") == 10 })
		if p, err := in.ask(t.Context(), "/metrics"); err != nil || !strings.Contains(p.body, `pgseek_database_ok{database="`+name(a)+`"} 1`) {
			t.Errorf("/metrics: %v\n%s", err, p.body)
		}
		if p, err := in.ask(t.Context(), "/status"); err != nil || !strings.Contains(p.body, "<td>standby</td><td>in use</td>") {
			t.Errorf("/status: %v\n%s", err, p.body)
		}
	})
	t.Run("a standby stops at once during searches, and comes back", func(t *testing.T) {
		during(t, func() {
			crash(t, a)
			until(t, "that the standby is left", is(a, "away"))
			start(t, a)
			until(t, "that the standby is back", is(a, "ok"))
		})
		said := in.said.String()
		if strings.Count(said, "a database is left") != 1 || strings.Count(said, "a database is back") != 1 || !strings.Contains(said, "database="+name(a)) {
			t.Errorf("searchd said:\n%s", said)
		}
	})
	t.Run("a standby that does not apply changes is left", func(t *testing.T) {
		execOn(t, b, `SELECT pg_wal_replay_pause()`)
		execOn(t, primary, `INSERT INTO spaces (space_id, site_id) SELECT 77, min(site_id) FROM sites`)
		during(t, func() { until(t, "that the standby is behind", is(b, "behind")) })
		before := count(b)
		for range 4 {
			if err := find("apple+behind"); err != nil {
				t.Error(err)
			}
		}
		if n := count(b); n != before {
			t.Errorf("the standby that is behind got %d searches", n-before)
		}
		execOn(t, b, `SELECT pg_wal_replay_resume()`)
		until(t, "that the standby has caught up", is(b, "ok"))
	})
	t.Run("caches do not mix the states of two databases", func(t *testing.T) {
		execOn(t, b, `SELECT pg_wal_replay_pause()`)
		site.HTML("/", `<title>Fruit</title> an apple and a <a href="cherry.html">cherry</a>`)
		site.HTML("/cherry.html", `<title>Cherry</title> red`)
		in.run("-a")
		source := &turns{}
		for _, c := range []*embedded.Cluster{primary, b} {
			s, err := store.Open(t.Context(), store.Options{DSN: c.DSN(), Application: "test"})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			source.stores = append(source.stores, lookup.New(s))
		}
		e, err := search.NewEngine(t.Context(), source, search.EngineOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			word        string
			now, before int // documents on the primary and on the standby
		}{{"apple", 1, 1}, {"red", 1, 0}, {"cherry", 2, 0}} {
			q, err := query.Parse(c.word, query.Options{})
			if err != nil {
				t.Fatal(err)
			}
			// The primary twice, the standby twice and so on: each begins with the cached words of the other one.
			for n, want := range []int{c.now, c.now, c.before, c.before, c.now, c.before, c.now} {
				source.next = map[int]int{0: 0, 1: 0, 2: 1, 3: 1, 4: 0, 5: 1, 6: 0}[n]
				r, err := e.Search(t.Context(), search.Request{Query: q})
				if err != nil {
					t.Fatal(err)
				}
				if cherry := strings.Contains(fmt.Sprint(r.Hits), "and a cherry"); r.URLs != want || c.word == "apple" && cherry != (source.next == 0) {
					t.Errorf("%s, search %d on database %d: %d documents, want %d; hits %v", c.word, n, source.next, r.URLs, want, r.Hits)
				}
			}
		}
		execOn(t, b, `SELECT pg_wal_replay_resume()`)
		until(t, "that the standby has caught up", is(b, "ok"))
	})
	t.Run("the primary is away: searches go on, and their rows wait", func(t *testing.T) {
		crash(t, primary)
		begin := time.Now()
		during(t, func() {
			for range 3 { // one after the other on a connection: none waits for a row but the first
				if err := find("apple+waits"); err != nil {
					t.Error(err)
				}
			}
		})
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("searches took %s", took)
		}
		if got := status(); got.Stat.Waiting < 3 || got.Stat.Lost != 0 {
			t.Errorf("rows of stat: %+v", got.Stat)
		}
		start(t, primary)
		until(t, "the rows of stat", func() bool { return searches(t, primary.DSN(), "apple waits") == 3 })
		until(t, "the primary", is(primary, "ok"))
	})
	t.Run("a conflict with recovery ends a search, which is repeated on the other standby", func(t *testing.T) {
		for _, c := range []*embedded.Cluster{a, b} {
			execOn(t, c, `ALTER SYSTEM SET max_standby_streaming_delay = 0`, `SELECT pg_reload_conf()`)
		}
		open := func(ctx context.Context, addr string) (*store.DB, error) {
			return store.Open(ctx, store.Options{DSN: addr, Application: "test", Role: store.SearchRole})
		}
		d := newDatabases([]string{a.DSN(), b.DSN()}, config.PrimaryFallback, time.Minute, open)
		d.start(t.Context())
		defer d.close()
		if err := d.ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		var asked []string
		err := d.Search(t.Context(), func(x *lookup.Tx) error {
			found := 0
			x.Words([]string{"apple"}, func(lookup.SearchWord) { found++ }, func(lookup.SearchRow) {}, func(store.WordID, []byte) {})
			if err := x.Send(t.Context()); err != nil {
				return err
			}
			if asked = append(asked, fmt.Sprint(found)); len(asked) == 1 {
				execOn(t, primary, `LOCK TABLE wordurl IN ACCESS EXCLUSIVE MODE`+"; SELECT txid_current()") // its replay waits for nobody
				time.Sleep(100 * time.Millisecond)
			}
			x.Words([]string{"apple"}, func(lookup.SearchWord) { found++ }, func(lookup.SearchRow) {}, func(store.WordID, []byte) {})
			return x.SendLast(t.Context())
		})
		if err != nil || strings.Join(asked, " ") != "1 1" {
			t.Errorf("found %q: %v", asked, err)
		}
		left := 0
		for _, s := range d.states() {
			left += int(s.Left)
		}
		if left != 1 {
			t.Errorf("%d databases were left: %+v", left, d.states())
		}
		servers := map[string]*embedded.Cluster{name(a): a, name(b): b}
		var hung *embedded.Cluster
		err = d.onOne(t.Context(), func(ctx context.Context, m *member, _ bool) error {
			if hung != nil {
				return m.db.Ping(ctx)
			}
			hung = servers[m.name]
			crash(t, hung)
			<-ctx.Done() // as a server that does not answer
			return ctx.Err()
		})
		if err != nil {
			t.Errorf("work on a server that stopped answering was not repeated: %v", err)
		}
		start(t, hung)
	})
	t.Run("both standbys stop: the primary answers", func(t *testing.T) {
		during(t, func() {
			crash(t, a)
			crash(t, b)
			until(t, "that both are left", func() bool { return is(a, "away")() && is(b, "away")() })
		})
		if n := count(primary); n == 0 {
			t.Error("the primary got no search")
		}
	})
}

// turns is a source that gives the searches of an engine the database that the test names.
type turns struct {
	stores []*lookup.Store
	next   int
}

func (s *turns) Search(ctx context.Context, f func(*lookup.Tx) error) error {
	return s.stores[s.next].Search(ctx, f)
}

func (s *turns) Stay(ctx context.Context, f func(context.Context, *lookup.Store) error) error {
	return f(ctx, s.stores[s.next])
}
