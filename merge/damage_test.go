package merge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	parser "github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// storedIndex is a small index of documents with stored contents, in which some words are large.
type storedIndex struct {
	*world
	rules *parser.Rules
}

const libraryDocuments = 60

// newStoredIndex stores documents as a crawl does, and merges them twice, so that words are on several levels of
// wordfile.
func newStoredIndex(t testing.TB) *storedIndex {
	t.Helper()
	rules, err := parser.NewRules(parser.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	l := &storedIndex{newWorld(t, storetest.New(t), 7, 0), rules}
	l.exec(`INSERT INTO reindexing (run_id, kind, ended_at, end_reason) VALUES (1, 'crawl', now(), 'complete')`)
	l.exec(`UPDATE sitestate SET next_due = 0`)
	l.exec(`SELECT setval(pg_get_serial_sequence('reindexing', 'run_id'), 1)`)
	for id := range int32(libraryDocuments) {
		l.document(id+1, 0)
	}
	l.mergeAll()
	for id := range int32(libraryDocuments / 3) {
		l.document(3*id+1, 1)
	}
	l.mergeAll()
	return l
}

// text returns a version of a document: words that all have, words that some have, and one of its own.
func (l *storedIndex) text(id, version int32) string {
	var b strings.Builder
	for k := range int32(40) {
		fmt.Fprintf(&b, "the common%d ", (k*k+id+version)%7)
		if (id+k+version)%11 == 0 {
			fmt.Fprintf(&b, "rare%d ", k)
		}
	}
	fmt.Fprintf(&b, "own%d", id)
	return b.String()
}

// document stores a version of a document and its journal row.
func (l *storedIndex) document(id, version int32) {
	l.Helper()
	body := l.text(id, version)
	doc, err := parser.Parse([]byte(body), "text/plain", l.rules)
	if err != nil {
		l.Fatal(err)
	}
	words := make([]store.Word, len(doc.Words))
	for i, w := range doc.Words {
		words[i] = store.Word(w)
	}
	url := fmt.Sprintf("http://s%d.example.org/%d", siteOf(id), id)
	next := id%int32(libraryDocuments) + 1
	l.exec(`INSERT INTO urlword (url_id, site_id, url, status, crc, last_index_time, next_index_time) VALUES ($1, $2, $3, 200, md5($4), 1000, 2000)
		ON CONFLICT (url_id) DO UPDATE SET crc = EXCLUDED.crc`, id, siteOf(id), url, body)
	l.exec(`INSERT INTO urlkey VALUES (decode(md5($1), 'hex'), $2) ON CONFLICT DO NOTHING`, url, id)
	l.exec(`INSERT INTO urlstate (url_id, attempts, events, last_attempt) VALUES ($1, 1, 1, now()) ON CONFLICT DO NOTHING`, id)
	l.exec(`INSERT INTO crawl_history (url_id, slot, run_id, rule, result, old_status, new_status) VALUES ($1, 0, 1, 'T-01', 200, 0, 200) ON CONFLICT DO NOTHING`, id)
	l.exec(fmt.Sprintf(`INSERT INTO urlwords%02d (url_id, wordcount, totalcount, content_type, words, hrefs) VALUES ($1, $2, $3, 'text/plain', $4, $5)
		ON CONFLICT (url_id) DO UPDATE SET wordcount = $2, totalcount = $3, words = $4`, id%16),
		id, doc.WordCount, doc.TotalCount, store.PackContent([]byte(body)), []int32{next})
	l.exec(`INSERT INTO journal (run_id, url_id, site_id, status, words, links_added) VALUES (1, $1, $2, 200, $3, $4)`,
		id, siteOf(id), store.PackWords(words), []int32{next})
}

// mergeAll merges with small limits, so that some words are large.
func (l *storedIndex) mergeAll() {
	l.Helper()
	s := l.store(l.dsn)
	defer s.Close()
	if _, err := Run(context.Background(), s, Options{limits: &small}); err != nil {
		l.Fatal(err)
	}
}

// small puts words of more than 400 bytes into wordfile.
var small = limits{inline: 400, row: 700, hold: 1 << 20, minBudget: 1, versions: 4}

// expectedIndex is the whole content of the index: word → document → positions, read without the decoder of
// posting, and docwords.
func (l *storedIndex) index() []string {
	l.Helper()
	lines := []string{}
	all := map[string]map[place][]uint16{}
	texts := map[int32]string{}
	for _, row := range l.rows(`SELECT word, word_id, urls, urlcount, totalcount FROM wordurl ORDER BY word_id`) {
		all[row[0].(string)], texts[row[1].(int32)] = decodeBlob(row[2].([]byte)), row[0].(string)
		lines = append(lines, fmt.Sprintf("word %v %v: %v %v", row[1], row[0], row[3], row[4]))
	}
	for _, row := range l.rows(`SELECT word_id, urls FROM wordfile ORDER BY word_id, level DESC, seq`) {
		for p, positions := range decodeBlob(row[1].([]byte)) {
			if len(positions) == 0 {
				delete(all[texts[row[0].(int32)]], p)
			} else {
				all[texts[row[0].(int32)]][p] = positions
			}
		}
	}
	for text, postings := range all {
		for p, positions := range postings {
			lines = append(lines, fmt.Sprintf("%s in %v: %v", text, p, positions))
		}
	}
	for _, row := range l.rows(`SELECT url_id, words FROM docwords`) {
		lines = append(lines, fmt.Sprintf("docwords %v: %x", row...))
	}
	for _, row := range l.rows(`SELECT url_id, referrers FROM citation`) {
		lines = append(lines, fmt.Sprintf("citation %v: %v", row...))
	}
	for _, row := range l.rows(`SELECT url_id, wordcount, totalcount FROM urlwords`) {
		lines = append(lines, fmt.Sprintf("content %v: %v %v", row...))
	}
	for _, row := range l.rows(`SELECT documents, words, postings, positions FROM totals`) {
		lines = append(lines, fmt.Sprintf("totals %v", row))
	}
	slices.Sort(lines)
	return lines
}

// indexDamages are kinds of damage of the index that -X2 mends, with a part of the finding of -X1.
var indexDamages = []struct{ name, sql, want string }{
	{"a flipped byte in a blob of wordurl", `UPDATE wordurl SET urls = set_byte(urls, 4, 77) WHERE word = 'own7'`, `wordurl: "own7"`},
	{"a flipped byte in a blob of wordfile", `UPDATE wordfile SET urls = set_byte(urls, 4, 77) WHERE (word_id, level, seq, first_site, first_url) IN
		(SELECT word_id, level, seq, first_site, first_url FROM wordfile ORDER BY 1, 2, 3, 4, 5 LIMIT 1)`, `wordfile: "`},
	{"a flipped position", `UPDATE wordurl SET urls = set_byte(urls, octet_length(urls) - 2, 1) WHERE word = 'own7'`, `its postings differ from its content: word`},
	{"a lost row of wordfile", `DELETE FROM wordfile WHERE (word_id, level, seq, first_site, first_url) IN
		(SELECT word_id, level, seq, first_site, first_url FROM wordfile WHERE level = 2 ORDER BY 1, 2, 3, 4 DESC LIMIT 1)`, "postings with"},
	{"a lost row of wordfile that overrides", `DELETE FROM wordfile WHERE level = 0`, ""},
	{"all of a word's rows lost", `DELETE FROM wordfile WHERE word_id = (SELECT word_id FROM wordurl WHERE word = 'the')`, `wordurl: "the"`},
	{"a wrong urlcount", `UPDATE wordurl SET urlcount = urlcount + 1 WHERE word = 'rare3'`, `wordurl: "rare3" (word`},
	{"a wrong totalcount", `UPDATE wordurl SET totalcount = 1 WHERE word = 'the'`, `wordurl: "the" (word`},
	{"a word in both places", `UPDATE wordurl SET urls = (SELECT urls FROM wordurl WHERE word = 'own7') WHERE word = 'the'`, `wordurl: "the" (word`},
	{"no postings", `UPDATE wordurl SET urls = '', urlcount = 0, totalcount = 0 WHERE word = 'own7'`, `has word`},
	{"a wrong count in docwords", `UPDATE docwords SET words = set_byte(words, 3, 99) WHERE url_id = 5`, "docwords: url 5"},
	{
		"a flipped fingerprint", `UPDATE docwords SET words = set_byte(words, octet_length(words) - 1, 99) WHERE url_id = 5`,
		"docwords: url 5 http://s1.example.org/5: its fingerprints do not match its positions in the index",
	},
	{"a fingerprint of another block", `UPDATE docwords SET words = set_byte(words, octet_length(words) - 9, 9) WHERE url_id = 5`, "its fingerprints do not match"},
	{"fingerprints that are cut", `UPDATE docwords SET words = substr(words, 1, octet_length(words) - 4) WHERE url_id = 5`, "docwords: url 5: corrupt: more blocks than there are bytes"},
	{"fingerprints of another document", `UPDATE docwords SET words = (SELECT words FROM docwords WHERE url_id = 6) WHERE url_id = 5`, "docwords: url 5"},
	{"docwords that are cut", `UPDATE docwords SET words = substr(words, 1, 6) WHERE url_id = 5`, "docwords: url 5"},
	{"docwords of another version", `UPDATE docwords SET words = set_byte(words, 0, 9) WHERE url_id = 5`, "docwords: url 5"},
	{"a lost row of docwords", `DELETE FROM docwords WHERE url_id = 5`, "docwords: url 5 http://s1.example.org/5 has no row"},
	{"all rows of docwords lost", `DELETE FROM docwords`, "has no row"},
	{"docwords of nothing", `INSERT INTO docwords VALUES (999, 1, '\x01010101')`, "docwords: a row of url 999"},
	{"a row of wordfile of no word", `INSERT INTO wordfile SELECT 9999, level, first_site, first_url, seq, urlcount, totalcount, urls FROM wordfile LIMIT 1`, "wordfile: word 9999"},
	{"a journal row of an unknown URL", `INSERT INTO journal (run_id, url_id, site_id, status) VALUES (1, 999, 1, 200)`, "url 999 (no row in urlword)"},
	{"a journal row on another site", `INSERT INTO journal (seq, run_id, url_id, site_id, status, words, same_content)
		SELECT nextval('journal_seq'), 1, 5, 4, 200, kept, true FROM kept WHERE url_id = 5`, "on site 1, not 4"},
	{"damaged words in the journal", `INSERT INTO journal (run_id, url_id, site_id, status, words) VALUES (1, 5, 1, 200, '\x0101020304050607')`, "journal: seq"},
	{"a mark of a live document", `INSERT INTO markdel (url_id, site_id, run_id, reason) VALUES (5, 1, 1, 'T-18')`, "by its mark"},
	{"a mark of an unknown URL", `INSERT INTO markdel (url_id, site_id, run_id, reason) VALUES (999, 1, 1, 'T-18')`, "url 999 (no row in urlword)"},
	{"a wrong wordcount", `UPDATE urlwords05 SET wordcount = 3 WHERE url_id = 5`, "by its content and the index"},
	{"a lost date", `DELETE FROM docdates WHERE url_id = 5`, "has no dates"},
	{"a lost label", `DELETE FROM wordsite WHERE word = 's1'`, `wordsite: "s1" lacks site 1`},
	{"a citation that is missing", `DELETE FROM citation WHERE url_id = 6`, "lacks url 5 http://s1.example.org/5, which links to it"},
	{"a citation that is no link", `UPDATE citation SET referrers = '{3,5}' WHERE url_id = 6`, "has url 3 http://s4.example.org/3, which does not link to it"},
	{"citation of nothing", `INSERT INTO citation VALUES (999, '{3}')`, "url 999 (no row in urlword)"},
	{"wrong totals", `UPDATE totals SET postings = postings + 1`, "totals:"},
}

// Every kind of damage of the index is found by -X1, which changes nothing, and mended by -X2: the same index
// as before.
func TestDamageIsNamedAndMended(t *testing.T) {
	l := newStoredIndex(t)
	l.exec(`CREATE TABLE kept (url_id integer, kept bytea)`)
	doc, err := parser.Parse([]byte(l.text(5, 0)), "text/plain", l.rules)
	if err != nil {
		t.Fatal(err)
	}
	var words []posting.Word
	for _, w := range doc.Words {
		words = append(words, posting.Word(w))
	}
	l.exec(`INSERT INTO kept VALUES (5, $1)`, posting.AppendWords(nil, words))
	want := l.index()
	o := CheckOptions{Clones: true, Rules: l.rules}
	s := l.store(l.dsn)
	defer s.Close()
	if lines, _ := findings(t, s, o); len(lines) > 0 {
		t.Fatalf("a sound index: %s", strings.Join(lines, "\n"))
	}
	storetest.CheckInvariants(t, l.dsn)
	for _, c := range indexDamages {
		t.Run(c.name, func(t *testing.T) {
			l.TB = t
			l.exec(c.sql)
			before := l.fingerprint()
			lines, sum := findings(t, s, o)
			if sum.Findings == 0 && c.want != "" || !strings.Contains(strings.Join(lines, "\n"), c.want) {
				t.Errorf("want %q, got\n%s", c.want, strings.Join(lines, "\n"))
			}
			if d := gocmp.Diff(before, l.fingerprint()); d != "" {
				t.Errorf("the check wrote: %s", d)
			}
			mended, err := Mend(context.Background(), s, MendOptions{CheckOptions: o, Begin: func(context.Context) (store.RunID, error) { return 1, nil }})
			if err != nil {
				t.Fatal(err)
			}
			if mended.Left > 0 {
				t.Errorf("%d findings are left", mended.Left)
			}
			if d := gocmp.Diff(want, l.index()); d != "" {
				t.Errorf("mended (-want +got):\n%s", d)
			}
			if lines, _ := findings(t, s, o); len(lines) > 0 {
				t.Errorf("after -X2: %s", strings.Join(lines, "\n"))
			}
			storetest.CheckInvariants(t, l.dsn)
		})
	}
}

// With an unmerged version -X1 does not compare the older postings with the content, so docwords has to show
// that one of them has flipped. The merge of -X2 then writes all of them, also the unchanged ones.
func TestAFlippedPositionIsMendedThoughAVersionWaits(t *testing.T) {
	l := newStoredIndex(t)
	s := l.store(l.dsn)
	defer s.Close()
	l.document(7, 0) // as in the index
	l.exec(`UPDATE wordurl SET urls = set_byte(urls, octet_length(urls) - 2, 1) WHERE word = 'own7'`)
	for _, o := range []CheckOptions{{Clones: true}, {Clones: true, Rules: l.rules}} { // with the contents, and without
		lines, _ := findings(t, s, o)
		want := []string{"docwords: url 7 http://s3.example.org/7: its fingerprints do not match its positions in the index; index -X2 mends it"}
		if d := gocmp.Diff(want, lines); d != "" {
			t.Errorf("found (-want +got):\n%s", d)
		}
	}
	o := CheckOptions{Clones: true, Rules: l.rules}
	if _, err := Mend(t.Context(), s, MendOptions{CheckOptions: o, Begin: func(context.Context) (store.RunID, error) { return 1, nil }}); err != nil {
		t.Fatal(err)
	}
	if lines, _ := findings(t, s, o); len(lines) > 0 {
		t.Errorf("after -X2: %s", strings.Join(lines, "\n"))
	}
	storetest.CheckInvariants(t, l.dsn)
}

// A row of docwords without fingerprints, as older programs wrote it, is no damage.
func TestDocwordsOfBeforeAreSound(t *testing.T) {
	l := newStoredIndex(t)
	s := l.store(l.dsn)
	defer s.Close()
	for _, row := range l.rows(`SELECT url_id, words FROM docwords WHERE url_id % 2 = 0`) {
		plain, err := posting.WithoutBlocks(row[1].([]byte))
		if err != nil {
			t.Fatal(err)
		}
		l.exec(`UPDATE docwords SET words = $2 WHERE url_id = $1`, row[0], plain)
	}
	o := CheckOptions{Clones: true, Rules: l.rules}
	if lines, _ := findings(t, s, o); len(lines) > 0 {
		t.Errorf("found: %s", strings.Join(lines, "\n"))
	}
	for id := range int32(10) {
		l.document(id+1, id%3)
	}
	l.mergeAll()
	if lines, _ := findings(t, s, o); len(lines) > 0 {
		t.Errorf("after a merge: %s", strings.Join(lines, "\n"))
	}
	storetest.CheckInvariants(t, l.dsn)
}

// The words of a document that is out of the index leave it.
func TestPostingsOfADeletedDocumentAreMended(t *testing.T) {
	l := newStoredIndex(t)
	s := l.store(l.dsn)
	defer s.Close()
	l.exec(`UPDATE urlword SET deleted = 1 WHERE url_id = 5; UPDATE urlwords05 SET deleted = 1 WHERE url_id = 5;
		UPDATE urlstate SET withdrawn_by = 'T-12', kept_since = now() WHERE url_id = 5`)
	o := CheckOptions{Clones: true, Rules: l.rules}
	lines, _ := findings(t, s, o)
	if !strings.Contains(strings.Join(lines, "\n"), "url 5 http://s1.example.org/5 is not a live document, but has") {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
	if _, err := Mend(t.Context(), s, MendOptions{CheckOptions: o, Begin: func(context.Context) (store.RunID, error) { return 1, nil }}); err != nil {
		t.Fatal(err)
	}
	if n := l.rows(`SELECT urlcount FROM wordurl WHERE word = 'own5'`)[0][0]; n != int32(0) {
		t.Errorf("urlcount %v", n)
	}
	if lines, _ := findings(t, s, o); len(lines) > 0 {
		t.Errorf("after -X2: %s", strings.Join(lines, "\n"))
	}
}

// With little memory there are several passes, with the same findings.
func TestCheckInPasses(t *testing.T) {
	l := newStoredIndex(t)
	s := l.store(l.dsn)
	defer s.Close()
	o := CheckOptions{Clones: true, Rules: l.rules, Memory: 700}
	if lines, sum := findings(t, s, o); len(lines) > 0 || sum.URLs != libraryDocuments || sum.Documents != libraryDocuments {
		t.Errorf("%+v\n%s", sum, strings.Join(lines, "\n"))
	}
	l.exec(`UPDATE wordurl SET urlcount = 1 WHERE word = 'the'; DELETE FROM docwords WHERE url_id = 50; UPDATE citation SET referrers = '{7}' WHERE url_id = 40`)
	lines, _ := findings(t, s, o)
	wide, _ := findings(t, s, CheckOptions{Clones: true, Rules: l.rules})
	slices.Sort(lines)
	slices.Sort(wide)
	if d := gocmp.Diff(wide, lines); d != "" || len(wide) < 4 {
		t.Errorf("in passes (-at once +in passes):\n%s", d)
	}
}

// A rebuild makes the same index, whatever remains of the old one.
func TestRebuild(t *testing.T) {
	l := newStoredIndex(t)
	want := l.index()
	s := l.store(l.dsn)
	defer s.Close()
	for _, c := range []struct{ name, sql string }{
		{"of a sound index", `SELECT 1`},
		{"of nothing", `UPDATE wordurl SET urls = '', urlcount = 0, totalcount = 0; DELETE FROM wordfile; DELETE FROM docwords`},
		{"of garbage", `UPDATE wordurl SET urls = '\x00'; UPDATE wordfile SET urls = '\x01'; UPDATE docwords SET words = '\x02'`},
		{"after one that was killed", `CREATE SCHEMA pgseek_rebuild; CREATE TABLE pgseek_rebuild.wordurl (x integer)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			l.TB = t
			l.exec(c.sql)
			for _, page := range []int{0, 10} { // one batch, several
				sum, err := Rebuild(t.Context(), s, RebuildOptions{Rules: l.rules, Memory: 1000, limits: &small, page: page})
				if (sum.Batches > 1) != (page > 0) || err != nil || sum.Documents != libraryDocuments || sum.Unread != 0 {
					t.Fatalf("%+v, %v", sum, err)
				}
				if d := gocmp.Diff(want, l.index()); d != "" {
					t.Errorf("rebuilt (-want +got):\n%s", d)
				}
				storetest.CheckInvariants(t, l.dsn)
			}
		})
	}
}

// The rebuilt index has the documents that the crawl stored and no merge has merged yet; the next merge does
// not change their words.
func TestRebuildWithAWaitingJournal(t *testing.T) {
	l := newStoredIndex(t)
	s := l.store(l.dsn)
	defer s.Close()
	l.document(5, 2)
	l.document(6, 3)
	l.exec(`UPDATE urlword SET deleted = 1 WHERE url_id = 7; UPDATE urlwords07 SET deleted = 1 WHERE url_id = 7;
		UPDATE urlstate SET withdrawn_by = 'T-12', kept_since = now() WHERE url_id = 7; INSERT INTO markdel (url_id, site_id, run_id, reason, links) VALUES (7, 3, 1, 'T-12', '{8}')`)
	if _, err := Rebuild(t.Context(), s, RebuildOptions{Rules: l.rules, limits: &small}); err != nil {
		t.Fatal(err)
	}
	storetest.CheckInvariants(t, l.dsn)
	l.document(5, 4) // newer than what was rebuilt
	l.mergeAll()
	storetest.CheckInvariants(t, l.dsn)
	if lines, _ := findings(t, s, CheckOptions{Clones: true, Rules: l.rules}); len(lines) > 0 {
		t.Errorf("after the merge: %s", strings.Join(lines, "\n"))
	}
}

// A rebuild brings unmerged versions into the index, and the merge treats them as late. So the rebuild dates
// them, once, by the rules of the merge. The dates are those that the documents would have without a rebuild,
// also when it is rolled back or run again.
func TestRebuildDatesWhatWaits(t *testing.T) {
	dates := func(disturb func(*storedIndex, *index.Store)) [][]any {
		l := newStoredIndex(t)
		s := l.store(l.dsn)
		defer s.Close()
		l.exec(`UPDATE docdates SET created = $1, modified = $1`, day(1))
		schedule := 0
		put := func(id, version int32, v happened) {
			schedule++ // each has a batch of its own
			l.document(id, version)
			l.exec(`UPDATE journal SET schedule_seq = $1, fetched_at = $2, modified = CASE WHEN $3 > 0 THEN $4::timestamptz END, same_content = $5
				WHERE url_id = $6 AND schedule_seq IS NULL`, schedule, day(v.fetched), v.modified, day(v.modified), v.same, id)
		}
		put(5, 2, happened{fetched: 9, modified: 7})
		put(6, 2, happened{fetched: 9, modified: 7})
		put(6, 3, happened{fetched: 12, modified: 11})
		put(7, 2, happened{fetched: 9, same: true})
		put(8, 2, happened{fetched: 5})
		put(8, 3, happened{fetched: 10, modified: 8}) // a clone at the time: without words
		l.exec(`UPDATE journal SET words = NULL WHERE url_id = 8 AND schedule_seq = $1`, schedule)
		put(8, 4, happened{fetched: 12, modified: 9})
		put(61, 0, happened{fetched: 4, modified: 3})
		put(61, 1, happened{fetched: 6, modified: 5})
		put(61, 2, happened{fetched: 8})
		put(61, 3, happened{fetched: 14, modified: 13})
		if disturb != nil {
			disturb(l, s)
		}
		if _, err := Run(t.Context(), s, Options{limits: &small, BatchDocuments: 1}); err != nil {
			t.Fatal(err)
		}
		storetest.CheckInvariants(t, l.dsn)
		return l.rows(`SELECT * FROM docdates ORDER BY url_id`)
	}
	rebuild := func(l *storedIndex, s *index.Store) error {
		_, err := Rebuild(t.Context(), s, RebuildOptions{Rules: l.rules, limits: &small})
		return err
	}
	want := dates(nil)
	if len(want) != libraryDocuments+1 {
		t.Fatalf("%d documents have dates", len(want))
	}
	for name, disturb := range map[string]func(*storedIndex, *index.Store){
		"rebuilt": func(l *storedIndex, s *index.Store) {
			if err := rebuild(l, s); err != nil {
				t.Fatal(err)
			}
		},
		"rebuilt twice": func(l *storedIndex, s *index.Store) {
			if err := cmp.Or(rebuild(l, s), rebuild(l, s)); err != nil {
				t.Fatal(err)
			}
		},
		"undone with the swap": func(l *storedIndex, s *index.Store) {
			l.exec(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''undone''; END'`)
			l.exec(`CREATE TRIGGER fail BEFORE UPDATE ON totals EXECUTE FUNCTION fail()`)
			before := l.rows(`SELECT * FROM docdates ORDER BY url_id`)
			if err := rebuild(l, s); err == nil || !strings.Contains(err.Error(), "undone") {
				t.Fatalf("not undone: %v", err)
			}
			l.exec(`DROP FUNCTION fail CASCADE`)
			if d := gocmp.Diff(before, l.rows(`SELECT * FROM docdates ORDER BY url_id`)); d != "" {
				t.Errorf("dates of a rebuild that was undone: %s", d)
			}
			if err := rebuild(l, s); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if d := gocmp.Diff(want, dates(disturb)); d != "" {
				t.Errorf("dates (-merged +rebuilt, then merged):\n%s", d)
			}
		})
	}
}
