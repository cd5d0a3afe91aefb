package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/index"
)

// TestLinkRankOrdersTheFrontier: a URL's rank counts if it has one, else the number of pages that link to it;
// a new URL has the importance of its referrer. No value in urlrank blocks a lease.
func TestLinkRankOrdersTheFrontier(t *testing.T) {
	f := newFrontier(t,
		"a many status=200 last_index_time=900", "a ranked status=200 last_index_time=900", "a zero status=200 last_index_time=900",
		"b cited", "b child", "b orphan")
	ids := map[string]store.URLID{}
	for id, name := range f.names {
		ids[name] = id
	}
	f.exec(`INSERT INTO citation VALUES ($1, '{7,8,9,10,11}'), ($2, '{7,8,9}'), ($3, '{7,8}')`, ids["many"], ids["ranked"], ids["cited"])
	f.exec(`INSERT INTO urlrank VALUES ($1, 0.2), ($2, 2), ($3, 0)`, ids["many"], ids["ranked"], ids["zero"])
	f.exec(`UPDATE urlword SET referrer = $2 WHERE url_id = $1`, ids["child"], ids["ranked"])
	f.begin(crawl.CrawlStart{})
	got, _ := f.all(nil)
	if d := cmp.Diff([]string{"child cited orphan", "ranked many zero"}, got); d != "" {
		t.Errorf("batches (-want +got):\n%s", d)
	}
}

// TestRanksPutTwiceCountOnce: a program that puts ranks again, because the answer to the commit or the lock
// was lost, subtracts the links that had changed before from rankstate only once, and does not replace newer
// ranks by older ones (P6).
func TestRanksPutTwiceCountOnce(t *testing.T) {
	f := newFrontier(t, "a page")
	f.exec(`UPDATE rankstate SET changed = 1000`)
	st, err := index.New(f.s.DB).RankState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put := func(rank float32) {
		t.Helper()
		given := false
		_, err := index.New(f.s.DB).PutRanks(t.Context(), st, 10, func() error { given = false; return nil }, func() (r index.Rank, ok bool, err error) {
			r, ok, given = index.Rank{URL: f.id("page"), Rank: rank}, !given, true
			return r, ok, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put(2)
	f.exec(`UPDATE rankstate SET changed = changed + 500`) // a merge
	put(3)
	if got := f.one(`SELECT changed, links, documents, rank FROM rankstate, urlrank`); got != "500 10 1 2" {
		t.Errorf("changed, links, documents, rank are %s, want 500 10 1 2", got)
	}
}

// TestRanksWhoseCommitWasUnknown: the server commits, and the connection breaks before the answer. The ranks
// are put once.
func TestRanksWhoseCommitWasUnknown(t *testing.T) {
	f := newFrontier(t, "a page")
	f.exec(`UPDATE rankstate SET changed = 1000`)
	s, cut := cutAfterCommit(t, f.dsn)
	st, err := index.New(s).RankState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begun := 0
	cut.Store(true)
	_, err = index.New(s).PutRanks(t.Context(), st, 10, func() error {
		begun++
		return nil
	}, func() (index.Rank, bool, error) { return index.Rank{}, false, nil })
	if err != nil || cut.Load() {
		t.Fatalf("%v; the connection was cut: %v", err, !cut.Load())
	}
	if got := f.one(`SELECT changed, links FROM rankstate`); got != "0 10" || begun != 1 {
		t.Errorf("changed, links are %s, put %d times; want 0 10, once", got, begun)
	}
}
