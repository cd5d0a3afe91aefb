package search_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// vocabulary has the words of the generated documents. The first ones occur in most documents.
var vocabulary = []string{
	"the", "of", "vacuum", "full", "table", "index", "pg_stat_activity", "wi-fi", "日本語", "ΟΔΟΣ", "ﬁne", "don't", "tables", "vacuuming", "indexes", "e",
	"résumé", "resume", "resumé", "учёт", "учета", "учёта", "știință", "ştiinţe", "stiinta", "학교", "학교는", "학교에서", "müller", "mueller", "comando", "comandi", "章", "第3章", "本",
}

// fillIndex writes documents of random texts and their index as a merge would.
func fillIndex(t *testing.T, pool *pgxpool.Pool, random *rand.Rand, documents int) {
	t.Helper()
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO sites VALUES (1, 'http://a.example/'), (2, 'http://b.example/')`)
	places := map[string][]posting.Entry{}
	positions := 0
	for id := int32(1); id <= int32(documents); id++ {
		site := 1 + id%2
		batch.Queue(`INSERT INTO urlword (url_id, site_id, url, status) VALUES ($1, $2, $3, $4)`, id, site,
			fmt.Sprintf("http://%c.example/%s%d", 'a'+site-1, []string{"", "docs/", "docs/more/", "?a="}[id%4], id), []int{200, 200 | 404<<16 | 1<<27}[random.IntN(8)/7])
		batch.Queue(fmt.Sprintf(`INSERT INTO urlwords%02d (url_id, words, lang) VALUES ($1, '\xffffffff', $2)`, id%16), id,
			[]string{"ru", "ro", "it", "en", "de"}[id%5])
		if random.IntN(4) > 0 {
			batch.Queue(`INSERT INTO urlrank VALUES ($1, $2)`, id, 0.15+random.ExpFloat64())
		}
		here := map[string][]uint16{}
		for section, most := range []int{60, 12, 6, 5} {
			var text []string
			for n := random.IntN(most) - most/3; n > 0; n-- {
				text = append(text, vocabulary[random.IntN(1+random.IntN(len(vocabulary)))])
			}
			ordinal := 0
			document.Tokens(strings.Join(text, " "), func(word string, _, _ int) bool {
				here[word] = append(here[word], uint16(section<<14|ordinal))
				ordinal++
				return true
			})
			if section == 0 && id%20 == 0 { // all words behind the last place of a section have that place
				here["full"] = append(here["full"], 1<<14-4)
				here["table"], here["tables"] = append(here["table"], 1<<14-1), append(here["tables"], 1<<14-1)
			}
		}
		n := 0
		for word, at := range here {
			n += len(at)
			places[word] = append(places[word], posting.Entry{Site: site, URL: id, Positions: at})
		}
		positions += n
		if random.IntN(8) > 0 {
			batch.Queue(`INSERT INTO docdates (url_id, created, modified, modified_from, length, lang, type, tag)
				VALUES ($1, now(), now() - $3 * interval '7 hours', 'fetch', $2, $4, $5, $6)`, id, posting.LengthCode(n), random.IntN(2000),
				[]string{"", "de", "en", "pt-BR"}[random.IntN(4)], []string{"", "html", "pdf"}[random.IntN(3)], random.IntN(3))
		}
	}
	batch.Queue(`UPDATE totals SET documents = $1, positions = $2`, documents, positions)
	next := 1
	for word, entries := range places {
		slices.SortFunc(entries, func(a, b posting.Entry) int {
			if a.Site != b.Site {
				return int(a.Site - b.Site)
			}
			return int(a.URL - b.URL)
		})
		blob := posting.AppendBlob(nil, entries)
		if len(blob) <= 1000 {
			batch.Queue(`INSERT INTO wordurl VALUES ($1, $2, $3, $4, 0)`, word, next, blob, len(entries))
		} else {
			batch.Queue(`INSERT INTO wordurl VALUES ($1, $2, '', $3, 0)`, word, next, len(entries))
			batch.Queue(`INSERT INTO wordfile VALUES ($1, 2, $2, $3, 1, $4, 0, $5)`, next, entries[0].Site, entries[0].URL, len(entries), blob)
		}
		next++
	}
	if err := pool.SendBatch(t.Context(), batch).Close(); err != nil {
		t.Fatal(err)
	}
}

// underRole returns a store and a pool that act as the role that searches, where PUBLIC may execute nothing.
func underRole(t *testing.T, dsn string, owner *pgxpool.Pool) (*store.DB, *pgxpool.Pool) {
	t.Helper()
	if _, err := owner.Exec(t.Context(), `REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC`); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test", Role: store.SearchRole})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	cfg := owner.Config()
	cfg.ConnConfig.RuntimeParams["role"] = store.SearchRole
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return s, pool
}

// sharedQuery returns a random query in the part of the language that the SQL function search() supports.
func sharedQuery(random *rand.Rand) string {
	word := func() string { return vocabulary[random.IntN(1+random.IntN(len(vocabulary)))] }
	if random.IntN(2) == 0 { // words with other spellings and forms are rarer
		word = func() string { return vocabulary[random.IntN(len(vocabulary))] }
	}
	var parts []string
	for n := 1 + random.IntN(4); n > 0; n-- {
		part := word()
		if random.IntN(3) == 0 {
			for k := random.IntN(3); k > 0; k-- {
				part += []string{" ", ", ", "-"}[random.IntN(3)] + word()
			}
			part = `"` + part + `"`
		}
		switch {
		case len(parts) > 0 && random.IntN(5) == 0:
			part = "-" + part
		case random.IntN(8) == 0:
			part = "+" + part
		case len(parts) > 0 && random.IntN(12) == 0 && !strings.HasPrefix(part, `"`):
			part = []string{"?", "-?"}[random.IntN(2)] + part
		}
		if len(parts) > 0 && random.IntN(10) == 0 {
			part = "AND " + part
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, " ")
	switch random.IntN(10) {
	case 0:
		text = strings.TrimSuffix(text, `"`)
	case 1:
		if !strings.HasSuffix(text, `"`) {
			text += "?"
		}
	}
	return text
}

