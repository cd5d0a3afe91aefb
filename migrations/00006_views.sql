-- Views that answer an operator's questions.
-- Locks nothing; no re-index needed.

-- +goose Up

CREATE VIEW indexed_documents AS
SELECT url_id, site_id, url, status_base(status) AS status, origin
FROM urlword
WHERE deleted = 0 AND status_base(status) IN (200, 302);
COMMENT ON VIEW indexed_documents IS 'What counts as indexed: documents with status 200 (lost ones too), 302, and clones; not 301, 406 and errors.';
COMMENT ON COLUMN indexed_documents.url_id IS 'The document.';
COMMENT ON COLUMN indexed_documents.site_id IS 'Its site.';
COMMENT ON COLUMN indexed_documents.url IS 'The URL.';
COMMENT ON COLUMN indexed_documents.status IS '200 or 302; 200 for a lost document too.';
COMMENT ON COLUMN indexed_documents.origin IS 'url_id of the original when it is a clone, 0 = none.';

CREATE VIEW lost_documents AS
SELECT url_id, site_id, url, status_lost(status) AS lost_status, status_lost_count(status) AS lost_count,
       to_timestamp(last_index_time) AS last_index, to_timestamp(next_index_time) AS next_index
FROM urlword
WHERE deleted = 0 AND status >= 65536;
COMMENT ON VIEW lost_documents IS 'Documents that answer with an error just now and stay findable: the error, in how many runs, and when they are tried again.';
COMMENT ON COLUMN lost_documents.url_id IS 'The document.';
COMMENT ON COLUMN lost_documents.site_id IS 'Its site.';
COMMENT ON COLUMN lost_documents.url IS 'The URL.';
COMMENT ON COLUMN lost_documents.lost_status IS 'The error with which it answered last.';
COMMENT ON COLUMN lost_documents.lost_count IS 'In how many runs it was found lost, 1 to 15.';
COMMENT ON COLUMN lost_documents.last_index IS 'When it answered last.';
COMMENT ON COLUMN lost_documents.next_index IS 'When it is tried again.';

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
COMMENT ON COLUMN broken_links.url_id IS 'The URL that answered with an error.';
COMMENT ON COLUMN broken_links.url IS 'The URL.';
COMMENT ON COLUMN broken_links.status IS 'The error, an extended status.';
COMMENT ON COLUMN broken_links.referrer_id IS 'A page that links to it.';
COMMENT ON COLUMN broken_links.referrer IS 'URL of that page.';

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
COMMENT ON COLUMN redirect_chains.url_id IS 'The URL that redirects.';
COMMENT ON COLUMN redirect_chains.url IS 'The URL.';
COMMENT ON COLUMN redirect_chains.redirects IS 'Redirects up to the end of the chain.';
COMMENT ON COLUMN redirect_chains.last_url IS 'Where the chain ends.';
COMMENT ON COLUMN redirect_chains.last_status IS 'Status of that URL, 0 = not fetched yet.';
COMMENT ON COLUMN redirect_chains.looped IS 'true when the chain closes on itself or is longer than 8.';

CREATE VIEW clones AS
SELECT o.url_id AS original_id, o.url AS original, c.url_id AS clone_id, c.url AS clone
FROM urlword c JOIN urlword o ON o.url_id = c.origin
WHERE c.deleted = 0;
COMMENT ON VIEW clones IS 'Documents with the same content: the original and its clones.';
COMMENT ON COLUMN clones.original_id IS 'The original.';
COMMENT ON COLUMN clones.original IS 'Its URL.';
COMMENT ON COLUMN clones.clone_id IS 'A document with the same content.';
COMMENT ON COLUMN clones.clone IS 'Its URL.';

CREATE VIEW documents_by_site AS
SELECT s.site_id, s.site, d.status, d.lost, d.deleted, d.documents
FROM (SELECT site_id, status_base(status) AS status, status >= 65536 AS lost, deleted = 1 AS deleted, count(*) AS documents
      FROM urlword GROUP BY 1, 2, 3, 4) d
