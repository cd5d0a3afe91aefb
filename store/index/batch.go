package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgseek/pgseek/store"
)

// MergeRange names the rows of journal and markdel that one batch of the merge reads: those of a range of
// schedules, and those without a schedule (index -T, sweeps) of a range of documents.
type MergeRange struct {
	FromSchedule, ToSchedule int64       // half open; equal = none
	FromURL, ToURL           store.URLID // closed; ToURL 0 = none
	Bytes                    int64       // packed words, links and marks, estimated
	Rows                     int         // of journal and markdel
}

// MergePlan lists the batches of a merge.
type MergePlan struct {
	Ranges  []MergeRange
	Waiting int64 // rows above an open schedule
}

const boundarySQL = `
	SELECT /* store.PlanMerge */ coalesce(
		(SELECT min(seq) FROM schedule WHERE status = 's'),                      -- schedule_open
		(SELECT greatest(max(j.seq), max(m.seq)) + 1
		 FROM (SELECT max(schedule_seq) AS seq FROM journal) j, (SELECT max(schedule_seq) AS seq FROM markdel) m),
		0)`

// The cost of a row for the merge, in bytes of packed words. A mark costs the words of the version that it
// removes.
const weighSQL = `
	WITH fact AS (
		SELECT schedule_seq, url_id,
			coalesce(octet_length(words), 0) + pg_column_size(links_added) + pg_column_size(links_removed) AS bytes
		FROM journal
		UNION ALL
		SELECT schedule_seq, url_id, 1000 + pg_column_size(links)
			+ coalesce((SELECT octet_length(d.words) FROM docwords d WHERE d.url_id = m.url_id), 0) -- docwords_pkey
		FROM markdel m
	)`

const weighFreeSQL = weighSQL + `
	SELECT /* store.PlanMerge */ url_id, sum(bytes), count(*)
	FROM fact WHERE schedule_seq IS NULL
	GROUP BY url_id ORDER BY url_id`

const weighScheduledSQL = weighSQL + `
	SELECT /* store.PlanMerge */ schedule_seq, sum(bytes), count(*)
	FROM fact WHERE schedule_seq < $1
	GROUP BY schedule_seq ORDER BY schedule_seq`

const countWaitingSQL = `
	SELECT /* store.PlanMerge */ (SELECT count(*) FROM journal WHERE schedule_seq >= $1)
		+ (SELECT count(*) FROM markdel WHERE schedule_seq >= $1)`

// lockLeasesSQL waits for leases that are under way: such a lease has drawn the numbers of schedules that nobody sees yet, and higher
// numbers may be committed before.
const lockLeasesSQL = `SELECT /* store.PlanMerge */ pg_advisory_xact_lock($1)`

// boundary returns the lowest number that an open schedule has, or a later one can have.
func (s *Store) boundary(ctx context.Context) (seq int64, err error) {
	err = s.InTx(ctx, "plan merge", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockLeasesSQL, int64(store.LeaseLock)); err != nil {
			return err
		}
		return tx.QueryRow(ctx, boundarySQL).Scan(&seq)
	})
	return seq, err
}

// PlanMerge divides the rows that the merge may read now into batches of about limit bytes of packed words
// and at most rows rows (0 = no limit): rows without a schedule first, then all schedules below the lowest
// open one. A schedule is never divided, so a larger one makes a larger batch.
func (s *Store) PlanMerge(ctx context.Context, limit int64, rows int) (plan MergePlan, err error) {
	if rows <= 0 {
		rows = math.MaxInt
	}
	boundary, err := s.boundary(ctx)
	if err != nil {
		return plan, err
	}
	err = s.InTx(ctx, "plan merge", func(tx pgx.Tx) error {
		plan = MergePlan{}
		if err := tx.QueryRow(ctx, countWaitingSQL, boundary).Scan(&plan.Waiting); err != nil {
			return err
		}
		var r MergeRange
		full := func(bytes int64, n int) bool { return r.Rows > 0 && (r.Bytes+bytes > limit || r.Rows+n > rows) }
		err := eachWeight(ctx, tx, func(url, bytes int64, n int) {
			if full(bytes, n) {
				plan.Ranges = append(plan.Ranges, r)
				r = MergeRange{}
			}
			if r.Rows == 0 {
				r.FromURL = store.URLID(url)
			}
			r.ToURL, r.Bytes, r.Rows = store.URLID(url), r.Bytes+bytes, r.Rows+n
		}, weighFreeSQL)
		if err != nil {
			return err
		}
		// The first schedules join the last rows without a schedule.
		err = eachWeight(ctx, tx, func(schedule, bytes int64, n int) {
			if full(bytes, n) {
				plan.Ranges = append(plan.Ranges, r)
				r = MergeRange{}
			}
			if r.FromSchedule == r.ToSchedule {
				r.FromSchedule = schedule
			}
			r.ToSchedule, r.Bytes, r.Rows = schedule+1, r.Bytes+bytes, r.Rows+n
		}, weighScheduledSQL, boundary)
		if err != nil {
			return err
		}
		if r.Rows > 0 {
			plan.Ranges = append(plan.Ranges, r)
		}
		return nil
	})
	return plan, err
}

