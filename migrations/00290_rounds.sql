-- Crawls without end: index --continuous crawls in rounds, each a row of reindexing. crawl_control has what it is asked to do, and the
-- view crawl_state says what it does.
--
-- Locks reindexing and crawl_control for a moment: the columns are added without a rewrite, and the new check of end_reason reads
-- reindexing, which has a row for each run.

-- +goose Up
ALTER TABLE reindexing ADD COLUMN round boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN reindexing.round IS 'true = a round of a crawl without end (index --continuous). Rounds are deleted after 90 days.';
ALTER TABLE reindexing DROP CONSTRAINT reindexing_end_reason_check;
ALTER TABLE reindexing ADD CONSTRAINT reindexing_end_reason_check
    CHECK (end_reason IN ('complete', 'time', 'limit', 'count', 'stopped', 'paused', 'continue', 'failed', 'round', 'outage'));
COMMENT ON COLUMN reindexing.end_reason IS 'complete, round (MergeInterval is over; the next round goes on), time (the window of CrawlSchedule or the hours of HostLoad are over), limit, count (-n), stopped (-E, a signal, a crash), paused (index --pause, or the hosts asked for it), outage, continue (replaced by --takeover) or failed.';

ALTER TABLE crawl_control DROP CONSTRAINT crawl_control_stop_reason_check;
ALTER TABLE crawl_control ADD CONSTRAINT crawl_control_stop_reason_check
    CHECK (stop_reason IN ('stopped', 'continue', 'round', 'time', 'paused', 'outage'));
ALTER TABLE crawl_control
    ADD COLUMN mode          text NOT NULL DEFAULT 'once' CHECK (mode IN ('once', 'continuous', 'scheduled')),
    ADD COLUMN paused_at     timestamptz,
    ADD COLUMN paused_by     text,
    ADD COLUMN crawl_asked   timestamptz,
    ADD COLUMN next_round    timestamptz,
    ADD COLUMN window_ends   timestamptz,
    ADD COLUMN rules_hash    bytea,
    ADD COLUMN rules_of      text,
    ADD COLUMN refused       text,
    ADD COLUMN refused_at    timestamptz;
COMMENT ON TABLE crawl_control IS 'Requests to the running crawl, and what a crawl without end waits for. One row. Family: local.';
COMMENT ON COLUMN crawl_control.stop_asked IS 'When the running crawl was asked to end. NULL = not.';
COMMENT ON COLUMN crawl_control.stop_reason IS 'The end_reason of a run that was asked to end: stopped (-E), continue (--takeover), round, time (the end of a window), paused (--pause) or outage.';
COMMENT ON COLUMN crawl_control.mode IS 'CrawlMode of the program that started last: once, continuous or scheduled.';
COMMENT ON COLUMN crawl_control.paused_at IS 'When index --pause was called. NULL = the crawl is not paused.';
COMMENT ON COLUMN crawl_control.paused_by IS 'Who paused the crawl.';
COMMENT ON COLUMN crawl_control.crawl_asked IS 'When a round was asked for that begins at once and visits the start URLs (index --crawl-now). NULL = none is asked for.';
COMMENT ON COLUMN crawl_control.next_round IS 'When the next round begins at the latest, as far as that is known. NULL = a round is under way, or nothing becomes due.';
COMMENT ON COLUMN crawl_control.window_ends IS 'When the present window of CrawlSchedule ends. NULL = there is none.';
COMMENT ON COLUMN crawl_control.rules_hash IS 'Hash of the configuration that a crawl without end read last. Programs with an older one wait.';
COMMENT ON COLUMN crawl_control.rules_of IS 'The program that read it.';
COMMENT ON COLUMN crawl_control.refused IS 'Why a changed configuration was not taken; the one before goes on. NULL = nothing was refused.';
COMMENT ON COLUMN crawl_control.refused_at IS 'When it was refused.';

DROP VIEW last_run_changes;
CREATE VIEW last_run_changes AS
SELECT h.url_id, w.url, h.rule, h.result, h.old_status, h.new_status, h.at, h.cause
FROM crawl_history h JOIN urlword w ON w.url_id = h.url_id
WHERE h.run_id >= (
        SELECT CASE WHEN l.round THEN (SELECT min(r.run_id) FROM reindexing r WHERE r.round AND r.started_at > l.started_at - interval '1 day')
                    ELSE l.run_id END
        FROM reindexing l WHERE l.kind = 'crawl' ORDER BY l.run_id DESC LIMIT 1)
  AND h.run_id IN (SELECT run_id FROM reindexing WHERE kind = 'crawl')
  AND (h.old_status <> h.new_status
       OR h.rule IN ('T-01', 'T-01c', 'T-01o', 'T-04', 'T-05', 'T-06', 'T-12', 'T-13', 'T-14', 'T-15', 'T-16', 'T-17'));
COMMENT ON VIEW last_run_changes IS 'Changes of the last crawl, or of the rounds of a day in a crawl without end, with the status transition that decided: new statuses (including lost documents that came back) and new versions. A redirect is listed whenever it was visited.';
COMMENT ON COLUMN last_run_changes.url_id IS 'The URL''s key.';
COMMENT ON COLUMN last_run_changes.url IS 'The URL.';
COMMENT ON COLUMN last_run_changes.rule IS 'The status transition, such as T-04.';
COMMENT ON COLUMN last_run_changes.result IS 'Extended status of the answer.';
COMMENT ON COLUMN last_run_changes.old_status IS 'urlword.status before.';
COMMENT ON COLUMN last_run_changes.new_status IS 'urlword.status after.';
COMMENT ON COLUMN last_run_changes.at IS 'When the change was recorded.';
COMMENT ON COLUMN last_run_changes.cause IS 'Error message. Empty when nothing went wrong.';