JOIN sites s ON s.site_id = d.site_id;
COMMENT ON VIEW documents_by_site IS 'How many URLs each site has, by status.';
COMMENT ON COLUMN documents_by_site.site_id IS 'The site.';
COMMENT ON COLUMN documents_by_site.site IS 'http://host[:port]/.';
COMMENT ON COLUMN documents_by_site.status IS 'Base status, 0 = not fetched yet.';
COMMENT ON COLUMN documents_by_site.lost IS 'true = they answer with an error just now and stay findable.';
COMMENT ON COLUMN documents_by_site.deleted IS 'true = taken out of the index by a rule.';
COMMENT ON COLUMN documents_by_site.documents IS 'How many URLs.';

CREATE VIEW fetch_queue AS
SELECT w.url_id, w.url, w.site_id, CASE WHEN w.status = 0 THEN 'new' ELSE 'known' END AS class,
       to_timestamp(w.next_index_time) AS due, w.hops
FROM urlword w
WHERE w.deleted = 0 AND w.next_index_time <= extract(epoch FROM now());
COMMENT ON VIEW fetch_queue IS 'URLs that are due now.';
COMMENT ON COLUMN fetch_queue.url_id IS 'Its key.';
COMMENT ON COLUMN fetch_queue.url IS 'The URL.';
COMMENT ON COLUMN fetch_queue.site_id IS 'Its site.';
COMMENT ON COLUMN fetch_queue.class IS 'new = never fetched, known = fetched before.';
COMMENT ON COLUMN fetch_queue.due IS 'Since when it is due; 1970 = a start URL of a crawl.';
COMMENT ON COLUMN fetch_queue.hops IS 'Links between it and a start URL.';

CREATE VIEW open_schedules AS
SELECT seq, run_id, fetcher, attempt, schedule_time, deadline, deadline < now() AS late, reschedule_count,
       site_ids, cardinality(url_ids) AS urls
FROM schedule
WHERE status = 's';
COMMENT ON VIEW open_schedules IS 'Schedules whose results are not all recorded yet.';
COMMENT ON COLUMN open_schedules.seq IS 'Number of the schedule.';
COMMENT ON COLUMN open_schedules.run_id IS 'The run that issued it last.';
COMMENT ON COLUMN open_schedules.fetcher IS 'Its holder.';
COMMENT ON COLUMN open_schedules.attempt IS 'How often it was issued.';
COMMENT ON COLUMN open_schedules.schedule_time IS 'When it was issued last.';
COMMENT ON COLUMN open_schedules.deadline IS 'From then on another fetcher may take it.';
COMMENT ON COLUMN open_schedules.late IS 'true = the deadline is past.';
COMMENT ON COLUMN open_schedules.reschedule_count IS 'How often it was issued again.';
COMMENT ON COLUMN open_schedules.site_ids IS 'The sites that it holds.';
COMMENT ON COLUMN open_schedules.urls IS 'Its URLs, those recorded by an earlier holder too.';

CREATE VIEW sender_window AS
SELECT seq, attempt, fetcher, schedule_time, deadline, status, reschedule_count
FROM schedule
WHERE seq >= coalesce((SELECT min(seq) FROM schedule WHERE status = 's'), (SELECT max(seq) + 1 FROM schedule));
COMMENT ON VIEW sender_window IS 'The sender''s window: schedules from the lowest open one on.';
COMMENT ON COLUMN sender_window.seq IS 'Number of the schedule.';
COMMENT ON COLUMN sender_window.attempt IS 'How often it was issued.';
COMMENT ON COLUMN sender_window.fetcher IS 'Its holder.';
COMMENT ON COLUMN sender_window.schedule_time IS 'When it was issued last.';
COMMENT ON COLUMN sender_window.deadline IS 'From then on another fetcher may take it.';
COMMENT ON COLUMN sender_window.status IS 's = open, a = acknowledged.';
COMMENT ON COLUMN sender_window.reschedule_count IS 'How often it was issued again.';

CREATE VIEW receiver_window AS
WITH low AS MATERIALIZED (SELECT min(seq) AS seq FROM schedule WHERE status = 's')
SELECT j.schedule_seq, j.place, j.url_id, j.status, j.fetched_at
FROM journal j CROSS JOIN low
WHERE j.schedule_seq >= low.seq;
COMMENT ON VIEW receiver_window IS 'The receiver''s window: results that wait for an earlier schedule.';
COMMENT ON COLUMN receiver_window.schedule_seq IS 'The schedule that fetched it.';
COMMENT ON COLUMN receiver_window.place IS 'Its place there, from 0.';
COMMENT ON COLUMN receiver_window.url_id IS 'The document.';
COMMENT ON COLUMN receiver_window.status IS '200, 301, 302 or 406.';
COMMENT ON COLUMN receiver_window.fetched_at IS 'When it was fetched.';

