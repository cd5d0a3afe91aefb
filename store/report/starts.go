package report

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// StartVisit says what became of a start URL in a run.
type StartVisit struct {
	URL       string
	Result    int    // extended status of the last answer; 406 when the page was not to be indexed
	Rule      string // of the last transition
	Cause     string // of it
	Status    store.Status
	Redir     store.URLID
	IndexMode int // as in urlstate
	Marks     []string
	Words     int // of the content row
	Links     int // of it, 0 without one
}

// Each URL is found by urlkey_pkey, its last event of the run by crawl_history_pkey.
const startVisitsSQL = `
	SELECT /* store.StartVisits */ w.url, h.result, h.rule, h.cause, w.status, w.redir, coalesce(s.index_mode, 3), coalesce(s.marks, '{}'),
		coalesce(c.wordcount, 0), coalesce(cardinality(c.hrefs), 0)
	FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (url_hash, place)
	JOIN urlkey k ON k.url_hash = asked.url_hash
	JOIN urlword w ON w.url_id = k.url_id
	LEFT JOIN urlstate s ON s.url_id = w.url_id
	LEFT JOIN urlwords c ON c.url_id = CASE WHEN w.origin <> 0 THEN w.origin ELSE w.url_id END
	JOIN LATERAL (SELECT result, rule, cause FROM crawl_history
		WHERE url_id = w.url_id AND run_id = $2 ORDER BY at DESC, slot DESC LIMIT 1) h ON true
	ORDER BY asked.place`

// StartVisits returns what became of start URLs in a run, in their order. A URL that the run did not visit is left out.
func (s *Store) StartVisits(ctx context.Context, run store.RunID, urls []string) (list []StartVisit, err error) {
	hashes := make([][]byte, len(urls))
	for i, u := range urls {
		hash := store.HashURL(u)
		hashes[i] = hash[:]
	}
	err = s.InTx(ctx, "start URLs", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, startVisitsSQL, hashes, run)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[StartVisit])
		return err
	})
	return list, err
}