// eachWeight calls f with key, bytes and rows of each row of the result.
func eachWeight(ctx context.Context, tx pgx.Tx, f func(key, bytes int64, rows int), sql string, args ...any) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	var key, bytes int64
	var n int
	_, err = pgx.ForEachRow(rows, []any{&key, &bytes, &n}, func() error {
		f(key, bytes, n)
		return nil
	})
	return err
}

// MergeBatch is the transaction of one batch of the merge. Its methods are the steps; package merge calls
// them in order.
type MergeBatch struct {
	Seq     int64         // wordfile.seq of the rows that it writes
	Changes store.Changes // state of the index on which it builds; the same when it is repeated
	Left    store.Changes // state after it, when MergeBatch has returned
	Churned DeadRows      // rows that it left dead; see CountChurn
	Range   MergeRange    // rows that it reads
	tx      pgx.Tx
	store   *Store
	read    int64          // journal rows of the schedules in Range
	free    []rowKey       // the rows without a schedule
	marks   []rowKey       // rows of markdel
	ids     []store.WordID // drawn and not yet used
}

// rowKey is the key of a row of journal or markdel.
type rowKey struct {
	url store.URLID
	seq int64
}

// The statements of the merge must use the indexes, whatever the server believes of tables that have just
// been filled: a generic plan takes an array for a few values. JIT costs more than it gains there.
const prepareBatchSQL = `
	SELECT /* store.MergeBatch */ set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true),
		pg_advisory_xact_lock($1, $2), nextval('wordfile_seq')`

const keepNewWordsSQL = `SELECT /* store.MergeBatch */ pg_advisory_xact_lock($1, $2)`

// MergeBatch runs f in one transaction: all effects of a batch on the index and the removal of its journal
// rows are committed together, or none is (P3). f may run several times, each time from the beginning, but
// not after a commit that succeeded although its answer was lost (P6).
//
// Two batches never run at once, even when the merge's lock was lost with its connection. since is the state
// of the index on which f relies beyond what it reads itself. When the index has another state by now, the
// error is ErrIndexChanged.
func (s *Store) MergeBatch(ctx context.Context, r MergeRange, since store.Changes, f func(*MergeBatch) error) error {
	ids, err := s.DrawWordIDs(ctx, r.wordIDsBefore())
	if err != nil {
		return err
	}
	return s.mergeBatch(ctx, r, since, ids, func(b *MergeBatch) error {
		if err := f(b); err != nil {
			return err
		}
		var err error
		b.Left, err = store.CountChange(ctx, b.tx)
		return err
	})
}

// mergeBatch is MergeBatch without the count in totals.changes, with ids for new words.
func (s *Store) mergeBatch(ctx context.Context, r MergeRange, since store.Changes, ids []store.WordID, f func(*MergeBatch) error) error {
	for try := 0; ; try++ {
		var t store.Attempts
		err := s.InTx(ctx, "merge batch", func(tx pgx.Tx) error {
			b := &MergeBatch{Range: r, tx: tx, store: s, ids: ids}
			err := tx.QueryRow(ctx, prepareBatchSQL, int32(store.LockClass), store.MergeBatchLock).Scan(nil, nil, nil, &b.Seq)
			if err != nil {
				return err
			}
			var arrived bool
			if b.Changes, arrived, err = t.Begin(ctx, tx, since); arrived || err != nil {
				return err
			}
			if try > 0 {
				if _, err := tx.Exec(ctx, keepNewWordsSQL, int32(store.LockClass), store.NewWordsLock); err != nil {
					return err
				}
			}
			return f(b)
		})
		// index -T has created a word that this batch took for new: look again, and let index -T create none
		// meanwhile.
		if errors.Is(err, errWordMade) && try < 10 {
			continue
		}
		return err
	}
}

