package crawl

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// OverOutage is the reason for the end of a run whose network was down.
const OverOutage = "outage"

// TestNetwork waits until no other process tests the network of this database's crawl. The caller calls end after its test.
func (s *Store) TestNetwork(ctx context.Context) (end func(), err error) {
	for {
		held, err := s.HoldLocks(ctx, store.NamedLock("connectivity", false))
		if err == nil {
			return held.Release, nil
		}
		if !errors.As(err, new(*store.HeldError)) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Connectivity is the result of a test of the network.
type Connectivity struct {
	Good      bool
	Alive, Of int           // start URLs; the test ends when enough are alive
	Tested    []TestedStart // those whose hosts were asked
}

// TestedStart is a start URL with the status that its host answered, extended.
type TestedStart struct {
	Hash   store.Hash
	Status int
}

const setConnectivitySQL = `
	UPDATE /* store.SetConnectivity */ crawl_control SET connectivity = CASE WHEN $1 THEN 'good' ELSE 'bad' END, connectivity_at = now(),
		connectivity_alive = $2, connectivity_of = $3`

const startIDsSQL = `
	SELECT /* store.SetConnectivity */ i.url_id, i.url_hash FROM urlkey i WHERE i.url_hash = ANY($1)       -- urlkey_pkey`

const forgetTestedSQL = `
	DELETE /* store.SetConnectivity */ FROM connectivity WHERE url_id <> ALL($1) AND tested_at < now() - interval '1 day'`

const setTestedSQL = `
	INSERT /* store.SetConnectivity */ INTO connectivity AS c (url_id, tested_at, status)
	SELECT i.url_id, now(), i.status FROM unnest($1::integer[], $2::integer[]) i (url_id, status)
	ON CONFLICT (url_id) DO UPDATE SET tested_at = EXCLUDED.tested_at, status = EXCLUDED.status`

// SetConnectivity records a test of the network.
func (s *Store) SetConnectivity(ctx context.Context, c Connectivity) error {
	hashes := make([][]byte, len(c.Tested))
	statuses := make(map[string]int, len(c.Tested))
	for i := range c.Tested {
		t := &c.Tested[i]
		hashes[i] = t.Hash[:]
		statuses[string(t.Hash[:])] = t.Status
	}
	return s.InTx(ctx, "connectivity", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, setConnectivitySQL, c.Good, c.Alive, c.Of); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, startIDsSQL, hashes)
		if err != nil {
			return err
		}
		ids, found := []int32{}, []int32{}
		var id int32
		var hash []byte
		if _, err = pgx.ForEachRow(rows, []any{&id, &hash}, func() error {
			ids, found = append(ids, id), append(found, int32(statuses[string(hash)]))
			return nil
		}); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, forgetTestedSQL, ids); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, setTestedSQL, ids, found)
		return err
	})
}

const networkDownSQL = `SELECT /* store.NetworkDown */ connectivity = 'bad' FROM crawl_control`

// NetworkDown reports whether the last test found the network down.
func (s *Store) NetworkDown(ctx context.Context) (down bool, err error) {
	err = s.InTx(ctx, "network down", func(tx pgx.Tx) error { return tx.QueryRow(ctx, networkDownSQL).Scan(&down) })
	return down, err
}

const startVisitsSQL = `
	SELECT /* store.StartVisits */ url_id, next_index_time FROM urlword WHERE url_id = ANY($1) AND next_index_time <> 0`

// StartVisits returns when some URLs are visited next, without those that are start URLs of a run already.
func (s *Store) StartVisits(ctx context.Context, ids []store.URLID) (next map[store.URLID]int64, err error) {
	err = s.InTx(ctx, "start visits", func(tx pgx.Tx) error {
		next = make(map[store.URLID]int64, len(ids))
		rows, err := tx.Query(ctx, startVisitsSQL, ids)
		if err != nil {
			return err
		}
		var id store.URLID
		var at int64
		_, err = pgx.ForEachRow(rows, []any{&id, &at}, func() error { next[id] = at; return nil })
		return err
	})
	return next, err
}

const putStartsBackSQL = `
	UPDATE /* store.PutStartsBack */ urlword w SET next_index_time = i.next
	FROM unnest($1::integer[], $2::bigint[]) i (url_id, next)
	WHERE w.url_id = i.url_id AND w.next_index_time = 0`

// PutStartsBack restores the next visits of start URLs that a run has not asked.
func (s *Store) PutStartsBack(ctx context.Context, next map[store.URLID]int64) error {
	ids, times := make([]store.URLID, 0, len(next)), make([]int64, 0, len(next))
	for _, id := range slices.Sorted(maps.Keys(next)) {
		ids, times = append(ids, id), append(times, next[id])
	}
	return s.InTx(ctx, "put starts back", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, putStartsBackSQL, ids, times)
		return err
	})
}
