package crawl

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Soft404Probe is the answer of a site for an address that cannot exist.
type Soft404Probe struct {
	URL    string
	Age    time.Duration // since it was asked
	Status int           // of the answer; 0 = not known
	CRC    string        // of the body of a 200
	Size   int64         // of it
	Links  int           // in it
	Words  []byte        // of it, as the spider packs them
}

const soft404ProbeSQL = `
	SELECT /* store.Soft404Probe */ url, extract(epoch FROM clock_timestamp() - asked_at)::bigint, status, crc, size, links, words
	FROM soft404_probe WHERE site_id = $1`

// Soft404Probe returns the probe of a site, nil when there is none.
func (s *Store) Soft404Probe(ctx context.Context, site store.SiteID) (p *Soft404Probe, err error) {
	err = s.InTx(ctx, "soft 404 probe", func(tx pgx.Tx) error {
		var seconds int64
		p = &Soft404Probe{}
		err := tx.QueryRow(ctx, soft404ProbeSQL, site).Scan(&p.URL, &seconds, &p.Status, &p.CRC, &p.Size, &p.Links, &p.Words)
		p.Age = time.Duration(seconds) * time.Second
		if errors.Is(err, pgx.ErrNoRows) {
			p, err = nil, nil
		}
		return err
	})
	return p, err
}

// An earlier answer stays until the new one is there.
const claimSoft404SQL = `
	INSERT /* store.AskSoft404Probe */ INTO soft404_probe (site_id, url, asked_at) VALUES ($1, $2, clock_timestamp())
	ON CONFLICT (site_id) DO UPDATE SET asked_at = clock_timestamp()
	WHERE soft404_probe.asked_at <= clock_timestamp() - $3::interval`

const unclaimSoft404SQL = `UPDATE /* store.AskSoft404Probe */ soft404_probe SET asked_at = 'epoch' WHERE site_id = $1`

const saveSoft404SQL = `
	UPDATE /* store.AskSoft404Probe */ soft404_probe SET url = $2, status = $3, crc = $4, size = $5, links = $6, words = $7
	WHERE site_id = $1`

// AskSoft404Probe stores the answer of a site for an address that cannot exist. It calls ask unless a process has asked the site
// within a period: then, and when ask returns nil, asked is false and nothing is stored.
func (s *Store) AskSoft404Probe(ctx context.Context, site store.SiteID, url string, period time.Duration,
	ask func() (*Soft404Probe, error),
) (asked bool, err error) {
	do := func(what, sql string, args ...any) (rows int64, err error) {
		err = s.InTx(ctx, what, func(tx pgx.Tx) error {
			done, err := tx.Exec(ctx, sql, args...)
			rows = done.RowsAffected()
			return err
		})
		return rows, err
	}
	if claimed, err := do("claim soft 404 probe", claimSoft404SQL, site, url, period); err != nil || claimed == 0 {
		return false, err
	}
	p, err := ask()
	switch {
	case err != nil:
		return false, err
	case p == nil:
		_, err = do("unclaim soft 404 probe", unclaimSoft404SQL, site)
		return false, err
	}
	_, err = do("save soft 404 probe", saveSoft404SQL, site, p.URL, p.Status, p.CRC, p.Size, p.Links, store.NotNil(p.Words))
	return err == nil, err
}

const redirectTargetsSQL = `
	SELECT /* store.RedirectTargets */ redir FROM urlword WHERE url_id = ANY($1) AND redir <> 0 AND redir <> url_id`

// RedirectsFrom reports whether the redirects of some normalized URLs, at most most in a row, lead to a URL.
func (s *Store) RedirectsFrom(ctx context.Context, urls []string, to store.URLID, most int) (leads bool, err error) {
	at := make([]store.URLID, 0, len(urls))
	for _, u := range urls {
		id, err := s.FindURL(ctx, u)
		if err != nil {
			return false, err
		}
		at = append(at, id)
	}
	err = s.InTx(ctx, "redirects of start URLs", func(tx pgx.Tx) error {
		leads = false
		for from := at; len(from) > 0 && most > 0 && !leads; most-- {
			next, err := store.Collect[store.URLID](ctx, tx, redirectTargetsSQL, from)
			if err != nil {
				return err
			}
			for _, id := range next {
				leads = leads || id == to
			}
			from = next
		}
		return nil
	})
	return leads, err
}
