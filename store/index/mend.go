package index

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
	"github.com/pgseek/pgseek/store/posting"
)

// The writes of index -X2. The caller holds the merge's lock and names the state of the index that it has
// read, so nobody else changes wordurl, wordfile and docwords. Documents are locked as the crawl locks them,
// so that the numbers of the journal stay in the order of events.

var clearWordsSQL = []string{
	`DELETE /* store.ClearWords */ FROM wordfile WHERE word_id = ANY($1)`,
	`UPDATE /* store.ClearWords */ wordurl SET urls = '', urlcount = 0, totalcount = 0 WHERE word_id = ANY($1)`,
}

const touchTotalsSQL = `UPDATE /* store.TouchTotals */ totals SET changes = changes` // another PostingsState

// ClearWords removes all postings of words. Their rows in wordurl stay.
func (s *Store) ClearWords(ctx context.Context, since store.Changes, ids []store.WordID) error {
	return s.ChangeIndex(ctx, "clear words", since, func(tx pgx.Tx) error {
		for _, sql := range clearWordsSQL {
			if _, err := tx.Exec(ctx, sql, ids); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, touchTotalsSQL)
		return err
	})
}

var dropStraysSQL = []string{
	`DELETE /* store.DropStrays */ FROM wordfile f WHERE NOT EXISTS (SELECT 1 FROM wordurl w WHERE w.word_id = f.word_id)`,
	`DELETE /* store.DropStrays */ FROM journal j WHERE NOT EXISTS (SELECT 1 FROM urlword w WHERE w.url_id = j.url_id)`,
	`DELETE /* store.DropStrays */ FROM markdel m WHERE NOT EXISTS (SELECT 1 FROM urlword w WHERE w.url_id = m.url_id)`,
	`DELETE /* store.DropStrays */ FROM docwords d WHERE NOT EXISTS (SELECT 1 FROM urlword w WHERE w.url_id = d.url_id)`,
	`DELETE /* store.DropStrays */ FROM tmpurl t WHERE NOT EXISTS (SELECT 1 FROM urlword w WHERE w.url_id = t.url_id)`,
	`UPDATE /* store.DropStrays */ journal j SET site_id = w.site_id FROM urlword w WHERE w.url_id = j.url_id AND w.site_id <> j.site_id`,
	`UPDATE /* store.DropStrays */ markdel m SET site_id = w.site_id FROM urlword w WHERE w.url_id = m.url_id AND w.site_id <> m.site_id`,
}

// DropStrays removes rows of wordfile without a word, and of journal, markdel, docwords and tmpurl without a URL, and
// corrects the sites in journal and markdel. It returns the number of these rows.
func (s *Store) DropStrays(ctx context.Context, since store.Changes) (rows int64, err error) {
	return s.execAll(ctx, "drop strays", since, dropStraysSQL)
}

var dropEmptySQL = []string{`
	DELETE /* store.DropEmptyDocWords */ FROM docwords d
	WHERE octet_length(d.words) <= 2
		AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.url_id = d.url_id AND j.words IS NOT NULL AND j.seq < d.seq)`}

// DropEmptyDocWords removes rows of docwords that have no words and for which the journal has no older words.
func (s *Store) DropEmptyDocWords(ctx context.Context, since store.Changes) (rows int64, err error) {
	return s.execAll(ctx, "drop empty docwords", since, dropEmptySQL)
}

var forgetLabelsSQL = []string{
	`DELETE /* store.ForgetLabels */ FROM wordsite`,
	`UPDATE /* store.ForgetLabels */ sitestate SET labelled = false WHERE labelled`,
}

// ForgetLabels empties wordsite. The next merge labels all sites again.
func (s *Store) ForgetLabels(ctx context.Context, since store.Changes) error {
	_, err := s.execAll(ctx, "forget labels", since, forgetLabelsSQL)
	return err
}

// execAll runs statements that read whole tables, in one transaction.
func (s *Store) execAll(ctx context.Context, what string, since store.Changes, statements []string) (rows int64, err error) {
	err = s.ChangeIndex(ctx, what, since, func(tx pgx.Tx) error {
		rows = 0
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		for _, sql := range statements {
			done, err := tx.Exec(ctx, sql)
			if err != nil {
				return err
			}
			rows += done.RowsAffected()
		}
		return nil
	})
	return rows, err
}

const dropVersionSQL = `
	UPDATE /* store.DropVersion */ journal SET words = NULL WHERE url_id = $1 AND seq = $2`

// DropVersion removes the words from a row of journal; its links stay.
func (s *Store) DropVersion(ctx context.Context, url store.URLID, seq int64) error {
	return s.InTx(ctx, "drop version", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, dropVersionSQL, url, seq)
		return err
	})
}

const docWordsPageSQL = `
	SELECT /* store.DocWordsPage */ url_id, seq, words FROM docwords WHERE url_id > $1 ORDER BY url_id LIMIT $2`

// DocWordsPage returns the next rows of docwords after a URL, at most n.
func (s *Store) DocWordsPage(ctx context.Context, after store.URLID, n int) (page []DocWords, err error) {
	err = s.InTx(ctx, "read docwords", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, docWordsPageSQL, after, n)
		if err == nil {
			page, err = pgx.CollectRows(rows, pgx.RowToStructByPos[DocWords])
		}
		return err
	})
	return page, err
}

