-- Tests of the network: a crawl that finds most start URLs dead ends with the reason outage and changes nothing.

-- +goose Up
ALTER TABLE crawl_control ADD COLUMN connectivity_at timestamptz, ADD COLUMN connectivity_alive integer, ADD COLUMN connectivity_of integer;
COMMENT ON COLUMN crawl_control.connectivity IS 'bad = the last test found the network down (ConnectivityShare), else good.';
COMMENT ON COLUMN crawl_control.connectivity_at IS 'When the network was tested last. NULL = never.';
COMMENT ON COLUMN crawl_control.connectivity_alive IS 'Start URLs that were alive in that test. It ends when they are enough.';
COMMENT ON COLUMN crawl_control.connectivity_of IS 'Start URLs that the test concerned.';
CREATE TABLE connectivity (
    url_id    integer PRIMARY KEY,
    tested_at timestamptz NOT NULL,
    status    integer NOT NULL
);
COMMENT ON TABLE connectivity IS 'Start URLs whose hosts were asked by the last tests of the network. Family: url_id.';
COMMENT ON COLUMN connectivity.url_id IS 'The start URL.';
COMMENT ON COLUMN connectivity.tested_at IS 'When its host was asked last.';
COMMENT ON COLUMN connectivity.status IS 'What the host answered to the request for robots.txt, or for the start URL with Robots no: HTTP status or 600 and higher.';
CREATE OR REPLACE VIEW crawl_state AS
WITH held AS (
    -- The locks of store/lock.go. A standby does not show them: there the open rows of reindexing have to do.
    SELECT coalesce(bool_or(objid = 1 AND mode = 'ShareLock'), false) AS crawling, coalesce(bool_or(objid = 2), false) AS merging,
        count(*) FILTER (WHERE objid = 5) AS programs
    FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = 1885827941
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
), crawl AS (
    SELECT run_id, started_at, ended_at, end_reason FROM reindexing WHERE kind = 'crawl' ORDER BY run_id DESC LIMIT 1
), merge AS (
    SELECT run_id, started_at, ended_at, end_reason FROM reindexing WHERE kind = 'merge' ORDER BY run_id DESC LIMIT 1
), now AS (
    SELECT (h.crawling OR pg_is_in_recovery()) AND crawl.run_id IS NOT NULL AND crawl.ended_at IS NULL AS crawling,
        (h.merging OR pg_is_in_recovery()) AND merge.run_id IS NOT NULL AND merge.ended_at IS NULL AS merging, h.programs
    FROM held h LEFT JOIN crawl ON true LEFT JOIN merge ON true
)
SELECT c.mode,
    CASE WHEN n.crawling THEN 'crawling'
         WHEN n.merging THEN 'merging'
         WHEN c.paused_at IS NOT NULL THEN 'paused'
         WHEN n.programs > 0 AND c.connectivity = 'bad' THEN 'outage'
         WHEN n.programs > 0 OR pg_is_in_recovery() AND c.mode <> 'once' THEN 'waiting'
         ELSE 'stopped' END AS phase,
    n.programs, crawl.run_id AS run, crawl.started_at AS crawl_began, crawl.ended_at AS crawl_ended, crawl.end_reason,
    merge.ended_at AS merge_ended,
    CASE WHEN NOT n.crawling AND c.paused_at IS NULL AND n.programs > 0 THEN c.next_round END AS next_round,
    CASE WHEN n.programs > 0 THEN c.window_ends END AS window_ends, c.paused_at, c.paused_by, c.refused, c.refused_at
FROM crawl_control c CROSS JOIN now n LEFT JOIN crawl ON true LEFT JOIN merge ON true;
COMMENT ON COLUMN crawl_state.phase IS 'crawling, merging, paused, outage (the network was down when it was tested last), waiting (for the next round) or stopped (no program runs).';

-- +goose Down
CREATE OR REPLACE VIEW crawl_state AS
WITH held AS (
    -- The locks of store/lock.go. A standby does not show them: there the open rows of reindexing have to do.
    SELECT coalesce(bool_or(objid = 1 AND mode = 'ShareLock'), false) AS crawling, coalesce(bool_or(objid = 2), false) AS merging,
        count(*) FILTER (WHERE objid = 5) AS programs
    FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = 1885827941
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
), crawl AS (
    SELECT run_id, started_at, ended_at, end_reason FROM reindexing WHERE kind = 'crawl' ORDER BY run_id DESC LIMIT 1
), merge AS (
    SELECT run_id, started_at, ended_at, end_reason FROM reindexing WHERE kind = 'merge' ORDER BY run_id DESC LIMIT 1
), now AS (
    SELECT (h.crawling OR pg_is_in_recovery()) AND crawl.run_id IS NOT NULL AND crawl.ended_at IS NULL AS crawling,
        (h.merging OR pg_is_in_recovery()) AND merge.run_id IS NOT NULL AND merge.ended_at IS NULL AS merging, h.programs
    FROM held h LEFT JOIN crawl ON true LEFT JOIN merge ON true
)
SELECT c.mode,
    CASE WHEN n.crawling THEN 'crawling'
         WHEN n.merging THEN 'merging'
         WHEN c.paused_at IS NOT NULL THEN 'paused'
         WHEN n.programs > 0 OR pg_is_in_recovery() AND c.mode <> 'once' THEN 'waiting'
         ELSE 'stopped' END AS phase,
    n.programs, crawl.run_id AS run, crawl.started_at AS crawl_began, crawl.ended_at AS crawl_ended, crawl.end_reason,
    merge.ended_at AS merge_ended,
    CASE WHEN NOT n.crawling AND c.paused_at IS NULL AND n.programs > 0 THEN c.next_round END AS next_round,
    CASE WHEN n.programs > 0 THEN c.window_ends END AS window_ends, c.paused_at, c.paused_by, c.refused, c.refused_at
FROM crawl_control c CROSS JOIN now n LEFT JOIN crawl ON true LEFT JOIN merge ON true;
COMMENT ON COLUMN crawl_state.phase IS 'crawling, merging, paused, waiting (for the next round) or stopped (no program runs).';
DROP TABLE connectivity;
UPDATE crawl_control SET connectivity = 'good';
COMMENT ON COLUMN crawl_control.connectivity IS 'bad = the network is considered down. Always good in this version.';
ALTER TABLE crawl_control DROP COLUMN connectivity_of, DROP COLUMN connectivity_alive, DROP COLUMN connectivity_at;
