package merge

import (
	"context"
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/storetest"
)

// relinkAll runs Relink.
func (w *world) relinkAll(memory int64) Relinked {
	w.Helper()
	s := w.store(w.dsn)
	defer s.Close()
	done, err := Relink(context.Background(), s, Options{Memory: memory})
	if err != nil {
		w.Fatal(err)
	}
	return done
}

// citations returns the table with the physical places of its rows.
func (w *world) citations() [][]any {
	return w.rows(`SELECT url_id, referrers, ctid::text, xmin::text FROM citation ORDER BY url_id`)
}

// Whatever has happened, also while changes are unmerged, -H finds no difference and writes nothing, and the
// merge after it ends in the same state as without it (P3).
func TestRelinkFindsNothingInASoundIndex(t *testing.T) {
	for seed := range uint64(histories(3)) {
		w := newWorld(t, storetest.New(t), 40+seed, 30)
		memory := []int64{0, 32 * 50, 32}[seed%3]
		for round := range 10 {
			for range 5 + w.r.IntN(30) {
				w.act()
			}
			w.acknowledge(round == 9)
			for range 2 { // with facts that wait, and after the merge
				before := w.citations()
				if done := w.relinkAll(memory); done.Rows != 0 || done.Links != 0 {
					t.Fatalf("seed %d, round %d: %+v", seed, round, done)
				}
				if d := gocmp.Diff(before, w.citations()); d != "" {
					t.Fatalf("seed %d, round %d: written although nothing differs:\n%s", seed, round, d)
				}
				w.merge(Options{})
			}
			if w.check(standard); t.Failed() {
				t.Fatalf("seed %d, round %d", seed, round)
			}
		}
	}
}

// Damage of every kind is found, counted and mended, with little memory as with much. Unmerged changes are
// left to the merge: -H in between does not change the result.
func TestRelinkMendsCitation(t *testing.T) {
	for seed, memory := range []int64{0, 32 * 20, 32} {
		w := newWorld(t, storetest.New(t), uint64(seed), 80)
		for range 150 {
			w.act()
		}
		w.acknowledge(true)
		w.merge(Options{})
		sound := w.rows(`SELECT url_id, referrers FROM citation ORDER BY url_id`)
		for _, harm := range []struct {
			name   string
			sql    string
			rows   int64
			broken bool
		}{
			{"all rows gone", `DELETE FROM citation`, int64(len(sound)), false},
			{"rows gone", `DELETE FROM citation WHERE url_id IN (SELECT url_id FROM citation ORDER BY url_id LIMIT 7)`, 7, false},
			{"a row too many", `INSERT INTO citation VALUES (99999, '{1,4}')`, 1, false},
			{"a row of no URL", `INSERT INTO citation VALUES (-3, '{1,4}')`, 1, true},
			{"a referrer too many", `UPDATE citation SET referrers = referrers || 99999`, int64(len(sound)), false},
			{"a referrer lost", `UPDATE citation SET referrers = referrers[2:] WHERE cardinality(referrers) > 1 AND url_id = (SELECT min(url_id) FROM citation WHERE cardinality(referrers) > 1)`, 1, false},
			{"an empty row", `UPDATE citation SET referrers = '{}' WHERE url_id = (SELECT max(url_id) FROM citation)`, 1, true},
			{"descending", `UPDATE citation SET referrers = ARRAY(SELECT r FROM unnest(referrers) r ORDER BY r DESC) WHERE url_id = (SELECT min(url_id) FROM citation WHERE cardinality(referrers) > 1)`, 1, true},
			{"doubles, itself and what is no id", `UPDATE citation SET referrers = url_id || referrers || referrers || ARRAY[0, -5] WHERE url_id = (SELECT min(url_id) FROM citation)`, 1, true},
		} {
			w.exec(harm.sql)
			done := w.relinkAll(memory)
			if done.Rows != harm.rows || len(done.First) != int(min(harm.rows, shownDifferences)) || done.First[0].Broken != harm.broken || done.Waiting != 0 {
				t.Errorf("%s, memory %d: %+v", harm.name, memory, done)
			}
			if d := gocmp.Diff(sound, w.rows(`SELECT url_id, referrers FROM citation ORDER BY url_id`)); d != "" {
				t.Errorf("%s, memory %d:\n%s", harm.name, memory, d)
			}
			if done := w.relinkAll(memory); done.Rows != 0 {
				t.Errorf("%s, memory %d: again %+v", harm.name, memory, done)
			}
		}
		// The same with unmerged changes: links of pages without them are mended at once, all others after
		// the merge.
		for range 30 {
			w.act()
		}
		w.exec(`DELETE FROM citation WHERE url_id % 3 = 0`)
		if done := w.relinkAll(memory); done.Waiting == 0 {
			t.Errorf("nothing waits: %+v", done)
		}
		w.acknowledge(true)
		w.merge(Options{})
		w.relinkAll(memory)
		w.check(standard)
	}
}

