package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pgseek/pgseek/document"
)

// queriesOfKind is the number of queries of each kind.
const queriesOfKind = 200

// The kinds of queries, in the order of the table.
const (
	oneWord   = "one word"
	twoWords  = "two words"
	fiveWords = "five words"
	phrase    = "phrase"
	wildcard  = "wildcard"
	onSite    = "on a site"
)

var searchKinds = []string{oneWord, twoWords, fiveWords, phrase, wildcard, onSite}

// searchResults are the times of all engines.
type searchResults struct {
	ours, excerpts, gin, bleve *searchTimes // nil = not measured
	besideCrawl, besideMerge   *searchTimes
	synthetic                  *searchTimes // ours, among synthetic documents
	synthDocuments             int
	peak, synthPeak            int64
}

// searches runs queries from the texts of the documents in pgseek, in PostgreSQL's GIN with ts_rank_cd, and in an
// engine that runs in its own process, each for the ten best documents.
func (b *bench) searches(ctx context.Context, r *results) (err error) {
	step("searches: %d queries of each of %d kinds", queriesOfKind, len(searchKinds))
	texts, err := os.ReadFile(b.textFile)
	if err != nil {
		return err
	}
	host := strings.TrimPrefix(b.pages.url, "http://")
	queries := drawQueries(bytes.Split(texts, []byte{0}), host, b.notAStopWord(ctx))
	if _, err := b.main.quietly(ctx, "-K"); err != nil {
		return err
	}
	if err := b.main.waitIdle(ctx); err != nil {
		return err
	}
	s := &r.search
	if s.ours, s.peak, err = b.searchOurs(ctx, b.main, queries, 0); err != nil {
		return err
	}
	if s.excerpts, _, err = b.searchOurs(ctx, b.main, queries, 2); err != nil {
		return err
	}
	if s.gin, err = b.searchGIN(ctx, queries); err != nil {
		return err
	}
	if s.bleve, err = b.searchBleve(ctx, queries); err != nil {
		return err
	}
	if s.besideCrawl, err = b.searchBeside(ctx, queries, "-a", "-m", "--no-merge"); err != nil {
		return err
	}
	s.besideMerge, err = b.searchBeside(ctx, queries, "-D")
	return err
}

// notAStopWord reports whether PostgreSQL's text search has a word: it finds nothing for its stop words.
func (b *bench) notAStopWord(ctx context.Context) func(string) bool {
	return func(word string) (known bool) {
		err := b.main.conn.QueryRow(ctx, `SELECT numnode(plainto_tsquery('english', $1)) = 1`, word).Scan(&known)
		return err == nil && known
	}
}

// drawQueries draws queries with the frequencies that the words have in the texts.
func drawQueries(texts [][]byte, host string, good func(string) bool) map[string][]string {
	r := rand.New(rand.NewPCG(5, 1))
	queries := map[string][]string{}
	for len(queries[onSite]) < queriesOfKind {
		text := string(texts[r.IntN(len(texts))])
		if len(text) < 200 {
			continue
		}
		from := r.IntN(len(text) - 150)
		var words []string
		document.Tokens(text[from:from+150], func(word string, _, _ int) bool {
			words = append(words, word)
			return len(words) < 6
		})
		if len(words) < 6 {
			continue
		}
		five := strings.Join(words[1:6], " ") // the first may be cut
		words = words[1:4]
		if !isWord(words[0]) || !isWord(words[1]) || !good(words[0]) || !good(words[1]) {
			continue
		}
		put := func(kind, query string) {
			if len(queries[kind]) < queriesOfKind {
				queries[kind] = append(queries[kind], query)
			}
		}
		put(oneWord, words[0])
		put(twoWords, words[0]+" "+words[1])
		put(fiveWords, five)
		put(phrase, `"`+words[0]+" "+words[1]+`"`)
		if len(words[0]) > 6 {
			put(wildcard, words[0][:6]+"*")
		}
		if len(queries[wildcard]) == queriesOfKind {
			put(onSite, words[0]+" site:"+host)
		}
	}
	return queries
}