// RereadThese returns those of the documents that are live originals with content, in no order.
func (s *Store) RereadThese(ctx context.Context, ids []store.URLID) (page []RebuildRow, err error) {
	err = s.InTx(ctx, "reread", func(tx pgx.Tx) (err error) {
		page, err = reread(ctx, tx, ids)
		return err
	})
	return page, err
}

// Mending describes the repair of a document.
type Mending struct {
	URL      store.URLID
	DocWords []byte // new content of its row of docwords; nil = unchanged
	// Words are the words of its stored content, packed for the journal; nil = none are written. Seq was the
	// newest entry about its words when they were read: they are not written when there is a newer one by
	// now.
	Words []byte
	Seq   int64
	Mark  bool // set a mark, unless the document is a live original by now
	// Recount says that its content row gets these counts.
	Recount               bool
	WordCount, TotalCount int
}

const lockToMendSQL = `
	SELECT /* store.MendDocuments */ url_id, site_id, deleted = 0 AND status & 65535 = 200 AND origin = 0, last_index_time
	FROM urlword WHERE url_id = ANY($1) ORDER BY url_id FOR UPDATE`

const newestFactsSQL = `
	SELECT /* store.MendDocuments */ i.url_id, greatest(1, (SELECT max(seq) FROM journal j WHERE j.url_id = i.url_id AND j.words IS NOT NULL),
		(SELECT seq FROM markdel m WHERE m.url_id = i.url_id), d.seq), d.words
	FROM unnest($1::integer[]) AS i (url_id) LEFT JOIN docwords d USING (url_id)`

const putDocWordsSQL = `
	INSERT /* store.MendDocuments */ INTO docwords (url_id, seq, words) VALUES ($1, 1, $2)
	ON CONFLICT (url_id) DO UPDATE SET words = EXCLUDED.words`

const forgetBlocksSQL = `
	UPDATE /* store.MendDocuments */ docwords SET words = $2 WHERE url_id = $1`

const journalAgainSQL = `
	INSERT /* store.MendDocuments */ INTO journal (run_id, url_id, site_id, status, words, fetched_at, same_content)
	VALUES ($1, $2, $3, 200, $4, $5, true)`

const markAgainSQL = `
	INSERT /* store.MendDocuments */ INTO markdel (site_id, run_id, url_id, reason) VALUES ($1, $2, $3, 'X2')
	ON CONFLICT (url_id) DO UPDATE SET seq = EXCLUDED.seq, schedule_seq = NULL, run_id = EXCLUDED.run_id, marked_at = EXCLUDED.marked_at,
		reason = EXCLUDED.reason`

var recountRowSQL = store.PerTable(`UPDATE /* store.MendDocuments */ urlwordsNN SET wordcount = $2, totalcount = $3 WHERE url_id = $1`)

// MendResult counts what MendDocuments did.
type MendResult struct{ Rejournalled, Marked, DocWords int64 }

// MendDocuments makes repairs in one transaction. A row of docwords that stays loses its fingerprints, so
// that the next version of the document, these words or newer ones, is merged completely: a merge does not
// touch postings that are unchanged according to docwords.
func (s *Store) MendDocuments(ctx context.Context, since store.Changes, run store.RunID, list []Mending) (n MendResult, err error) {
	ids := make([]store.URLID, len(list))
	for i := range list {
		ids[i] = list[i].URL
	}
	type state struct {
		site   store.SiteID
		live   bool
		last   int64  // last answer
		newest int64  // newest entry
		words  []byte // words that docwords has
	}
	err = s.ChangeIndex(ctx, "mend documents", since, func(tx pgx.Tx) error {
		n = MendResult{}
		states := make(map[store.URLID]state, len(list))
		var url store.URLID
		var x state
		rows, err := tx.Query(ctx, lockToMendSQL, ids)
		if err != nil {
			return err
		}
		if _, err = pgx.ForEachRow(rows, []any{&url, &x.site, &x.live, &x.last}, func() error { states[url] = x; return nil }); err != nil {
			return err
		}
		var newest int64
		var words []byte
		if rows, err = tx.Query(ctx, newestFactsSQL, ids); err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&url, &newest, &words}, func() error {
			x := states[url]
			x.newest, x.words = newest, words
			states[url] = x
			return nil
		})
		if err != nil {
			return err
		}
		var b pgx.Batch
		for i := range list {
			m := &list[i]
			x := states[m.URL]
			if m.DocWords != nil {
				b.Queue(putDocWordsSQL, m.URL, m.DocWords)
				n.DocWords++
			} else if less, err := posting.WithoutBlocks(x.words); err == nil && len(less) < len(x.words) {
				b.Queue(forgetBlocksSQL, m.URL, less)
			}
			if x.site == 0 {
				continue // no row in urlword
			}
			if m.Recount && x.live && x.newest == m.Seq {
				b.Queue(recountRowSQL[m.URL%16], m.URL, m.WordCount, m.TotalCount)
			}
			if m.Words != nil && x.live && x.newest == m.Seq {
				b.Queue(journalAgainSQL, run, m.URL, x.site, m.Words, time.Unix(x.last, 0))
				n.Rejournalled++
			}
			if m.Mark && !x.live {
				b.Queue(markAgainSQL, x.site, run, m.URL)
				n.Marked++
			}
		}
		if err := tx.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		return failpoint.Hit("mend.before-commit")
	})
	return n, err
}
