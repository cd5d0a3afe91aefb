package merge

import (
	"fmt"
	"os"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/store/storetest"
)

// tight makes rows, merged segments and repeated reads occur with little data.
var tight = limits{inline: 300, row: 400, hold: 900, keep: 2000, minBudget: 600, links: 20}

// histories returns the number of random histories: a sample, or many when PGSEEK_SOAK is set.
func histories(sample int) int {
	if os.Getenv("PGSEEK_SOAK") != "" {
		return 80 * sample
	}
	return sample
}

// Whatever happens to documents, in whatever order schedules end and batches are divided, the index follows
// the newest journal rows and marks, counts and docwords agree with it, citation is the inverse of hrefs, and
// a second merge writes nothing (P3).
func TestIndexFollowsRandomHistories(t *testing.T) {
	for seed := range uint64(histories(3)) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			lim := &tight
			if seed%3 == 2 {
				lim = &standard
			}
			w := newWorld(t, storetest.New(t), seed, 25+int(seed)*4)
			var compacted int64
			for round := range 14 {
				for range 5 + w.r.IntN(40) {
					w.act()
				}
				w.acknowledge(round == 13)
				o := Options{limits: lim}
				switch w.r.IntN(3) {
				case 0:
					o.BatchDocuments = 1 + w.r.IntN(9)
				case 1:
					o.Memory = memoryPerByte * 3000
				}
				sum := w.merge(o)
				compacted += sum.Compacted
				w.check(*lim)
				before := w.fingerprint()
				if again := w.merge(o); again.Rows != 0 {
					t.Errorf("a second merge finds %+v", again)
				}
				if d := gocmp.Diff(before, w.fingerprint()); d != "" {
					t.Errorf("a second merge writes: %s", d)
				}
				if t.Failed() {
					t.Fatalf("round %d, %+v", round, o)
				}
			}
			if lim == &tight && compacted == 0 {
				t.Error("nothing was united")
			}
		})
		if t.Failed() {
			return
		}
	}
}
