package crawl

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/realtime"
)

// A page that index -T finds unchanged, or to be a clone, is in the index according to its status, but its
// words may be in the journal only, where a crawl has put them (--no-merge, or one that is still running).
// They become real-time words, too; for a clone they are those of its original, because searches return the
// original.

// Waiting is a version of a document in the journal that no search finds yet.
type Waiting struct {
	URL   store.URLID
	Site  store.SiteID
	Seq   int64
	Words *realtime.Indexed
}

// ErrWaitingChanged says that the journal has changed since Realtime.Kept was read: it must be read again.
var ErrWaitingChanged = errors.New("the journal changed meanwhile")

// waitingSQL finds, for documents with a digest, the documents that answer for them (the document, its
// original or its twin) and the newest version of each in the journal. It finds none when a newer version is
// merged or removed, or when searches find it already.
const waitingSQL = `
	FROM unnest($1::integer[], $2::text[]) AS i (url_id, crc)
	CROSS JOIN LATERAL (
		SELECT coalesce(NULLIF(w.origin, 0), w.url_id) AS url_id FROM urlword w
		WHERE w.url_id = i.url_id AND w.crc = i.crc
		UNION
		SELECT min(t.url_id) FROM urlword t                                      -- urlword_crc
		WHERE t.crc = i.crc AND t.crc <> '' AND t.deleted = 0 AND (t.status & 65535) = 200 AND t.url_id <> i.url_id
	) a
	CROSS JOIN LATERAL (
		SELECT j.site_id, j.seq, j.words
		FROM journal j                                                           -- journal_pkey
		WHERE j.url_id = a.url_id AND j.words IS NOT NULL
			AND j.seq > coalesce((SELECT m.seq FROM markdel m WHERE m.url_id = a.url_id), 0)
			AND j.seq > coalesce((SELECT d.seq FROM docwords d WHERE d.url_id = a.url_id), 0)
			AND j.seq > coalesce((SELECT r.seq FROM rt_urls r WHERE r.url_id = a.url_id), 0)
		ORDER BY j.seq DESC
		LIMIT 1
	) j`

const waitingWordsSQL = `SELECT /* store.Waiting */ i.url_id, a.url_id, j.site_id, j.seq, j.words` + waitingSQL

const waitingSeqSQL = `SELECT /* store.Document */ i.url_id, a.url_id, j.seq` + waitingSQL

// Waiting returns for each document the waiting versions of the documents that may answer for it. crcs are
// the digests found now, empty for none.
func (s *Store) Waiting(ctx context.Context, ids []store.URLID, crcs []string) ([][]Waiting, error) {
	type row struct {
		asked  store.URLID
		w      Waiting
		packed []byte
	}
	var rows []row
	err := s.Retry(ctx, "look for versions in the journal", func() error {
		found, err := s.Pool.Query(ctx, waitingWordsSQL, ids, crcs)
		if err != nil {
			return err
		}
		rows, err = pgx.CollectRows(found, func(r pgx.CollectableRow) (x row, err error) {
			err = r.Scan(&x.asked, &x.w.URL, &x.w.Site, &x.w.Seq, &x.packed)
			return x, err
		})
		return err
	})
	list := make([][]Waiting, len(ids))
	if err != nil || len(rows) == 0 {
		return list, err
	}
	packed := make([][]byte, len(rows))
	for i := range rows {
		packed[i] = rows[i].packed
	}
	words, err := s.IndexWords(ctx, packed...)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].w.Words = words[i]
		for k, id := range ids {
			if id == rows[i].asked {
				list[k] = append(list[k], rows[i].w)
			}
		}
	}
	return list, nil
}

// readWaiting reads the waiting versions that the transaction itself found.
func readWaiting(rows pgx.Rows, list []*DocumentTx) error {
	var asked, url store.URLID
	var seq int64
	_, err := pgx.ForEachRow(rows, []any{&asked, &url, &seq}, func() error {
		for _, d := range list {
			if d.ID != asked {
				continue
			}
			if d.realtime.waiting == nil {
				d.realtime.waiting = make(map[store.URLID]int64)
			}
			d.realtime.waiting[url] = seq
		}
		return nil
	})
	return err
}

// showWaiting makes searches find the document that answers for this one, itself or its original, if they do
// not yet.
func (d *DocumentTx) showWaiting(url store.URLID) {
	r := d.realtime
	if r == nil || r.waiting[url] == 0 {
		return
	}
	for _, k := range r.Kept {
		if k.URL == url && k.Seq == r.waiting[url] {
			r.set(realtime.Doc{URL: url, Site: k.Site, Words: k.Words, Seq: k.Seq})
			return
		}
	}
	r.fault = ErrWaitingChanged
}
