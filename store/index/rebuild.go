package index

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// A rebuilt index grows in a schema of its own, in tables like those that it will replace. Then it is swapped
// in by differences, in one transaction, so readers see the old index or the new one. A schema that a killed
// program left is harmless, and is dropped when the next rebuild begins.

// rebuildSchema is the schema of the new index.
const rebuildSchema = "pgseek_rebuild"

// Rebuild is an index that is being rebuilt. The caller holds the merge's lock.
type Rebuild struct {
	store *Store
	real  string // schema of the tables that are replaced, quoted
	since store.Changes
}

const realSchemaSQL = `
	SELECT /* store.Rebuild */ quote_ident(n.nspname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.oid = 'wordurl'::regclass`

const dropRebuildSQL = `DROP SCHEMA IF EXISTS REBUILD CASCADE`

var makeRebuildSQL = []string{
	dropRebuildSQL,
	`CREATE SCHEMA REBUILD`,
	`CREATE TABLE REBUILD.wordurl (LIKE REAL.wordurl INCLUDING ALL)`,
	`CREATE TABLE REBUILD.wordfile (LIKE REAL.wordfile INCLUDING ALL)`,
	`CREATE TABLE REBUILD.docwords (LIKE REAL.docwords INCLUDING ALL)`,
	`CREATE TABLE REBUILD.counts (url_id integer PRIMARY KEY, wordcount integer NOT NULL, totalcount integer NOT NULL,
		was_words integer NOT NULL, was_total integer NOT NULL, mode integer, txt text)`,
	`CREATE TABLE REBUILD.dated (url_id integer PRIMARY KEY, dated timestamptz, was timestamptz)`,
	`CREATE TABLE REBUILD.lengths (url_id integer PRIMARY KEY, length smallint NOT NULL)`,
}

// BeginRebuild creates the empty tables of a new index, and removes those of an earlier one. When a merge or
// another rebuild runs in between in spite of the lock, the later steps end with ErrIndexChanged, and the
// index stays as they left it.
func (s *Store) BeginRebuild(ctx context.Context) (*Rebuild, error) {
	r := &Rebuild{store: s}
	err := s.ChangeIndex(ctx, "begin rebuild", store.AnyChanges, func(tx pgx.Tx) (err error) {
		if r.since, err = store.CountChange(ctx, tx); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, realSchemaSQL).Scan(&r.real); err != nil {
			return err
		}
		for _, sql := range makeRebuildSQL {
			if _, err := tx.Exec(ctx, r.sql(sql)); err != nil {
				return err
			}
		}
		return nil
	})
	return r, err
}

// sql puts the names of both schemas into a statement.
func (r *Rebuild) sql(text string) string {
	return strings.NewReplacer("REBUILD", rebuildSchema, "REAL", r.real).Replace(text)
}

// Drop removes the tables.
func (r *Rebuild) Drop(ctx context.Context) error {
	return r.store.ChangeIndex(ctx, "drop rebuild", r.since, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, r.sql(dropRebuildSQL))
		return err
	})
}

// RebuildRow is a live original with its stored content, and the number of the entry that this content
// belongs to.
type RebuildRow struct {
	StoredRow
	// Seq is the highest number of an entry about its words in journal, markdel or docwords in the same
	// snapshot. Newer entries are merged later, older ones are late.
	Seq int64
	// LastModified is the header of its last answer, Dated the date by a DateRule, zero for none.
	LastModified string
	Dated        time.Time
}

const rebuildPageSQL = `
	SELECT /* store.Rebuild */ url_id FROM urlword
	WHERE url_id > $1 AND deleted = 0 AND status & 65535 = 200 AND origin = 0
	ORDER BY url_id LIMIT $2`

var rebuildContentSQL = store.PerTable(`
	SELECT /* store.Rebuild */ c.url_id, w.site_id, w.url, c.words, coalesce(s.read_as, c.content_type), c.wordcount, c.totalcount,
		greatest(1, (SELECT max(seq) FROM journal j WHERE j.url_id = c.url_id AND j.words IS NOT NULL), (SELECT seq FROM markdel m WHERE m.url_id = c.url_id),
			(SELECT seq FROM docwords d WHERE d.url_id = c.url_id)),
		coalesce(s.index_mode, 3), ` + store.LeaveOutSQL + `, w.last_modified, s.dated
	FROM urlwordsNN c JOIN urlword w USING (url_id) LEFT JOIN urlstate s USING (url_id)
	WHERE c.url_id = ANY($1) AND c.words IS NOT NULL AND w.deleted = 0 AND w.status & 65535 = 200 AND w.origin = 0`)

// Reread returns the next live originals after one, at most n, in no order, and the id from which to
// continue; 0 at the end.
func (s *Store) Reread(ctx context.Context, after store.URLID, n int) (page []RebuildRow, last store.URLID, err error) {
	err = s.InTx(ctx, "reread", func(tx pgx.Tx) error {
		page, last = nil, 0
		ids, err := store.Collect[store.URLID](ctx, tx, rebuildPageSQL, after, n)
		if err != nil || len(ids) == 0 {
			return err
		}
		last = ids[len(ids)-1]
		page, err = reread(ctx, tx, ids)
		return err
	})
	return page, last, err
}