// isWord reports whether a word consists of ASCII letters, which all three engines cut alike.
func isWord(word string) bool {
	for _, c := range []byte(word) {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return len(word) > 1
}

// searchOurs runs the engine in a process of its own.
func (b *bench) searchOurs(ctx context.Context, d *database, queries map[string][]string, excerpts int) (*searchTimes, int64, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, 0, err
	}
	in, out := filepath.Join(b.data, "queries.json"), filepath.Join(b.data, "times.json")
	if err := writeJSON(in, queries); err != nil {
		return nil, 0, err
	}
	u, err := b.meter.child(ctx, filepath.Join(b.data, "searches.log"), nil, self, "searches", "-dsn", d.dsn, "-queries", in, "-out", out,
		"-excerpts", fmt.Sprint(excerpts))
	if err != nil {
		return nil, 0, err
	}
	var t searchTimes
	return &t, u.peak, readJSON(out, &t)
}

// searchGIN runs queries in PostgreSQL.
func (b *bench) searchGIN(ctx context.Context, queries map[string][]string) (*searchTimes, error) {
	cfg, err := pgxpool.ParseConfig(b.main.dsn)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = searchClients
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	const searchSQL = `
		SELECT v.url_id, ts_rank_cd(v.vector, q), count(*) OVER ()
		FROM %s AS q, bench.vectors v
		WHERE v.vector @@ q
		ORDER BY 2 DESC, 1 LIMIT 10`
	return timeSearches(queries, func(query string) (found int, err error) {
		query, _, _ = strings.Cut(query, " site:") // all documents are on it
		asked, of := query, "plainto_tsquery('english', $1)"
		switch {
		case strings.HasPrefix(query, `"`):
			of = "phraseto_tsquery('english', $1)"
		case strings.HasSuffix(query, "*"):
			asked, of = strings.TrimSuffix(query, "*")+":*", "CAST($1 AS tsquery)"
		}
		rows, err := pool.Query(ctx, fmt.Sprintf(searchSQL, of), asked)
		if err != nil {
			return 0, err
		}
		defer rows.Close()
		var id int32
		var rank float32
		for rows.Next() {
			if err := rows.Scan(&id, &rank, &found); err != nil {
				return 0, err
			}
		}
		return found, rows.Err()
	})
}

// searchBleve runs queries in the in-process engine, a program in a module of its own (cmd/bench/bleve), so that
// nothing of it is linked into pgseek. Without the program there are no times.
func (b *bench) searchBleve(ctx context.Context, queries map[string][]string) (*searchTimes, error) {
	program := filepath.Join(filepath.Dir(b.index), "bench-bleve")
	if _, err := os.Stat(program); errors.Is(err, os.ErrNotExist) {
		step("searches: no %s, left out", program)
		return nil, nil
	}
	in, out := filepath.Join(b.data, "queries.json"), filepath.Join(b.data, "bleve.json")
	if err := writeJSON(in, queries); err != nil {
		return nil, err
	}
	step("searches: an in-process engine makes its index")
	_, err := b.meter.child(ctx, filepath.Join(b.data, "bleve.log"), nil, program, "-texts", b.textFile, "-folder", filepath.Join(b.data, "bleve"),
		"-queries", in, "-out", out, "-clients", fmt.Sprint(searchClients))
	if err != nil {
		return nil, err
	}
	var t searchTimes
	return &t, readJSON(out, &t)
}

// searchBeside searches while index does something else.
func (b *bench) searchBeside(ctx context.Context, queries map[string][]string, args ...string) (*searchTimes, error) {
	done := make(chan error, 1)
	go func() {
		_, err := b.main.quietly(ctx, args...)
		done <- err
	}()
	t, _, err := b.searchOurs(ctx, b.main, queries, 0)
	return t, errors.Join(err, <-done)
}

