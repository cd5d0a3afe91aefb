package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// NewURL is a URL to be registered.
type NewURL struct {
	URL      string     // normalised
	Hash     store.Hash // HashURL(URL)
	Site     store.SiteID
	Hops     int
	Referrer store.URLID // 0 for start URLs
	Tag      int
}

const findURLsSQL = `
	SELECT /* store.findURLs */ url_hash, url_id          -- urlkey_pkey
	FROM urlkey
	WHERE url_hash = ANY($1)`

const insertURLsSQL = `
	WITH input AS (
		SELECT * FROM unnest($1::bytea[], $2::integer[], $3::text[], $4::integer[], $5::smallint[], $6::integer[], $7::integer[])
			AS i (url_hash, url_id, url, site_id, hops, referrer, tag)
	), won AS (
		INSERT /* store.RegisterURLs */ INTO urlkey (url_hash, url_id)
		SELECT url_hash, url_id FROM input ORDER BY url_hash
		ON CONFLICT DO NOTHING
		RETURNING url_hash, url_id
	)
	INSERT INTO urlword (url_id, site_id, url, next_index_time, hops, referrer, tag)
	SELECT i.url_id, i.site_id, i.url, $8, i.hops, i.referrer, i.tag
	FROM input i JOIN won ON won.url_hash = i.url_hash
	RETURNING url_id`

// RegisterURLs inserts a row of urlword with status 0, due at the given time, for every URL that has none. It
// returns the id of each URL, in the order of urls, and the number of new rows. A purged orphan that is found
// again is restored and counts as new. Concurrent calls return the same ids. The rows of the sites must
// exist. After ErrUsedUp the URLs that have a row have their id, the others 0.
func (s *Store) RegisterURLs(ctx context.Context, urls []NewURL, due int64) (ids []store.URLID, created int, err error) {
	return s.RegisterAdmitted(ctx, urls, due, nil)
}

// RegisterAdmitted is RegisterURLs, but asks admit about the URLs that have no row, given by their places in
// urls: it returns the places of those that may be inserted. The others have the id 0.
func (s *Store) RegisterAdmitted(ctx context.Context, urls []NewURL, due int64, admit func(places []int) ([]int, error)) (
	ids []store.URLID, created int, err error,
) {
	ids = make([]store.URLID, len(urls))
	hashes := make([]store.Hash, len(urls))
	for i := range urls {
		hashes[i] = urls[i].Hash
	}
	var missing []int
	for i, h := range hashes {
		id, ok := s.urls.Get(h)
		if ids[i] = id; !ok {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return ids, 0, nil
	}
	asked := slices.Clone(missing)
	if err := s.findURLs(ctx, hashes, ids, &missing); err != nil {
		return nil, 0, err
	}
	if created, err = s.reviveOrphans(ctx, urls, ids, asked, due); err != nil || len(missing) == 0 {
		return ids, created, err
	}
	if admit != nil {
		if missing, err = admit(missing); err != nil {
			return nil, 0, err
		}
		if len(missing) == 0 {
			return ids, created, nil
		}
	}
	inserted, err := s.insertURLs(ctx, urls, missing, due)
	if errors.Is(err, store.ErrUsedUp) {
		return ids, created, err
	}
	if err != nil {
		return nil, 0, err
	}
	created += len(inserted)
	var others []int // another writer was quicker
	for _, i := range missing {
		if id := inserted[hashes[i]]; id != 0 {
			ids[i] = id
			s.urls.Add(hashes[i], id)
		} else {
			others = append(others, i)
		}
	}
	if len(others) == 0 {
		return ids, created, nil
	}
	if err := s.findURLs(ctx, hashes, ids, &others); err != nil {
		return nil, 0, err
	}
	if len(others) > 0 {
		return nil, 0, fmt.Errorf("register urls: %q has no row after its insertion", urls[others[0]].URL)
	}
	return ids, created, nil
}

// reviveOrphans restores those of urls[places...] that were purged as orphans, and returns their number. It
// is called only for URLs that this process sees for the first time: no crawl runs while orphans are purged.
func (s *Store) reviveOrphans(ctx context.Context, urls []NewURL, ids []store.URLID, places []int, due int64) (n int, err error) {
	var found []foundURL
	for _, i := range places {
		if ids[i] != 0 {
			found = append(found, foundURL{ids[i], urls[i].Hops, urls[i].Referrer})
		}
	}
	if len(found) == 0 {
		return 0, nil
	}
	err = s.InTx(ctx, "revive orphans", func(tx pgx.Tx) error {
		sites, err := reviveOrphans(ctx, tx, found, due)
		n = len(sites)
		return err
	})
	return n, err
}

// KnownURL returns the id of a URL that this process has registered or looked up recently, without a query.
func (s *Store) KnownURL(h store.Hash) (store.URLID, bool) { return s.urls.Get(h) }

// RegisterURL registers a single URL.
func (s *Store) RegisterURL(ctx context.Context, u NewURL, due int64) (id store.URLID, created bool, err error) {
	ids, n, err := s.RegisterURLs(ctx, []NewURL{u}, due)
	if err != nil {
		return 0, false, err
	}
	return ids[0], n == 1, nil
}

// FindURL returns the id of a normalised URL, 0 when it is not registered.
func (s *Store) FindURL(ctx context.Context, url string) (store.URLID, error) {
	ids, missing := make([]store.URLID, 1), []int{0}
	err := s.findURLs(ctx, []store.Hash{store.HashURL(url)}, ids, &missing)
	return ids[0], err
}

// FindSite returns the key of a site, 0 when it is not registered.
func (s *Store) FindSite(ctx context.Context, site string) (id store.SiteID, err error) {
	err = s.InTx(ctx, "find site", func(tx pgx.Tx) error {
		found, err := store.Collect[store.SiteID](ctx, tx, `SELECT /* store.FindSite */ site_id FROM sites WHERE site = $1`, site)
		if len(found) > 0 {
			id = found[0]
		}
		return err
	})
	return id, err
}

// findURLs reads the ids of hashes[missing...] from the database, fills ids and leaves in missing those that
// do not exist.
func (s *Store) findURLs(ctx context.Context, hashes []store.Hash, ids []store.URLID, missing *[]int) error {
	ask := make([][]byte, len(*missing))
	for k, i := range *missing {
		ask[k] = hashes[i][:]
	}
	return s.Retry(ctx, "find urls", func() error {
		found := make(map[store.Hash]store.URLID, len(ask))
		rows, err := s.Pool.Query(ctx, findURLsSQL, ask)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var h []byte
			var id store.URLID
			if err := rows.Scan(&h, &id); err != nil {
				return err
			}
			found[store.Hash(h)] = id
		}
		if err := rows.Err(); err != nil {
			return err
		}
		var left []int
		for _, i := range *missing {
			if id, ok := found[hashes[i]]; ok {
				ids[i] = id
				s.urls.Add(hashes[i], id)
			} else {
				left = append(left, i)
			}
		}
		*missing = left
		return nil
	})
}

