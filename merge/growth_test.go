package merge

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store/storetest"
)

// mostRuns bounds the segments of a word: those that no batch has looked up yet, and merged ones, each larger
// than the newer ones together.
const mostRuns = minSegments - 1 + lookShare - 1 + 8

// extent is the size of the index after a merge.
type extent struct {
	words                                      int64
	wordurl, wordfile, docwords, indexes       int64 // bytes of the tables with TOAST and what lies free in them; of all their indexes
	liveWordurl, liveDocwords, blobs, postings int64 // bytes of their rows; of wordfile its blobs, and the postings that count
	mostRuns                                   int64 // of one word
	rows                                       int64 // of wordfile
}

// TestGrowthStaysBoundedOverManyMerges: a twentieth of the documents changes a hundred times. Only the
// vocabulary grows: dead rows are reused, segments of a word are merged, postings that are out of date are
// removed. Another transaction's snapshot that lasts from one merge to the next, such as that of autovacuum's
// ANALYZE, keeps dead rows and needs space for them once.
func TestGrowthStaysBoundedOverManyMerges(t *testing.T) {
	t.Parallel()
	documents, merges := 200, 30
	if os.Getenv("PGSEEK_SOAK") != "" {
		documents, merges = 1000, 100
	}
	w := newWorld(t, storetest.New(t), 7, documents)
	v := newVocabulary(7, 30000)
	v.fill(w, w.urls, true)
	w.merge(Options{})
	first := w.extent()
	var early, late extent // sums over a fifth of the merges each
	var release func()
	for n := range merges {
		w.r.Shuffle(len(w.urls), func(i, j int) { w.urls[i], w.urls[j] = w.urls[j], w.urls[i] })
		v.fill(w, w.urls[:documents/20], false)
		if n == 1 {
			release = w.holdSnapshot()
		}
		done := w.merge(Options{})
		if n == 2 {
			release()
		}
		x := w.extent()
		for _, c := range []struct {
			what           string
			got, of        int64
			factor, margin float64
		}{
			// Pages are left a quarter free, and what a row that moves leaves behind is not always filled. An update leaves a row dead until
			// the page is visited again, and as long as a snapshot sees it: there is room for all rows, and for those that three merges write.
			{"wordurl / its rows and those of three merges", x.wordurl, x.liveWordurl + 3*x.liveWordurl*min(done.Words, x.words)/x.words, 1.4, 1 << 18},
			{"docwords / its rows", x.docwords, x.liveDocwords, 2.5, 1 << 18},
			// A blob ends in the middle of a page of TOAST, and old and new segments exist together while
			// they are merged.
			{"wordfile / its blobs", x.wordfile, x.blobs, 2.5, 1 << 19},
			// A fifth above the base, and the segments that the budget has left for later batches.
			{"blobs of wordfile / postings that count", x.blobs, x.postings, 1.6, 1 << 14},
			{"indexes / those of the first merge and the words", x.indexes, first.indexes * x.words / first.words, 2.5, 1 << 18},
			{"runs of one word", x.mostRuns, mostRuns, 1, 0},
		} {
			if float64(c.got) > c.factor*float64(c.of)+c.margin {
				t.Errorf("merge %d: %s: %d, more than %.1f times %d", n+1, c.what, c.got, c.factor, c.of)
			}
		}
		switch fifth := merges / 5; {
		case n >= fifth && n < 2*fifth:
			early.add(&x)
		case n >= merges-fifth:
			late.add(&x)
		}
	}
	size := func(x *extent) int64 { return x.wordurl + x.wordfile + x.docwords + x.indexes }
	if got, bound := float64(size(&late))/float64(size(&early)), 1.15*float64(late.words)/float64(early.words); got > bound {
		t.Errorf("the index grew %.2f times over the merges, its vocabulary %.2f times", got, bound/1.15)
	}
	t.Logf("%d merges: first %+v, last fifth in all %+v", merges, first, late)
}

// add adds y to x.
func (x *extent) add(y *extent) {
	x.words += y.words
	x.wordurl, x.wordfile, x.docwords, x.indexes = x.wordurl+y.wordurl, x.wordfile+y.wordfile, x.docwords+y.docwords, x.indexes+y.indexes
	x.liveWordurl, x.blobs, x.postings, x.rows = x.liveWordurl+y.liveWordurl, x.blobs+y.blobs, x.postings+y.postings, x.rows+y.rows
}

// holdSnapshot opens a transaction with a snapshot of the current state of the database; release ends it.
func (w *world) holdSnapshot() (release func()) {
	w.Helper()
	pool := storetest.Connect(w, w.dsn)
	tx, err := pool.BeginTx(context.Background(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err == nil {
		_, err = tx.Exec(context.Background(), `SELECT FROM wordurl LIMIT 1`)
	}
	if err != nil {
		w.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(context.Background()); err != nil {
			w.Fatal(err)
		}
		pool.Close()
	}
}

// extent measures the tables.
func (w *world) extent() (x extent) {
	w.Helper()
	pool := storetest.Connect(w, w.dsn)
	defer pool.Close()
	err := pool.QueryRow(context.Background(), `
		SELECT (SELECT count(*) FROM wordurl),
			pg_relation_size('wordurl'), pg_table_size('wordfile'), pg_table_size('docwords'),
			pg_indexes_size('wordurl') + pg_indexes_size('wordfile') + pg_indexes_size('docwords'),
			(SELECT sum(pg_column_size(w.*) + 4) FROM wordurl w)::bigint,
			(SELECT sum(pg_column_size(d.*) + 4) FROM docwords d)::bigint,
			(SELECT coalesce(sum(octet_length(urls)), 0) FROM wordfile)::bigint,
			(SELECT coalesce(sum(6 * urlcount + 2 * totalcount + 12), 0) FROM wordurl WHERE urls = '' AND urlcount > 0)::bigint,
			(SELECT coalesce(max(n), 0) FROM (SELECT count(DISTINCT (level, seq)) AS n FROM wordfile GROUP BY word_id) c)::bigint,
			(SELECT count(*) FROM wordfile)`).Scan(&x.words, &x.wordurl, &x.wordfile, &x.docwords, &x.indexes,
		&x.liveWordurl, &x.liveDocwords, &x.blobs, &x.postings, &x.mostRuns, &x.rows)
	if err != nil {
		w.Fatal(err)
	}
	return x
}
