-- Views about orphans, holds, sites and the queue.
-- Locks nothing; no re-index needed.

-- +goose Up

CREATE VIEW orphans AS
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
COMMENT ON VIEW orphans IS 'Documents that no link reaches: the last index --respider that ended complete and unlimited did not come to them.';
COMMENT ON COLUMN orphans.url_id IS 'Key, the url_id of urlword.';
COMMENT ON COLUMN orphans.site_id IS 'Its site.';
COMMENT ON COLUMN orphans.url IS 'The URL.';
COMMENT ON COLUMN orphans.status IS 'The last good status.';
COMMENT ON COLUMN orphans.lost IS 'Whether it was lost before it became an orphan: then LostPeriod is added to OrphanPeriod.';
COMMENT ON COLUMN orphans.last_index IS 'Last answer from the site: the periods are measured from it.';
COMMENT ON COLUMN orphans.since IS 'Start of the run that did not come to it.';

CREATE VIEW sites_on_hold AS
SELECT h.site_id, s.site, h.held_at, h.reason, w.url, h.cause, h.live, h.turned_lost, h.run_id
FROM site_hold h
JOIN sites s ON s.site_id = h.site_id
LEFT JOIN urlword w ON w.url_id = h.url_id
WHERE h.ended_at IS NULL;
COMMENT ON VIEW sites_on_hold IS 'Sites whose documents are neither lost nor purged just now, because too many of them failed at once (index --release ends that).';
COMMENT ON COLUMN sites_on_hold.site_id IS 'Key of the site.';
COMMENT ON COLUMN sites_on_hold.site IS 'The site.';
COMMENT ON COLUMN sites_on_hold.held_at IS 'Since when.';
COMMENT ON COLUMN sites_on_hold.reason IS 'share = more than MaxLostShare of the live documents would have turned lost; start URLs = all of them failed.';
COMMENT ON COLUMN sites_on_hold.url IS 'The document whose failure was one too many.';
COMMENT ON COLUMN sites_on_hold.cause IS 'What happened to it.';
COMMENT ON COLUMN sites_on_hold.live IS 'Live documents of the site when that run began.';
COMMENT ON COLUMN sites_on_hold.turned_lost IS 'Documents that had turned lost in that run before.';
COMMENT ON COLUMN sites_on_hold.run_id IS 'That run.';

CREATE VIEW site_summary AS
SELECT s.site_id, s.site, u.found, u.fetched, u.live, u.lost, u.redirects, u.withdrawn,
       u.error_server, u.error_auth, u.error_gone, u.error_unreachable, coalesce(t.gate = 'h', false) AS on_hold
FROM sites s
JOIN (SELECT w.site_id, count(*) AS found, count(*) FILTER (WHERE w.status <> 0) AS fetched,
             count(*) FILTER (WHERE w.deleted = 0 AND status_base(w.status) = 200) AS live,
             count(*) FILTER (WHERE w.deleted = 0 AND w.status >= 65536) AS lost,
             count(*) FILTER (WHERE w.deleted = 0 AND w.status IN (301, 302)) AS redirects,
             count(*) FILTER (WHERE w.deleted = 1) AS withdrawn,
             count(*) FILTER (WHERE w.deleted = 0 AND e.error_class = 'server') AS error_server,
             count(*) FILTER (WHERE w.deleted = 0 AND e.error_class = 'auth') AS error_auth,
             count(*) FILTER (WHERE w.deleted = 0 AND e.error_class = 'gone') AS error_gone,
             count(*) FILTER (WHERE w.deleted = 0 AND e.error_class = 'unreachable') AS error_unreachable
      FROM urlword w LEFT JOIN urlstate e ON e.url_id = w.url_id
      GROUP BY w.site_id) u ON u.site_id = s.site_id
LEFT JOIN sitestate t ON t.site_id = s.site_id;
COMMENT ON VIEW site_summary IS 'A line for each site: what is known of it, what fails and how (index -S --sites).';
COMMENT ON COLUMN site_summary.site_id IS 'Key of the site.';
COMMENT ON COLUMN site_summary.site IS 'The site.';
COMMENT ON COLUMN site_summary.found IS 'URLs known.';
COMMENT ON COLUMN site_summary.fetched IS 'URLs that were asked for at least once.';
COMMENT ON COLUMN site_summary.live IS 'Live documents, lost ones and clones included.';
COMMENT ON COLUMN site_summary.lost IS 'Documents that answer with an error just now and stay findable.';
COMMENT ON COLUMN site_summary.redirects IS 'URLs that redirect.';
COMMENT ON COLUMN site_summary.withdrawn IS 'URLs that a rule took out.';
COMMENT ON COLUMN site_summary.error_server IS 'URLs in a series of server errors (403, 429, 5xx and all that is in no other class).';
COMMENT ON COLUMN site_summary.error_auth IS 'URLs in a series of 401.';
COMMENT ON COLUMN site_summary.error_gone IS 'URLs in a series of 404 and 410.';
COMMENT ON COLUMN site_summary.error_unreachable IS 'URLs in a series of attempts without an answer.';
COMMENT ON COLUMN site_summary.on_hold IS 'Whether the safety gate holds it.';

CREATE OR REPLACE VIEW fetch_queue AS
SELECT w.url_id, w.url, w.site_id,
       CASE WHEN w.deleted = 1 THEN 'withdrawn' WHEN w.next_index_time = -1 THEN 'recrawl' WHEN w.next_index_time = 0 THEN 'start'
            WHEN w.status = 0 THEN 'new' ELSE 'known' END AS class,
       to_timestamp(w.next_index_time) AS due, w.hops
FROM urlword w
WHERE w.next_index_time <= extract(epoch FROM now());
COMMENT ON VIEW fetch_queue IS 'URLs that are due now. A withdrawn one is not fetched: the rule that took it out is looked at again.';

CREATE OR REPLACE VIEW last_run_changes AS
SELECT h.url_id, w.url, h.rule, h.result, h.old_status, h.new_status, h.at, h.cause
FROM crawl_history h JOIN urlword w ON w.url_id = h.url_id
WHERE h.run_id = (SELECT max(run_id) FROM reindexing WHERE kind = 'crawl')
  AND (h.old_status <> h.new_status
       OR h.rule IN ('T-01', 'T-01c', 'T-01o', 'T-04', 'T-05', 'T-06', 'T-12', 'T-13', 'T-14', 'T-15', 'T-16', 'T-17'));

-- +goose Down
CREATE OR REPLACE VIEW last_run_changes AS
SELECT h.url_id, w.url, h.rule, h.result, h.old_status, h.new_status, h.at, h.cause
FROM crawl_history h JOIN urlword w ON w.url_id = h.url_id
WHERE h.run_id = (SELECT max(run_id) FROM reindexing WHERE kind = 'crawl')
  AND (h.old_status <> h.new_status OR h.rule IN ('T-01', 'T-01c', 'T-01o', 'T-04', 'T-05', 'T-06', 'T-12', 'T-17'));
CREATE OR REPLACE VIEW fetch_queue AS
SELECT w.url_id, w.url, w.site_id, CASE WHEN w.status = 0 THEN 'new' ELSE 'known' END AS class,
       to_timestamp(w.next_index_time) AS due, w.hops
FROM urlword w
WHERE w.deleted = 0 AND w.next_index_time <= extract(epoch FROM now());
COMMENT ON VIEW fetch_queue IS 'URLs that are due now.';
DROP VIEW site_summary, sites_on_hold, orphans;