// JournalEntry is a row of journal without its words.
type JournalEntry struct {
	URL            store.URLID
	Site           store.SiteID
	Seq            int64
	Status         int
	HasWords       bool // false: the row has no words
	Bytes          int  // of the packed words
	Added, Removed []store.URLID
	Modified       time.Time // zero when unknown
	Fetched        time.Time
	Same           bool // the content is that of the version before
}

const scheduledFactsSQL = `
	SELECT /* store.Entries */ url_id, site_id, seq, status, words IS NOT NULL, coalesce(octet_length(words), 0),
		links_added, links_removed, modified, fetched_at, same_content
	FROM journal                                                                 -- journal_order
	WHERE schedule_seq >= $1 AND schedule_seq < $2`

const freeFactsSQL = `
	SELECT /* store.Entries */ url_id, site_id, seq, status, words IS NOT NULL, coalesce(octet_length(words), 0),
		links_added, links_removed, modified, fetched_at, same_content
	FROM journal
	WHERE schedule_seq IS NULL AND url_id BETWEEN $1 AND $2`

// Entries calls f with each journal row of the batch, in no order. The slices are valid only during the call.
func (b *MergeBatch) Entries(ctx context.Context, f func(*JournalEntry)) error {
	b.read, b.free = 0, nil
	if b.Range.FromSchedule < b.Range.ToSchedule {
		err := b.facts(ctx, func(x *JournalEntry) { b.read++; f(x) }, scheduledFactsSQL, b.Range.FromSchedule, b.Range.ToSchedule)
		if err != nil {
			return err
		}
	}
	if b.Range.ToURL > 0 {
		return b.facts(ctx, func(x *JournalEntry) {
			b.free = append(b.free, rowKey{x.URL, x.Seq})
			f(x)
		}, freeFactsSQL, b.Range.FromURL, b.Range.ToURL)
	}
	return nil
}

func (b *MergeBatch) facts(ctx context.Context, f func(*JournalEntry), sql string, args ...any) error {
	rows, err := b.tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	var x JournalEntry
	var modified *time.Time
	to := []any{&x.URL, &x.Site, &x.Seq, &x.Status, &x.HasWords, &x.Bytes, store.Keys(&x.Added), store.Keys(&x.Removed), &modified, &x.Fetched, &x.Same}
	_, err = pgx.ForEachRow(rows, to, func() error {
		x.Modified = time.Time{}
		if modified != nil {
			x.Modified = *modified
		}
		f(&x)
		return nil
	})
	return err
}

// Mark is a row of markdel.
type Mark struct {
	URL   store.URLID
	Site  store.SiteID
	Seq   int64
	Links []store.URLID // links that citation may still have of the document
}

const scheduledMarksSQL = `
	SELECT /* store.Marks */ url_id, site_id, seq, links
	FROM markdel                                                                 -- markdel_order
	WHERE schedule_seq >= $1 AND schedule_seq < $2`

const freeMarksSQL = `
	SELECT /* store.Marks */ url_id, site_id, seq, links
	FROM markdel
	WHERE schedule_seq IS NULL AND url_id BETWEEN $1 AND $2`

// Marks calls f with each row of markdel of the batch, in no order. The slice is valid only during the call.
func (b *MergeBatch) Marks(ctx context.Context, f func(*Mark)) error {
	b.marks = nil
	one := func(sql string, args ...any) error {
		rows, err := b.tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		var m Mark
		_, err = pgx.ForEachRow(rows, []any{&m.URL, &m.Site, &m.Seq, store.Keys(&m.Links)}, func() error {
			b.marks = append(b.marks, rowKey{m.URL, m.Seq})
			f(&m)
			return nil
		})
		return err
	}
	if b.Range.FromSchedule < b.Range.ToSchedule {
		if err := one(scheduledMarksSQL, b.Range.FromSchedule, b.Range.ToSchedule); err != nil {
			return err
		}
	}
	if b.Range.ToURL > 0 {
		return one(freeMarksSQL, b.Range.FromURL, b.Range.ToURL)
	}
	return nil
}

const packedWordsSQL = `
	SELECT /* store.PackedWords */ j.words
	FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS i (url_id, seq, n)
	JOIN journal j ON j.url_id = i.url_id AND j.seq = i.seq                      -- journal_pkey
	WHERE j.words IS NOT NULL
	ORDER BY i.n`

