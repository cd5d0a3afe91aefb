package e2e

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store/storetest"
)

// TestServerDiesUnderAWideCrawl: the server is killed twice while many fetchers of one process work on many hosts, and commits that
// did not wait for the disk are lost, as in a power cut. The crawl goes on by itself. No document is lost, and none is recorded
// twice.
func TestServerDiesUnderAWideCrawl(t *testing.T) {
	t.Parallel()
	const hosts, pages = 20, 15
	c := newWideCrowd(t, hosts, pages, time.Millisecond)
	cluster := storetest.Cluster(t)
	w := &world{t: t, dir: t.TempDir(), dsn: cluster.DSN()}
	w.sets(c.sets())
	w.spider("")
	w.index("-S") // makes the schema
	w.pool = storetest.Connect(t, w.dsn)
	w.rows(`ALTER SYSTEM SET wal_writer_delay = '10s'`) // so that more is lost
	w.rows(`SELECT pg_reload_conf()`)

	cmd, out := w.start("--no-merge", "-N40")
	crawl := running{cmd, out}
	t.Cleanup(func() { _ = crawl.Process.Kill() }) // when the test has failed
	for range 2 {
		c.answer(c.most.Load() + 80)
		w.until(`SELECT count(*) >= $1::bigint + 40 FROM urlstate`, w.one(`SELECT count(*) FROM urlstate`))
		before := w.one(`SELECT count(*) FROM urlstate`)
		killServer(t, cluster)
		if err := cluster.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		_ = reconnect(t, w.dsn).Close(context.Background())
		w.pool = storetest.Connect(t, w.dsn)
		t.Logf("%s documents before, %s open schedules and %s documents after", before,
			w.one(`SELECT count(*) FROM schedule WHERE status = 's'`), w.one(`SELECT count(*) FROM urlstate`))
	}
	c.answer(math.MaxInt64)
	crawl.ends(t, exitDone)
	again := 0
	for _, h := range c.hosts {
		for _, n := range h.asked {
			again += n - 1
		}
	}
	t.Logf("%d requests for documents whose commits were lost", again)
	w.checkWide(hosts * pages)
	storetest.CheckInvariants(t, w.dsn)
	if t.Failed() {
		t.Log(out)
	}
}
