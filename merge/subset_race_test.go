package merge

import (
	"testing"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/storetest"
)

// A site that is labeled while a subset is being built is added to the subset: the two transactions run one
// after the other.
func TestSiteThatComesWhileASubsetIsBuilt(t *testing.T) {
	dsn := storetest.New(t)
	w := newWorld(t, dsn, 1, 10)
	s := w.store(dsn)
	defer s.Close()
	if err := LabelSites(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	w.exec(`INSERT INTO subsets (mask) VALUES ('http://s%')`)
	id := store.SubsetID(w.rows(`SELECT subset_id FROM subsets`)[0][0].(int32))
	hold, err := storetest.Connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hold.Exec(t.Context(), `INSERT INTO subsetstate (subset_id, mask, whole_sites, problem) VALUES ($1, 'x', false, '')`, id); err != nil {
		t.Fatal(err)
	}
	waiting := func(n int64) {
		for w.rows(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)[0][0].(int64) < n {
			time.Sleep(time.Millisecond)
		}
	}
	done := make(chan error, 2)
	go func() {
		_, err := s.BuildSubset(t.Context(), index.Subset{ID: id, Mask: "http://s%"})
		done <- err
	}()
	waiting(1) // at the row that hold has written, with its sites read
	w.exec(`INSERT INTO sites (site_id, site) VALUES (6, 'http://s6.example.org/')`)
	w.exec(`INSERT INTO sitestate (site_id, host) VALUES (6, 's6.example.org')`)
	go func() { done <- LabelSites(t.Context(), s) }() // index -T
	waiting(2)
	if err := hold.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.rows(`SELECT 1 FROM subsetdocs WHERE site_id = 6 AND block = -1`)); n != 1 {
		t.Errorf("the new site has %d rows in the subset", n)
	}
}
