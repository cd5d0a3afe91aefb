package search_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

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
var vocabulary = []string{"the", "of", "vacuum", "full", "table", "index", "pg_stat_activity", "wi-fi", "日本語", "ΟΔΟΣ", "ﬁne", "don't", "tables", "vacuuming", "indexes"}

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
			fmt.Sprintf("http://%c.example/%d", 'a'+site-1, id), []int{200, 200 | 404<<16 | 1<<27}[random.IntN(8)/7])
		batch.Queue(fmt.Sprintf(`INSERT INTO urlwords%02d (url_id, words) VALUES ($1, '\xffffffff')`, id%16), id)
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
		}
		n := 0
		for word, at := range here {
			n += len(at)
			places[word] = append(places[word], posting.Entry{Site: site, URL: id, Positions: at})
		}
		positions += n
		if random.IntN(8) > 0 {
			batch.Queue(`INSERT INTO docdates (url_id, created, modified, modified_from, length) VALUES ($1, now(), now(), 'fetch', $2)`, id, posting.LengthCode(n))
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

// sharedQuery returns a random query in the part of the language that the SQL function search() supports.
func sharedQuery(random *rand.Rand) string {
	word := func() string { return vocabulary[random.IntN(1+random.IntN(len(vocabulary)))] }
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
	{"all words, forms", `SELECT rank, url_id, all_words FROM search($1, 10, 'all', forms => 'de,en')`, search.Request{All: true, Forms: []string{"de", "en"}, PerPage: 10}},
}

// TestSearchInSQL verifies that search() in SQL finds the documents that an Engine finds, with their ranks and in their order.
func TestSearchInSQL(t *testing.T) {
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	random := rand.New(rand.NewPCG(9, 3))
	fillIndex(t, pool, random, 250)
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	engine, err := search.NewEngine(t.Context(), lookup.New(s), search.EngineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	type hit struct {
		Rank int64
		URL  int32
		All  bool
	}
	found, queries := 0, 75
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
