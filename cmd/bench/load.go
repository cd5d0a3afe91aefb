package main

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/pgseek/pgseek/store"
)

const (
	loadChunk   = 10_000 // documents per transaction
	loadWorkers = 2
)

// loadSites writes the run and the sites of synthetic documents.
func (d *database) loadSites(ctx context.Context, first string) error {
	c := newCorpus(first)
	var names []string
	for site := range int32(synthSites) {
		names = append(names, c.siteName(synthFirstSite+site))
	}
	_, err := d.conn.Exec(ctx, `
		WITH s AS (
			INSERT INTO sites (site_id, site) SELECT n, site FROM unnest($1::text[]) WITH ORDINALITY AS i (site, n) RETURNING *
		)
		INSERT INTO sitestate (site_id, host) SELECT site_id, split_part(split_part(site, '/', 3), ':', 1) FROM s`, names)
	if err != nil {
		return err
	}
	return d.exec(ctx,
		`INSERT INTO reindexing (kind, ended_at, end_reason) VALUES ('crawl', now(), 'complete')`,
		`SELECT setval('sites_site_id_seq', (SELECT max(site_id) FROM sites))`)
}

// load writes documents in the state after a crawl and before its merge: registered, fetched, in the journal, with
// acknowledged schedules. The documents are those from one number to below another; all is how many there will be.
func (d *database) load(ctx context.Context, first string, from, to, all int) error {
	step("%s: make documents %d to %d", d.name, from, to-1)
	chunks := make(chan int)
	workers, working := errgroup.WithContext(ctx)
	for range loadWorkers {
		workers.Go(func() error {
			conn, err := pgx.Connect(working, d.dsn)
			if err != nil {
				return err
			}
			defer func() { _ = conn.Close(context.WithoutCancel(working)) }()
			c := newCorpus(first)
			for lo := range chunks {
				if err := c.load(working, conn, lo, min(lo+loadChunk, to), all); err != nil {
					return err
				}
			}
			return nil
		})
	}
	workers.Go(func() error {
		defer close(chunks)
		for lo := from; lo < to; lo += loadChunk {
			select {
			case chunks <- lo:
			case <-working.Done():
				return working.Err()
			}
		}
		return nil
	})
	if err := workers.Wait(); err != nil {
		return err
	}
	return d.exec(ctx,
		`SELECT setval('urlword_url_id_seq', (SELECT max(url_id) FROM urlword))`,
		`SELECT setval('schedule_seq_seq', (SELECT max(seq) FROM schedule))`,
		`SELECT setval('journal_seq', (SELECT max(seq) FROM journal))`,
		`VACUUM ANALYZE`, `CHECKPOINT`)
}

