-- Answers that were wrong: broken_links left out what DeleteBad takes out at once, and had pages that answered well (903);
-- fetch_queue compared a column of integers with a fraction, so that it read all of urlword. Comments that had fallen behind.
-- Locks nothing for longer than a moment; no table is rewritten; no re-index needed.

-- +goose Up

CREATE OR REPLACE VIEW broken_links AS
WITH broken AS MATERIALIZED (
    SELECT w.url_id, w.url, CASE WHEN w.status >= 65536 THEN status_lost(w.status) ELSE w.status END AS status,
           unnest(c.referrers) AS referrer_id
    FROM urlword w JOIN citation c ON c.url_id = w.url_id
    WHERE (w.status >= 65536 OR w.status >= 400 AND w.status NOT IN (406, 903))
      AND (w.deleted = 0 OR EXISTS (SELECT FROM urlstate s WHERE s.url_id = w.url_id AND s.withdrawn_by = 'T-13'))
)
SELECT b.url_id, b.url, b.status, b.referrer_id, r.url AS referrer
FROM broken b JOIN urlword r ON r.url_id = b.referrer_id;

CREATE OR REPLACE VIEW fetch_queue AS
SELECT w.url_id, w.url, w.site_id,
       CASE WHEN w.deleted = 1 THEN 'withdrawn' WHEN w.next_index_time = -1 THEN 'recrawl' WHEN w.next_index_time = 0 THEN 'start'
            WHEN w.status = 0 THEN 'new' ELSE 'known' END AS class,
       to_timestamp(w.next_index_time) AS due, w.hops
FROM urlword w
WHERE w.next_index_time <= floor(extract(epoch FROM now()))::bigint; -- a bigint, for urlword_next_index_time
COMMENT ON COLUMN fetch_queue.class IS
    'In the order in which a site''s URLs are fetched: recrawl = index --recrawl asked for it, start = a start URL of a crawl, new = never fetched, known = fetched before; withdrawn = a rule took it out, and is looked at again.';
COMMENT ON COLUMN fetch_queue.due IS 'Since when it is due; 1970 or before = ahead of all others.';

COMMENT ON INDEX stat_start IS 'The queries of a time (store.StatReport), and old ones (store.PurgeStat).';
COMMENT ON COLUMN wordurl.urlcount IS 'Documents that contain the word, real-time ones (rt_urls) as they were before.';
COMMENT ON COLUMN wordurl.totalcount IS 'Its positions in all of them.';

ALTER TABLE tmpurl ALTER COLUMN thread SET DEFAULT 0;
COMMENT ON TABLE tmpurl IS 'URLs that index -M is limited to. People write it, our programs only read it.';
COMMENT ON COLUMN tmpurl.thread IS 'ASPseek''s, of no meaning here.';

-- A fifth of a large table may be dead before autovacuum comes by its default; each fetch leaves a dead row here.
ALTER TABLE urlword SET (autovacuum_vacuum_scale_factor = 0.05);

-- +goose Down
ALTER TABLE urlword RESET (autovacuum_vacuum_scale_factor);
COMMENT ON COLUMN tmpurl.thread IS 'The worker that fetched it.';
COMMENT ON TABLE tmpurl IS 'URLs of the last session, for index -M.';
ALTER TABLE tmpurl ALTER COLUMN thread DROP DEFAULT;
COMMENT ON COLUMN wordurl.totalcount IS 'Its positions in all documents.';
COMMENT ON COLUMN wordurl.urlcount IS 'Documents that contain the word.';
COMMENT ON INDEX stat_start IS 'The queries of a time (stat_daily, store.StatReport), and old ones (store.PurgeStat).';
COMMENT ON COLUMN fetch_queue.due IS 'Since when it is due; 1970 = a start URL of a crawl.';
COMMENT ON COLUMN fetch_queue.class IS 'new = never fetched, known = fetched before.';
CREATE OR REPLACE VIEW fetch_queue AS
SELECT w.url_id, w.url, w.site_id,
       CASE WHEN w.deleted = 1 THEN 'withdrawn' WHEN w.next_index_time = -1 THEN 'recrawl' WHEN w.next_index_time = 0 THEN 'start'
            WHEN w.status = 0 THEN 'new' ELSE 'known' END AS class,
       to_timestamp(w.next_index_time) AS due, w.hops
FROM urlword w
WHERE w.next_index_time <= extract(epoch FROM now());
CREATE OR REPLACE VIEW broken_links AS
WITH broken AS MATERIALIZED (
    SELECT w.url_id, w.url, CASE WHEN w.status >= 65536 THEN status_lost(w.status) ELSE w.status END AS status,
           unnest(c.referrers) AS referrer_id
    FROM urlword w JOIN citation c ON c.url_id = w.url_id
    WHERE w.deleted = 0 AND (w.status >= 65536 OR w.status >= 400 AND w.status <> 406)
)
SELECT b.url_id, b.url, b.status, b.referrer_id, r.url AS referrer
FROM broken b JOIN urlword r ON r.url_id = b.referrer_id;
