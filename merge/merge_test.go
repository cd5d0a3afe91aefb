package merge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/report"
	"github.com/pgseek/pgseek/store/storetest"
)

// put writes a journal row without a schedule and returns its seq.
func (w *world) put(u int32, packed []byte) int64 {
	return w.rows(`INSERT INTO journal (run_id, url_id, site_id, status, words) VALUES (1, $1, $2, 200, $3) RETURNING seq`,
		u, siteOf(u), packed)[0][0].(int64)
}

// Journal words that are truncated, altered or of another version stop the merge with an error that names the
// row. Earlier batches are kept, nothing of the damaged batch is (F11, P15).
func TestDamagedJournalIsNamedAndNotMerged(t *testing.T) {
	w := newWorld(t, storetest.New(t), 1, 3)
	good := posting.AppendWords(nil, []posting.Word{{Text: "cat", Positions: []uint16{1, 7}}, {Text: "cats", Positions: []uint16{16386}}})
	w.put(w.urls[0], good)
	seq := w.put(w.urls[1], good)
	w.put(w.urls[1], nil)
	s := w.store(w.dsn)
	defer s.Close()
	first := true
	try := func(what string, bad []byte) {
		t.Helper()
		w.exec(`UPDATE journal SET words = $2 WHERE seq = $1`, seq, bad)
		sum, err := Run(context.Background(), s, Options{BatchDocuments: 1})
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), fmt.Sprintf("seq %d", seq)) ||
			!strings.Contains(err.Error(), fmt.Sprintf("url %d", w.urls[1])) || !strings.Contains(err.Error(), "offset ") {
			t.Fatalf("%s: %v", what, err)
		}
		if first && sum.Documents != 1 {
			t.Errorf("%s: the batch before it: %+v", what, sum)
		}
		first = false
		if n := w.rows(`SELECT (SELECT count(*) FROM docwords), (SELECT count(*) FROM journal), (SELECT max(urlcount) FROM wordurl)`); gocmp.Diff([][]any{{int64(1), int64(2), int32(1)}}, n) != "" {
			t.Fatalf("%s: documents, journal rows, urlcount %v", what, n)
		}
	}
	for n := range len(good) {
		try(fmt.Sprintf("cut to %d bytes", n), good[:n])
	}
	for i := range good {
		bad := append([]byte{}, good...)
		bad[i] ^= 0x40
		try(fmt.Sprintf("byte %d altered", i), bad)
	}
	w.exec(`UPDATE journal SET words = $2 WHERE seq = $1`, seq, good)
	if sum, err := Run(context.Background(), s, Options{}); err != nil || sum.Documents != 1 {
		t.Errorf("repaired: %+v, %v", sum, err)
	}
}

// Rows that contradict each other stop the merge as well (F11).
func TestContradictingRowsAreNamed(t *testing.T) {
	packed := posting.AppendWords(nil, []posting.Word{{Text: "cat", Positions: []uint16{1}}})
	for _, c := range []struct {
		name  string
		spoil string
		want  string
	}{
		{"unknown URL", `DELETE FROM urlword WHERE url_id = 1`, "no url 1"},
		{"URL of another site", `UPDATE urlword SET site_id = 4 WHERE url_id = 1`, "no url 1"},
		{"docwords cut", `UPDATE docwords SET words = '\x0101'`, "docwords of url 1"},
		{"docwords of a word that is not there", `DELETE FROM wordurl`, "no word"},
		{"postings cut", `UPDATE wordurl SET urls = substr(urls, 1, 14)`, "wordurl.urls of word"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, storetest.New(t), 1, 1)
			s := w.store(w.dsn)
			defer s.Close()
			w.put(1, packed)
			if _, err := Run(context.Background(), s, Options{}); err != nil {
				t.Fatal(err)
			}
			w.exec(c.spoil)
			w.put(1, posting.AppendWords(nil, []posting.Word{{Text: "cat", Positions: []uint16{2}}}))
			before := w.fingerprint()
			if _, err := Run(context.Background(), s, Options{}); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want one that says %q", err, c.want)
			}
			if d := gocmp.Diff(before, w.fingerprint()); d != "" {
				t.Error(d)
			}
		})
	}
}

