package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// RegisteredURL is a registered URL with the state that is needed to test it against changed rules.
type RegisteredURL struct {
	ID          store.URLID
	URL         string
	Hops        int
	Status      store.Status
	Deleted     bool
	WithdrawnBy string // the rule behind Deleted
	Next        int64  // next_index_time
	Tag         int
}

// The rule of a URL that is not deleted is not read, because almost none has one.
const knownColumns = `w.url_id, w.url, w.hops, w.status, w.deleted = 1, w.next_index_time, w.tag,
		CASE WHEN w.deleted = 1 THEN coalesce((SELECT s.withdrawn_by FROM urlstate s WHERE s.url_id = w.url_id), '') ELSE '' END`

const knownURLsSQL = `
	SELECT /* store.KnownURLs */ ` + knownColumns + `                  -- urlword_pkey
	FROM urlword w
	WHERE w.url_id <= $1
	ORDER BY w.url_id DESC
	LIMIT $2`

// KnownURLs returns the n registered URLs with the highest ids up to upto, the highest first; none at the
// end. Decisions about many URLs go down the ids, so that the clones of a group leave one by one, and the
// original last, without a successor.
func (s *Store) KnownURLs(ctx context.Context, upto store.URLID, n int) (known []RegisteredURL, err error) {
	err = s.InTx(ctx, "known urls", func(tx pgx.Tx) (err error) {
		known, err = scanKnown(ctx, tx, knownURLsSQL, upto, n)
		return err
	})
	return known, err
}

// SitePart is one of the three parts of a site's URLs. They must be read in this order: a URL moves forward
// only.
type SitePart int

// The parts of a site's URLs.
const (
	SiteNew       SitePart = iota // never fetched
	SiteFetched                   // fetched before
	SiteWithdrawn                 // taken out by a rule
	SiteParts                     // number of parts
)

// A URL that an open schedule holds is left out while it is due: its holder tests it.
const siteURLsTail = `
		AND (w.next_index_time, w.url_id) > ($2, $3)
		AND NOT (w.next_index_time <= $4 AND w.url_id = ANY (coalesce((
			SELECT c.url_ids FROM sitestate t JOIN schedule c ON c.seq = t.lease_seq WHERE t.site_id = $1 AND c.status = 's'), '{}')))
	ORDER BY w.next_index_time, w.url_id
	LIMIT $5`

const siteURLsHead = `
	SELECT /* store.SiteURLs */ ` + knownColumns + `
	FROM urlword w
	WHERE w.site_id = $1 `

var siteURLsSQL = [SiteParts]string{
	SiteNew:       siteURLsHead + `AND w.deleted = 0 AND w.status = 0` + siteURLsTail,  // urlword_new
	SiteFetched:   siteURLsHead + `AND w.deleted = 0 AND w.status <> 0` + siteURLsTail, // urlword_due
	SiteWithdrawn: siteURLsHead + `AND w.deleted = 1` + siteURLsTail,                   // urlword_withdrawn
}

// SiteURLs returns the next n URLs of a part of a site after one, in the order of their times, except those
// that are due by start and held by an open schedule. In the first call after has the lowest possible time.
func (s *Store) SiteURLs(ctx context.Context, site store.SiteID, part SitePart, after RegisteredURL, start int64, n int) (known []RegisteredURL, err error) {
	err = s.InTx(ctx, "urls of a site", func(tx pgx.Tx) (err error) {
		known, err = scanKnown(ctx, tx, siteURLsSQL[part], site, after.Next, after.ID, start, n)
		return err
	})
	return known, err
}

func scanKnown(ctx context.Context, tx pgx.Tx, query string, args ...any) ([]RegisteredURL, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (k RegisteredURL, err error) {
		err = row.Scan(&k.ID, &k.URL, &k.Hops, &k.Status, &k.Deleted, &k.Next, &k.Tag, &k.WithdrawnBy)
		return k, err
	})
}

// SweptHash returns the hash of the configuration under which all URLs were tested last, nil when they never
// were.
func (s *Store) SweptHash(ctx context.Context) (hash []byte, err error) {
	err = s.InTx(ctx, "swept hash", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT /* store.SweptHash */ swept_hash FROM crawl_control`).Scan(&hash)
	})
	return hash, err
}

// SetSwept records that all URLs were tested against the configuration with this hash. A configuration that was
// accepted before is forgotten: the documents that the next change takes out are counted again.
func (s *Store) SetSwept(ctx context.Context, hash []byte) error {
	return s.InTx(ctx, "swept", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE /* store.SetSwept */ crawl_control SET swept_hash = $1, accepted_hash = NULL`, hash)
		return err
	})
}

const knownRulesSQL = `
	SELECT /* store.RulesKnown */ swept_hash IS NOT DISTINCT FROM $1 OR accepted_hash IS NOT DISTINCT FROM $1 FROM crawl_control`

// RulesKnown reports whether all URLs were tested against the configuration with this hash, or the operator has
// accepted it.
func (s *Store) RulesKnown(ctx context.Context, hash []byte) (known bool, err error) {
	err = s.InTx(ctx, "known rules", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, knownRulesSQL, hash).Scan(&known)
	})
	return known, err
}

// AcceptRules records that the operator accepts what the configuration with this hash takes out of the index.
func (s *Store) AcceptRules(ctx context.Context, hash []byte) error {
	return s.InTx(ctx, "accept rules", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE /* store.AcceptRules */ crawl_control SET accepted_hash = $1`, hash)
		return err
	})
}
