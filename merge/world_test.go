package merge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// world is a database with a crawl's random history, and a model of the expected index, in plain maps and
// without any of the merge's code.
type world struct {
	testing.TB
	dsn  string
	exec func(sql string, args ...any)
	rows func(sql string, args ...any) [][]any
	r    *rand.Rand

	urls     []int32
	links    map[int32][]int32             // what each page links to now
	last     map[int32]map[string][]uint16 // the words of each page's last version
	out      map[int32]bool                // pages with urlword.deleted = 1
	schedule int64                         // the last one
	open     map[int64]bool                // schedules that are not acknowledged
	seq      int64                         // the last fact
	waiting  []indexEvent                  // facts that no merge has taken
	known    map[int32]indexEvent          // the newest fact about words that a merge has taken
	clock    time.Time
	created  map[int32]time.Time
}

// indexEvent is a journal row with words, or a mark.
type indexEvent struct {
	url      int32
	seq      int64
	schedule int64 // 0 = none
	mark     bool
	words    map[string][]uint16
	at       time.Time
}

func siteOf(url int32) int32 { return 1 + url%5 }

// newWorld creates documents on five sites.
func newWorld(t testing.TB, dsn string, seed uint64, documents int) *world {
	t.Helper()
	pool := storetest.Connect(t, dsn)
	w := &world{
		TB: t, dsn: dsn, r: rand.New(rand.NewPCG(seed, 99)),
		links: map[int32][]int32{}, last: map[int32]map[string][]uint16{}, out: map[int32]bool{}, open: map[int64]bool{}, known: map[int32]indexEvent{},
		clock: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC), created: map[int32]time.Time{},
	}
	w.exec = func(sql string, args ...any) {
		t.Helper()
		if _, err := pool.Exec(context.Background(), sql, args...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	w.rows = func(sql string, args ...any) (all [][]any) {
		t.Helper()
		rows, err := pool.Query(context.Background(), sql, args...)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		defer rows.Close()
		for rows.Next() {
			v, err := rows.Values()
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			all = append(all, v)
		}
		if rows.Err() != nil {
			t.Fatalf("%s: %v", sql, rows.Err())
		}
		return all
	}
	for i := range documents {
		w.urls = append(w.urls, int32(1+3*i))
	}
	w.exec(`INSERT INTO sites (site_id, site) SELECT n, 'http://s' || n || '.example.org/' FROM generate_series(1, 5) n`)
	w.exec(`INSERT INTO sitestate (site_id, host) SELECT site_id, 's' || site_id || '.example.org' FROM sites`)
	w.exec(`INSERT INTO urlword (url_id, site_id, url, status) SELECT u, 1 + u % 5, 'http://s' || 1 + u % 5 || '.example.org/' || u, 200
		FROM unnest($1::integer[]) u`, w.urls)
	return w
}

// merge runs a merge and updates the model: for each document the newest entry that any merge has taken
// counts.
func (w *world) merge(o Options) Summary {
	w.Helper()
	s := w.store(w.dsn)
	defer s.Close()
	sum, err := Run(context.Background(), s, o)
	if err != nil {
		w.Fatal(err)
	}
	w.taken()
	return sum
}

func (w *world) store(dsn string) *index.Store {
	w.Helper()
	s, err := store.Open(store.WithDial(context.Background(), storetest.Dial), store.Options{DSN: dsn, Application: "index -D"})
	if err != nil {
		w.Fatal(err)
	}
	return index.New(s)
}

// taken does a merge in the model.
func (w *world) taken() {
	boundary := int64(1) << 60
	for s := range w.open {
		boundary = min(boundary, s)
	}
	touched := map[int32]bool{}
	w.waiting = slices.DeleteFunc(w.waiting, func(f indexEvent) bool {
		if f.schedule >= boundary {
			return false
		}
		touched[f.url] = true
		if f.seq > w.known[f.url].seq {
			w.known[f.url] = f
		}
		if !f.mark {
			if c, ok := w.created[f.url]; !ok || f.at.Before(c) {
				w.created[f.url] = f.at
			}
		}
		return true
	})
	for u := range touched {
		if f := w.known[u]; f.mark && w.out[u] {
			delete(w.created, u)
		}
	}
}

// randomWords returns a version: a few words that nearly every document has, often enough that they grow
// large, and some that few have.
func (w *world) randomWords() map[string][]uint16 {
	words := map[string][]uint16{}
	add := func(text string, n int) {
		set := map[uint16]bool{}
		for range n {
			set[uint16(w.r.IntN(4)<<14|w.r.IntN(300))] = true
		}
		words[text] = slices.Sorted(maps.Keys(set))
	}
	for k := range 6 {
		if w.r.IntN(8) > 0 {
			add(fmt.Sprintf("common%d", k), 1+w.r.IntN(4+6*k))
		}
	}
	for range w.r.IntN(12) {
		add(fmt.Sprintf("rare%d", w.r.IntN(120)), 1+w.r.IntN(3))
	}
	if w.r.IntN(15) == 0 {
		clear(words) // an empty page
	}
	return words
}

// next opens schedules and closes some, and returns the schedule of the next entry: mostly the newest,
// sometimes an older one that is still open, sometimes none.
func (w *world) next() int64 {
	switch {
	case w.r.IntN(6) == 0:
		return 0
	case len(w.open) == 0 || w.r.IntN(4) == 0:
		w.schedule++
		w.open[w.schedule] = true
		w.exec(`INSERT INTO schedule (seq, run_id, fetcher, deadline, site_ids, url_ids)
			VALUES ($1, 1, 'test', now() + interval '1 hour', '{}', '{}')`, w.schedule)
	}
	all := slices.Sorted(maps.Keys(w.open))
	return all[w.r.IntN(len(all))]
}

// acknowledge closes schedules; all of them with everything.
func (w *world) acknowledge(everything bool) {
	for _, s := range slices.Sorted(maps.Keys(w.open)) {
		if everything || w.r.IntN(2) == 0 {
			delete(w.open, s)
			w.exec(`UPDATE schedule SET status = 'a' WHERE seq = $1`, s)
		}
	}
}

// act makes a random change to a document.
func (w *world) act() {
	u := w.urls[w.r.IntN(len(w.urls))]
	schedule := w.next()
	w.clock = w.clock.Add(time.Minute)
	w.draw()
	switch k := w.r.IntN(10); {
	case k < 3:
		w.version(u, schedule, w.randomWords())
	case k < 6:
		w.version(u, schedule, w.edited(u))
	case k < 8:
		w.mark(u, schedule)
	default:
		status := 301
		if _, row := w.links[u]; row && !w.out[u] && w.r.IntN(2) == 0 {
			status = 200 // unchanged, but other rules read other links from it
		}
		added, removed := w.relink(u)
		w.exec(`INSERT INTO journal (seq, schedule_seq, run_id, url_id, site_id, status, links_added, links_removed, fetched_at, same_content)
			VALUES ($1, NULLIF($2::bigint, 0), 1, $3, $4, $5, $6, $7, $8, $9)`,
			w.seq, schedule, u, siteOf(u), status, added, removed, w.clock, status == 200)
	}
}

// draw returns the number of the next entry.
func (w *world) draw() { w.seq = w.rows(`SELECT nextval('journal_seq')`)[0][0].(int64) }

// edited returns a version that differs little from the one before, or not at all: words are inserted,
// removed, moved or replaced.
func (w *world) edited(u int32) map[string][]uint16 {
	words := map[string][]uint16{}
	for text, positions := range w.last[u] {
		words[text] = slices.Clone(positions)
	}
	all := slices.Sorted(maps.Keys(words))
	if len(all) == 0 {
		return w.randomWords()
	}
	text := all[w.r.IntN(len(all))]
	at := w.r.IntN(len(words[text]))
	p := words[text][at]
	switch w.r.IntN(6) {
	case 0: // nothing
	case 1:
		delete(words, text)
	case 2, 3:
		w.insert(words, p, uint16(w.r.IntN(40)))
	default:
		words[text] = slices.Delete(words[text], at, at+1)
		if len(words[text]) == 0 {
			delete(words, text)
		}
		other := all[w.r.IntN(len(all))]
		words[other] = append(words[other], min(p+uint16(w.r.IntN(3)), p|lastOrdinal))
		slices.Sort(words[other])
		words[other] = slices.Compact(words[other])
	}
	return words
}

// insert moves the positions from at on in a section by n, at most to the section's last ordinal, which
// several words may share.
func (w *world) insert(words map[string][]uint16, at, n uint16) {
	if w.r.IntN(8) == 0 {
		n += lastOrdinal - 200
	}
	for text, positions := range words {
		for i, p := range positions {
			if p >= at && p>>14 == at>>14 {
				positions[i] = at&^lastOrdinal | min(p&lastOrdinal+n, lastOrdinal)
			}
		}
		words[text] = slices.Compact(positions)
	}
}

// version stores a version of a document.
func (w *world) version(u int32, schedule int64, words map[string][]uint16) {
	f := indexEvent{url: u, seq: w.seq, schedule: schedule, words: words, at: w.clock}
	w.last[u] = words
	w.waiting = append(w.waiting, f)
	delete(w.out, u)
	w.exec(`UPDATE urlword SET deleted = 0 WHERE url_id = $1`, u)
	added, removed := w.relink(u)
	var list []posting.Word
	for _, text := range slices.Sorted(maps.Keys(words)) {
		list = append(list, posting.Word{Text: text, Positions: words[text]})
	}
	w.exec(`INSERT INTO journal (seq, schedule_seq, run_id, url_id, site_id, status, words, links_added, links_removed, fetched_at)
		VALUES ($1, NULLIF($2::bigint, 0), 1, $3, $4, 200, $5, $6, $7, $8)`,
		w.seq, schedule, u, siteOf(u), posting.AppendWords(nil, list), added, removed, w.clock)
}

// mark adds a document to the delete set, as the SQL of the crawl does; often it is out of the index then.
func (w *world) mark(u int32, schedule int64) {
	had := append([]int32{}, w.links[u]...)
	w.waiting = slices.DeleteFunc(w.waiting, func(f indexEvent) bool { return f.mark && f.url == u })
	w.waiting = append(w.waiting, indexEvent{url: u, seq: w.seq, schedule: schedule, mark: true, at: w.clock})
	table := fmt.Sprintf("urlwords%02d", u%16)
	switch w.r.IntN(3) {
	case 0: // out of the index, its row kept
		w.out[u] = true
		w.exec(`UPDATE urlword SET deleted = 1 WHERE url_id = $1`, u)
	case 1: // its row gone
		delete(w.links, u)
		w.exec(`DELETE FROM `+table+` WHERE url_id = $1`, u)
	}
	w.exec(`INSERT INTO markdel (url_id, seq, schedule_seq, site_id, run_id, reason, links)
		VALUES ($1, $2, NULLIF($3::bigint, 0), $4, 1, 'T-04', $5)
		ON CONFLICT (url_id) DO UPDATE SET seq = EXCLUDED.seq, schedule_seq = EXCLUDED.schedule_seq,
			links = ARRAY(SELECT DISTINCT l FROM unnest(markdel.links || EXCLUDED.links) l ORDER BY l)`,
		u, w.seq, schedule, siteOf(u), had)
}

// relink gives a page other links and returns the differences.
func (w *world) relink(u int32) (added, removed []int32) {
	set := map[int32]bool{}
	for range w.r.IntN(7) {
		if v := w.urls[w.r.IntN(len(w.urls))]; v != u {
			set[v] = true
		}
	}
	now, was := slices.Sorted(maps.Keys(set)), w.links[u]
	for _, v := range now {
		if !slices.Contains(was, v) {
			added = append(added, v)
		}
	}
	for _, v := range was {
		if !set[v] {
			removed = append(removed, v)
		}
	}
	w.links[u] = now
	w.exec(fmt.Sprintf(`INSERT INTO urlwords%02d (url_id, hrefs) VALUES ($1, $2)
		ON CONFLICT (url_id) DO UPDATE SET hrefs = EXCLUDED.hrefs`, u%16), u, append([]int32{}, now...))
	return append([]int32{}, added...), append([]int32{}, removed...)
}

// place is a document in the order of postings.
type place struct{ Site, URL int32 }

// expectedIndex is an inverted index: word → document → positions.
type expectedIndex map[string]map[place][]uint16

// expected returns the index according to the model.
func (w *world) expected() expectedIndex {
	want := expectedIndex{}
	for u, f := range w.known {
		for text, positions := range f.words {
			if want[text] == nil {
				want[text] = map[place][]uint16{}
			}
			want[text][place{siteOf(u), u}] = positions
		}
	}
	return want
}

// decodeBlob reads a blob by offsets, without posting's code.
func decodeBlob(b []byte) map[place][]uint16 {
	out := map[place][]uint16{}
	if len(b) == 0 {
		return out
	}
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	for dir := 0; dir < u32(0)-4; dir += 8 {
		for at := u32(dir); at < u32(dir+8); {
			p := place{int32(u32(dir + 4)), int32(u32(at))}
			n := int(binary.LittleEndian.Uint16(b[at+4:]))
			out[p] = []uint16{}
			for k := range n {
				out[p] = append(out[p], binary.LittleEndian.Uint16(b[at+6+2*k:]))
			}
			at += 6 + 2*n
		}
	}
	return out
}

// check compares the tables with the model, and verifies the rules of each (docs/reference/behavior.md, Merge
// and Tables).
func (w *world) check(lim limits) {
	w.Helper()
	got := expectedIndex{}
	ids := map[int32]string{}
	inline := map[int32]int{}
	counts := map[int32][2]int{}
	for _, row := range w.rows(`SELECT word, word_id, urls, urlcount, totalcount FROM wordurl`) {
		word, id, blob := row[0].(string), row[1].(int32), row[2].([]byte)
		ids[id], inline[id] = word, len(blob)
		counts[id] = [2]int{int(row[3].(int32)), int(row[4].(int32))}
		got[word] = decodeBlob(blob)
		if len(blob) > lim.inline {
			w.Errorf("word %s: %d bytes inline", word, len(blob))
		}
		for p, positions := range got[word] {
			if len(positions) == 0 {
				w.Errorf("word %s: removal of %v inline", word, p)
			}
		}
	}
	for _, row := range w.rows(`SELECT word_id, level, seq, first_site, first_url, urlcount, totalcount, urls FROM wordfile
		ORDER BY word_id, level DESC, seq, first_site, first_url`) { // oldest first: what comes later overrides
		id, level, blob := row[0].(int32), row[1].(int16), row[7].([]byte)
		word := ids[id]
		if inline[id] > 0 {
			w.Errorf("word %s stands in wordurl and in wordfile", word)
		}
		part := decodeBlob(blob)
		var urls, total int
		for p, positions := range part {
			if len(positions) == 0 {
				if level == index.LevelBase {
					w.Errorf("word %s: removal of %v in the base", word, p)
				}
				delete(got[word], p)
				continue
			}
			urls++
			total += len(positions)
			got[word][p] = positions
		}
		first := slices.MinFunc(slices.Collect(maps.Keys(part)), func(a, b place) int {
			return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.URL, b.URL))
		})
		if int(row[5].(int32)) != urls || int(row[6].(int32)) != total || (first != place{row[3].(int32), row[4].(int32)}) {
			w.Errorf("word %s: row of wordfile says %v, has %d postings, %d positions, first %v", word, row[3:7], urls, total, first)
		}
		if len(blob) > lim.row && len(part) > 1 {
			w.Errorf("word %s: row of %d bytes", word, len(blob))
		}
	}
	for id, word := range ids {
		var total int
		for _, positions := range got[word] {
			total += len(positions)
		}
		if want := [2]int{len(got[word]), total}; counts[id] != want {
			w.Errorf("word %s: counts %v, want %v", word, counts[id], want)
		}
		if len(got[word]) == 0 {
			delete(got, word) // its row stays
		}
	}
	if d := gocmp.Diff(w.expected(), got); d != "" {
		w.Errorf("postings (-want +got):\n%s", d)
	}
	w.checkDocuments(ids)
}

