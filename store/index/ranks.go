package index

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const notifyIndexSQL = `SELECT /* store.NotifyIndex */ pg_notify('` + store.IndexChannel + `', $1)`

// Notify notifies listeners that this batch has changed the index, when it commits.
func (b *MergeBatch) Notify(ctx context.Context) error {
	_, err := b.tx.Exec(ctx, notifyIndexSQL, "merge")
	return err
}

const countLinksSQL = `UPDATE /* store.CountLinks */ rankstate SET changed = changed + $1`

// CountLinks records how many links of citation this batch added or removed.
func (b *MergeBatch) CountLinks(ctx context.Context, n int64) error {
	if n == 0 {
		return nil
	}
	_, err := b.tx.Exec(ctx, countLinksSQL, n)
	return err
}

const dropRanksSQL = `
	DELETE /* store.DropRanks */ FROM urlrank r
	WHERE r.url_id = ANY($1)
	  AND NOT EXISTS (SELECT 1 FROM urlword w WHERE w.url_id = r.url_id AND w.deleted = 0 AND (w.status & 65535) = 200 AND w.origin = 0)`

// DropRanks removes the ranks of those of the documents that are no longer live originals.
func (b *MergeBatch) DropRanks(ctx context.Context, urls []store.URLID) error {
	for lo := 0; lo < len(urls); lo += store.SetSize {
		if _, err := b.tx.Exec(ctx, dropRanksSQL, urls[lo:min(lo+store.SetSize, len(urls))]); err != nil {
			return err
		}
	}
	return nil
}

// RankState is the row of rankstate.
type RankState struct {
	Links     int64 // of ranked documents, when the ranks were computed
	Changed   int64 // since then
	Documents int64
	Computed  time.Time // zero = never
}

const rankStateSQL = `
	SELECT /* store.RankState */ links, changed, documents, computed_at FROM rankstate`

// RankState reads how far urlrank is behind the links.
func (s *Store) RankState(ctx context.Context) (state RankState, err error) {
	err = s.InTx(ctx, "rank state", func(tx pgx.Tx) error {
		state, err = readRankState(ctx, tx)
		return err
	})
	return state, err
}

// RankState is Store.RankState in the snapshot.
func (r *LinkReader) RankState(ctx context.Context) (RankState, error) {
	return readRankState(ctx, r.tx)
}

func readRankState(ctx context.Context, tx pgx.Tx) (state RankState, err error) {
	var computed *time.Time
	err = tx.QueryRow(ctx, rankStateSQL).Scan(&state.Links, &state.Changed, &state.Documents, &computed)
	if computed != nil {
		state.Computed = *computed
	}
	return state, err
}

// Rank is a row of urlrank.
type Rank struct {
	URL  store.URLID
	Rank float32
}

const rankPage = 20000 // rows of urlrank read at once

const ranksSQL = `
	SELECT /* store.PutRanks */ url_id, rank
	FROM urlrank                                                                 -- urlrank_pkey
	WHERE url_id > $1 ORDER BY url_id LIMIT $2`

const insertRanksSQL = `
	INSERT /* store.PutRanks */ INTO urlrank (url_id, rank)
	SELECT url_id, rank FROM unnest($1::integer[], $2::real[]) AS i (url_id, rank)`

const updateRanksSQL = `
	UPDATE /* store.PutRanks */ urlrank r SET rank = i.rank
	FROM unnest($1::integer[], $2::real[]) AS i (url_id, rank)
	WHERE r.url_id = i.url_id`

const deleteRanksSQL = `
	DELETE /* store.PutRanks */ FROM urlrank WHERE url_id = ANY($1)`

const ranksComputedSQL = `
	UPDATE /* store.PutRanks */ rankstate
	SET links = $1, changed = greatest(0, changed - $2), documents = $3, computed_at = now()`

const ranksSinceSQL = `SELECT /* store.PutRanks */ computed_at IS DISTINCT FROM $1 FROM rankstate`

