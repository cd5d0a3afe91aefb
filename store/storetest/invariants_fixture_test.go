package storetest

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/store/posting"
)

// The small database of these tests: two sites, of which the second is held by a schedule that a stopped run left open and
// is on hold, and a URL for nearly every state that the rules know.
const (
	root     = 1  // an original, more events than HistoryKeep (3)
	clone    = 2  // of the root
	lost     = 3  // twice
	moved    = 4  // redirects to the root
	gated    = 5  // 406 with links
	hidden   = 6  // T-12
	bad      = 7  // T-13
	orphan   = 8  // SR-09
	unknown  = 9  // never fetched, in the open schedule
	failed   = 10 // 500
	circle   = 11 // redirects to the next one
	circle2  = 12 // and back
	changed  = 13 // its new version waits
	purged   = 14 // its mark waits
	realtime = 15 // indexed by index -T
	revived  = 16 // an orphan that was found again
	other    = 17 // never fetched, on the second site, not leased
)

// words of the small database, by their ids.
const (
	cat = iota + 1
	dog
	the // in wordfile
	eel // in the real-time index only
)

var wordText = map[int32]string{cat: "cat", dog: "dog", the: "the", eel: "eel"}

// lostStatusOf is the packed status of a document that was lost n times.
func lostStatusOf(code, n int) int { return 200 | code<<16 | n<<27 }

// entries makes a blob of postings on site 1; a word without positions is a removal.
func entries(list ...posting.Entry) []byte { return posting.AppendBlob(nil, list) }

func at(url int32, positions ...uint16) posting.Entry {
	return posting.Entry{Site: 1, URL: url, Positions: positions}
}

// version packs words for the journal.
func version(words ...posting.Word) []byte { return posting.AppendWords(nil, words) }

func word(id int32, positions ...uint16) posting.Word {
	return posting.Word{Text: wordText[id], Positions: positions}
}

func crc(text string) string {
	hash := md5.Sum([]byte(text))
	return hex.EncodeToString(hash[:])
}

// filler fills tables and stops the test at the first error.
type filler struct {
	testing.TB
	conn *pgx.Conn
}

func (f *filler) exec(sql string, args ...any) {
	f.Helper()
	if _, err := f.conn.Exec(context.Background(), sql, args...); err != nil {
		f.Fatalf("%s: %v", sql, err)
	}
}

// known is a URL of the small database.
type known struct {
	id, status    int
	crc           string
	redir, origin int
	by            string // withdrawn_by
	class         string // of errors
	rules         string // rule:status after, of each event
}

// fill makes the small database.
func fill(t testing.TB, dsn string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	f := &filler{t, conn}
	f.exec(`INSERT INTO sites (site_id, site) VALUES (1, 'http://a.example/'), (2, 'http://b.a.example:8080/')`)
	f.exec(`INSERT INTO sitestate (site_id, host, lease_seq, next_due, labelled, gate) VALUES (1, 'a.example', 0, 500, true, 'a'), (2, 'b.a.example', 2, 0, false, 'h')`)
	f.exec(`INSERT INTO wordsite (word, sites) VALUES ('a', ARRAY[(1 << 30) | 1]), ('example', ARRAY[(1 << 31) | 1])`)
	f.exec(`INSERT INTO reindexing (run_id, kind, ended_at, end_reason) VALUES (1, 'crawl', now(), 'complete'), (2, 'merge', now(), 'complete'), (3, 'crawl', now(), 'stopped')`)
	f.exec(`INSERT INTO schedule (seq, run_id, fetcher, deadline, status, site_ids, url_ids) VALUES
		(1, 1, 'f', now() + interval '1 hour', 'a', '{1}', '{1,2,3}'), (2, 3, 'f', now() + interval '1 hour', 's', '{2}', '{0,9}')`)
	f.exec(`INSERT INTO site_hold (site_id, run_id, reason, url_id, live, turned_lost) VALUES (2, 1, 'share', 9, 10, 3)`)
	f.exec(`SELECT setval('journal_seq', 100)`)
	f.urls()
	f.contents()
	f.index()
}

