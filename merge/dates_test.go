package merge

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// day is a day of the history of a document.
func day(n int) time.Time { return time.Date(2025, 1, n, 0, 0, 0, 0, time.UTC) }

// The dates of creation and modification of a document, version by version.
func TestDatesOfADocument(t *testing.T) {
	at := func(created, modified time.Time, from string) index.Dates {
		return index.Dates{URL: 5, Created: created, CreatedFrom: index.FromFetch, Modified: modified, From: from}
	}
	known := at(day(10), day(8), index.FromLastModified)
	fetched := func(f dateSource) dateSource {
		f.url, f.seq = 5, 9
		if f.fetched.IsZero() {
			f.fetched = day(12)
		}
		return f
	}
	for _, c := range []struct {
		name   string
		was    index.Dates
		f      dateSource
		merged int64
		want   index.Dates
	}{
		{"first version", index.Dates{}, dateSource{modified: day(3)}, 0, at(day(12), day(3), index.FromLastModified)},
		{"first version without a date", index.Dates{}, dateSource{}, 0, at(day(12), day(12), index.FromFetch)},
		{"date in the future", index.Dates{}, dateSource{modified: day(13)}, 0, at(day(12), day(12), index.FromFetch)},
		{"first version of content that was known: a clone that became the original", index.Dates{}, dateSource{same: true}, 0, at(day(12), day(12), index.FromFetch)},
		{"the same, with a date", index.Dates{}, dateSource{same: true, modified: day(3)}, 0, at(day(12), day(12), index.FromFetch)},
		{"changed", known, dateSource{modified: day(11)}, 1, at(day(10), day(11), index.FromLastModified)},
		{"changed, but says otherwise", known, dateSource{modified: day(8)}, 1, at(day(10), day(12), index.FromFetch)},
		{"changed, without a date", known, dateSource{}, 1, at(day(10), day(12), index.FromFetch)},
		{"not changed", known, dateSource{same: true}, 1, known},
		{"not changed, but says otherwise", known, dateSource{same: true, modified: day(11)}, 1, known},
		{"came back unchanged after a removal", known, dateSource{same: true}, 0, known},
		{"late", known, dateSource{modified: day(9), fetched: day(9)}, 9, at(day(9), day(8), index.FromLastModified)},
		{"late and not changed", known, dateSource{same: true, fetched: day(9)}, 9, at(day(9), day(8), index.FromLastModified)},
		{"late and without words, so that nothing tells", at(day(10), day(12), index.FromFetch), dateSource{fetched: day(11)}, 0, at(day(10), day(12), index.FromFetch)},
	} {
		if d := gocmp.Diff(c.want, date(c.was, c.was.From != "", fetched(c.f), c.merged)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// happened returns a version in the journal: fetched on a day, with a Last-Modified (0 = none believable);
// same as before.
type happened struct {
	fetched, modified int
	same              bool
}

// journal writes versions of a document, in their order.
func (w *world) journal(u int32, versions ...happened) {
	for _, v := range versions {
		var modified *time.Time
		if v.modified > 0 {
			d := day(v.modified)
			modified = &d
		}
		page := posting.AppendWords(nil, []posting.Word{{Text: "cat", Positions: []uint16{uint16(v.fetched)}}})
		w.exec(`INSERT INTO journal (run_id, url_id, site_id, status, words, modified, fetched_at, same_content)
			VALUES (1, $1, $2, 200, $3, $4, $5, $6)`, u, siteOf(u), page, modified, day(v.fetched), v.same)
	}
}

// The dates in the tables after merges: those of an unchanged document do not change, whatever wrote it again
// (T-16, T-17, promotion), whether its versions are merged one by one or together.
func TestDatesAfterMerges(t *testing.T) {
	const fetch, header = "fetch", "last-modified"
	for _, c := range []struct {
		name     string
		versions []happened
		want     []any // created, created_from, modified, modified_from
	}{
		{"new", []happened{{fetched: 2}}, []any{day(2), fetch, day(2), fetch}},
		{"new, with a header", []happened{{fetched: 2, modified: 1}}, []any{day(2), fetch, day(1), header}},
		{"changed", []happened{{fetched: 2}, {fetched: 9}}, []any{day(2), fetch, day(9), fetch}},
		{"changed, with a header", []happened{{fetched: 2}, {fetched: 9, modified: 7}}, []any{day(2), fetch, day(7), header}},
		{"forced, or read in another mode", []happened{{fetched: 2, modified: 1}, {fetched: 9, same: true}}, []any{day(2), fetch, day(1), header}},
		{"forced, with another header", []happened{{fetched: 2, modified: 1}, {fetched: 9, modified: 5, same: true}}, []any{day(2), fetch, day(1), header}},
		{"changed, then forced", []happened{{fetched: 2}, {fetched: 9}, {fetched: 12, same: true}}, []any{day(2), fetch, day(9), fetch}},
		{"forced, then changed", []happened{{fetched: 2}, {fetched: 9, same: true}, {fetched: 12}}, []any{day(2), fetch, day(12), fetch}},
		{"a clone that became the original", []happened{{fetched: 4, same: true}}, []any{day(4), fetch, day(4), fetch}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, storetest.New(t), 1, 2)
			together, oneByOne := w.urls[0], w.urls[1]
			for _, v := range c.versions {
				w.journal(oneByOne, v)
				w.merge(Options{})
			}
			w.journal(together, c.versions...)
			w.merge(Options{})
			for _, u := range []int32{together, oneByOne} {
				got := w.rows(`SELECT created, created_from, modified, modified_from FROM docdates WHERE url_id = $1`, u)
				if d := gocmp.Diff([][]any{c.want}, got, gocmp.Comparer(time.Time.Equal)); d != "" {
					t.Errorf("url %d: %s", u, d)
				}
			}
		})
	}
}

// A page of which only the links were read again, and which was merged while its first version waited for a
// schedule, has the dates of that version, whether or not they are in one batch.
func TestLinksMergedFirstDateNothing(t *testing.T) {
	w := newWorld(t, storetest.New(t), 1, 1)
	u := w.urls[0]
	w.exec(`INSERT INTO schedule (seq, run_id, fetcher, deadline, site_ids, url_ids) VALUES (1, 1, 'test', now() + interval '1 hour', '{}', '{}')`)
	w.journal(u, happened{fetched: 5, modified: 2})
	w.exec(`UPDATE journal SET schedule_seq = 1`)
	w.exec(`INSERT INTO journal (run_id, url_id, site_id, status, links_removed, fetched_at, same_content) VALUES (1, $1, $2, 200, '{7}', $3, true)`,
		u, siteOf(u), day(9))
	if sum := w.merge(Options{}); sum.Rows != 1 || sum.Waiting != 1 {
		t.Fatalf("%+v", sum)
	}
	w.exec(`UPDATE schedule SET status = 'a'`)
	w.merge(Options{})
	got := w.rows(`SELECT created, modified, modified_from FROM docdates`)
	if d := gocmp.Diff([][]any{{day(5), day(2), "last-modified"}}, got, gocmp.Comparer(time.Time.Equal)); d != "" {
		t.Error(d)
	}
}

// A promoted clone keeps the dates that it had as an original before; the document that left the group keeps
// its own.
func TestPromotedCloneKeepsItsDates(t *testing.T) {
	w := newWorld(t, storetest.New(t), 1, 2)
	original, clone := w.urls[0], w.urls[1]
	w.journal(clone, happened{fetched: 2, modified: 1})
	w.merge(Options{})
	w.exec(`INSERT INTO markdel (url_id, site_id, run_id, reason) VALUES ($1, $2, 1, 'T-01o')`, clone, siteOf(clone))
	w.journal(original, happened{fetched: 5})
	w.merge(Options{})
	w.exec(`INSERT INTO markdel (url_id, site_id, run_id, reason) VALUES ($1, $2, 1, 'T-04')`, original, siteOf(original))
	w.journal(original, happened{fetched: 9})
	w.journal(clone, happened{fetched: 9, same: true})
	w.merge(Options{})
	want := [][]any{{original, day(5), day(9), "fetch"}, {clone, day(2), day(1), "last-modified"}}
	got := w.rows(`SELECT url_id, created, modified, modified_from FROM docdates ORDER BY url_id`)
	if d := gocmp.Diff(want, got, gocmp.Comparer(time.Time.Equal)); d != "" {
		t.Error(d)
	}
}