// checkDocuments verifies docwords, docdates, the journal and, when no entry is unmerged, citation.
func (w *world) checkDocuments(ids map[int32]string) {
	w.Helper()
	stored := map[int32]bool{}
	for _, row := range w.rows(`SELECT url_id, seq, words FROM docwords`) {
		u, f := row[0].(int32), w.known[row[0].(int32)]
		stored[u] = true
		words := map[string]int{}
		r, err := posting.NewDocWordsReader(row[2].([]byte))
		if err != nil {
			w.Fatal(err)
		}
		for r.Next() {
			words[ids[r.Word().ID]] = r.Word().Count
		}
		want := map[string]int{}
		var sums posting.BlockSums
		for text, positions := range f.words {
			want[text] = len(positions)
			sums.Add(posting.TextHash(text), positions)
		}
		if r.Blocks() != nil && !bytes.Equal(r.Blocks(), sums.AppendTo(nil)) {
			w.Errorf("docwords of url %d: fingerprints %x, want %x", u, r.Blocks(), sums.AppendTo(nil))
		}
		if d := gocmp.Diff(want, words); d != "" || row[1].(int64) != f.seq {
			w.Errorf("docwords of url %d: seq %d, want %d; %s", u, row[1], f.seq, d)
		}
		if len(words) == 0 && !slices.ContainsFunc(w.waiting, func(x indexEvent) bool {
			return x.url == u && !x.mark && x.seq < f.seq
		}) {
			w.Errorf("docwords of url %d: nothing stands there and nothing is awaited", u)
		}
	}
	for u, f := range w.known {
		late := slices.ContainsFunc(w.waiting, func(x indexEvent) bool { return x.url == u && !x.mark && x.seq < f.seq })
		if (len(f.words) > 0 || late) && !stored[u] {
			w.Errorf("docwords has no row of url %d", u)
		}
	}
	created := map[int32]time.Time{}
	for _, row := range w.rows(`SELECT url_id, created, modified >= created FROM docdates`) {
		created[row[0].(int32)] = row[1].(time.Time).UTC()
		if !row[2].(bool) {
			w.Errorf("url %d was modified before it was created", row[0])
		}
	}
	if d := gocmp.Diff(w.created, created); d != "" {
		w.Errorf("dates of creation (-want +got):\n%s", d)
	}
	if n := w.rows(`SELECT (SELECT count(*) FROM journal WHERE words IS NOT NULL) + (SELECT count(*) FROM markdel)`)[0][0]; n != int64(len(w.waiting)) {
		w.Errorf("%d facts wait in the tables, want %d", n, len(w.waiting))
	}
	if len(w.open) > 0 {
		return
	}
	cited := map[int32][]int32{}
	for u, links := range w.links {
		for _, v := range links {
			if !w.out[u] {
				cited[v] = append(cited[v], u)
			}
		}
	}
	got := map[int32][]int32{}
	for _, row := range w.rows(`SELECT url_id, referrers FROM citation`) {
		for _, u := range row[1].([]any) {
			got[row[0].(int32)] = append(got[row[0].(int32)], u.(int32))
		}
	}
	for _, pages := range cited {
		slices.Sort(pages)
	}
	if d := gocmp.Diff(cited, got); d != "" {
		w.Errorf("citation is not the inverse of hrefs (-want +got):\n%s", d)
	}
}

// fingerprint returns ctid and xmin of all rows of the index, which show whether any row was written.
func (w *world) fingerprint() string {
	w.Helper()
	var out strings.Builder
	for _, table := range []string{
		"wordurl", "wordurl1", "wordfile", "docwords", "docdates", "citation", "wordsite", "rt_urls", "journal", "markdel", "sitestate",
	} {
		row := w.rows(`SELECT count(*), coalesce(md5(string_agg(ctid::text || xmin::text, ',' ORDER BY ctid)), '') FROM ` + table)[0]
		fmt.Fprintln(&out, table, row[0], row[1])
	}
	return out.String()
}