// load writes a chunk.
func (c *corpus) load(ctx context.Context, conn *pgx.Conn, from, to, all int) error {
	now := time.Now()
	var keys, urls, states, history, journal, schedules [][]any
	contents := make([][][]any, 16)
	for url := int32(from); url < int32(to); url++ {
		v := c.version(url, 0, all)
		address := c.address(url)
		hash := store.HashURL(address)
		keys = append(keys, []any{hash[:], url})
		urls = append(urls, []any{url, v.site, address, now.Unix() + 86400, 200, v.crc(), now.Unix(), 1})
		states = append(states, []any{url, 1, 1, now, 1})
		history = append(history, []any{url, 0, 1, "T-01", 200, 0, 200})
		contents[url%16] = append(contents[url%16], []any{
			url, v.differ, v.count, "text/html; charset=utf-8", "utf-8", "", len(v.text), v.packed(), v.links,
		})
		place := int(url-synthFirstURL) % synthBlock
		schedule := int64(url-synthFirstURL)/synthBlock + 1
		if place == 0 {
			ids := make([]int32, synthBlock)
			for i := range ids {
				ids[i] = url + int32(i)
			}
			schedules = append(schedules, []any{schedule, 1, "bench", now, now.Add(time.Hour), byte('a'), []int32{v.site}, ids})
		}
		journal = append(journal, []any{int64(url), schedule, place, 1, url, v.site, 200, v.words, v.links, now})
	}
	slices.SortFunc(keys, func(a, b []any) int { return slices.Compare(a[0].([]byte), b[0].([]byte)) })
	type copied struct {
		table   string
		columns []string
		rows    [][]any
	}
	tables := []copied{
		{"urlkey", []string{"url_hash", "url_id"}, keys},
		{"urlword", []string{"url_id", "site_id", "url", "next_index_time", "status", "crc", "last_index_time", "hops"}, urls},
		{"urlstate", []string{"url_id", "attempts", "events", "last_attempt", "seen_run"}, states},
		{"crawl_history", []string{"url_id", "slot", "run_id", "rule", "result", "old_status", "new_status"}, history},
		{"schedule", []string{"seq", "run_id", "fetcher", "schedule_time", "deadline", "status", "site_ids", "url_ids"}, schedules},
		{"journal", []string{
			"seq", "schedule_seq", "place", "run_id", "url_id", "site_id", "status", "words", "links_added", "fetched_at",
		}, journal},
	}
	for n, rows := range contents {
		tables = append(tables, copied{fmt.Sprintf("urlwords%02d", n), []string{
			"url_id", "wordcount", "totalcount", "content_type", "charset", "title", "docsize", "words", "hrefs",
		}, rows})
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, t := range tables {
			if _, err := tx.CopyFrom(ctx, pgx.Identifier{t.table}, t.columns, pgx.CopyFromRows(t.rows)); err != nil {
				return fmt.Errorf("%s: %w", t.table, err)
			}
		}
		return nil
	})
}

// change gives documents another version, as a crawl does.
func (d *database) change(ctx context.Context, first string, urls []int32, number, all int) error {
	c := newCorpus(first)
	slices.Sort(urls)
	var sites []int32
	var words, contents [][]byte
	var counts, differ []int
	var crcs []string
	for _, url := range urls {
		v := c.version(url, number, all)
		sites, words, contents, crcs = append(sites, v.site), append(words, v.words), append(contents, v.packed()), append(crcs, v.crc())
		counts, differ = append(counts, v.count), append(differ, v.differ)
	}
	return pgx.BeginFunc(ctx, d.conn, func(tx pgx.Tx) error {
		for n := range 16 {
			_, err := tx.Exec(ctx, fmt.Sprintf(`
				UPDATE urlwords%02d c SET words = i.words, totalcount = i.total, wordcount = i.differ
				FROM unnest($1::integer[], $2::bytea[], $3::integer[], $4::integer[]) AS i (url_id, words, total, differ)
				WHERE c.url_id = i.url_id AND i.url_id %% 16 = %d`, n, n), urls, contents, counts, differ)
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `
			UPDATE urlword w SET crc = i.crc FROM unnest($1::integer[], $2::text[]) AS i (url_id, crc) WHERE w.url_id = i.url_id`, urls, crcs)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			WITH s AS (
				INSERT INTO schedule (run_id, fetcher, deadline, status, site_ids, url_ids)
				VALUES (1, 'bench', now() + interval '1 hour', 'a', $2, $1) RETURNING seq
			)
			INSERT INTO journal (schedule_seq, place, run_id, url_id, site_id, status, words)
			SELECT s.seq, n - 1, 1, i.url_id, i.site_id, 200, i.words
			FROM s, unnest($1::integer[], $2::integer[], $3::bytea[]) WITH ORDINALITY AS i (url_id, site_id, words, n)`, urls, sites, words)
		return err
	})
}

// crc is urlword.crc.
func (v *version) crc() string {
	sum := md5.Sum(v.text)
	return hex.EncodeToString(sum[:])
}

// packed is urlwordsNN.words: a page as short as this is stored plain.
func (v *version) packed() []byte { return append([]byte{0xff, 0xff, 0xff, 0xff}, v.text...) }
