package migrations_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// term is a row of search_terms.
type term struct {
	Term             int32
	Phrase, Excluded bool
	Place            int32
	Word             string
}

// asTyped writes terms as people do: +phrases between quotes, -exclusions, a place only where it is not the next one.
func asTyped(rows []term) string {
	var out []string
	next := map[bool]int32{}
	for i := 0; i < len(rows); {
		r := rows[i]
		var words []string
		place := r.Place
		for ; i < len(rows) && rows[i].Term == r.Term; i++ {
			for ; place < rows[i].Place; place++ {
				words = append(words, "_")
			}
			words = append(words, rows[i].Word)
			place++
		}
		s := strings.Join(words, " ")
		if r.Phrase {
			s = `"` + s + `"`
		}
		if r.Excluded {
			s = "-" + s
		} else {
			s = strings.Repeat("_ ", int(r.Place-next[false])) + s
			next[false] = place
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// The language of search() is a part of that of package search, and read in the same way.
func TestSearchTerms(t *testing.T) {
	ctx, conn := connect(t)
	if _, err := conn.Exec(ctx, `UPDATE wordrules SET max_length = 20, stopwords = '{of,the}'`); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 33)
	for _, c := range []struct{ name, query, want string }{
		{"words", "Vacuum  FULL", "vacuum full"},
		{"a phrase", `vacuum "full table"`, `vacuum "full table"`},
		{"a word in quotation marks is a phrase", `"vacuum"`, `"vacuum"`},
		{"curly quotation marks", "“full table” x", `"full table" x`},
		{"a quotation mark that is not closed", `a "full table`, `a "full table"`},
		{"quotation marks part words", `a"b c"d`, `a "b c" d`},
		{"a word of several is a phrase", "pg_stat_activity wi-fi don’t", `"pg stat activity" "wi fi" "don t"`},
		{"what joins words", "a.b/c:d@e&f#g%h=i~j^k$l·m", `"a b c d e f g h i j k l m"`},
		{"what nobody sees is passed over", "a\u00ADb c\u200Dd", "ab cd"},
		{"all else parts them", "a,b;c+d!e{f}g<h>", "a b c d e f g h"},
		{"scripts change without a blank", "日本語タワー x", `"日本 本語 語タ タワ ワー" x`},
		{"a pair is a word", "日本 日", "日本 日"},
		{"an address", "http://example.org/a", `"http example org a"`},
		{"an exclusion", "a -b", "a -b"},
		{"an excluded phrase", `a -"b c" d`, `a -"b c" d`},
		{"an excluded word of several", "a -b-c", `a -"b c"`},
		{"no exclusion behind a word", "a-b", `"a b"`},
		{"no exclusion before a blank", "a - b", "a b"},
		{"no exclusion behind a minus", "a --b", "a b"},
		{"no exclusion in a phrase", `"a -b"`, `"a b"`},
		{"exclusions first", "-a b", "-a b"},
		{"no exclusion behind a phrase", `"a"-b`, `"a" b`},
		{"AND is what a blank is", "a AND b", "a b"},
		{"and is a word", "a and b", "a and b"},
		{"AND and OR are words of a phrase", `"a AND b OR c|d"`, `"a and b or c d"`},
		{"OR in a word of several", "x-OR", `"x or"`},
		{"a stop word keeps its place", "state of the art", "state _ _ art"},
		{"and in a phrase", `"state of the art"`, `"state _ _ art"`},
		{"at its ends it has none", `"the state of" the art`, `_ "state" _ _ art`},
		{"in a word of several", "end-of-file of-x", `"end _ file" _ x`},
		{"a word that is too long", long + " a " + long + " b", "_ a _ b"},
		{"one that is longer than the index has them", strings.Repeat("y", 21) + " a", "_ a"},
		{"control characters part words", "a\tb\nc\x7fd\u0085e", "a b c d e"},
		{"signs of LIKE are none here", `100% a\b`, `100 "a b"`},
		{"link: is a word behind the first", "a link:b", `a "link b"`},
		{"marks without a letter", "\u0301 a ❤\uFE0F b", "a b"},
		{"nothing", " ,.;-+ \"\" ", ""},
		{"only stop words", "the of", ""},
		{"an option alone is a word", "-a", "a"},
		{"also one of several words", "-wi-fi", `"wi fi"`},
		{"several exclusions are none", "-a -b", "-a -b"},
		{"the end of a question", `what? "is it?" vacuum??`, `what "is it" vacuum`},
		{"and the beginning of one", `?what "?is it" a -?b`, `what "is it" a -b`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := asTyped(collect[term](t, conn, `SELECT term, phrase, excluded, place, word FROM search_terms($1)`, c.query))
			if got != c.want {
				t.Errorf("%q\ngot  %s\nwant %s", c.query, got, c.want)
			}
		})
	}
}

// search() refuses syntax that it does not know. A query beyond its limits costs nothing (B38).
func TestSearchRefuses(t *testing.T) {
	ctx, conn := connectFilled(t)
	const tooMuch, unknown = "54000", "0A000"
	for query, code := range map[string]string{
		strings.Repeat("a", 2049):            tooMuch,
		strings.Repeat("ä", 1025):            tooMuch,
		strings.Repeat("+a ", 33):            tooMuch,
		strings.Repeat("a ", 511) + "b c":    tooMuch,
		`"` + strings.Repeat("a ", 33) + `"`: tooMuch,
		`"` + strings.Repeat("日", 34) + `"`:  tooMuch,
		"x" + strings.Repeat(" -a", 33):      tooMuch,
		"a OR b":                             unknown, "a|b": unknown, "(a b)": unknown, "a (b": unknown, `"a (b)"`: unknown,
		"vacuu*": unknown, "what?is": unknown, "what ?": unknown, "what?*": unknown, `"a * b"`: unknown,
		"title:a": unknown, "a body:b": unknown, "desc:a": unknown, "keywords:a": unknown, "a -site:b": unknown,
		"link:http://a/": unknown, "  link:a": unknown,
	} {
		if _, err := conn.Exec(ctx, `SELECT * FROM search($1)`, query); sqlState(err) != code {
			t.Errorf("%.40q: got %v, want SQLSTATE %s", query, err, code)
		}
	}
	for query, argument := range map[string]string{"a site:b": "site =>", "lang:de a": "lang =>", "filetype:pdf a": "type =>", "inurl:b a": "path =>", "title:a": "index --search"} {
		_, err := conn.Exec(ctx, `SELECT * FROM search($1)`, query)
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || !strings.Contains(pg.Hint, argument) {
			t.Errorf("%s: %v: the hint does not name %s", query, err, argument)
		}
	}
	for _, results := range []int{0, -1, 1001, math.MinInt32} {
		if _, err := conn.Exec(ctx, `SELECT * FROM search('a', $1)`, results); sqlState(err) != "22023" {
			t.Errorf("%d results: %v", results, err)
		}
	}
	for _, call := range []string{
		`search('a', match => 'some')`, `search('a', ranking => 'best')`, `search('a', forms => 'xx')`, `search('a', forms => 'en,en; DROP TABLE stat')`,
		`search('a', forms => '')`,
	} {
		if _, err := conn.Exec(ctx, `SELECT * FROM `+call); sqlState(err) != "22023" {
			t.Errorf("%s: %v", call, err)
		}
	}
	for _, query := range []string{
		"", " ", "-vacuum -house", `""`, "nowhere", "+vacuum +nowhere", `"vacuum nowhere"`, "forgotten", "'; DROP TABLE stat; --", strings.Repeat("a ", 32),
		strings.Repeat("a", 1024), `\`, "%", "_", "\u0301", strings.Repeat("☃", 341),
	} {
		if rows := collect[hit](t, conn, hitsSQL, query, 10); len(rows) != 0 {
			t.Errorf("%.40q: %v", query, rows)
		}
	}
	if got := column[int64](t, conn, `SELECT count(*) FROM search(NULL) UNION ALL SELECT count(*) FROM search('vacuum', NULL)`); !slices.Equal(got, []int64{0, 0}) {
		t.Errorf("NULL finds %v", got)
	}
}

// TestConditions verifies which terms of a query are conditions, and what is written without a blank.
func TestConditions(t *testing.T) {
	_, conn := connect(t)
	for query, want := range map[string]string{
		"a +b c":        "b",
		"+a b":          "a",
		"a AND b c":     "a b",
		"a AND b-c d":   "a b c",
		"a AND -b c":    "a",
		"a -b AND c d":  "c",
		`a AND "b c" d`: "a",
		"a + b":         "",
		"a+b c":         "",
		`a +"b c"`:      "",
		"+a":            "",
		"a AND -b":      "",
		"+of a b":       "of",
		"C++ a":         "",
	} {
		got := column[string](t, conn, `SELECT coalesce(string_agg(word, ' ' ORDER BY place), '') FROM search_terms($1) WHERE must`, query)
		if got[0] != want {
			t.Errorf("%s: conditions %q, want %q", query, got[0], want)
		}
	}
	got := column[string](t, conn, `SELECT string_agg(word, ' ' ORDER BY term, place) FROM search_terms('a b-c "d e" -f-g') WHERE unit`)
	if got[0] != "b c f g" {
		t.Errorf("written without a blank: %q", got[0])
	}
}

// hit is a row of search() that shows the order.
type hit struct {
	Rank int64
	URL  int32
}

const hitsSQL = `SELECT rank, url_id FROM search($1, $2, ranking => 'aspseek')`

// What a person sees of the small index: vacuum in a title first, lost documents among the rest, terms marked.
func TestSearchOfTheFixture(t *testing.T) {
	_, conn := connectFilled(t)
	type row struct {
		URL            string
		Title, Excerpt string
	}
	const query = `SELECT url, title, excerpt FROM search($1)`
	for _, c := range []struct {
		query string
		want  []row
	}{
		{"vacuum", []row{
			{"http://www.example.org/", "Home", "How to «vacuum» the house."},
			{"http://docs.example.org:8080/", "Documentation", ""},
		}},
		{"VACUUM -house", []row{}},
		{`house -"vacuum house" -lost -nowhere`, []row{{"http://docs.example.org:8080/", "Documentation", ""}}},
		{`"vacuum house" -"house vacuum"`, []row{{"http://www.example.org/", "Home", "How to «vacuum» the «house»."}}},
		{"lost", []row{{"http://www.example.org/lost.html", "Lost", ""}}},
		// The newer row of wordfile took document 2 away.
		{"house", []row{
			{"http://www.example.org/", "Home", "How to vacuum the «house»."},
			{"http://docs.example.org:8080/", "Documentation", ""},
		}},
		{"nowhere +house?", []row{
			{"http://www.example.org/", "Home", "How to vacuum the «house»."},
			{"http://docs.example.org:8080/", "Documentation", ""},
		}},
	} {
		if diff := cmp.Diff(c.want, collect[row](t, conn, query, c.query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
	}
}

// Excerpts begin a little before the first term; terms are marked.
func TestSearchExcerpt(t *testing.T) {
	_, conn := connect(t)
	front := strings.Repeat("word after word ", 10)
	for _, c := range []struct{ name, txt, words, want string }{
		{"words in any case", "VACUUM the Vacuum", "vacuum", "«VACUUM» the «Vacuum»"},
		{"a word of several", "see pg_stat_activity.", "pg stat activity", "see «pg»_«stat»_«activity»."},
		{"pairs overlap", "私は日本語を話す", "日本 本語", "私は«日本語»を話す"},
		{"folded letters", "Ｖａｃｕｕｍ ﬁne", "vacuum fine", "«Ｖａｃｕｕｍ» «ﬁne»"},
		{"nothing of it", "some text", "vacuum", "<nil>"},
		{"no text", "", "vacuum", "<nil>"},
		{"far behind", front + "vacuum behind", "vacuum", "… " + front[101:] + "«vacuum» behind"},
		{"far behind, without a blank", strings.Repeat("日", 150) + "本", "日本", "… " + strings.Repeat("日", 60-1+1) + "«日本»"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := column[*string](t, conn, `SELECT search_excerpt($1, string_to_array($2, ' '))`, c.txt, c.words)
			s := "<nil>"
			if got[0] != nil {
				s = *got[0]
			}
			if s != c.want {
				t.Errorf("got  %q\nwant %q", s, c.want)
			}
		})
	}
}

// A model of an index: the positions of words in documents, and the rank computed from them.
type model struct {
	words map[string]map[int32][]int // word -> document -> positions
	live  map[int32]bool
	link  map[int32]float32
}

// phrase returns the positions of the first of some words at which all words occur at their offsets, in one section.
func (m *model) phrase(doc int32, words []string, offsets []int) (begins []int) {
	for _, p := range m.words[words[0]][doc] {
		all := true
		for k, w := range words {
			q := p + offsets[k] - offsets[0]
			all = all && q>>14 == p>>14 && slices.Contains(m.words[w][doc], q)
		}
		if all {
			begins = append(begins, p)
		}
	}
	return begins
}

// asked is a term of a query of the model.
type asked struct {
	words             []string
	offsets           []int // in the whole query
	phrase, exclusion bool
}

// rank is 0 for a document that does not match.
func (m *model) rank(doc int32, query []asked) int64 {
	if !m.live[doc] {
		return 0
	}
	var terms []asked
	var words []string
	var offsets []int
	section, times := 3, math.MaxInt
	for _, a := range query {
		begins := m.phrase(doc, a.words, a.offsets)
		switch {
		case a.exclusion && len(begins) > 0:
			return 0
		case a.exclusion:
			continue
		case len(begins) == 0:
			return 0
		}
		best, here := begins[len(begins)-1]>>14, 0
		for _, p := range begins {
			if p>>14 == best && (a.phrase || best == 0) {
				here++
			}
		}
		section, times = min(section, best), min(times, max(here, 1))
		terms, words, offsets = append(terms, a), append(words, a.words...), append(offsets, a.offsets...)
	}
	first := math.MaxInt
	for _, a := range terms {
		for _, p := range m.phrase(doc, a.words, a.offsets) {
			if p>>14 == section {
				first = min(first, p&0x3FFF)
			}
		}
	}
	bits := 0x8000 | section<<13
	switch {
	case len(terms) > 1:
		pairs := 0
		for i := range len(terms) - 1 {
			a, b := terms[i], terms[i+1]
			if len(m.phrase(doc, append(slices.Clone(a.words), b.words...), append(slices.Clone(a.offsets), b.offsets...))) > 0 {
				pairs++
			}
		}
		quality := min(pairs, 2)
		if whole := len(m.phrase(doc, words, offsets)); whole > 0 {
			quality, times = 3, whole
		}
		bits |= quality << 11
		if section > 0 {
			bits |= 0x7FF - min(first, 0x7FF)
		}
	case section > 0:
		bits |= 0x1FFF - min(first, 0x1FFF)
	case terms[0].phrase:
		bits |= 0x3000
	}
	link := 0
	if r := m.link[doc]; r > 0 {
		link = max(0, min(int(2000*math.Log(10*float64(r))), 65535))
	}
	if section == 0 {
		link = min(link+int(2000*math.Log(float64(times))), 65535)
	}
	if bits&0x6000 != 0 {
		return int64(bits)<<16 + int64(link)
	}
	return int64(bits&0xF800)<<16 + int64(link)<<11
}

// search is the answer of the model.
func (m *model) search(query []asked, results int) (hits []hit) {
	for doc := range m.live {
		if r := m.rank(doc, query); r > 0 {
			hits = append(hits, hit{r, doc})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		if a.Rank != b.Rank {
			return int(max(-1, min(1, b.Rank-a.Rank)))
		}
		return int(a.URL - b.URL)
	})
	return hits[:min(results, len(hits))]
}

// blobOf packs postings of one word, all on site 1; none of a document is its removal.
func blobOf(docs map[int32][]int) []byte {
	ids := []int32{}
	for id := range docs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	blob := []byte{12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}
	for _, id := range ids {
		blob = binary.LittleEndian.AppendUint32(blob, uint32(id))
		blob = binary.LittleEndian.AppendUint16(blob, uint16(len(docs[id])))
		for _, p := range docs[id] {
			blob = binary.LittleEndian.AppendUint16(blob, uint16(p))
		}
	}
	binary.LittleEndian.PutUint32(blob[8:], uint32(len(blob)))
	return blob
}

// randomModel makes an index and writes it as merges and index -T leave it: inline, in levels of wordfile with older versions
// and removals, hidden by real-time documents, with documents that a rule took out, clones, lost ones.
func randomModel(ctx context.Context, t *testing.T, conn *pgx.Conn, random *rand.Rand, documents int) *model {
	t.Helper()
	m := &model{words: map[string]map[int32][]int{}, live: map[int32]bool{}, link: map[int32]float32{}}
	batch := &pgx.Batch{}
	realtime := map[int32]bool{}
	for id := int32(1); id <= int32(documents); id++ {
		status, deleted, origin := 200, 0, 0
		m.live[id] = true
		switch random.IntN(12) {
		case 0:
			status = 200 | 404<<16 | 1<<27
		case 1:
			deleted = 1
			delete(m.live, id)
		case 2:
			origin = 1
			delete(m.live, id)
		case 3:
			status = 404
			delete(m.live, id)
		case 4:
			realtime[id] = true
			batch.Queue(`INSERT INTO rt_urls (url_id, seq) VALUES ($1, 1)`, id)
		}
		batch.Queue(`INSERT INTO urlword (url_id, site_id, url, status, deleted, origin) VALUES ($1, 1, $5, $2, $3, $4)`, id, status, deleted, origin, fmt.Sprint("u", id))
		if random.IntN(4) > 0 {
			m.link[id] = random.Float32() * 3
			batch.Queue(`INSERT INTO urlrank VALUES ($1, $2)`, id, m.link[id])
		}
	}
	for i, word := range strings.Fields("a b c d e f") {
		docs := map[int32][]int{}
		for id := int32(1); id <= int32(documents); id++ {
			if random.IntN(6) < i {
				continue
			}
			places := map[int]bool{}
			for section := range 4 {
				for range random.IntN(6) * (1 - min(1, section*random.IntN(3))) {
					places[section<<14|random.IntN(12)] = true
				}
			}
			if random.IntN(40) == 0 { // long lists, and the last ordinal
				for range 1500 {
					places[random.IntN(16384)] = true
				}
				places[16383] = true
			}
			for p := range places {
				docs[id] = append(docs[id], p)
			}
			sort.Ints(docs[id])
			if len(docs[id]) == 0 {
				delete(docs, id)
			}
		}
		m.words[word] = docs
		merged, now := map[int32][]int{}, map[int32][]int{}
		for id, places := range docs {
			if realtime[id] {
				now[id] = places
			} else {
				merged[id] = places
			}
		}
		for id := range realtime { // what is hidden
			if random.IntN(2) == 0 {
				merged[id] = []int{random.IntN(8)}
			}
		}
		id := i + 1
		blob := blobOf(merged)
		if len(blob) <= 1000 {
			batch.Queue(`INSERT INTO wordurl VALUES ($1, $2, $3, $4, 0)`, word, id, blob, len(merged))
		} else {
			batch.Queue(`INSERT INTO wordurl VALUES ($1, $2, '', $3, 0)`, word, id, len(merged))
			base, middle, newest := map[int32][]int{}, map[int32][]int{}, map[int32][]int{}
			for doc := int32(1); doc <= int32(documents); doc++ {
				places, old := merged[doc], []int{random.IntN(8), 16384 + random.IntN(8)}
				switch k := random.IntN(4); {
				case k == 0 && len(places) > 0:
					base[doc] = places
				case k == 1:
					base[doc], middle[doc] = old, places
				case k == 2:
					middle[doc], newest[doc] = old, places
				case len(places) > 0:
					base[doc], newest[doc] = old, places
				}
			}
			for i, row := range []map[int32][]int{base, middle, newest} {
				batch.Queue(`INSERT INTO wordfile VALUES ($1, $2, 1, 1, $3, 0, 0, $4)`, id, []int{2, 1, 1}[i], 5+i, blobOf(row))
			}
		}
		if len(now) > 0 {
			batch.Queue(`INSERT INTO wordurl1 VALUES ($1, $2, $3, $4, 0)`, word, id, blobOf(now), len(now))
		}
	}
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		t.Fatal(err)
	}
	return m
}

// randomQuery makes a query and its text.
func randomQuery(random *rand.Rand) (text string, query []asked) {
	word := func() string { return string(rune('a' + random.IntN(6))) }
	place := 0
	var parts []string
	for n := 1 + random.IntN(4); n > 0; n-- {
		var a asked
		for k := 1 + random.IntN(4)/2*random.IntN(3); k > 0; k-- {
			a.words = append(a.words, word())
		}
		a.phrase = len(a.words) > 1 || random.IntN(6) == 0
		a.exclusion = len(query) > 0 && random.IntN(4) == 0
		s := strings.Join(a.words, " ")
		if a.phrase {
			s = `"` + s + `"`
		}
		if a.exclusion {
			s = "-" + s
		}
		for i := range a.words {
			if a.exclusion {
				a.offsets = append(a.offsets, i)
				continue
			}
			a.offsets = append(a.offsets, place)
			place++
		}
		parts, query = append(parts, s), append(query, a)
	}
	return strings.Join(parts, " "), query
}

// The documents, their ranks and their order are those of a plain evaluation, whichever tables have the postings.
func TestSearchEqualsAPlainEvaluation(t *testing.T) {
	ctx, conn := connect(t)
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(seed, 93))
		if _, err := conn.Exec(ctx, `TRUNCATE urlword, urlrank, wordurl, wordfile, wordurl1, rt_urls`); err != nil {
			t.Fatal(err)
		}
		m := randomModel(ctx, t, conn, random, 30+int(seed)*120)
		found := 0
		queries := 60
		if os.Getenv("PGSEEK_SOAK") != "" {
			queries = 500
		}
		for range queries {
			text, query := randomQuery(random)
			results := []int{1, 3, 20, 1000}[random.IntN(4)]
			got := collect[hit](t, conn, hitsSQL, text, results)
			found += len(got)
			if diff := cmp.Diff(m.search(query, results), got, cmpEmpty); diff != "" {
				t.Fatalf("seed %d, %s, %d results (-plain +SQL):\n%s", seed, text, results, diff)
			}
			// By relevance these documents have all words.
			all := column[int32](t, conn, `SELECT url_id FROM search_matches($1, 'all', 'off') ORDER BY url_id`, text)
			want := column[int32](t, conn, `SELECT url_id FROM search($1, 1000, ranking => 'aspseek') ORDER BY url_id`, text)
			if diff := cmp.Diff(want, all); diff != "" {
				t.Fatalf("seed %d, %s, documents with all words (-ASPseek's +SQL):\n%s", seed, text, diff)
			}
		}
		if found < queries {
			t.Errorf("seed %d: %d results of all queries", seed, found)
		}
	}
}

// cmpEmpty makes no difference between no list and an empty one.
var cmpEmpty = cmp.Transformer("list", func(l []hit) string { return fmt.Sprint(l) })
