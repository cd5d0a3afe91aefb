-- When a run had its frontier ready, and which start URLs it has; orphans that links reach again; indexes for purges, for the
-- safety gate and for index -o.
-- Locks urlword and urlstate against writes while three indexes are made (a minute for ten million URLs); no table is rewritten;
-- no re-index needed. No crawl may be running.

-- +goose Up

ALTER TABLE reindexing ADD COLUMN begun_at timestamptz, ADD COLUMN starts integer[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN reindexing.begun_at IS 'Crawl: when its frontier was ready, in the transaction that made it so. Before that no other process joins it; a run without it says nothing of orphans.';
COMMENT ON COLUMN reindexing.starts IS 'Crawl: the url_ids of the start URLs that it began with; empty with -q. Kept by each run, for the safety gate the last that are not empty count.';
-- Runs of before: what recorded an answer had begun.
UPDATE reindexing r SET begun_at = started_at,
    starts = CASE WHEN respider THEN ARRAY(SELECT url_id FROM urlword WHERE hops = 0 AND referrer = 0 ORDER BY url_id) ELSE '{}' END
WHERE kind = 'crawl' AND documents > 0;

CREATE INDEX urlword_lost ON urlword (url_id) WHERE status >= 65536 AND deleted = 0;
COMMENT ON INDEX urlword_lost IS 'Lost documents, in the order of their keys (store.LostDocuments).';
CREATE INDEX urlstate_unreachable ON urlstate (url_id) WHERE error_class = 'unreachable' AND error_count >= 4;
COMMENT ON INDEX urlstate_unreachable IS 'What did not answer four times in a row (store.UnreachableDocuments).';
CREATE INDEX urlword_typed ON urlword (site_id) WHERE hops = 0 AND referrer = 0;
COMMENT ON INDEX urlword_typed IS 'The start URLs of a site, and what -i brought (store.ArmGates, store.TypedSites).';

DROP INDEX urlword_hops;
CREATE INDEX urlword_hops ON urlword (site_id, (greatest(2 * deleted, least(status, 1))), hops, next_index_time, url_id);
COMMENT ON INDEX urlword_hops IS 'The due URLs of a site, new (0), known (1) or withdrawn (2), by depth, oldest first (store.Lease of index -o).';

CREATE VIEW unreached AS
SELECT w.url_id, w.site_id, w.url, status_base(w.status) AS status, w.status >= 65536 AS lost,
       to_timestamp(w.last_index_time) AS last_index, run.started_at AS since
FROM (SELECT started_at FROM reindexing
      WHERE kind = 'crawl' AND respider AND NOT limited AND end_reason = 'complete' AND begun_at IS NOT NULL AND starts <> '{}'
      ORDER BY run_id DESC LIMIT 1) run
CROSS JOIN urlword w
LEFT JOIN urlstate s ON s.url_id = w.url_id
WHERE w.deleted = 0 AND status_base(w.status) IN (200, 406, 301, 302)
  AND w.last_index_time < floor(extract(epoch FROM run.started_at))
  AND (s.last_attempt IS NULL OR s.last_attempt < run.started_at);
COMMENT ON VIEW unreached IS 'Documents that the last respider run did not come to, of those that ended complete and unlimited: orphans, and what links reach again by now.';
COMMENT ON COLUMN unreached.url_id IS 'Key, the url_id of urlword.';
COMMENT ON COLUMN unreached.site_id IS 'Its site.';
COMMENT ON COLUMN unreached.url IS 'The URL.';
COMMENT ON COLUMN unreached.status IS 'The last good status.';
COMMENT ON COLUMN unreached.lost IS 'Whether it was lost before: then LostPeriod is added to OrphanPeriod.';
COMMENT ON COLUMN unreached.last_index IS 'Last answer from the site.';
COMMENT ON COLUMN unreached.since IS 'Start of the run that did not come to it.';

-- citation and the waiting journal tell where to look, the stored links of the page whether the link stands. A clone speaks by the
-- links of its original.
CREATE VIEW relinked AS
WITH RECURSIVE missed AS MATERIALIZED (
    SELECT url_id FROM unreached
), told AS (
    SELECT c.url_id AS target, r AS source FROM missed JOIN citation c USING (url_id) CROSS JOIN unnest(c.referrers) r
    UNION
    SELECT l, j.url_id FROM journal j CROSS JOIN unnest(j.links_added) l JOIN missed ON missed.url_id = l
), link AS MATERIALIZED (
    SELECT t.target, t.source, t.source AS page FROM told t
    UNION ALL
    SELECT t.target, t.source, w.url_id FROM told t JOIN urlword w ON w.origin = t.source AND w.origin <> 0 AND w.deleted = 0
), again (url_id) AS (
    SELECT k.target FROM link k
    WHERE NOT EXISTS (SELECT FROM missed WHERE missed.url_id = k.page)
      AND EXISTS (SELECT FROM urlwords c WHERE c.url_id = k.source AND c.deleted = 0 AND k.target = ANY (c.hrefs))
    UNION
    SELECT k.target FROM again a JOIN link k ON k.page = a.url_id
    WHERE EXISTS (SELECT FROM urlwords c WHERE c.url_id = k.source AND c.deleted = 0 AND k.target = ANY (c.hrefs))
)
SELECT url_id FROM again;
COMMENT ON VIEW relinked IS 'Those of the view unreached that links reach by now: from a page that was visited since, or from another one that is relinked.';
COMMENT ON COLUMN relinked.url_id IS 'Key, the url_id of urlword.';

CREATE OR REPLACE VIEW orphans AS
SELECT u.url_id, u.site_id, u.url, u.status, u.lost, u.last_index, u.since
FROM unreached u
WHERE u.url_id NOT IN (SELECT url_id FROM relinked);
COMMENT ON VIEW orphans IS 'Documents that no link reaches: the last respider run that ended complete and unlimited did not come to them, and no page of now leads to them.';

-- +goose Down
CREATE OR REPLACE VIEW orphans AS
SELECT w.url_id, w.site_id, w.url, status_base(w.status) AS status, w.status >= 65536 AS lost,
       to_timestamp(w.last_index_time) AS last_index, run.started_at AS since
FROM (SELECT started_at FROM reindexing
      WHERE kind = 'crawl' AND respider AND NOT limited AND end_reason = 'complete'
      ORDER BY run_id DESC LIMIT 1) run
CROSS JOIN urlword w
LEFT JOIN urlstate s ON s.url_id = w.url_id
WHERE w.deleted = 0 AND status_base(w.status) IN (200, 406, 301, 302)
  AND w.last_index_time < floor(extract(epoch FROM run.started_at))
  AND (s.last_attempt IS NULL OR s.last_attempt < run.started_at);
DROP VIEW relinked, unreached;
DROP INDEX urlword_hops;
CREATE INDEX urlword_hops ON urlword (hops, next_index_time);
DROP INDEX urlword_typed, urlstate_unreachable, urlword_lost;
ALTER TABLE reindexing DROP COLUMN starts, DROP COLUMN begun_at;