CREATE VIEW crawl_state AS
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
COMMENT ON VIEW crawl_state IS 'What the crawl does at the moment, on one line (index --status).';
COMMENT ON COLUMN crawl_state.mode IS 'CrawlMode of the program that started last: once, continuous or scheduled.';
COMMENT ON COLUMN crawl_state.phase IS 'crawling, merging, paused, waiting (for the next round) or stopped (no program runs).';
COMMENT ON COLUMN crawl_state.programs IS 'Programs that crawl without end (index --continuous). A standby does not know: 0.';
COMMENT ON COLUMN crawl_state.run IS 'The last crawl or round, key of reindexing.';
COMMENT ON COLUMN crawl_state.crawl_began IS 'When it began.';
COMMENT ON COLUMN crawl_state.crawl_ended IS 'When it ended. NULL while it runs.';
COMMENT ON COLUMN crawl_state.end_reason IS 'Why it ended, as in reindexing.';
COMMENT ON COLUMN crawl_state.merge_ended IS 'When the last merge ended. NULL = it is under way, or there was none.';
COMMENT ON COLUMN crawl_state.next_round IS 'When the next round begins. NULL = it is not known, or a round is under way.';
COMMENT ON COLUMN crawl_state.window_ends IS 'When the present window of CrawlSchedule ends.';
COMMENT ON COLUMN crawl_state.paused_at IS 'When the crawl was paused (index --pause). NULL = it is not paused.';
COMMENT ON COLUMN crawl_state.paused_by IS 'Who paused it.';
COMMENT ON COLUMN crawl_state.refused IS 'Why a changed configuration was not taken. NULL = nothing was refused.';
COMMENT ON COLUMN crawl_state.refused_at IS 'When it was refused.';

-- Searchd shows the state. Other migrations may have changed the function.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('grant_search(name, boolean)'::regprocedure), 'fetcher, sites_on_hold', 'fetcher, sites_on_hold, crawl_state');
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        PERFORM grant_search('pgseek_search');
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('grant_search(name, boolean)'::regprocedure), 'fetcher, sites_on_hold, crawl_state', 'fetcher, sites_on_hold');
END $$;
-- +goose StatementEnd
DROP VIEW crawl_state;
DROP VIEW last_run_changes;
CREATE VIEW last_run_changes AS
SELECT h.url_id, w.url, h.rule, h.result, h.old_status, h.new_status, h.at, h.cause
FROM crawl_history h JOIN urlword w ON w.url_id = h.url_id
WHERE h.run_id = (SELECT max(run_id) FROM reindexing WHERE kind = 'crawl')
  AND (h.old_status <> h.new_status
       OR h.rule IN ('T-01', 'T-01c', 'T-01o', 'T-04', 'T-05', 'T-06', 'T-12', 'T-13', 'T-14', 'T-15', 'T-16', 'T-17'));
COMMENT ON VIEW last_run_changes IS 'Changes of the last crawl with the status transition that decided: new statuses (including lost documents that came back) and new versions. A redirect is listed whenever it was visited.';
COMMENT ON COLUMN last_run_changes.url_id IS 'The URL''s key.';
COMMENT ON COLUMN last_run_changes.url IS 'The URL.';
COMMENT ON COLUMN last_run_changes.rule IS 'The status transition, such as T-04.';
COMMENT ON COLUMN last_run_changes.result IS 'Extended status of the answer.';
COMMENT ON COLUMN last_run_changes.old_status IS 'urlword.status before.';
COMMENT ON COLUMN last_run_changes.new_status IS 'urlword.status after.';
COMMENT ON COLUMN last_run_changes.at IS 'When the change was recorded.';
COMMENT ON COLUMN last_run_changes.cause IS 'Error message. Empty when nothing went wrong.';
COMMENT ON TABLE crawl_control IS 'Requests to the running crawl. One row. Family: local.';
COMMENT ON COLUMN crawl_control.stop_asked IS 'When the running crawl was asked to stop (index -E, --takeover). NULL = not.';
COMMENT ON COLUMN crawl_control.stop_reason IS 'The end_reason of a run that was asked to stop: stopped (-E) or continue (--takeover).';
UPDATE crawl_control SET stop_asked = NULL, stop_reason = NULL WHERE stop_reason NOT IN ('stopped', 'continue');
ALTER TABLE crawl_control
    DROP COLUMN mode, DROP COLUMN paused_at, DROP COLUMN paused_by, DROP COLUMN crawl_asked, DROP COLUMN next_round, DROP COLUMN window_ends,
    DROP COLUMN rules_hash, DROP COLUMN rules_of, DROP COLUMN refused, DROP COLUMN refused_at;
ALTER TABLE crawl_control DROP CONSTRAINT crawl_control_stop_reason_check;
ALTER TABLE crawl_control ADD CONSTRAINT crawl_control_stop_reason_check CHECK (stop_reason IN ('stopped', 'continue'));
COMMENT ON COLUMN reindexing.end_reason IS 'complete, time, limit, count (-n), stopped (-E, a signal, a crash), paused, continue (replaced by --takeover) or failed.';
UPDATE reindexing SET end_reason = 'stopped' WHERE end_reason IN ('round', 'outage');
ALTER TABLE reindexing DROP CONSTRAINT reindexing_end_reason_check;
ALTER TABLE reindexing ADD CONSTRAINT reindexing_end_reason_check
    CHECK (end_reason IN ('complete', 'time', 'limit', 'count', 'stopped', 'paused', 'continue', 'failed'));
ALTER TABLE reindexing DROP COLUMN round;
