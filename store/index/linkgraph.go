package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// The links of all documents as a stream, for what reads all of them (ranks, -H). One row is in memory at a
// time.

// LinkReader reads one snapshot of the links. Its methods must be called one after the other, each any number
// of times.
type LinkReader struct {
	Changes store.Changes // the state of the index
	tx      pgx.Tx
}

// Streams of all rows are read in the order of the keys by the indexes of several tables in parallel: the
// server neither sorts nor stores anything, whatever the size. Only the entries that wait for the merge are
// sorted, by their ids.
const streamSQL = `
	SELECT /* store.ReadLinks */ set_config('enable_hashjoin', 'off', true), set_config('enable_nestloop', 'off', true),
		set_config('enable_sort', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)`

// ReadLinks runs f on one snapshot of the database. f may run several times, each time from the beginning.
func (s *Store) ReadLinks(ctx context.Context, f func(*LinkReader) error) error {
	return s.Retry(ctx, "read links", func() error {
		return pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, streamSQL); err != nil {
				return err
			}
			r := &LinkReader{tx: tx}
			if err := tx.QueryRow(ctx, store.ReadChangesSQL).Scan(&r.Changes); err != nil {
				return err
			}
			return f(r)
		})
	})
}

const lastURLSQL = `SELECT /* store.LastURL */ coalesce(max(url_id), 0) FROM urlword`

// LastURL returns the highest url_id, 0 when there is none.
func (r *LinkReader) LastURL(ctx context.Context) (last store.URLID, err error) {
	err = r.tx.QueryRow(ctx, lastURLSQL).Scan(&last)
	return last, err
}

const leadsSQL = `
	SELECT /* store.Redirects */ url_id, CASE WHEN redir <> 0 THEN redir ELSE origin END, redir = 0
	FROM urlword
	WHERE deleted = 0 AND (redir <> 0 OR origin <> 0 AND (status & 65535) = 200)
	ORDER BY url_id`

// Redirects calls f with every URL that another URL replaces, by ascending id: a redirect with its target, or a
// live clone with its original.
func (r *LinkReader) Redirects(ctx context.Context, f func(from, to store.URLID, clone bool) error) error {
	rows, err := r.tx.Query(ctx, leadsSQL)
	if err != nil {
		return err
	}
	var from, to store.URLID
	var clone bool
	_, err = pgx.ForEachRow(rows, []any{&from, &to, &clone}, func() error { return f(from, to, clone) })
	return err
}

const documentLinksSQL = `
	SELECT /* store.DocumentLinks */ w.url_id, coalesce(c.hrefs, '{}')
	FROM urlword w LEFT JOIN urlwords c ON c.url_id = w.url_id AND c.deleted = 0
	WHERE w.deleted = 0 AND (w.status & 65535) = 200 AND w.origin = 0
	ORDER BY w.url_id`

// DocumentLinks calls f with the links of every live original, by ascending id. The slice is valid only
// during the call.
func (r *LinkReader) DocumentLinks(ctx context.Context, f func(page store.URLID, links []store.URLID) error) error {
	return r.lists(ctx, documentLinksSQL, f)
}

const citingLinksSQL = `
	SELECT /* store.CitingLinks */ w.url_id, c.hrefs
	FROM urlword w JOIN urlwords c ON c.url_id = w.url_id
	WHERE w.deleted = 0 AND c.deleted = 0
	ORDER BY w.url_id`

// CitingLinks calls f with the links of every row that is not deleted, redirects and pages that are not
// indexed included, by ascending id. citation is the inverse of these links. The slice is valid only during
// the call.
func (r *LinkReader) CitingLinks(ctx context.Context, f func(page store.URLID, links []store.URLID) error) error {
	return r.lists(ctx, citingLinksSQL, f)
}

const allCitationsSQL = `
	SELECT /* store.AllCitations */ url_id, referrers FROM citation ORDER BY url_id`

// AllCitations calls f with every row of citation, by ascending id. The slice is valid only during the call.
func (r *LinkReader) AllCitations(ctx context.Context, f func(target store.URLID, referrers []store.URLID) error) error {
	return r.lists(ctx, allCitationsSQL, f)
}

const waitingURLsSQL = `
	SELECT /* store.WaitingURLs */ url_id FROM journal
	UNION SELECT url_id FROM markdel
	ORDER BY url_id`

// WaitingURLs calls f with every URL that has a row in journal or markdel, by ascending id.
func (r *LinkReader) WaitingURLs(ctx context.Context, f func(store.URLID) error) error {
	rows, err := r.tx.Query(ctx, waitingURLsSQL)
	if err != nil {
		return err
	}
	var u store.URLID
	_, err = pgx.ForEachRow(rows, []any{&u}, func() error { return f(u) })
	return err
}

// lists reads rows of an id and a list of ids.
func (r *LinkReader) lists(ctx context.Context, sql string, f func(store.URLID, []store.URLID) error) error {
	rows, err := r.tx.Query(ctx, sql)
	if err != nil {
		return err
	}
	defer rows.Close()
	var list []store.URLID
	for rows.Next() {
		raw := rows.RawValues()
		for _, field := range rows.FieldDescriptions() {
			if field.Format != pgx.BinaryFormatCode {
				return fmt.Errorf("column %s came as text", field.Name)
			}
		}
		if len(raw[0]) != 4 {
			return errBadList
		}
		id := store.URLID(binary.BigEndian.Uint32(raw[0]))
		if list, err = appendList(list[:0], raw[1]); err != nil {
			return fmt.Errorf("links of url %d: %w", id, err)
		}
		if err := f(id, list); err != nil {
			return err
		}
	}
	return rows.Err()
}

var errBadList = errors.New("not an integer array in binary format")

// appendList decodes integer[] as the server sends it: dimensions, a flag for NULLs, the type, then the
// length and lower bound of each dimension, then the length and bytes of each element. It reads millions of
// links; the driver's general decoder takes twenty times as long.
func appendList(list []store.URLID, raw []byte) ([]store.URLID, error) {
	const head, dimension, element = 12, 8, 8
	if len(raw) < head {
		return nil, errBadList
	}
	if binary.BigEndian.Uint32(raw) == 0 { // an empty list has no dimension
		return list, nil
	}
	if len(raw) < head+dimension || binary.BigEndian.Uint32(raw) != 1 {
		return nil, errBadList
	}
	n := int(binary.BigEndian.Uint32(raw[head:]))
	if raw = raw[head+dimension:]; len(raw) != n*element { // a NULL has no bytes of its own
		return nil, errBadList
	}
	for ; len(raw) > 0; raw = raw[element:] {
		list = append(list, store.URLID(binary.BigEndian.Uint32(raw[4:])))
	}
	return list, nil
}

const urlTextsSQL = `
	SELECT /* store.URLTexts */ url_id, url FROM urlword WHERE url_id = ANY($1)`

// URLTexts returns the URLs of those of the ids that are known, for messages.
func (s *Store) URLTexts(ctx context.Context, ids []store.URLID) (texts map[store.URLID]string, err error) {
	err = s.InTx(ctx, "read urls", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, urlTextsSQL, store.NotNil(ids))
		if err != nil {
			return err
		}
		texts = make(map[store.URLID]string, len(ids))
		var u store.URLID
		var text string
		_, err = pgx.ForEachRow(rows, []any{&u, &text}, func() error { texts[u] = text; return nil })
		return err
	})
	return texts, err
}
