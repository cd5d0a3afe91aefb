package index

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
)

const swapPlansSQL = `SELECT /* store.Swap */ set_config('enable_seqscan', 'on', true), set_config('plan_cache_mode', 'force_custom_plan', true)`

// swapSQL brings the tables to the state of the new index, in order. A word whose rows of wordfile are equal,
// except for their numbers, keeps them. A document without words keeps its row of docwords as long as the
// journal has older words of it.
var swapSQL = []string{
	`CREATE TEMPORARY TABLE rebuilt_words ON COMMIT DROP AS
	WITH old AS (
		SELECT word_id, md5(string_agg(concat_ws(' ', level, first_site, first_url, urlcount, totalcount, md5(urls)), ',' ORDER BY level, seq, first_site, first_url)) AS sum
		FROM REAL.wordfile GROUP BY word_id
	), new AS (
		SELECT word_id, md5(string_agg(concat_ws(' ', level, first_site, first_url, urlcount, totalcount, md5(urls)), ',' ORDER BY level, seq, first_site, first_url)) AS sum
		FROM REBUILD.wordfile GROUP BY word_id
	)
	SELECT word_id FROM old FULL JOIN new USING (word_id) WHERE old.sum IS DISTINCT FROM new.sum`,
	`DELETE /* store.Swap */ FROM REAL.wordfile f USING rebuilt_words d WHERE d.word_id = f.word_id`,
	`INSERT /* store.Swap */ INTO REAL.wordfile (word_id, level, first_site, first_url, seq, urlcount, totalcount, urls)
	SELECT word_id, level, first_site, first_url, seq, urlcount, totalcount, urls FROM REBUILD.wordfile JOIN rebuilt_words USING (word_id)`,
	`UPDATE /* store.Swap */ REAL.wordurl w SET urls = n.urls, urlcount = n.urlcount, totalcount = n.totalcount
	FROM REBUILD.wordurl n
	WHERE n.word_id = w.word_id AND (w.urls <> n.urls OR w.urlcount <> n.urlcount OR w.totalcount <> n.totalcount)`,
	`UPDATE /* store.Swap */ REAL.wordurl w SET urls = '', urlcount = 0, totalcount = 0
	WHERE (w.urls <> '' OR w.urlcount <> 0 OR w.totalcount <> 0) AND NOT EXISTS (SELECT 1 FROM REBUILD.wordurl n WHERE n.word_id = w.word_id)`,
	`DELETE /* store.Swap */ FROM REAL.docwords d
	WHERE NOT EXISTS (SELECT 1 FROM REBUILD.docwords n WHERE n.url_id = d.url_id)
		AND NOT EXISTS (SELECT 1 FROM REAL.journal j WHERE j.url_id = d.url_id AND j.words IS NOT NULL AND j.seq < d.seq)`,
	`UPDATE /* store.Swap */ REAL.docwords d SET words = '\x0100'
	WHERE d.words <> '\x0100' AND NOT EXISTS (SELECT 1 FROM REBUILD.docwords n WHERE n.url_id = d.url_id)`,
	`UPDATE /* store.Swap */ REAL.docwords d SET seq = n.seq, words = n.words
	FROM REBUILD.docwords n WHERE n.url_id = d.url_id AND (d.seq <> n.seq OR d.words <> n.words)`,
	`INSERT /* store.Swap */ INTO REAL.docwords (url_id, seq, words)
	SELECT n.url_id, n.seq, n.words FROM REBUILD.docwords n
	WHERE NOT EXISTS (SELECT 1 FROM REAL.docwords d WHERE d.url_id = n.url_id)`,
	`UPDATE /* store.Swap */ REAL.docdates d SET length = n.length, lang = n.lang, type = n.type, tag = n.tag
	FROM (
		SELECT l.url_id, l.length, coalesce(c.lang, o.lang) AS lang, coalesce(REAL.document_type(c.content_type), o.type) AS type, w.tag
		FROM REBUILD.lengths l JOIN REAL.docdates o USING (url_id) LEFT JOIN REAL.urlword w USING (url_id) LEFT JOIN REAL.urlwords c USING (url_id)) n
	WHERE n.url_id = d.url_id AND (d.length, d.lang, d.type, d.tag) IS DISTINCT FROM (n.length, n.lang, n.type, n.tag)`,
	`UPDATE /* store.Swap */ REAL.totals SET documents = (SELECT count(*) FROM REAL.docwords WHERE octet_length(words) > 2),
		(words, postings, positions) = (SELECT count(*) FILTER (WHERE urlcount > 0), coalesce(sum(urlcount), 0), coalesce(sum(totalcount), 0) FROM REAL.wordurl)`,
}

