package merge

import (
	"testing"

	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// A word on 100,000 pages of two sites, one of them with the highest site_id, and with the highest url_id:
// its postings are in rows of at most 256 KiB, a change of ten pages adds one row, and the removal of all
// leaves a word without postings.
func TestAWordOn100000Pages(t *testing.T) {
	const pages, top = 100_000, 1<<31 - 1
	w := newWorld(t, storetest.New(t), 1, 1)
	everywhere := posting.AppendWords(nil, []posting.Word{{Text: "everywhere", Positions: []uint16{1, 2, 49152}}})
	changed := posting.AppendWords(nil, []posting.Word{{Text: "everywhere", Positions: []uint16{7}}})
	w.exec(`INSERT INTO sites (site_id, site) VALUES (16777215, 'http://last.example.org/')`)
	w.exec(`INSERT INTO sitestate (site_id, host, labelled) VALUES (16777215, 'last.example.org', true)`)
	w.exec(`INSERT INTO urlword (url_id, site_id, url, status)
		SELECT $2 - n, CASE WHEN n % 2 = 0 THEN 16777215 ELSE 2 END, 'http://x.example.org/' || n, 200 FROM generate_series(0, $1 - 1) n`, pages, top)
	w.exec(`INSERT INTO journal (schedule_seq, run_id, url_id, site_id, status, words)
		SELECT 1, 1, url_id, site_id, 200, $1 FROM urlword WHERE url_id > $2`, everywhere, top-pages)
	o := Options{Memory: 64 << 20}
	merge := func() Summary {
		t.Helper()
		s := w.store(w.dsn)
		defer s.Close()
		sum, err := Run(t.Context(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	if sum := merge(); sum.Documents != pages {
		t.Fatalf("%d documents merged", sum.Documents)
	}
	check := func(urls, total int32, what string) {
		t.Helper()
		row := w.rows(`SELECT urlcount, totalcount, (SELECT sum(urlcount)::integer FROM wordfile f WHERE f.word_id = w.word_id),
			(SELECT count(*)::integer FROM wordfile f WHERE f.word_id = w.word_id AND octet_length(urls) > 262144) FROM wordurl w WHERE word = 'everywhere'`)[0]
		if row[0].(int32) != urls || row[1].(int32) != total || row[3].(int32) != 0 {
			t.Errorf("%s: urlcount, totalcount, in rows, rows too long: %v; want %d, %d", what, row, urls, total)
		}
		found := map[place]int{}
		for _, r := range w.rows(`SELECT urls FROM wordfile ORDER BY level DESC, seq`) {
			for p, positions := range decodeBlob(r[0].([]byte)) {
				found[p] = len(positions)
			}
		}
		var sum int
		for p, n := range found {
			sum += n
			if n == 0 {
				delete(found, p)
			}
		}
		if len(found) != int(urls) || sum != int(total) {
			t.Errorf("%s: %d postings and %d positions decoded, want %d and %d", what, len(found), sum, urls, total)
		}
		if found[place{16777215, top}] == 0 && urls > 0 {
			t.Errorf("%s: the last document of the last site is not there", what)
		}
	}
	check(pages, 3*pages, "built")
	rows := w.rows(`SELECT count(*) FROM wordfile`)[0][0].(int64)
	if rows < 5 {
		t.Errorf("%d rows for 1.2 MB", rows)
	}

	w.exec(`INSERT INTO journal (schedule_seq, run_id, url_id, site_id, status, words)
		SELECT 2, 1, url_id, site_id, 200, $1 FROM urlword WHERE url_id > $2`, changed, top-10)
	merge()
	check(pages, 3*pages-20, "ten pages changed")
	if n := w.rows(`SELECT count(*) FROM wordfile`)[0][0].(int64); n != rows+1 {
		t.Errorf("%d rows after a change of ten pages, want %d", n, rows+1)
	}

	w.exec(`INSERT INTO markdel (url_id, site_id, run_id, reason) SELECT url_id, site_id, 1, 'T-12' FROM urlword WHERE url_id > $1`, top-pages)
	merge()
	check(0, 0, "all removed")
}
