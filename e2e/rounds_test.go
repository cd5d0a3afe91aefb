package e2e

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/store/storetest"
)

// TestKilledRounds crawls with two programs without end, whose rounds MergeInterval cuts short, and kills one of them at random moments;
// another one takes its place. The tables end as if nothing had happened.
func TestKilledRounds(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 3, 50)
	undisturbed := newWorld(t, c.sets())
	undisturbed.index("-N3")
	want := storetest.Dump(t, undisturbed.dsn)

	w := newWorld(t, c.sets())
	w.spider("BatchSize 5\nMergeInterval 1s\n")
	kills := 4
	if soak() {
		kills = 20
	}
	random := rand.New(rand.NewPCG(21, 4))
	start := func() running {
		cmd, out := w.start("--continuous", "-N2")
		return running{cmd, out}
	}
	programs := []running{start(), start()}
	for range kills {
		time.Sleep(time.Duration(random.Int64N(int64(700 * time.Millisecond))))
		i := random.IntN(2)
		_ = programs[i].Process.Kill()
		_ = programs[i].Wait()
		programs[i] = start()
	}
	w.until(`SELECT count(*) FILTER (WHERE phase = 'waiting' AND programs = 2) = 1 FROM crawl_state`)
	w.until(`SELECT NOT EXISTS (SELECT 1 FROM journal) AND NOT EXISTS (SELECT 1 FROM markdel) AND (SELECT phase = 'waiting' FROM crawl_state)
		AND NOT EXISTS (SELECT 1 FROM urlword WHERE next_index_time <= extract(epoch FROM now()))
		AND NOT EXISTS (SELECT 1 FROM schedule WHERE status = 's')`)
	w.index("-E")
	for _, p := range programs {
		p.ends(t, 0)
	}
	w.check()
	if diff := cmp.Diff(want, storetest.Dump(t, w.dsn)); diff != "" {
		t.Errorf("(-undisturbed +killed %d times):\n%s", kills, diff)
	}
	if n := w.one(`SELECT count(*) FROM reindexing WHERE kind = 'crawl'`); n == "1" {
		t.Error("one round was enough: nothing was tested")
	}
}