// PackedWords calls f with the packed words of journal rows, in the order of the arguments. words is valid
// only during the call.
func (b *MergeBatch) PackedWords(ctx context.Context, urls []store.URLID, seqs []int64, f func(i int, words []byte) error) error {
	const set = 1000 // the server sorts them
	for lo := 0; lo < len(urls); lo += set {
		hi := min(lo+set, len(urls))
		rows, err := b.tx.Query(ctx, packedWordsSQL, urls[lo:hi], seqs[lo:hi])
		if err != nil {
			return err
		}
		i := lo
		var words store.Bytes
		_, err = pgx.ForEachRow(rows, []any{&words}, func() error {
			i++
			return f(i-1, words)
		})
		if err != nil {
			return err
		}
		if i != hi {
			return fmt.Errorf("read words of %d journal rows: %d were removed by another program", hi-lo, hi-i)
		}
	}
	return nil
}

const dropScheduledSQL = `
	DELETE /* store.DropEntries */ FROM journal
	WHERE schedule_seq >= $1 AND schedule_seq < $2`

const dropFreeSQL = `
	DELETE /* store.DropEntries */ FROM journal j
	USING unnest($1::integer[], $2::bigint[]) AS i (url_id, seq)
	WHERE j.url_id = i.url_id AND j.seq = i.seq`

const takeJournalSQL = `SELECT /* store.DropEntries */ pg_advisory_xact_lock($1, $2)`

// DropEntries removes the journal rows that Facts has read, and no others.
func (b *MergeBatch) DropEntries(ctx context.Context) error {
	if _, err := b.tx.Exec(ctx, takeJournalSQL, int32(store.LockClass), store.JournalLock); err != nil {
		return err
	}
	if b.Range.FromSchedule < b.Range.ToSchedule {
		done, err := b.tx.Exec(ctx, dropScheduledSQL, b.Range.FromSchedule, b.Range.ToSchedule)
		if err != nil {
			return err
		}
		if done.RowsAffected() != b.read {
			// A schedule below the boundary was written to after all: repeat the whole batch.
			return &pgconn.PgError{
				Severity: "ERROR", Code: "40001",
				Message: fmt.Sprintf("read %d journal rows, removed %d", b.read, done.RowsAffected()),
			}
		}
	}
	return b.dropKeys(ctx, dropFreeSQL, b.free)
}

const dropMarksSQL = `
	DELETE /* store.DropEntries */ FROM markdel m
	USING unnest($1::integer[], $2::bigint[]) AS i (url_id, seq)
	WHERE m.url_id = i.url_id AND m.seq = i.seq`

// DropMarks removes the marks that Marks has read. A mark that was replaced since stays for the next merge.
// It is the last step of a batch except TakeOverRealtime, because a crawl that marks such a document waits
// for the end of the batch.
func (b *MergeBatch) DropMarks(ctx context.Context) error {
	return b.dropKeys(ctx, dropMarksSQL, b.marks)
}

func (b *MergeBatch) dropKeys(ctx context.Context, sql string, keys []rowKey) error {
	for lo := 0; lo < len(keys); lo += store.SetSize {
		set := keys[lo:min(lo+store.SetSize, len(keys))]
		urls, seqs := make([]store.URLID, len(set)), make([]int64, len(set))
		for i, k := range set {
			urls[i], seqs[i] = k.url, k.seq
		}
		if _, err := b.tx.Exec(ctx, sql, urls, seqs); err != nil {
			return err
		}
	}
	return nil
}

const unknownURLSQL = `
	SELECT /* store.UnknownURL */ i.url_id
	FROM (
		SELECT url_id, site_id FROM unnest($1::integer[], $2::integer[]) AS i (url_id, site_id)
		EXCEPT
		SELECT url_id, site_id FROM urlword WHERE url_id = ANY($1)               -- urlword_pkey
	) i
	LIMIT 1`

// UnknownURL returns one of the URLs that has no row in urlword, or one with another site; 0 when there is
// none.
func (b *MergeBatch) UnknownURL(ctx context.Context, urls []store.URLID, sites []store.SiteID) (store.URLID, error) {
	for lo := 0; lo < len(urls); lo += store.SetSize {
		hi := min(lo+store.SetSize, len(urls))
		var id store.URLID
		err := b.tx.QueryRow(ctx, unknownURLSQL, urls[lo:hi], sites[lo:hi]).Scan(&id)
		if !errors.Is(err, pgx.ErrNoRows) {
			return id, err
		}
	}
	return 0, nil
}