func (f *filler) urls() {
	f.Helper()
	l1, l2 := lostStatusOf(404, 1), lostStatusOf(404, 2)
	for _, k := range []known{
		{id: root, status: 200, crc: crc("root"), rules: fmt.Sprintf("T-01:200 T-03:200 T-07:%d T-02:200 T-02:200", l1)},
		{id: clone, status: 200, crc: crc("root"), origin: root, rules: "T-01c:200"},
		{id: lost, status: l2, crc: crc("lost"), class: "gone", rules: fmt.Sprintf("T-01:200 T-07:%d T-07:%d", l1, l2)},
		{id: moved, status: 301, redir: root, rules: "T-05:301"},
		{id: gated, status: 406, crc: crc("gated"), rules: "T-06:406"},
		{id: hidden, status: 200, crc: crc("root"), origin: root, by: "T-12", rules: "T-01c:200 T-12:200"},
		{id: bad, status: 404, crc: crc("bad"), by: "T-13", class: "gone", rules: "T-01:200 T-13:404"},
		{id: orphan, status: 200, crc: crc("orphan"), by: "SR-09", rules: "T-01:200 SR-09:200"},
		{id: unknown},
		{id: failed, status: 500, class: "server", rules: "T-08:500"},
		{id: circle, status: 302, redir: circle2, rules: "T-05:302"},
		{id: circle2, status: 302, redir: circle, rules: "T-05:302"},
		{id: changed, status: 200, crc: crc("changed"), rules: "T-01:200 T-04:200"},
		{id: purged, status: 404, crc: crc("purged"), class: "gone", rules: fmt.Sprintf("T-01:200 T-07:%d T-18:404", l1)},
		{id: realtime, status: 200, crc: crc("realtime"), rules: "T-01:200"},
		{id: revived, rules: "T-01:200 SR-09:200"},
		{id: other},
	} {
		site, url := 1, fmt.Sprintf("http://a.example/%d", k.id)
		if k.id == unknown || k.id == other {
			site, url = 2, fmt.Sprintf("http://b.a.example:8080/%d", k.id)
		}
		next, last := int64(1000), 900
		if k.by == "SR-09" {
			next = neverDue
		}
		if k.status == 0 {
			next, last = 500, 0
		}
		f.exec(`INSERT INTO urlword (url_id, site_id, url, deleted, next_index_time, status, crc, last_index_time, referrer, redir, origin)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			k.id, site, url, min(len(k.by), 1), next, k.status, k.crc, last, min(k.id-1, 1), k.redir, k.origin)
		f.exec(`INSERT INTO urlkey (url_hash, url_id) VALUES (decode(md5($1), 'hex'), $2)`, url, k.id)
		f.history(k)
	}
}

// history writes the last three events of a URL.
func (f *filler) history(k known) {
	f.Helper()
	events := strings.Fields(k.rules)
	if len(events) == 0 {
		return
	}
	f.exec(`INSERT INTO urlstate (url_id, attempts, events, last_attempt, error_class, error_count, withdrawn_by)
		VALUES ($1, 1, $2, now(), $3, $4, $5)`, k.id, len(events), k.class, min(len(k.class), 1), k.by)
	if k.by == "T-12" {
		f.exec(`UPDATE urlstate SET kept_since = now() WHERE url_id = $1`, k.id)
	}
	before := "0"
	for n, event := range events {
		rule, after, _ := strings.Cut(event, ":")
		f.exec(`INSERT INTO crawl_history (url_id, slot, run_id, rule, result, old_status, new_status)
			VALUES ($1, $2, 1, $3, 0, $4::text::integer, $5::text::integer)
			ON CONFLICT (url_id, slot) DO UPDATE SET rule = EXCLUDED.rule, old_status = EXCLUDED.old_status, new_status = EXCLUDED.new_status`,
			k.id, n%3, rule, before, after)
		before = after
	}
}

func (f *filler) contents() {
	f.Helper()
	for _, c := range []struct {
		url, words, total int
		link              bool
		deleted           int
		hrefs             []int32
	}{
		{url: root, words: 3, total: 4, hrefs: []int32{clone, lost, moved, gated, hidden, bad, orphan, unknown, failed, changed, purged}},
		{url: lost, words: 2, total: 2, hrefs: []int32{root}},
		{url: moved, link: true, hrefs: []int32{root}},
		{url: gated, hrefs: []int32{root}},
		{url: circle, link: true, hrefs: []int32{circle2}},
		{url: circle2, link: true, hrefs: []int32{circle}},
		{url: changed, words: 2, total: 3, hrefs: []int32{root}},
		{url: realtime, words: 2, total: 2, hrefs: []int32{root}},
	} {
		var content []byte
		if !c.link {
			content = posting.PackContent(nil, []byte(strings.Repeat("the cat ", 20)))
		}
		f.exec(fmt.Sprintf(`INSERT INTO urlwords%02d (url_id, deleted, wordcount, totalcount, title, lang, words, hrefs)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, c.url%16),
			c.url, c.deleted, c.words, c.total, map[bool]string{false: "a cat"}[c.link], map[bool]string{false: "en"}[c.link], content, c.hrefs)
	}
}