// PutRanks sets urlrank to the rows that next returns after begin, by ascending id, until it returns false,
// and returns how many rows it wrote. Rows that already have their rank are not written. was is the state
// read with the links, so that changes of links since then stay counted. When another program has computed
// the ranks since then, nothing is written.
func (s *Store) PutRanks(ctx context.Context, was RankState, links int64, begin func() error, next func() (Rank, bool, error)) (written int64, err error) {
	var computed *time.Time
	if !was.Computed.IsZero() {
		computed = &was.Computed
	}
	err = s.ChangeIndex(ctx, "put ranks", store.AnyChanges, func(tx pgx.Tx) error {
		var newer bool
		if err := tx.QueryRow(ctx, ranksSinceSQL, computed).Scan(&newer); err != nil || newer {
			return err
		}
		if err := begin(); err != nil {
			return err
		}
		p := rankWriter{tx: tx, last: math.MinInt32}
		if err := p.run(ctx, next); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, ranksComputedSQL, links, was.Changed, p.documents); err != nil {
			return err
		}
		if written = p.written; written == 0 {
			return nil
		}
		if _, err := tx.Exec(ctx, touchTotalsSQL); err != nil { // a standby is not notified
			return err
		}
		_, err := tx.Exec(ctx, notifyIndexSQL, "ranks")
		return err
	})
	return written, err
}

// rankWriter reads the rows of urlrank by ascending id, and writes those that differ.
type rankWriter struct {
	tx           pgx.Tx
	page         []Rank // rows read and not yet returned
	last         store.URLID
	over         bool
	fresh, other ranks
	gone         []store.URLID
	documents    int64
	written      int64
}

// run makes the rows equal to those that next returns.
func (p *rankWriter) run(ctx context.Context, next func() (Rank, bool, error)) error {
	have, more, err := p.next(ctx)
	for err == nil {
		want, ok, err := next()
		if err != nil {
			return err
		}
		for more && (!ok || have.URL < want.URL) {
			p.gone = append(p.gone, have.URL)
			if err := p.flush(ctx, store.SetSize); err != nil {
				return err
			}
			if have, more, err = p.next(ctx); err != nil {
				return err
			}
		}
		if !ok {
			return p.flush(ctx, 0)
		}
		p.documents++
		if !more || have.URL > want.URL {
			p.fresh.add(want)
		} else {
			if have.Rank != want.Rank {
				p.other.add(want)
			}
			if have, more, err = p.next(ctx); err != nil {
				return err
			}
		}
		if err := p.flush(ctx, store.SetSize); err != nil {
			return err
		}
	}
	return err
}

// ranks holds rows as the parameters of one statement.
type ranks struct {
	urls  []store.URLID
	ranks []float32
}

func (r *ranks) add(x Rank) { r.urls, r.ranks = append(r.urls, x.URL), append(r.ranks, x.Rank) }

// next returns the next row, false after the last one. Rows written meanwhile have lower ids and are not read
// again.
func (p *rankWriter) next(ctx context.Context) (r Rank, ok bool, err error) {
	if len(p.page) == 0 && !p.over {
		rows, err := p.tx.Query(ctx, ranksSQL, p.last, rankPage)
		if err != nil {
			return r, false, err
		}
		if p.page, err = pgx.AppendRows(p.page[:0], rows, pgx.RowToStructByPos[Rank]); err != nil {
			return r, false, err
		}
		if p.over = len(p.page) < rankPage; len(p.page) > 0 {
			p.last = p.page[len(p.page)-1].URL
		}
	}
	if len(p.page) == 0 {
		return r, false, nil
	}
	r, p.page = p.page[0], p.page[1:]
	return r, true, nil
}

// flush writes each kind of change of which there are more than most.
func (p *rankWriter) flush(ctx context.Context, most int) error {
	for _, set := range []struct {
		sql  string
		rows *ranks
	}{{insertRanksSQL, &p.fresh}, {updateRanksSQL, &p.other}} {
		if len(set.rows.urls) <= most {
			continue
		}
		if _, err := p.tx.Exec(ctx, set.sql, set.rows.urls, set.rows.ranks); err != nil {
			return err
		}
		p.written += int64(len(set.rows.urls))
		set.rows.urls, set.rows.ranks = set.rows.urls[:0], set.rows.ranks[:0]
	}
	if len(p.gone) <= most {
		return nil
	}
	_, err := p.tx.Exec(ctx, deleteRanksSQL, p.gone)
	p.written += int64(len(p.gone))
	p.gone = p.gone[:0]
	return err
}