// When every document is removed, the words keep their rows and nothing else remains.
func TestWordsStayWhenAllDocumentsGo(t *testing.T) {
	for _, lim := range []limits{tight, standard} {
		w := newWorld(t, storetest.New(t), 3, 40)
		for range 3 {
			for range 60 {
				w.act()
			}
			w.acknowledge(true)
			w.merge(Options{limits: &lim})
		}
		words := w.rows(`SELECT count(*) FROM wordurl`)[0][0]
		for _, u := range w.urls {
			w.seq = w.rows(`SELECT nextval('journal_seq')`)[0][0].(int64)
			w.mark(u, 0)
			w.exec(fmt.Sprintf(`DELETE FROM urlwords%02d WHERE url_id = $1`, u%16), u)
			delete(w.links, u)
		}
		w.merge(Options{limits: &lim, BatchDocuments: 17})
		w.check(lim)
		got := w.rows(`SELECT (SELECT count(*) FROM wordurl WHERE urls = '' AND urlcount = 0 AND totalcount = 0),
			(SELECT count(*) FROM wordfile), (SELECT count(*) FROM docwords), (SELECT count(*) FROM citation)`)
		if d := gocmp.Diff([][]any{{words, int64(0), int64(0), int64(0)}}, got); d != "" {
			t.Error(d)
		}
	}
}