// manyWords returns a query of more words than a search uses.
func manyWords(random *rand.Rand) string {
	var parts []string
	for n := 33 + random.IntN(60); n > 0; n-- {
		word := vocabulary[random.IntN(len(vocabulary))]
		if strings.ContainsAny(word, "_-'本") && random.IntN(8) > 0 { // too many of them are refused
			word = "full"
		}
		parts = append(parts, word)
	}
	if random.IntN(2) == 0 { // pasted text has quotation marks
		at := random.IntN(len(parts) - 1)
		parts[at], parts[at+1] = `"`+parts[at], parts[at+1]+`"`
	}
	return strings.Join(parts, " ")
}

// sqlSearches are the requests and their calls of search(), with the query as $1.
var sqlSearches = []struct {
	name, sql string
	request   search.Request
}{
	{"aspseek", `SELECT rank, url_id, all_words FROM search($1, 100, ranking => 'aspseek')`, search.Request{Ranking: search.ByASPseek}},
	{"any word", `SELECT rank, url_id, all_words FROM search($1, 1000, forms => 'off')`, search.Request{}},
	{"all words", `SELECT rank, url_id, all_words FROM search($1, 100, match => 'all', forms => 'off')`, search.Request{All: true}},
	{"forms", `SELECT rank, url_id, all_words FROM search($1, 100)`, search.Request{Forms: []string{search.DocumentLanguages}}},
	{
		"all words, forms of the documents", `SELECT rank, url_id, all_words FROM search($1, 100, 'all')`,
		search.Request{All: true, Forms: []string{search.DocumentLanguages}},
	},
	{
		"filters", `SELECT rank, url_id, all_words FROM search($1, 100, lang => 'de,pt', type => 'html,pdf', forms => 'off')`,
		search.Request{Languages: []string{"de", "pt"}, Types: []string{"html", "pdf"}},
	},
	{
		"a site, a path", `SELECT rank, url_id, all_words FROM search($1, 100, site => 'a.example', path => '/docs/', tag => '0, 2', forms => 'off')`,
		search.Request{SiteIDs: []int32{1}, Path: "/docs/", Tags: []int32{0, 2}},
	},
	{
		"dates of ASPseek's order", `SELECT rank, url_id, all_words FROM search($1, 100, ranking => 'aspseek', since => now() - interval '100 days')`,
		search.Request{Ranking: search.ByASPseek, Dates: search.Dates{From: time.Now().Add(-100 * 24 * time.Hour)}},
	},
	{"all words, forms", `SELECT rank, url_id, all_words FROM search($1, 10, 'all', forms => 'it,ko,ro,ru')`, search.Request{All: true, Forms: []string{"it", "ko", "ro", "ru"}, PerPage: 10}},
}