CREATE VIEW last_run_changes AS
SELECT h.url_id, w.url, h.rule, h.result, h.old_status, h.new_status, h.at, h.cause
FROM crawl_history h JOIN urlword w ON w.url_id = h.url_id
WHERE h.run_id = (SELECT max(run_id) FROM reindexing WHERE kind = 'crawl')
  AND (h.old_status <> h.new_status OR h.rule IN ('T-01', 'T-01c', 'T-01o', 'T-04', 'T-05', 'T-06', 'T-12', 'T-17'));
COMMENT ON VIEW last_run_changes IS 'What the last crawl changed, with the rule that decided: new statuses (a lost document that came back too) and new versions. A redirect stands there whenever it was visited.';
COMMENT ON COLUMN last_run_changes.url_id IS 'Its key.';
COMMENT ON COLUMN last_run_changes.url IS 'The URL.';
COMMENT ON COLUMN last_run_changes.rule IS 'The status transition, such as T-04.';
COMMENT ON COLUMN last_run_changes.result IS 'Extended status of the answer.';
COMMENT ON COLUMN last_run_changes.old_status IS 'urlword.status before.';
COMMENT ON COLUMN last_run_changes.new_status IS 'urlword.status after.';
COMMENT ON COLUMN last_run_changes.at IS 'When it was recorded.';
COMMENT ON COLUMN last_run_changes.cause IS 'What went wrong, empty when nothing did.';

CREATE VIEW crawl_diagnostics AS
SELECT w.url_id, w.url, status_base(w.status) AS status, status_lost(w.status) AS lost_status,
       status_lost_count(w.status) AS lost_count, w.deleted, w.origin, w.redir,
       s.attempts, s.last_attempt, s.error_class, s.error_count, s.marks,
       to_timestamp(w.next_index_time) AS next_index
FROM urlword w LEFT JOIN urlstate s ON s.url_id = w.url_id;
COMMENT ON VIEW crawl_diagnostics IS 'Everything about a URL''s crawl on one line.';
COMMENT ON COLUMN crawl_diagnostics.url_id IS 'Its key.';
COMMENT ON COLUMN crawl_diagnostics.url IS 'The URL.';
COMMENT ON COLUMN crawl_diagnostics.status IS 'The last good status, or the error of a URL that is no document.';
COMMENT ON COLUMN crawl_diagnostics.lost_status IS 'The error of a lost document, 0 when it is not lost.';
COMMENT ON COLUMN crawl_diagnostics.lost_count IS 'In how many runs it was found lost, 0 when it is not.';
COMMENT ON COLUMN crawl_diagnostics.deleted IS '1 = taken out of the index by a rule, 0 = not.';
COMMENT ON COLUMN crawl_diagnostics.origin IS 'url_id of the original when it is a clone, 0 = none.';
COMMENT ON COLUMN crawl_diagnostics.redir IS 'url_id of the redirect''s target, 0 = none.';
COMMENT ON COLUMN crawl_diagnostics.attempts IS 'Attempts to fetch it, NULL = none yet.';
COMMENT ON COLUMN crawl_diagnostics.last_attempt IS 'The last of them.';
COMMENT ON COLUMN crawl_diagnostics.error_class IS 'Class of the running series of errors, empty after a success.';
COMMENT ON COLUMN crawl_diagnostics.error_count IS 'Errors of that class in a row.';
COMMENT ON COLUMN crawl_diagnostics.marks IS 'What was cut or repaired in the last version.';
COMMENT ON COLUMN crawl_diagnostics.next_index IS 'When it is due again.';

-- +goose Down
DROP VIEW crawl_diagnostics, last_run_changes, receiver_window, sender_window, open_schedules, fetch_queue,
          documents_by_site, clones, redirect_chains, broken_links, lost_documents, indexed_documents;