// SwapResult counts what the swap changed.
type SwapResult struct{ Words, Files, Documents int64 }

// Swap makes the new index the one that is searched, in one transaction. When the index has changed since
// BeginRebuild, the error is ErrIndexChanged and the index stays. date is called first, in the same
// transaction: the merge will find the entries that CoveredEntries returns to be late.
func (r *Rebuild) Swap(ctx context.Context, date func(*MergeBatch) error) (n SwapResult, err error) {
	var now store.Changes
	err = r.store.ChangeIndex(ctx, "swap the index", r.since, func(tx pgx.Tx) (err error) {
		n = SwapResult{}
		if _, err := tx.Exec(ctx, swapPlansSQL); err != nil {
			return err
		}
		if err := date(&MergeBatch{tx: tx, store: r.store}); err != nil {
			return err
		}
		for i, sql := range swapSQL {
			done, err := tx.Exec(ctx, r.sql(sql))
			if err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
			if err := failpoint.Hit("rebuild.mid-swap"); err != nil {
				return err
			}
			switch i {
			case 1, 2:
				n.Files += done.RowsAffected()
			case 3, 4:
				n.Words += done.RowsAffected()
			case 5, 6, 7, 8:
				n.Documents += done.RowsAffected()
			}
		}
		now, err = store.CountChange(ctx, tx)
		return err
	})
	if err == nil {
		r.since = now
	}
	return n, err
}

const coveredFactsSQL = `
	SELECT /* store.CoveredEntries */ j.url_id, j.seq, j.modified, j.fetched_at, j.same_content, coalesce(d.seq, 0)
	FROM REBUILD.docwords n JOIN REAL.journal j ON j.url_id = n.url_id AND j.seq <= n.seq LEFT JOIN REAL.docwords d ON d.url_id = n.url_id
	WHERE j.status IN (200, 406) AND (j.words IS NOT NULL OR NOT j.same_content) AND (j.url_id, j.seq) > ($1, $2)
	ORDER BY j.url_id, j.seq LIMIT $3`

// CoveredEntries calls f with versions that wait for the merge although the new index already has their content
// or something newer: at most n of them after one, by URL and in their order. merged is the entry of the
// document that was merged last, 0 = none. Only the columns on which dates depend are read.
func (r *Rebuild) CoveredEntries(ctx context.Context, b *MergeBatch, url store.URLID, seq int64, n int, f func(x *JournalEntry, merged int64)) error {
	rows, err := b.tx.Query(ctx, r.sql(coveredFactsSQL), url, seq, n)
	if err != nil {
		return err
	}
	var x JournalEntry
	var modified *time.Time
	var merged int64
	_, err = pgx.ForEachRow(rows, []any{&x.URL, &x.Seq, &modified, &x.Fetched, &x.Same, &merged}, func() error {
		x.Modified = time.Time{}
		if modified != nil {
			x.Modified = *modified
		}
		f(&x, merged)
		return nil
	})
	return err
}

// The row must be as it was read; otherwise the crawl has counted a newer version.
var recountSQL = store.PerTable(`
	WITH fixed AS (
		UPDATE /* store.Recount */ urlwordsNN c SET wordcount = n.wordcount, totalcount = n.totalcount, txt = coalesce(n.txt, c.txt)
		FROM REBUILD.counts n
		WHERE n.url_id = c.url_id AND c.wordcount = n.was_words AND c.totalcount = n.was_total
		RETURNING n.url_id, n.mode, (n.wordcount, n.totalcount) <> (n.was_words, n.was_total) AS recounted
	), moded AS (
		UPDATE urlstate s SET index_mode = s.index_mode & 1023 | f.mode
		FROM fixed f WHERE f.url_id = s.url_id AND f.mode IS NOT NULL
	)
	SELECT count(*) FILTER (WHERE recounted) FROM fixed`)

// Recount writes the recorded counts to the content rows, and how their words were read, one table in each transaction. It returns
// the number of rows whose counts differed.
func (r *Rebuild) Recount(ctx context.Context) (rows int64, err error) {
	for _, sql := range recountSQL {
		err := r.store.InTx(ctx, "recount", func(tx pgx.Tx) error {
			var n int64
			err := tx.QueryRow(ctx, r.sql(sql)).Scan(&n)
			rows += n
			return err
		})
		if err == nil {
			err = failpoint.Hit("rebuild.mid-recount")
		}
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}
