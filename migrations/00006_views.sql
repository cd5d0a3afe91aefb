-- Views that answer an operator's questions.
-- Locks nothing; no re-index needed.

-- +goose Up

CREATE VIEW indexed_documents AS
SELECT url_id, site_id, url, status_base(status) AS status, origin
FROM urlword
WHERE deleted = 0 AND status_base(status) IN (200, 302);
COMMENT ON VIEW indexed_documents IS 'What counts as indexed: documents with status 200 (lost ones too), 302, and clones; not 301, 406 and errors.';

CREATE VIEW lost_documents AS
SELECT url_id, site_id, url, status_lost(status) AS lost_status, status_lost_count(status) AS lost_count,
       to_timestamp(last_index_time) AS last_index, to_timestamp(next_index_time) AS next_index
FROM urlword
WHERE deleted = 0 AND status >= 65536;
COMMENT ON VIEW lost_documents IS 'Documents that answer with an error just now and stay findable: the error, in how many runs, and when they are tried again.';

CREATE VIEW broken_links AS
WITH broken AS MATERIALIZED (
    SELECT w.url_id, w.url, CASE WHEN w.status >= 65536 THEN status_lost(w.status) ELSE w.status END AS status,
           unnest(c.referrers) AS referrer_id
    FROM urlword w JOIN citation c ON c.url_id = w.url_id
    WHERE w.deleted = 0 AND (w.status >= 65536 OR w.status >= 400 AND w.status <> 406)
)
SELECT b.url_id, b.url, b.status, b.referrer_id, r.url AS referrer
FROM broken b JOIN urlword r ON r.url_id = b.referrer_id;
COMMENT ON VIEW broken_links IS 'URLs that answered with an error, one row for each page that links to them.';

CREATE VIEW redirect_chains AS
SELECT w.url_id, w.url, count(*) - 1 AS redirects,
       (array_agg(c.url ORDER BY c.step DESC))[1] AS last_url,
       (array_agg(status_base(c.status) ORDER BY c.step DESC))[1] AS last_status,
       bool_or(c.step > 8) OR (array_agg(status_base(c.status) ORDER BY c.step DESC))[1] IN (301, 302)
           AND (array_agg(last.redir ORDER BY c.step DESC))[1] <> 0 AS looped
FROM urlword w
CROSS JOIN LATERAL redirect_chain(w.url_id) c
JOIN urlword last ON last.url_id = c.url_id
WHERE w.redir <> 0 AND w.deleted = 0
GROUP BY w.url_id, w.url;
COMMENT ON VIEW redirect_chains IS 'Every redirecting URL with the end of its chain; looped = the chain closes on itself or is longer than 8.';

CREATE VIEW clones AS
SELECT o.url_id AS original_id, o.url AS original, c.url_id AS clone_id, c.url AS clone
FROM urlword c JOIN urlword o ON o.url_id = c.origin
WHERE c.deleted = 0;
COMMENT ON VIEW clones IS 'Documents with the same content: the original and its clones.';

CREATE VIEW documents_by_site AS
SELECT s.site_id, s.site, d.status, d.lost, d.deleted, d.documents
FROM (SELECT site_id, status_base(status) AS status, status >= 65536 AS lost, deleted = 1 AS deleted, count(*) AS documents
      FROM urlword GROUP BY 1, 2, 3, 4) d
JOIN sites s ON s.site_id = d.site_id;
COMMENT ON VIEW documents_by_site IS 'How many URLs each site has, by status.';

CREATE VIEW fetch_queue AS
SELECT w.url_id, w.url, w.site_id, CASE WHEN w.status = 0 THEN 'new' ELSE 'known' END AS class,
       to_timestamp(w.next_index_time) AS due, w.hops
FROM urlword w
WHERE w.deleted = 0 AND w.next_index_time <= extract(epoch FROM now());
COMMENT ON VIEW fetch_queue IS 'URLs that are due now.';

CREATE VIEW open_schedules AS
SELECT seq, run_id, fetcher, attempt, schedule_time, deadline, deadline < now() AS late, reschedule_count,
       site_ids, cardinality(url_ids) AS urls
FROM schedule
WHERE status = 's';
COMMENT ON VIEW open_schedules IS 'Schedules whose results are not all recorded yet.';

CREATE VIEW sender_window AS
SELECT seq, attempt, fetcher, schedule_time, deadline, status, reschedule_count
FROM schedule
WHERE seq >= coalesce((SELECT min(seq) FROM schedule WHERE status = 's'), (SELECT max(seq) + 1 FROM schedule));
COMMENT ON VIEW sender_window IS 'The sender''s window (rules.md 5): schedules from the lowest open one on.';

CREATE VIEW receiver_window AS
WITH low AS MATERIALIZED (SELECT min(seq) AS seq FROM schedule WHERE status = 's')
SELECT j.schedule_seq, j.place, j.url_id, j.status, j.fetched_at
FROM journal j CROSS JOIN low
WHERE j.schedule_seq >= low.seq;
COMMENT ON VIEW receiver_window IS 'The receiver''s window (rules.md 5): results that wait for an earlier schedule.';

CREATE VIEW last_run_changes AS
SELECT h.url_id, w.url, h.rule, h.result, h.old_status, h.new_status, h.at, h.cause
FROM crawl_history h JOIN urlword w ON w.url_id = h.url_id
WHERE h.run_id = (SELECT max(run_id) FROM reindexing WHERE kind = 'crawl') AND h.rule NOT IN ('T-02', 'T-03');
COMMENT ON VIEW last_run_changes IS 'What the last crawl changed, with the rule that decided.';

CREATE VIEW crawl_diagnostics AS
SELECT w.url_id, w.url, status_base(w.status) AS status, status_lost(w.status) AS lost_status,
       status_lost_count(w.status) AS lost_count, w.deleted, w.origin, w.redir,
       s.attempts, s.last_attempt, s.error_class, s.error_count, s.marks,
       to_timestamp(w.next_index_time) AS next_index
FROM urlword w LEFT JOIN urlstate s ON s.url_id = w.url_id;
COMMENT ON VIEW crawl_diagnostics IS 'Everything about a URL''s crawl on one line.';

-- +goose Down
DROP VIEW crawl_diagnostics, last_run_changes, receiver_window, sender_window, open_schedules, fetch_queue,
          documents_by_site, clones, redirect_chains, broken_links, lost_documents, indexed_documents;