// A link that changes while -H runs, or before, and is in the journal is correct after the merge, whatever -H
// found.
func TestRelinkLeavesWaitingLinksToTheMerge(t *testing.T) {
	w := newWorld(t, storetest.New(t), 9, 3)
	a, b, c := w.urls[0], w.urls[1], w.urls[2]
	table := fmt.Sprintf("urlwords%02d", a%16)
	w.exec(`INSERT INTO `+table+` (url_id, hrefs) VALUES ($1, $2)`, a, []int32{b})
	w.exec(`INSERT INTO citation VALUES ($1, $2)`, b, []int32{a})
	change := func(links, added, removed []int32) {
		w.exec(`UPDATE `+table+` SET hrefs = $2 WHERE url_id = $1`, a, links)
		w.exec(`INSERT INTO journal (run_id, url_id, site_id, status, links_added, links_removed) VALUES (1, $1, $2, 301, $3, $4)`, a, siteOf(a), added, removed)
	}
	change([]int32{c}, []int32{c}, []int32{b})
	if done := w.relinkAll(0); done.Rows != 0 || done.Waiting != 2 {
		t.Errorf("%+v, want two links that wait", done)
	}
	if d := gocmp.Diff([][]any{{b, []any{a}}}, w.rows(`SELECT url_id, referrers FROM citation`)); d != "" {
		t.Errorf("before the merge: %s", d)
	}
	change([]int32{}, []int32{}, []int32{c})
	w.merge(Options{})
	if got := w.rows(`SELECT url_id, referrers FROM citation`); len(got) != 0 {
		t.Errorf("after the merge: %v", got)
	}
}

// -H gives dates to live documents that have none: the time of the last answer, and the Last-Modified header
// where it can be believed. It skips those that a merge will date.
func TestRelinkAddsMissingDates(t *testing.T) {
	w := newWorld(t, storetest.New(t), 9, 7)
	for i, header := range []string{
		"Wed, 01 Jan 2025 10:00:00 GMT", // believable
		"Wed, 01 Jan 2031 10:00:00 GMT", // later than the answer
		"yesterday",
		"",
	} {
		w.exec(`UPDATE urlword SET last_index_time = 1750000000, last_modified = $2 WHERE url_id = $1`, w.urls[i], header)
	}
	w.exec(`UPDATE urlword SET deleted = 1 WHERE url_id = $1`, w.urls[4])
	w.exec(`UPDATE urlword SET status = 404 WHERE url_id = $1`, w.urls[5])
	w.exec(`INSERT INTO journal (run_id, url_id, site_id, status) VALUES (1, $1, $2, 200)`, w.urls[6], siteOf(w.urls[6]))
	w.exec(`INSERT INTO docdates (url_id, created, modified, modified_from) VALUES ($1, to_timestamp(5), to_timestamp(6), 'fetch')`, w.urls[3])
	if done := w.relinkAll(0); done.Dates != 3 {
		t.Errorf("%+v, want dates of 3", done)
	}
	got := w.rows(`SELECT url_id, extract(epoch FROM created)::bigint, extract(epoch FROM modified)::bigint, modified_from FROM docdates ORDER BY url_id`)
	at := int64(1750000000)
	want := [][]any{
		{w.urls[0], at, int64(1735725600), index.FromLastModified},
		{w.urls[1], at, at, index.FromFetch},
		{w.urls[2], at, at, index.FromFetch},
		{w.urls[3], int64(5), int64(6), index.FromFetch},
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if done := w.relinkAll(0); done.Dates != 0 {
		t.Errorf("again %+v", done)
	}
}
