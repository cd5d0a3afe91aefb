package store_test

import (
	"errors"
	"testing"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// TestRecordDocuments: what concerns one document of a transaction leaves the others recorded: a lost schedule, a URL that does not
// exist, a decision that ends in an error, and a digest that another document of the transaction has now.
func TestRecordDocuments(t *testing.T) {
	f := newFrontier(t, "a good status=200", "a fails status=200", "b lost status=200", "c equal status=200")
	f.begin(crawl.CrawlStart{})
	held := make(map[store.SiteID]crawl.Token)
	f.live(f.process, 3)
	leases, _ := f.askFor(3, nil)
	if len(leases) != 3 {
		t.Fatalf("%d leases", len(leases))
	}
	for _, l := range leases {
		held[l.Sites[0]] = crawl.Token{Seq: l.Seq, Attempt: l.Attempt, Run: l.Run}
	}
	f.exec(`UPDATE urlword SET crc = 'c0ffee' WHERE url_id = $1`, f.id("equal"))
	f.exec(`UPDATE schedule SET attempt = attempt + 1 WHERE $1 = ANY(url_ids)`, f.id("lost"))
	wrong := errors.New("wrong")
	one := func(name, crc string, id store.URLID, decide error) crawl.Recording {
		var site store.SiteID
		if err := f.pool.QueryRow(t.Context(), `SELECT coalesce((SELECT site_id FROM urlword WHERE url_id = $1), (SELECT min(site_id) FROM urlword))`, id).Scan(&site); err != nil {
			t.Fatal(err)
		}
		return crawl.Recording{ID: id, Held: held[site], Now: 1, Groups: crawl.Groups{New: crc}, Decide: func(d *crawl.DocumentTx) error {
			d.Postpone(4242)
			d.Attempt(crawl.Attempt{Rule: "T-10", Result: 503, NewStatus: d.Prev.Status, NextWhy: name})
			return decide
		}}
	}
	docs := []crawl.Recording{
		one("good", "c0ffee", f.id("good"), nil), one("fails", "", f.id("fails"), wrong), one("lost", "", f.id("lost"), nil),
		one("equal", "", f.id("equal"), nil), one("missing", "", 9_999_999, nil),
	}
	if err := f.s.RecordDocuments(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	for i, want := range []error{nil, wrong, store.ErrScheduleLost, crawl.ErrDependent} {
		if !errors.Is(docs[i].Err, want) {
			t.Errorf("document %d: %v, want %v", i, docs[i].Err, want)
		}
	}
	if docs[4].Err == nil {
		t.Error("a URL that is not registered was recorded")
	}
	if got := f.one(`SELECT string_agg(s.next_why || ' ' || w.next_index_time, ', ') FROM urlstate s JOIN urlword w USING (url_id) WHERE s.attempts > 0 AND s.next_why <> ''`); got != "good 4242" {
		t.Errorf("recorded: %s; want good 4242", got)
	}
	if got := f.one(`SELECT count(*) FROM urlword WHERE next_index_time = 4242`); got != "1" {
		t.Errorf("%s URLs were changed, want 1", got)
	}
}
