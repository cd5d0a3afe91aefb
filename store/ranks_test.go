package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/store"
)

// TestLinkRankOrdersTheFrontier: a URL's rank counts where there is one, else the number of pages that link to it; a new
// URL has its referrer's (rules.md 3.6). What stands in urlrank stops no lease.
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
	f.begin(store.CrawlStart{})
	got, _ := f.all(nil)
	if d := cmp.Diff([]string{"child cited orphan", "ranked many zero"}, got); d != "" {
		t.Errorf("batches (-want +got):\n%s", d)
	}
}
