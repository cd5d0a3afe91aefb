package merge

import (
	"testing"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// A word with 2^31 positions or more has the highest totalcount; it never wraps. It remains when positions
// are removed, until the base is rewritten; the totals are the sum of the rows.
func TestTotalcountEndsAtTheHighestInteger(t *testing.T) {
	w := newWorld(t, storetest.New(t), 1, 10)
	s := w.store(w.dsn)
	defer s.Close()
	// A base of a thousand documents that no batch here reads.
	w.exec(`INSERT INTO wordurl (word_id, word, urls, urlcount, totalcount) VALUES (1, 'zebra', '', 1000, 2147483600)`)
	w.exec(`INSERT INTO wordfile (word_id, level, first_site, first_url, seq, urlcount, totalcount, urls)
		VALUES (1, 2, 1, 1, 1, 1000, 2147483600, decode(repeat('00', 40000), 'hex'))`)
	w.exec(`UPDATE totals SET words = 1, postings = 1000, positions = 2147483600`)
	w.exec(`SELECT setval('wordurl_word_id_seq', 1)`)
	w.exec(`SELECT setval('wordfile_seq', 5)`)
	var positions []uint16
	for i := range 100 {
		positions = append(positions, uint16(i+1))
	}
	for _, c := range []struct {
		name, sql string
		args      []any
		urls      int32
		total     int32
	}{
		{
			"a hundred more", `INSERT INTO journal (run_id, url_id, site_id, status, words) VALUES (1, 4, $1, 200, $2)`,
			[]any{siteOf(4), store.PackWords([]store.Word{{Text: "zebra", Positions: positions}})},
			1001, posting.MostTotal,
		},
		{
			"they leave", `INSERT INTO markdel (url_id, site_id, run_id, reason) VALUES (4, $1, 1, 'T-18')`, []any{siteOf(4)}, 1000, posting.MostTotal,
		},
	} {
		w.exec(c.sql, c.args...)
		if _, err := Run(t.Context(), s, Options{}); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := w.rows(`SELECT w.urlcount, w.totalcount, t.positions FROM wordurl w, totals t`)[0]
		if got[0] != c.urls || got[1] != c.total || got[2] != int64(c.total) {
			t.Errorf("%s: urlcount, totalcount, totals.positions are %v, want %d, %d and the same", c.name, got, c.urls, c.total)
		}
	}
}

// -X1 accepts the highest totalcount for as many positions or more, and for a word in wordfile for any
// number.
func TestCheckKnowsTheEndOfTotalcount(t *testing.T) {
	for _, c := range []struct {
		name      string
		says      int32
		positions int
		files     int64
		want      bool
	}{
		{"the number", 77, 77, 0, true},
		{"another", 77, 78, 0, false},
		{"the highest", posting.MostTotal, posting.MostTotal, 1, true},
		{"more than a column holds", posting.MostTotal, 1 << 40, 1, true},
		{"more, and not the highest", -1 << 31, 1 << 31, 1, false},
		{"more left than stayed", posting.MostTotal, 1 << 30, 1, true},
		{"the highest, in wordurl", posting.MostTotal, 100, 0, false},
	} {
		w := &storedWord{NamedRow: index.NamedRow{WordRow: index.WordRow{TotalCount: c.says}}, size: c.files}
		if got := w.counts(c.positions); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