// insertURLs inserts urls[places...], each URL once, sorted by hash so that no two writers wait for each
// other. It returns the ids of those that no other writer has inserted.
func (s *Store) insertURLs(ctx context.Context, urls []NewURL, places []int, due int64) (inserted map[store.Hash]store.URLID, err error) {
	places = slices.Clone(places)
	slices.SortStableFunc(places, func(a, b int) int { return bytes.Compare(urls[a].Hash[:], urls[b].Hash[:]) })
	places = slices.CompactFunc(places, func(a, b int) bool { return urls[a].Hash == urls[b].Hash })

	n := len(places)
	ids, err := s.ids.take(ctx, n)
	if err != nil {
		return nil, err
	}
	// Ids ascend in the order of the page, not of the hashes: neighbors stay neighbors.
	order := slices.Clone(places)
	slices.Sort(order)
	idOf, hashOf := make(map[int]store.URLID, n), make(map[store.URLID]store.Hash, n)
	for k, i := range order {
		idOf[i], hashOf[ids[k]] = ids[k], urls[i].Hash
	}
	var (
		hash               = make([][]byte, n)
		id, site, ref, tag = make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
		text               = make([]string, n)
		hops               = make([]int16, n)
	)
	for k, i := range places {
		u := &urls[i]
		hash[k], id[k], text[k], site[k] = u.Hash[:], int32(idOf[i]), u.URL, int32(u.Site)
		hops[k], ref[k], tag[k] = int16(min(u.Hops, 32767)), int32(u.Referrer), int32(u.Tag)
	}
	err = s.Retry(ctx, "register urls", func() error {
		created, err := s.urlSet(ctx, insertURLsSQL, hash, id, text, site, hops, ref, tag, due)
		inserted = make(map[store.Hash]store.URLID, len(created))
		for id := range created {
			inserted[hashOf[id]] = id
		}
		return err
	})
	return inserted, err
}
