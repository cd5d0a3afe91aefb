package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/storetest"
)

// searchFixture has documents 1 to 6 of sites 1 and 2 in the main index, 20 and 21 of site 3, which no merge
// has seen, and 5 in the real-time index. 6 redirects to 7, which redirects to 1; 8 to 11 are clones of 1.
const searchFixture = `
	INSERT INTO sites (site_id, site) VALUES (1, 'http://a.example.org/'), (2, 'http://b.example.org:8080/'), (3, 'http://new.example.com/');
	INSERT INTO sitestate (site_id, host, labelled) VALUES (1, 'a.example.org', true), (2, 'b.example.org', true), (3, 'new.example.com', false);
	INSERT INTO wordsite (word, sites) VALUES
		('org', ARRAY[(1 << 31) | 1]), ('org:8080', ARRAY[(1 << 31) | 2]), ('example', ARRAY[(1 << 30) | 1, (1 << 30) | 2]),
		('a', ARRAY[(1 << 29) | 1]), ('b', ARRAY[(1 << 29) | 2]);
	INSERT INTO urlword (url_id, site_id, url, status, last_modified, last_index_time, crc, redir, origin, deleted) VALUES
		(1, 1, 'http://a.example.org/1', 200, 'yesterday', 77, 'c1', 0, 0, 0), (2, 1, 'http://a.example.org/2', 200, '', 0, '', 0, 0, 0),
		(3, 2, 'http://b.example.org:8080/3', 200 + (404 << 16) + (1 << 27), '', 0, '', 0, 0, 0), (4, 2, 'http://b.example.org:8080/4', 200, '', 0, '', 0, 0, 1),
		(5, 2, 'http://b.example.org:8080/5', 200, '', 0, '', 0, 0, 0), (6, 1, 'http://a.example.org/6', 301, '', 0, '', 7, 0, 0),
		(7, 1, 'http://a.example.org/7', 301, '', 0, '', 1, 0, 0), (8, 1, 'http://a.example.org/8', 200, '', 0, 'c1', 0, 1, 0),
		(9, 1, 'http://a.example.org/9', 200, '', 0, 'c1', 0, 1, 0), (10, 1, 'http://a.example.org/10', 200, '', 0, 'c1', 0, 1, 0),
		(11, 1, 'http://a.example.org/11', 404, '', 0, 'c1', 0, 1, 0), (20, 3, 'http://new.example.com/20', 200, '', 0, '', 0, 0, 0),
		(21, 3, 'http://new.example.com/21', 404, '', 0, '', 0, 0, 0);
	INSERT INTO urlkey SELECT decode(md5(url), 'hex'), url_id FROM urlword;
	INSERT INTO urlstate (url_id, marks) VALUES (1, '{noarchive}'), (8, '{nosnippet}');
	INSERT INTO urlwords01 (url_id, wordcount, totalcount, content_type, charset, title, txt, docsize, keywords, description, lang, words, hrefs)
		VALUES (1, 1, 1, 'text/html; charset=x', 'utf-8', 'Title', 'Text', 9, 'Keywords', 'Description', 'en', '\xffffffff41', '{2}');
	INSERT INTO urlwords02 (url_id, wordcount, totalcount, content_type, charset, title, txt, docsize, keywords, description, lang, words, hrefs)
		VALUES (2, 1, 1, 'text/plain', 'utf-8', '', 'Two', 3, '', '', '', '\xffffffff42', '{}');
	INSERT INTO docdates (url_id, created, modified, modified_from) VALUES
		(1, '2024-01-01', '2024-02-01 00:00:00.7Z', 'fetch'), (5, '2024-01-01', '2024-01-02Z', 'fetch');
	INSERT INTO urlrank VALUES (1, 1.5), (2, 0.15);
	INSERT INTO citation VALUES (1, '{2,3,4}'), (7, '{2,5,6,8}');
	INSERT INTO spaces VALUES (7, 1), (7, 2), (8, 2);
	INSERT INTO subsets (subset_id, mask) OVERRIDING SYSTEM VALUE VALUES (1, 'http://a.%'), (2, '%/5'), (3, '%example.com/2_'), (4, '%nothing%');
	INSERT INTO subsetdocs VALUES (1, 1, -1, NULL), (2, 1, 0, '{2}'), (2, 2, 0, '{3}'), (2, 2, 1, '{16390,16391}');
	INSERT INTO rt_urls (url_id, seq, words) VALUES (5, 101, '\x0100'), (20, 102, '\x0100'), (21, 103, '\x0100');
	INSERT INTO journal (seq, run_id, url_id, site_id, status, modified, fetched_at, same_content) VALUES
		(100, 1, 5, 2, 200, '2024-03-01Z', '2024-03-05Z', false), (101, 1, 5, 2, 200, NULL, '2024-03-06Z', true), (99, 1, 5, 2, 301, NULL, '2024-03-04Z', false),
		(102, 1, 20, 3, 200, NULL, '2024-03-07Z', false), (98, 1, 1, 1, 200, NULL, '2024-03-01Z', false);
	INSERT INTO markdel (url_id, seq, run_id, site_id, reason) VALUES (4, 200, 1, 2, 'T-12'), (2, 201, 1, 1, 'T-04'), (99, 202, 1, 1, 'T-12'), (8, 203, 1, 1, 'T-06');
	INSERT INTO wordurl (word_id, word, urls, urlcount, totalcount) OVERRIDING SYSTEM VALUE VALUES
		(1, 'vacuum', '\x01', 3, 5), (2, 'vacuuming', '', 900, 1000), (3, 'vacuümed', '\x03', 1, 1), (4, 'vacation', '\x04', 1, 1), (5, 'vacuu', '', 0, 0),
		(6, 'vac', '\x06', 2, 2);
	INSERT INTO wordfile (word_id, level, first_site, first_url, seq, urlcount, totalcount, urls) VALUES
		(2, 2, 1, 1, 3, 1, 1, '\x2211'), (2, 2, 2, 9, 3, 1, 1, decode(repeat('ab', 3000), 'hex')), (2, 0, 1, 5, 7, 1, 1, '\x2007'), (2, 0, 1, 4, 8, 1, 1, '\x2008'),
		(2, 1, 1, 1, 5, 1, 1, '\x2105'), (4, 0, 1, 1, 5, 1, 1, '\x4005');
	INSERT INTO wordurl1 (word, word_id, urls, urlcount, totalcount) VALUES ('vacuum', 1, '\xf1', 1, 1), ('vacation', 4, '\xf4', 1, 1);`