// reread reads the contents of those of the documents that are live originals.
func reread(ctx context.Context, tx pgx.Tx, ids []store.URLID) (page []RebuildRow, err error) {
	var parts [16][]store.URLID
	for _, id := range ids {
		parts[id%16] = append(parts[id%16], id)
	}
	for n, part := range parts {
		if len(part) == 0 {
			continue
		}
		rows, err := tx.Query(ctx, rebuildContentSQL[n], part)
		if err != nil {
			return nil, err
		}
		var x RebuildRow
		var dated *time.Time
		x.Document = true
		to := []any{&x.URL, &x.Site, &x.Name, &x.Packed, &x.ReadAs, &x.WordCount, &x.TotalCount, &x.Seq, &x.How.Mode, &x.How.Selectors, &x.LastModified, &dated}
		_, err = pgx.ForEachRow(rows, to, func() error {
			if x.Dated = (time.Time{}); dated != nil {
				x.Dated = *dated
			}
			page = append(page, x)
			x.Packed = nil
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return page, nil
}

const countOriginalsSQL = `
	SELECT /* store.Rebuild */ count(*) FROM urlword WHERE deleted = 0 AND status & 65535 = 200 AND origin = 0`

// Originals counts the live documents that are not clones.
func (s *Store) Originals(ctx context.Context) (n int64, err error) {
	err = s.InTx(ctx, "count documents", func(tx pgx.Tx) error {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		return tx.QueryRow(ctx, countOriginalsSQL).Scan(&n)
	})
	return n, err
}

const intoRebuildSQL = `SELECT /* store.Rebuild */ set_config('search_path', $1, true)`

// Batch is Store.MergeBatch on the new index: f writes to its tables. The rows of journal and markdel stay.
func (r *Rebuild) Batch(ctx context.Context, f func(*MergeBatch) error) error {
	return r.store.mergeBatch(ctx, MergeRange{}, r.since, nil, func(b *MergeBatch) error {
		if _, err := b.tx.Exec(ctx, intoRebuildSQL, rebuildSchema+", "+r.real); err != nil {
			return err
		}
		return f(b)
	})
}

const knownWordsSQL = `
	INSERT /* store.Rebuild */ INTO REBUILD.wordurl (word, word_id)
	SELECT w.word, w.word_id FROM REAL.wordurl w
	WHERE w.word = ANY($1) AND NOT EXISTS (SELECT 1 FROM REBUILD.wordurl r WHERE r.word = w.word)`

const missingWordsSQL = `
	SELECT /* store.Rebuild */ i.word FROM unnest($1::text[]) WITH ORDINALITY AS i (word, n)
	WHERE NOT EXISTS (SELECT 1 FROM REAL.wordurl w WHERE w.word = i.word) ORDER BY i.n`

const addWordsSQL = `
	INSERT /* store.Rebuild */ INTO REAL.wordurl (word, word_id)
	SELECT word, word_id FROM unnest($1::text[], $2::integer[]) AS i (word, word_id)
	ON CONFLICT DO NOTHING`

// KnowWords creates the rows of words, sorted, in the new index: known words with their ids, new ones with
// new ids, which they have in the old index from then on, too.
func (r *Rebuild) KnowWords(ctx context.Context, words []string) error {
	for lo := 0; lo < len(words); lo += store.SetSize {
		set := words[lo:min(lo+store.SetSize, len(words))]
		err := r.store.InTx(ctx, "know words", func(tx pgx.Tx) error {
			if err := r.since.Check(ctx, tx); err != nil {
				return err
			}
			missing, err := store.Collect[string](ctx, tx, r.sql(missingWordsSQL), set)
			if err != nil {
				return err
			}
			if len(missing) > 0 {
				ids, err := r.store.DrawWordIDs(ctx, len(missing))
				if err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, r.sql(addWordsSQL), missing, ids); err != nil {
					return err
				}
			}
			_, err = tx.Exec(ctx, r.sql(knownWordsSQL), set)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const noteLengthsSQL = `
	INSERT /* store.Rebuild */ INTO REBUILD.lengths
	SELECT * FROM unnest($1::integer[], $2::smallint[])
	ON CONFLICT (url_id) DO UPDATE SET length = EXCLUDED.length`

// NoteLengths records the lengths of documents.
func (r *Rebuild) NoteLengths(ctx context.Context, b *MergeBatch, lengths []Length) error {
	return putLengths(ctx, b.tx, r.sql(noteLengthsSQL), lengths)
}

// CountFix holds the counts of a content row under the current settings.
type CountFix struct {
	URL                   store.URLID
	WordCount, TotalCount int // under the current settings
	WasWords, WasTotal    int32
	Read                  *ReadFix // nil when its words were read as before
}

// ReadFix says how the words of a document are read now.
type ReadFix struct {
	Mode int    // bits of store.ModeReading
	Text string // the beginning of its text
}

const noteCountsSQL = `
	INSERT /* store.Rebuild */ INTO REBUILD.counts
	SELECT * FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::text[])
	ON CONFLICT DO NOTHING`

// NoteCounts records counts that differ from those of the content row, and what was read in another way.
func (r *Rebuild) NoteCounts(ctx context.Context, b *MergeBatch, list []CountFix) error {
	if len(list) == 0 {
		return nil
	}
	urls, words, totals := make([]store.URLID, len(list)), make([]int, len(list)), make([]int, len(list))
	wasWords, wasTotals := make([]int32, len(list)), make([]int32, len(list))
	modes, texts := make([]*int, len(list)), make([]*string, len(list))
	for i, c := range list {
		if c.Read != nil {
			modes[i], texts[i] = &c.Read.Mode, &c.Read.Text
		}
		urls[i], words[i], totals[i], wasWords[i], wasTotals[i] = c.URL, c.WordCount, c.TotalCount, c.WasWords, c.WasTotal
	}
	if _, err := b.tx.Exec(ctx, r.sql(noteCountsSQL), urls, words, totals, wasWords, wasTotals, modes, texts); err != nil {
		return fmt.Errorf("note counts: %w", err)
	}
	return nil
}