// TestSearchInSQL verifies that search() in SQL finds the documents that an Engine finds, with their ranks and in their order.
func TestSearchInSQL(t *testing.T) {
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	random := rand.New(rand.NewPCG(9, 3))
	fillIndex(t, pool, random, 250)
	s, pool := underRole(t, dsn, pool)
	engine, err := search.NewEngine(t.Context(), lookup.New(s), search.EngineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	type hit struct {
		Rank int64
		URL  int32
		All  bool
	}
	found, queries := 0, 90
	if os.Getenv("PGSEEK_SOAK") != "" {
		queries = 1500
	}
	for i := range queries {
		text, how := sharedQuery(random), sqlSearches[i%len(sqlSearches)]
		if i%20 == 19 {
			text = manyWords(random)
		}
		query, err := query.Parse(text, query.Options{})
		if err != nil {
			if _, e := pool.Exec(t.Context(), how.sql, text); e == nil {
				t.Fatalf("%s: %v, and search() raises no error", text, err)
			}
			continue
		}
		request := how.request
		request.Query = query
		if request.PerPage == 0 {
			request.PerPage = 100
		}
		want := []hit{}
		for pages := 1; request.Page < pages; request.Page++ {
			r, err := engine.Search(t.Context(), request)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for _, h := range r.Hits {
				want = append(want, hit{int64(h.Rank), h.URLID, h.All})
			}
			if how.name == "any word" {
				pages = r.Pages
			}
		}
		rows, err := pool.Query(t.Context(), how.sql, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[hit])
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s, %s (-engine +SQL):\n%s", how.name, text, diff)
		}
		found += len(got)
	}
	if found < 10*queries {
		t.Errorf("all queries together found %d documents", found)
	}
}

// facetsSQL counts with the query as $1.
const facetsSQL = `SELECT facet, value, documents FROM search_facets($1, forms => $2, %s)`

// TestFacetsInSQL verifies that search_facets() in SQL counts as an Engine does.
func TestFacetsInSQL(t *testing.T) {
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	random := rand.New(rand.NewPCG(5, 7))
	fillIndex(t, pool, random, 200)
	realtime(t, pool)
	s, pool := underRole(t, dsn, pool)
	engine, err := search.NewEngine(t.Context(), lookup.New(s), search.EngineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ago := func(days int) time.Time {
		return time.Now().Add(-time.Duration(days) * 24 * time.Hour).Truncate(time.Second)
	}
	type count struct {
		Facet, Value string
		Documents    int64
	}
	counted := 0
	for i := range 48 {
		text := sharedQuery(random)
		query, err := query.Parse(text, query.Options{})
		if err != nil {
			t.Fatal(err)
		}
		since, until := ago(random.IntN(400)), ago(random.IntN(30))
		how := []struct {
			sql     string
			request search.Request
		}{
			{"match => 'any'", search.Request{}},
			{"match => 'all'", search.Request{All: true}},
			{"lang => 'de'", search.Request{Languages: []string{"de"}}},
			{"type => 'pdf', tag => '1,2'", search.Request{Types: []string{"pdf"}, Tags: []int32{1, 2}}},
			{"site => 'http://b.example/', lang => 'en,de', path => '/docs/'", search.Request{SiteIDs: []int32{2}, Languages: []string{"en", "de"}, Path: "/docs/"}},
			{
				fmt.Sprintf("since => '%s', until => '%s', site => 'a.example,b.example'", since.Format(time.RFC3339), until.Format(time.RFC3339)),
				search.Request{Dates: search.Dates{From: since, To: until}, SiteIDs: []int32{1, 2}},
			},
		}[i%6]
		request := how.request
		request.Query, request.Facets, request.PerPage = query, true, 1
		forms := "off"
		if random.IntN(2) == 0 {
			forms, request.Forms = "on", []string{search.DocumentLanguages}
		}
		r, err := engine.Search(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		want := []count{}
		for _, f := range r.Facets {
			for _, v := range f.Values {
				if v.URLs > 0 {
					want = append(want, count{f.Name, v.Value, int64(v.URLs)})
				}
			}
		}
		rows, err := pool.Query(t.Context(), fmt.Sprintf(facetsSQL, how.sql), text, forms)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[count])
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s, forms %s, %s (-engine +SQL):\n%s", how.sql, forms, text, diff)
		}
		counted += len(got)
	}
	if counted < 200 {
		t.Errorf("all queries together have %d values", counted)
	}
}

// realtime puts a document into the real-time index: with a word, a type and dates of its own.
func realtime(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	const id = 42
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO rt_urls (url_id, seq) VALUES ($1, 2)`, id)
	batch.Queue(`INSERT INTO wordurl1 SELECT word, word_id, $1, 1, 1 FROM wordurl WHERE word = 'vacuum'`,
		posting.AppendBlob(nil, []posting.Entry{{Site: 1 + id%2, URL: id, Positions: []uint16{3, 3<<14 | 1}}}))
	batch.Queue(`UPDATE urlwords10 SET lang = 'de', content_type = 'application/pdf' WHERE url_id = $1`, id)
	batch.Queue(`UPDATE urlword SET tag = 2 WHERE url_id = $1`, id)
	if err := pool.SendBatch(t.Context(), batch).Close(); err != nil {
		t.Fatal(err)
	}
}
