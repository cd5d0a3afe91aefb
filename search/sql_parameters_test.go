package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestRankingParametersInSQL verifies that search() in SQL has the parameters of the ranking, the stop words and the scales of
// this package.
func TestRankingParametersInSQL(t *testing.T) {
	pool := storetest.Connect(t, storetest.New(t))
	row, err := pool.Query(t.Context(), `SELECT p.*, rank_of_score(1) FROM search_parameters() p`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectExactlyOneRow(row, pgx.RowToMap)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"k1": float64(k1), "length_part": float64(lengthPart), "title_weight": float64(titleWeight), "keywords_weight": float64(keywordsWeight),
		"description_weight": float64(descriptionWeight), "form_weight": float64(formWeight), "again_weight": float64(againWeight),
		"unit_weight": float64(unitWeight), "link_weight": float64(linkWeight), "near_most": int32(nearMost), "title_bonus": float64(titleBonus),
		"rerank_most": int32(rerankMost), "all_pairs": int32(allPairs), "rank_unit": float64(rankUnit), "max_terms": int32(query.MaxTerms),
		"rank_of_score": int64(rankOfScore(1)),
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("parameters (-rank.go +search_parameters):\n%s", diff)
	}

	words := map[string][]string{}
	var lang string
	var list []string
	rows, err := pool.Query(t.Context(), `SELECT lang, words FROM stop_words()`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pgx.ForEachRow(rows, []any{&lang, &list}, func() error { words[lang] = slices.Clone(list); return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(stopWords, words); diff != "" {
		t.Errorf("stop words (-stop.go +stop_words):\n%s", diff)
	}

	const average = 200
	n := newNorms(average)
	for _, code := range []int{0, 11, 70, 85, 86, 160, 255} {
		var norm float64
		if err := pool.QueryRow(t.Context(), `SELECT length_norm($1, $2, $3)`, code, float64(average), lengthPart).Scan(&norm); err != nil {
			t.Fatal(err)
		}
		if !close1(norm, n[code]) {
			t.Errorf("the norm of length %d (code %d) is %v in SQL and %v here", int(posting.CodedLength(byte(code))), code, norm, n[code])
		}
	}
	for _, rank := range []float32{0, 0.05, 0.1, 0.15, 1, 7.5, 1e30} {
		var units int
		if err := pool.QueryRow(t.Context(), `SELECT link_units($1)`, rank).Scan(&units); err != nil {
			t.Fatal(err)
		}
		if units != int(linkRank(rank)) {
			t.Errorf("a link rank of %v has %d units in SQL and %d here", rank, units, linkRank(rank))
		}
	}
}

// close1 reports whether two numbers are equal but for rounding.
func close1(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }

// formTexts are words of each language that have other forms, and words on which newer stemmers disagree.
var formTexts = map[string]string{
	"da": "bog bøger bogen hus huset husene", "de": "haus häuser hause wirtschaft wirtschaften können könnte", "en": "index indexes indexing being others running ran",
	"es": "libro libros corriendo correr", "fi": "talo talossa taloa kirja kirjat", "fr": "maison maisons chercher cherchait", "hu": "ház házak könyv könyvek",
	"it": "libro libri cercare cercando", "nl": "boek boeken zoeken zoekt", "no": "bok bøker boken huset husene", "pt": "livro livros procurar procurando",
	"ro": "carte cărți cărţi căutare căutări știință științe ştiinţe", "ru": "книга книги учёт учёта учета учётные внесённые берёза берёзы", "sv": "bok böcker boken huset husen",
	"tr": "kitap kitaplar evler evde", "ko": "학교 학교는 학교에서 학교에서는 가을 가을이 나는 도서관으로부터 도서관들에게 개발자입니다 web은 은는",
}

// TestStemsInSQL verifies that word_stem in SQL has the stems of this package. So word_forms has the same forms.
func TestStemsInSQL(t *testing.T) {
	pool := storetest.Connect(t, storetest.New(t))
	for _, lang := range FormLanguages() {
		texts := append(strings.Fields(formTexts[lang]), stopWords[lang]...)
		if formTexts[lang] == "" {
			t.Errorf("no texts for %s", lang)
		}
		slices.SortFunc(texts, cmp.Compare[string])
		rows, err := pool.Query(t.Context(), `SELECT word_stem(w, $2) FROM unnest($1::text[]) WITH ORDINALITY u (w, n) ORDER BY n`, texts, lang)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", lang, err)
		}
		for i, text := range texts {
			if want := stemOf(stemmers[lang], text); got[i] != want && want != "" {
				t.Errorf("%s: the stem of %s is %q in SQL and %q here", lang, text, got[i], want)
			}
		}
	}
}

// TestLanguagesInSQL verifies that search_languages in SQL takes the same languages of the documents as readLanguages.
func TestLanguagesInSQL(t *testing.T) {
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	next := 0
	for _, c := range []struct {
		lang string
		more int // documents
		want string
	}{
		{"", 5, "en"},
		{"eo", 10, "en"},
		{"ko", 1, "ko"},
		{"fi", 19, "fi"},
		{"en", 270, "en fi"},
		{"de", 14, "en fi"},
		{"de", 3, "de en fi"},
		{"en", 600, "en"},
		{"sv", 29, "en"},
		{"sv", 1, "en sv"},
		{"en", 700, "en"},
		{"sv", 5, "en sv"},
	} {
		for range c.more {
			next++
			if _, err := pool.Exec(t.Context(), fmt.Sprintf(`INSERT INTO urlwords%02d (url_id, words, lang) VALUES ($1, '', $2)`, next%16), next, c.lang); err != nil {
				t.Fatal(err)
			}
		}
		want, err := readLanguages(t.Context(), lookup.New(s))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := pool.QueryRow(t.Context(), `SELECT search_languages()`).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if strings.Join(want, " ") != c.want || !slices.Equal(got, want) {
			t.Errorf("with %d more documents in %q: %v in SQL, %v here, want %s", c.more, c.lang, got, want, c.want)
		}
	}
}
