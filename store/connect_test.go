package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/storetest"
)

// setting sets a parameter of the database for new connections.
func setting(t *testing.T, dsn, text string) {
	t.Helper()
	pool := storetest.Connect(t, dsn)
	if _, err := pool.Exec(t.Context(), `DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET `+text+`', current_database()); END$$`); err != nil {
		t.Fatal(err)
	}
}

func openPlain(t *testing.T, dsn string) *store.DB {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// TestCommitsWaitForTheDisk: where the server's setting does not let them, and a stronger setting stays.
func TestCommitsWaitForTheDisk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ server, want string }{{"off", "on"}, {"on", "on"}, {"local", "local"}, {"remote_apply", "remote_apply"}} {
		dsn := storetest.New(t)
		setting(t, dsn, "synchronous_commit = "+c.server)
		for _, role := range []string{"", store.SearchRole} {
			s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test", Role: role})
			if err != nil {
				t.Fatal(err)
			}
			var got string
			if err := s.Pool.QueryRow(t.Context(), `SHOW synchronous_commit`).Scan(&got); err != nil || got != c.want {
				t.Errorf("server %s, role %q: %s (%v), want %s", c.server, role, got, err, c.want)
			}
			s.Close()
		}
	}
}

// TestIDsAfterAReconnect: a server that crashed may have lost rows, so ids of URLs and sites are asked for again.
func TestIDsAfterAReconnect(t *testing.T) {
	t.Parallel()
	dsn := storetest.New(t)
	db := openPlain(t, dsn)
	s := crawl.New(db)
	register := func() (ids []store.URLID) {
		t.Helper()
		site, err := s.RegisterSite(t.Context(), "http://a.example/", "a.example")
		if err != nil {
			t.Fatal(err)
		}
		ids, _, err = s.RegisterURLs(t.Context(), []crawl.NewURL{{URL: "http://a.example/", Hash: store.HashURL("http://a.example/"), Site: site}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	first := register()
	if _, known := s.KnownURL(store.HashURL("http://a.example/")); !known {
		t.Error("the id is not kept")
	}
	pool := storetest.Connect(t, dsn)
	for _, sql := range []string{
		`DELETE FROM urlkey`, `DELETE FROM urlword`, `DELETE FROM sitestate`, `DELETE FROM sites`, // as a crash would lose them
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'test' AND datname = current_database()`,
	} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); s.Ping(t.Context()) != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not connect again")
		}
	}
	if again := register(); again[0] == first[0] {
		t.Errorf("id %d of a row that is lost", again[0])
	}
	var n int
	if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM urlword JOIN sites USING (site_id)`).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows (%v), want 1", n, err)
	}
}

// TestSettingsThatStopMigrations: those of a role or database that the migrations do not bear are set for the connection.
func TestSettingsThatStopMigrations(t *testing.T) {
	t.Parallel()
	dsn := storetest.Empty(t)
	setting(t, dsn, "standard_conforming_strings = off")
	setting(t, dsn, "idle_session_timeout = 300")
	s := openPlain(t, dsn)
	time.Sleep(600 * time.Millisecond)
	if _, err := s.Standby(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestMigrateThroughALostConnection: each migration is complete or not there, so an interruption is waited for.
func TestMigrateThroughALostConnection(t *testing.T) {
	t.Parallel()
	dsn := storetest.Empty(t)
	pool := storetest.Connect(t, dsn)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() {
		killed := 0
		for ctx.Err() == nil && killed < 5 {
			var n int
			_ = pool.QueryRow(ctx, `
				SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
				WHERE application_name = 'migrating' AND datname = current_database() AND query ~ 'CREATE TABLE|CREATE FUNCTION|CREATE VIEW'`).Scan(&n)
			if killed += n; n > 0 {
				time.Sleep(100 * time.Millisecond)
			}
		}
		ended <- killed
	}()
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "migrating", WaitLimit: time.Minute})
	cancel()
	killed := <-ended
	if err != nil {
		t.Fatalf("after %d connections were ended: %v", killed, err)
	}
	s.Close()
	if killed == 0 {
		t.Error("no connection was ended")
	}
}
