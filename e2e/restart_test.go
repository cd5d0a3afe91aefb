package e2e

import (
	"context"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/store/embedded"
	"github.com/pgseek/pgseek/store/storetest"
)

// killServer kills a server and waits until it has ended.
func killServer(t *testing.T, cluster *embedded.Cluster) {
	t.Helper()
	pid := cluster.PostmasterPID()
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	for syscall.Kill(pid, 0) == nil {
		time.Sleep(5 * time.Millisecond)
	}
}

// TestServerRestartUnderACrawl verifies F3 for two processes of one run: the server dies during the crawl and
// comes back. Both take their locks again, neither takes the other for dead, and the tables end as if nothing
// had happened.
func TestServerRestartUnderACrawl(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 2, 40)
	undisturbed := newWorld(t, c.sets())
	undisturbed.index()

	cluster := storetest.Cluster(t)
	w := &world{t: t, dir: t.TempDir(), dsn: cluster.DSN()}
	w.sets(c.sets())
	w.spider("")
	w.index("-S") // makes the schema
	w.pool = storetest.Connect(t, w.dsn)

	open := c.hold()
	first, second := w.join(1, "-N3"), w.join(2, "-N3")
	var answered atomic.Int64
	reopen := c.hold()
	for _, site := range c.sites {
		site.Pause(func() time.Duration {
			if answered.Add(1) > 20 {
				c.wait()
			}
			return 5 * time.Millisecond
		})
	}
	open()
	w.until(`SELECT count(*) > 5 FROM urlstate`)
	killServer(t, cluster)
	if err := cluster.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn := reconnect(t, w.dsn)
	var locks int
	for locks != 2 {
		const locksSQL = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid::bigint = 1885827952`
		if err := conn.QueryRow(t.Context(), locksSQL).Scan(&locks); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	reopen()
	first.ends(t, exitDone)
	second.ends(t, exitDone)
	if diff := cmp.Diff(storetest.Dump(t, undisturbed.dsn), storetest.Dump(t, w.dsn)); diff != "" {
		t.Errorf("the tables differ from an undisturbed crawl's:\n%s\n%s\n%s", diff, first.out, second.out)
	}
	if runs := w.rows(`SELECT end_reason FROM reindexing WHERE kind = 'crawl'`); !cmp.Equal(runs, []string{"complete"}) {
		t.Errorf("runs %q, want one", runs)
	}
	for _, r := range []running{first, second} {
		if strings.Contains(r.out.String(), "a crawling process is gone") {
			t.Errorf("a living process was taken for dead:\n%s", r.out)
		}
	}
}

// reconnect connects to a server that has just come back.
func reconnect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