// newSearch fills a database for searches.
func newSearch(t *testing.T) (*lookup.Store, *pgxpool.Pool) {
	t.Helper()
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	if _, err := pool.Exec(t.Context(), searchFixture); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "searchd"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return lookup.New(s), pool
}

// said collects the results of a snapshot, one on each line.
type said struct{ lines []string }

func (s *said) say(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *said) word(w lookup.SearchWord) {
	s.say("word %d %s %d %d %x", w.ID, w.Text, w.URLs, w.Total, w.Blob)
}

func (s *said) row(r lookup.SearchRow) {
	k := r.Key
	s.say("row %d level %d seq %d from %d %d: %d bytes %x xmin %v", k.Word, k.Level, k.Seq, k.FirstSite, k.FirstURL, r.Bytes, r.Blob, k.Xmin > 0)
}

func (s *said) realtime(id store.WordID, blob []byte) { s.say("realtime %d %x", id, blob) }

// TestSearchMethods checks the result of each query of a snapshot.
func TestSearchMethods(t *testing.T) {
	s, _ := newSearch(t)
	vacuuming := []string{
		"row 2 level 0 seq 8 from 1 4: 2 bytes 2008 xmin true",
		"row 2 level 0 seq 7 from 1 5: 2 bytes 2007 xmin true",
		"row 2 level 1 seq 5 from 1 1: 2 bytes 2105 xmin true",
		"row 2 level 2 seq 3 from 1 1: 2 bytes 2211 xmin true",
		"row 2 level 2 seq 3 from 2 9: 3000 bytes  xmin true",
	}
	url := func(u store.URLID) string { return fmt.Sprint(u) }
	for _, c := range []struct {
		name string
		ask  func(*lookup.Tx, *said)
		sort bool // the answers come in no order
		want []string
	}{
		{"words", func(x *lookup.Tx, s *said) {
			x.Words([]string{"vacuum", "vacuuming", "nowhere"}, s.word, s.row, s.realtime)
		}, true, slices.Concat(vacuuming, []string{"word 1 vacuum 3 5 01", "word 2 vacuuming 900 1000 ", "realtime 1 f1"})},
		{"a pattern", func(x *lookup.Tx, s *said) {
			x.Pattern("vacuum", "vacuum%", 100, 10, s.word, s.row, s.realtime)
		}, true, slices.Concat(vacuuming, []string{"word 1 vacuum 3 5 01", "word 2 vacuuming 900 1000 ", "realtime 1 f1"})},
		{"a pattern inside, of no ASCII", func(x *lookup.Tx, s *said) {
			x.Pattern("vacu", "vacu_m%", 100, 10, func(w lookup.SearchWord) { s.say("%s", w.Text) }, func(lookup.SearchRow) {}, s.realtime)
		}, false, []string{"vacuuming", "vacuum", "vacuümed", "realtime 1 f1"}},
		{"no more words of a pattern than wanted, the most frequent ones, and their rows", func(x *lookup.Tx, s *said) {
			x.Pattern("vac", "vac%", 100, 3, func(w lookup.SearchWord) { s.say("%s", w.Text) }, func(r lookup.SearchRow) { s.say("row %d", r.Key.Word) },
				func(store.WordID, []byte) {})
		}, false, []string{"vacuuming", "vacuum", "vac", "row 2", "row 2", "row 2", "row 2", "row 2"}},
		{"no more words of a pattern are looked at than wanted", func(x *lookup.Tx, s *said) {
			x.Pattern("vac", "vac%", 3, 10, func(w lookup.SearchWord) { s.say("%s", w.Text) }, func(lookup.SearchRow) {}, func(store.WordID, []byte) {})
		}, true, []string{"vac", "vacation", "vacuu"}},
		{"rows of wordfile in the order of the question", func(x *lookup.Tx, s *said) {
			keys := []lookup.RowKey{
				{Word: 2, Level: 2, Seq: 3, FirstSite: 2, FirstURL: 9},
				{Word: 4, Level: 0, Seq: 5, FirstSite: 1, FirstURL: 1},
				{Word: 2, Level: 0, Seq: 8, FirstSite: 1, FirstURL: 4},
			}
			var all [][]byte
			x.Blobs(keys, func(b []byte) {
				all = append(all, b) // to keep
				if len(all) == 3 {
					s.say("%d %x %x", bytes.Count(all[0], []byte{0xab}), all[1], all[2])
				}
			})
			x.Blobs(nil, func([]byte) { s.say("a row that nobody asked for") })
		}, false, []string{"3000 4005 2008"}},
		{"documents of the real-time index", func(x *lookup.Tx, s *said) {
			x.Now(100, func(now lookup.SearchNow) { s.say("%v", now.Live) })
		}, false, []string{"[5 20 21]"}},
		{"documents that have left: T-12, one that is not there, a clone, a 404 in the real-time index", func(x *lookup.Tx, s *said) {
			for _, limit := range []int{100, 7, 6, 0} {
				x.Now(limit, func(now lookup.SearchNow) {
					slices.Sort(now.Gone)
					s.say("%d: %v %v", limit, now.Gone, now.Known)
				})
			}
		}, false, []string{"100: [4 8 21 99] true", "7: [4 8 21 99] true", "6: [] false", "0: [] false"}},
		{"which of some documents have left", func(x *lookup.Tx, s *said) {
			x.GoneOf([]store.URLID{1, 2, 3, 4, 5, 6, 8, 11, 99}, func(u store.URLID) { s.say("%s", url(u)) })
		}, true, []string{"11", "4", "6", "8", "99"}},
		{"labels, those of sites in the real-time index too", func(x *lookup.Tx, s *said) {
			x.Labels([]string{"example", "org:8080", "org", "com", "nowhere"}, func(label string, sites []uint32) {
				for _, site := range sites {
					s.say("%s %08x", label, site)
				}
			})
		}, true, []string{"com 80000003", "example 40000001", "example 40000002", "example 40000002", "example 40000003", "org 80000001", "org 80000002", "org 80000002", "org:8080 80000002", "org:8080 80000002"}},
		{"sites by name", func(x *lookup.Tx, s *said) {
			x.Sites([]string{"http://b.example.org:8080/", "http://nowhere/"}, func(id store.SiteID, name string) { s.say("%d %s", id, name) })
		}, false, []string{"2 http://b.example.org:8080/"}},
		{"sites of spaces, each once", func(x *lookup.Tx, s *said) {
			x.Spaces([]int32{7, 8, 9}, func(id store.SiteID) { s.say("%d", id) })
		}, true, []string{"1", "2"}},
		{"subsets by mask and number, with what the merge has not put there yet", func(x *lookup.Tx, s *said) {
			x.Subsets([]string{"http://a.%", "%/5", "gone%"}, []store.SubsetID{3, 9},
				func(mask string, id store.SubsetID) { s.say("known %d %s", id, mask) },
				func(site store.SiteID, urls []store.URLID) { s.say("site %d: %v whole %v", site, urls, urls == nil) })
		}, true, []string{
			"known 1 http://a.%", "known 2 %/5", "known 3 %example.com/2_", "site 1: [2] whole false", "site 1: [] whole true",
			"site 2: [16390 16391] whole false", "site 2: [3] whole false", "site 2: [5] whole false", "site 3: [20 21] whole false",
		}},
		{"subsets come by site", func(x *lookup.Tx, s *said) {
			x.Subsets([]string{"http://a.%", "%/5"}, []store.SubsetID{3}, func(string, store.SubsetID) {},
				func(site store.SiteID, _ []store.URLID) { s.say("%d", site) })
		}, false, []string{"1", "1", "2", "2", "2", "3"}},
		{"documents, without those that have no content", func(x *lookup.Tx, s *said) {
			for _, contents := range [][]store.URLID{{1, 2, 3, 99}, nil} {
				x.Documents([]store.URLID{1, 2, 3, 99}, contents, 0, func(d lookup.SearchDocument) {
					s.say("%d %d %s %d %s %q %d %s %v", d.URL, d.Site, d.Address, d.Status, d.CRC, d.Modified, d.IndexedAt.Unix(),
						d.Dated.UTC().Format(time.RFC3339), d.Marks)
					s.say("%d %q %q %q %q %d %s %s %q %x", d.URL, d.Title, d.Text, d.Keywords, d.Description, d.Size, d.ContentType, d.Charset, d.Lang, d.Content)
				})
			}
		}, true, []string{
			`1 "Title" "Text" "Keywords" "Description" 9 text/html; charset=x utf-8 "en" `,
			`1 "Title" "Text" "Keywords" "Description" 9 text/html; charset=x utf-8 "en" ffffffff41`,
			`1 1 http://a.example.org/1 200 c1 "yesterday" 77 2024-02-01T00:00:00Z [noarchive]`,
			`1 1 http://a.example.org/1 200 c1 "yesterday" 77 2024-02-01T00:00:00Z [noarchive]`,
			`2 "" "Two" "" "" 3 text/plain utf-8 "" `,
			`2 "" "Two" "" "" 3 text/plain utf-8 "" ffffffff42`,
			`2 1 http://a.example.org/2 200  "" 0 0001-01-01T00:00:00Z []`,
			`2 1 http://a.example.org/2 200  "" 0 0001-01-01T00:00:00Z []`,
		}},
		{"clones, live ones only", func(x *lookup.Tx, s *said) {
			x.Documents([]store.URLID{1, 2}, nil, 2, func(d lookup.SearchDocument) { s.say("%d %d %s of %d", d.URL, d.CloneIDs, d.Clones, d.Version.Clones) })
		}, true, []string{"1 [8 9] [http://a.example.org/8 http://a.example.org/9] of 3", "2 [] [] of 0"}},
		{"URLs by address", func(x *lookup.Tx, s *said) {
			for _, a := range []string{"http://a.example.org/8", "http://a.example.org/6", "http://a.example.org/", "http://b.example.org:8080/4"} {
				x.URL(a, func(u lookup.SearchURL) { s.say("%d %d %d %v %v", u.ID, u.Redirect, u.Origin, u.Live, u.Marks) })
			}
		}, false, []string{"8 0 1 true [nosnippet]", "6 7 0 false []", "4 0 0 false []"}},
		{"where a redirect leads", func(x *lookup.Tx, s *said) {
			x.Chain(6, func(u store.URLID) { s.say("%s", url(u)) })
			x.Chain(99, func(u store.URLID) { s.say("%s", url(u)) })
		}, false, []string{"6", "7", "1"}},
		{"live originals that link to any of some, each once, by site", func(x *lookup.Tx, s *said) {
			x.Referrers([]store.URLID{1, 7, 2}, func(site store.SiteID, u store.URLID) { s.say("%d %d", site, u) })
		}, false, []string{"1 2", "2 3", "2 5"}},
		{"what the dates in the real-time index are made of", func(x *lookup.Tx, s *said) {
			date := func(d lookup.RealtimeDate) {
				day := func(t time.Time) string { return t.UTC().Format(time.DateOnly) }
				s.say("%d %s %s %s %v", d.URL, day(d.Known), day(d.Modified), day(d.Fetched), d.Same)
			}
			x.RealtimeDates(date)
			x.RealtimeDatesOf([]store.URLID{20, 1}, date)
		}, false, []string{
			"5 2024-01-02 2024-03-01 2024-03-05 false", "5 2024-01-02 0001-01-01 2024-03-06 true", "20 0001-01-01 0001-01-01 2024-03-07 false",
			"20 0001-01-01 0001-01-01 2024-03-07 false",
		}},
		{"words that begin alike, the first ones of each beginning", func(x *lookup.Tx, s *said) {
			near := func(word string, urls int64) { s.say("%s %d", word, urls) }
			x.Dictionary([]string{"vacu", "vaca"}, 6, 8, 10, near)
			x.Dictionary([]string{"vac"}, 1, 32, 2, near)
			x.Dictionary(nil, 1, 32, 2, near)
		}, true, []string{"vac 2", "vacation 1", "vacation 1", "vacuum 3", "vacuümed 1"}},
	} {
		var got said
		err := s.Search(t.Context(), func(x *lookup.Tx) error {
			c.ask(x, &got)
			if len(got.lines) > 0 {
				t.Errorf("%s: answered before it was sent: %q", c.name, got.lines)
			}
			return x.Send(t.Context())
		})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.sort {
			slices.Sort(got.lines)
			slices.Sort(c.want)
		}
		if diff := cmp.Diff(c.want, got.lines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestSearchFacts: ranks, dates, languages and types of all documents; a date is the second in which it falls, as in Last-Modified.
func TestSearchFacts(t *testing.T) {
	s, _ := newSearch(t)
	var got said
	err := s.DocValues(t.Context(), func(u store.URLID, rank float32) { got.say("rank %d %v", u, rank) },
		func(u store.URLID, at int64, length byte) {
			got.say("date %d %s, length %d", u, time.Unix(at, 0).UTC().Format(time.RFC3339), length)
		},
		func(k lookup.Kind) { got.say("kind %d %s %s %d", k.URL, k.Language, k.Type, k.Tag) })
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got.lines)
	want := []string{"date 1 2024-02-01T00:00:00Z, length 0", "date 5 2024-01-02T00:00:00Z, length 0", "kind 1   0", "kind 5   0", "rank 1 1.5", "rank 2 0.15"}
	if diff := cmp.Diff(want, got.lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSearchIsOneMoment: a snapshot does not see a commit in the middle, such as a merge that merges segments
// and takes over real-time documents, and does not block it. After SendLast the next query begins another
// snapshot.
func TestSearchIsOneMoment(t *testing.T) {
	s, pool := newSearch(t)
	ask := func(x *lookup.Tx) string {
		var got said
		x.Words([]string{"vacuum", "vacuuming"}, got.word, got.row, got.realtime)
		x.Now(100, func(now lookup.SearchNow) {
			got.say("live %v gone %d of %d", now.Live, len(now.Gone), now.State.Changes)
		})
		x.Blobs([]lookup.RowKey{{Word: 2, Level: 2, Seq: 3, FirstSite: 2, FirstURL: 9}}, func(b []byte) { got.say("blob of %d", len(b)) })
		if err := x.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got.lines)
		return strings.Join(got.lines, "\n")
	}
	looks := 0
	err := s.Search(t.Context(), func(x *lookup.Tx) error {
		looks++
		before := ask(x)
		if _, err := pool.Exec(t.Context(), `
			BEGIN; DELETE FROM wordfile; DELETE FROM wordurl1; DELETE FROM rt_urls; DELETE FROM markdel;
			UPDATE wordurl SET urls = '\x77', urlcount = 77; UPDATE urlword SET deleted = 1; COMMIT`); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, ask(x)); diff != "" {
			t.Errorf("in one look (-before +after a commit):\n%s", diff)
		}
		if err := x.SendLast(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := ask(x), "live [] gone 0 of 0\nword 1 vacuum 77 5 77\nword 2 vacuuming 77 1000 77"; got != want {
			t.Errorf("in another look:\n%s\nwant:\n%s", got, want)
		}
		return nil
	})
	if err != nil || looks != 1 {
		t.Errorf("%d looks, %v", looks, err)
	}
}

// TestClearedWordsAreAnotherState: -X2 removes postings without counting a change of the index, because it
// counted one when it began. Caches of postings notice it nevertheless.
func TestClearedWordsAreAnotherState(t *testing.T) {
	s, _ := newSearch(t)
	state := func() (now lookup.PostingsState) {
		t.Helper()
		err := s.Search(t.Context(), func(x *lookup.Tx) error {
			x.Now(1, func(n lookup.SearchNow) { now = n.State })
			return x.SendLast(t.Context())
		})
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	since, err := s.BeginChange(t.Context(), store.AnyChanges)
	if err != nil {
		t.Fatal(err)
	}
	before := state()
	if err := index.New(s.DB).ClearWords(t.Context(), since, []store.WordID{1}); err != nil {
		t.Fatal(err)
	}
	if after := state(); after == before || after.Changes != since {
		t.Errorf("before %+v, after %+v; the changes are to stay %d", before, after, since)
	}
}

// TestSearchLeavesNothingOpen: however a snapshot ends, its connection is returned without a transaction, and
// it cannot write.
func TestSearchLeavesNothingOpen(t *testing.T) {
	s, pool := newSearch(t)
	fault := errors.New("a fault of the caller's")
	for _, end := range []error{nil, fault} {
		err := s.Search(t.Context(), func(x *lookup.Tx) error {
			x.Spaces([]int32{7}, func(store.SiteID) {})
			if err := x.Send(t.Context()); err != nil {
				return err
			}
			x.Spaces([]int32{7}, func(store.SiteID) { t.Error("answered without being sent") })
			return end
		})
		if !errors.Is(err, end) {
			t.Errorf("%v, want %v", err, end)
		}
	}
	if err := s.Search(t.Context(), func(x *lookup.Tx) error { return x.Send(t.Context()) }); err != nil {
		t.Errorf("nothing asked: %v", err)
	}
	var open int
	if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'searchd' AND state LIKE 'idle in%'`).Scan(&open); err != nil || open != 0 {
		t.Errorf("%d transactions are open, %v", open, err)
	}
}