// index makes what a merge made before the changed document, the purged one and the real-time one.
func (f *filler) index() {
	f.Helper()
	for _, w := range []struct {
		id           int32
		blob         []byte
		urls, totals int
	}{
		{cat, entries(at(root, 1, 7), at(lost, 1), at(purged, 2)), 3, 4},
		{dog, entries(at(root, 3), at(changed, 4)), 2, 2},
		{the, []byte{}, 3, 3},
		{eel, []byte{}, 0, 0},
	} {
		f.exec(`INSERT INTO wordurl (word, word_id, urls, urlcount, totalcount) VALUES ($1, $2, $3, $4, $5)`, wordText[w.id], w.id, w.blob, w.urls, w.totals)
	}
	f.exec(`INSERT INTO wordfile (word_id, level, first_site, first_url, seq, urlcount, totalcount, urls) VALUES
		(3, 2, 1, 1, 5, 2, 2, $1), (3, 2, 1, 4, 5, 1, 1, $2), (3, 0, 1, 4, 6, 1, 1, $3)`,
		entries(at(root, 0), at(lost, 0)), entries(at(moved, 0)), entries(at(moved), at(changed, 5)))
	for url, where := range map[int]map[int32][]uint16{ // rows of version 2, which say where words stand
		root: {cat: {1, 7}, dog: {3}, the: {0}},
		lost: {cat: {1}, the: {0}},
	} {
		var sums posting.BlockSums
		var words []posting.DocWord
		for _, id := range slices.Sorted(maps.Keys(where)) {
			sums.Add(posting.TextHash(wordText[id]), where[id])
			words = append(words, posting.DocWord{ID: id, Count: len(where[id])})
		}
		f.docwords(url, posting.AppendDocWordsBlocks(nil, words, sums.AppendTo(nil)))
	}
	for url, words := range map[int][]posting.DocWord{
		changed: {{ID: dog, Count: 1}, {ID: the, Count: 1}},
		purged:  {{ID: cat, Count: 1}},
	} {
		f.docwords(url, posting.AppendDocWords(nil, words))
	}
	f.exec(`UPDATE totals SET documents = 4, words = 3, postings = 8, positions = 9`)
	f.exec(`UPDATE docdates d SET length = v.length FROM (VALUES (1, 26), (3, 18), (13, 18), (14, 11)) v (url_id, length) WHERE v.url_id = d.url_id`)
	// One subset that covers the first site, one of some of its documents, one whose mask is none.
	f.exec(`INSERT INTO subsets (subset_id, mask) VALUES (1, 'http://a.example/%'), (2, 'http://%.example/_'), (3, 'http://a.example\')`)
	f.exec(`INSERT INTO subsetstate (subset_id, mask, whole_sites, problem) SELECT subset_id, mask, subset_id = 1, CASE WHEN subset_id = 3 THEN 'x' ELSE '' END FROM subsets`)
	f.exec(`INSERT INTO subsetdocs (subset_id, site_id, block, docs) VALUES (1, 1, -1, NULL), (2, 1, 0, '{1,3}')`)
	for url, referrers := range map[int][]int32{
		root: {lost, moved, gated, purged}, clone: {root}, lost: {root, changed}, moved: {root}, gated: {root}, hidden: {root}, bad: {root},
		orphan: {root}, unknown: {root}, failed: {root}, changed: {root}, purged: {root}, circle: {circle2}, circle2: {circle},
	} {
		f.exec(`INSERT INTO citation (url_id, referrers) VALUES ($1, $2)`, url, referrers)
	}
	f.exec(`INSERT INTO markdel (seq, schedule_seq, url_id, site_id, run_id, reason, links) VALUES
		(51, 1, 13, 1, 1, 'T-04', '{3}'), (53, NULL, 14, 1, 2, 'T-18', '{1}')`)
	f.exec(`INSERT INTO journal (seq, schedule_seq, place, run_id, url_id, site_id, status, words, links_added, links_removed) VALUES
		(52, 1, 0, 1, 13, 1, 200, $1, '{1}', '{3}'), (54, NULL, 0, 3, 15, 1, 200, $2, '{}', '{}')`,
		version(word(cat, 2, 3), word(eel, 1)), version(word(cat, 0), word(eel, 9)))
	f.exec(`INSERT INTO wordurl1 (word, word_id, urls, urlcount, totalcount) VALUES ('cat', 1, $1, 1, 1), ('eel', 4, $2, 1, 1)`,
		entries(at(realtime, 0)), entries(at(realtime, 9)))
	f.exec(`INSERT INTO rt_urls (url_id, seq, words) VALUES (15, 54, $1), (14, 53, $2)`,
		posting.AppendDocWords(nil, []posting.DocWord{{ID: 1, Count: 1}, {ID: 4, Count: 1}}), posting.AppendDocWords(nil, nil))
}

// docwords makes the row of a document, and that of its dates.
func (f *filler) docwords(url int, packed []byte) {
	f.Helper()
	f.exec(`INSERT INTO docwords (url_id, seq, words) VALUES ($1, $1::integer, $2)`, url, packed)
	f.exec(`INSERT INTO docdates (url_id, created, modified, modified_from) VALUES ($1, now(), now(), 'fetch')`, url)
	f.exec(`UPDATE docdates d SET lang = c.lang, type = document_type(c.content_type), tag = w.tag
		FROM urlwords c JOIN urlword w USING (url_id) WHERE d.url_id = $1 AND c.url_id = $1`, url)
}