// A word of many documents fills several rows, each of at most 256 KiB, and is one word for word_postings;
// after 30 rounds of change it still has few rows.
func TestLargeWordsStandInBoundedRows(t *testing.T) {
	const documents, positions, rounds = 1500, 150, 32
	w := newWorld(t, storetest.New(t), 1, documents)
	page := func(shift int) []byte {
		word := posting.Word{Text: "everywhere"}
		for k := range positions {
			word.Positions = append(word.Positions, uint16(7*k+shift))
		}
		return posting.AppendWords(nil, []posting.Word{word})
	}
	for _, u := range w.urls {
		w.put(u, page(0))
	}
	s := w.store(w.dsn)
	defer s.Close()
	merge := func() {
		t.Helper()
		if _, err := Run(context.Background(), s, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	merge()
	for round := range rounds {
		got := w.rows(`SELECT count(*) FILTER (WHERE level = 2), count(*) FILTER (WHERE level < 2), max(octet_length(urls)),
			(SELECT urlcount FROM wordurl), (SELECT totalcount FROM wordurl) FROM wordfile`)[0]
		base, above, largest := got[0].(int64), got[1].(int64), got[2].(int32)
		if base != 2 || above > mostRuns-1 || largest > posting.MaxRow || got[3] != int32(documents) || got[4] != int32(documents*positions) {
			t.Fatalf("round %d: %v rows of the base, %v above, the largest of %v bytes, counts %v", round, base, above, largest, got[3:])
		}
		for k := range 12 {
			w.put(w.urls[(round*31+k*97)%documents], page(1+round))
		}
		merge()
	}
	got := w.rows(`SELECT count(*), sum(cnt), count(DISTINCT url_id), bool_and(positions[2] - positions[1] = 7) FROM word_postings('everywhere')`)
	if fmt.Sprint(got[0][0], got[0][2], got[0][3]) != fmt.Sprint(documents, documents, true) {
		t.Errorf("word_postings: %v", got[0])
	}
	found := 0
	dump, ok, err := report.New(s.DB).DumpWord(context.Background(), "everywhere", func(r report.DumpRow) error {
		found++
		if r.Table != report.InWordfile || len(r.Postings) == 0 || r.Bytes > posting.MaxRow {
			t.Errorf("dumped %s, %d bytes", r.Table, r.Bytes)
		}
		return nil
	})
	if err != nil || !ok || found < 2 || dump.URLCount != documents {
		t.Errorf("dump: %+v, %v, %d rows, %v", dump, ok, found, err)
	}
	if _, ok, err := report.New(s.DB).DumpWord(context.Background(), "nowhere", nil); ok || err != nil {
		t.Errorf("dump of an unknown word: %v, %v", ok, err)
	}
}

// Real-time postings are removed when their version is merged; newer ones remain.
func TestMergedDocumentsLeaveTheRealtimeIndex(t *testing.T) {
	w := newWorld(t, storetest.New(t), 1, 3)
	a, b, c := w.urls[0], w.urls[1], w.urls[2]
	page := posting.AppendWords(nil, []posting.Word{{Text: "cat", Positions: []uint16{1}}, {Text: "dog", Positions: []uint16{2}}})
	entry := func(urls ...int32) []byte {
		var list []posting.Entry
		for _, u := range urls {
			list = append(list, posting.Entry{Site: siteOf(u), URL: u, Positions: []uint16{1}})
		}
		return posting.AppendBlob(nil, list)
	}
	for _, u := range []int32{a, b} {
		seq := w.put(u, page)
		if u == b {
			seq += 100 // its version in the real-time index is newer than this one
		}
		w.exec(`INSERT INTO rt_urls VALUES ($1, $2, $3)`, u, seq, docWords(map[int32][]int32{a: {1001, 1002}, b: {1001}}[u]))
	}
	w.exec(`INSERT INTO rt_urls VALUES ($1, 1, $2)`, c, docWords([]int32{1001, 1003})) // not in this merge
	w.exec(`INSERT INTO wordurl (word, word_id) VALUES ('cat', 1001), ('dog', 1002), ('eel', 1003)`)
	w.exec(`INSERT INTO wordurl1 VALUES ('cat', 1001, $1, 3, 3), ('dog', 1002, $2, 1, 1), ('eel', 1003, $3, 1, 1)`,
		entry(a, c, b), entry(a), entry(c))
	w.merge(Options{})
	got := w.rows(`SELECT word, urls, urlcount, totalcount FROM wordurl1 ORDER BY word`)
	want := [][]any{{"cat", entry(c, b), int32(2), int32(2)}, {"eel", entry(c), int32(1), int32(1)}}
	if siteOf(c) > siteOf(b) {
		want[0][1] = entry(b, c)
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := gocmp.Diff([][]any{{b}, {c}}, w.rows(`SELECT url_id FROM rt_urls ORDER BY url_id`)); d != "" {
		t.Error(d)
	}
	if n := w.rows(`SELECT count(*) FROM wordurl WHERE word IN ('cat', 'dog') AND urlcount = 2`)[0][0]; n != int64(2) {
		t.Errorf("%d words have two documents in the index", n)
	}
}

// docWords packs words that occur once in a document.
func docWords(ids []int32) []byte {
	var list []posting.DocWord
	for _, id := range ids {
		list = append(list, posting.DocWord{ID: id, Count: 1})
	}
	return posting.AppendDocWords(nil, list)
}

// Documents of open schedules are not merged, nor are those of later schedules.
func TestMergeStopsBeforeTheLowestOpenSchedule(t *testing.T) {
	w := newWorld(t, storetest.New(t), 1, 4)
	for k, u := range w.urls {
		w.schedule++
		w.exec(`INSERT INTO schedule (seq, run_id, fetcher, deadline, site_ids, url_ids, status)
			VALUES ($1, 1, 'test', now() + interval '1 hour', '{}', '{}', $2)`, w.schedule, map[bool]string{true: "s", false: "a"}[k == 2])
		w.open[w.schedule] = k == 2
		if k != 2 {
			delete(w.open, w.schedule)
		}
		w.seq++
		w.version(u, w.schedule, w.randomWords())
	}
	if sum := w.merge(Options{}); sum.Rows != 2 || sum.Waiting != 2 {
		t.Errorf("%+v", sum)
	}
	w.check(standard)
	w.acknowledge(true)
	if sum := w.merge(Options{}); sum.Rows != 2 || sum.Waiting != 0 {
		t.Errorf("%+v", sum)
	}
	w.check(standard)
}

// The ids of a batch's new words are drawn before it begins: words that index -T has inserted since then have
// higher ids, and a row.
func TestKnownWordsMayHaveHigherIDs(t *testing.T) {
	w := newWorld(t, storetest.New(t), 1, 3)
	w.exec(`INSERT INTO wordurl (word, word_id) VALUES ('known', 100000), ('wellknown', 100001)`)
	for _, u := range w.urls {
		var list []posting.Word
		for k, text := range []string{"fresh", "known", "new", "wellknown"} {
			list = append(list, posting.Word{Text: text, Positions: []uint16{uint16(k)}})
		}
		w.put(u, posting.AppendWords(nil, list))
	}
	s := w.store(w.dsn)
	defer s.Close()
	if _, err := Run(t.Context(), s, Options{}); err != nil {
		t.Fatal(err)
	}
	got := w.rows(`SELECT word, urlcount, word_id >= 100000 FROM wordurl ORDER BY word`)
	want := [][]any{{"fresh", int32(3), false}, {"known", int32(3), true}, {"new", int32(3), false}, {"wellknown", int32(3), true}}
	if d := gocmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A batch merges segments of similar size, and rewrites bases within its budget, which follows the size of
// the batch: the greatest gain first. A small batch does not pay for the large ones before it.
func TestCompactionKeepsWithinItsBudget(t *testing.T) {
	type plan struct {
		take  int
		level int16
	}
	// word has segments of level 0 and 1, newest first, and a base.
	word := func(base int64, level0, level1 []int64) (runs []index.SegmentStat) {
		for level, sizes := range [][]int64{level0, level1, {base}} {
			for k, bytes := range sizes {
				runs = append(runs, index.SegmentStat{Segment: index.Segment{Level: int16(level), Seq: int64(100 - k)}, Bytes: bytes})
			}
		}
		return runs
	}
	const kb = 1000
	for _, c := range []struct {
		name   string
		budget int64
		words  [][]index.SegmentStat
		want   []plan
	}{
		{"not looked at", 1 << 20, [][]index.SegmentStat{nil}, []plan{{}}},
		{"little above the base", 1 << 20, [][]index.SegmentStat{word(10*kb, []int64{100}, nil)}, []plan{{}}},
		{"a fifth above the base", 1 << 20, [][]index.SegmentStat{word(10*kb, []int64{3 * kb}, nil)}, []plan{{2, 2}}},
		{"three batches before", 1 << 20, [][]index.SegmentStat{word(100*kb, []int64{30, 40, 30}, nil)}, []plan{{3, 1}}},
		{"two batches before", 1 << 20, [][]index.SegmentStat{word(100*kb, []int64{30, 40}, nil)}, []plan{{}}},
		{"unions before that are alike", 1, [][]index.SegmentStat{word(900*kb, []int64{30, 40}, []int64{5 * kb / 2, 4 * kb, 12 * kb})}, []plan{{5, 1}}},
		{"a union before that is large", 1, [][]index.SegmentStat{word(900*kb, []int64{30, 40, 60}, []int64{50 * kb})}, []plan{{3, 1}}},
		{"small batches after a large one", 1, [][]index.SegmentStat{word(900*kb, []int64{30, 40, 60, 99 * kb, 99 * kb}, nil)}, []plan{{3, 0}}},
		{"large batches alone", 1, [][]index.SegmentStat{word(900*kb, []int64{99 * kb, 99 * kb, 99 * kb, 99 * kb}, nil)}, []plan{{}}},
		{"budget for one", 15000, [][]index.SegmentStat{word(10*kb, []int64{3 * kb}, nil), word(10*kb, []int64{4 * kb}, nil)}, []plan{{}, {2, 2}}},
		{"no budget, but runs to unite", 1, [][]index.SegmentStat{word(10*kb, []int64{1 * kb, 1 * kb, 1 * kb}, nil)}, []plan{{3, 1}}},
		{"a small base after large batches", 1, [][]index.SegmentStat{word(1000*kb, []int64{300 * kb}, nil), word(5, []int64{30}, nil)}, []plan{{}, {2, 2}}},
	} {
		var words []bigWord
		for _, runs := range c.words {
			words = append(words, bigWord{segments: runs})
		}
		planCompaction(words, c.budget, func(*bigWord) int64 { return 10 }, func(*bigWord) bool { return false })
		var got []plan
		for _, w := range words {
			got = append(got, plan{w.take, w.level})
		}
		if d := gocmp.Diff(c.want, got, gocmp.AllowUnexported(plan{})); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