// searchSynthetic runs queries in an index of synthetic documents.
func (b *bench) searchSynthetic(ctx context.Context, s *searchResults, d *database, first string, documents int) (err error) {
	c := newCorpus(first)
	r := rand.New(rand.NewPCG(synthSeed, 11))
	queries := map[string][]string{}
	for range queriesOfKind {
		drawn := c.draw(synthFirstURL+int32(r.IntN(documents)), 0)
		at := r.IntN(len(drawn) - 4)
		var five []string
		for _, w := range drawn[at : at+5] {
			five = append(five, string(spell(nil, w)))
		}
		one, two := five[0], five[1]
		queries[oneWord] = append(queries[oneWord], one)
		queries[twoWords] = append(queries[twoWords], one+" "+two)
		queries[fiveWords] = append(queries[fiveWords], strings.Join(five, " "))
		queries[phrase] = append(queries[phrase], `"`+one+" "+two+`"`)
	}
	s.synthDocuments = documents
	s.synthetic, s.synthPeak, err = b.searchOurs(ctx, d, queries, 0)
	return err
}

// Bounds of searches.
const (
	boundSearchGIN   = 0.1 // median / that of GIN and ts_rank_cd
	boundTailGIN     = 0.2 // 95 of 100
	boundSearchBleve = 5.0
	boundPhraseBleve = 1.0
	boundSynthMedian = 20 * time.Millisecond
	boundSynthTail   = 100 * time.Millisecond
	boundSearchd     = 200 << 20 // beside 10 bytes a URL
)

func (s *searchResults) print(out io.Writer) {
	if s.ours == nil && s.synthetic == nil {
		return
	}
	fmt.Fprintf(out, "\n%-34s %9s %9s %9s %9s %9s %9s %9s\n", "searches, median / p95, ms", "1 word", "2 words", "5 words", "phrase", "wildcard", "on site", "16 at once")
	for _, row := range []struct {
		name string
		*searchTimes
	}{
		{"pgseek", s.ours},
		{"pgseek with 2 excerpts each", s.excerpts},
		{"GIN + ts_rank_cd", s.gin},
		{"Bleve, in process", s.bleve},
		{"pgseek beside a crawl", s.besideCrawl},
		{"pgseek beside -D", s.besideMerge},
		{fmt.Sprintf("pgseek, %d synthetic documents", s.synthDocuments), s.synthetic},
	} {
		if row.searchTimes == nil {
			continue
		}
		fmt.Fprintf(out, "%-34s", row.name)
		for _, kind := range searchKinds {
			fmt.Fprintf(out, " %9s", fmt.Sprintf("%.2f/%.1f", ms(row.Median[kind]), ms(row.P95[kind])))
		}
		fmt.Fprintf(out, " %7.0f/s\n", row.PerSecond)
	}
}

func (s *searchResults) printBounds(out io.Writer) {
	if s.ours != nil && s.gin != nil {
		for _, kind := range []string{oneWord, twoWords, phrase} {
			verdict(out, "search, "+kind+", median / GIN's", per64(s.ours.Median[kind], s.gin.Median[kind]), boundSearchGIN, "%.3f")
			verdict(out, "search, "+kind+", p95 / GIN's", per64(s.ours.P95[kind], s.gin.P95[kind]), boundTailGIN, "%.3f")
		}
	}
	if s.ours != nil && s.bleve != nil {
		verdict(out, "search, one word, median / Bleve's", per64(s.ours.Median[oneWord], s.bleve.Median[oneWord]), boundSearchBleve, "%.2f")
		verdict(out, "search, two words, median / Bleve's", per64(s.ours.Median[twoWords], s.bleve.Median[twoWords]), boundSearchBleve, "%.2f")
		verdict(out, "search, phrase, median / Bleve's", per64(s.ours.Median[phrase], s.bleve.Median[phrase]), boundPhraseBleve, "%.2f")
	}
	if s.synthetic != nil {
		for _, kind := range []string{oneWord, twoWords, fiveWords, phrase} {
			verdict(out, fmt.Sprintf("search of %d, %s, median, ms", s.synthDocuments, kind), ms(s.synthetic.Median[kind]), ms(boundSynthMedian), "%.1f")
			verdict(out, fmt.Sprintf("search of %d, %s, p95, ms", s.synthDocuments, kind), ms(s.synthetic.P95[kind]), ms(boundSynthTail), "%.1f")
		}
		verdict(out, "peak memory of searches there, MiB", mib(s.synthPeak), mib(boundSearchd+12*int64(s.synthDocuments)), "%.0f")
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func per64(a, b time.Duration) float64 { return a.Seconds() / max(b.Seconds(), 1e-6) }
