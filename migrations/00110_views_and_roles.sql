-- Views for operators, and the role that searches.

-- +goose Up

-- URLs.

CREATE VIEW urlword_status AS
SELECT url_id, site_id, url, deleted,
       status_base(status)       AS base_status,
       status_lost(status)       AS lost_status,
       status_lost_count(status) AS lost_count,
       to_timestamp(next_index_time) AS next_index,
       CASE WHEN last_index_time > 0 THEN to_timestamp(last_index_time) END AS last_index,
       referrer, tag, hops, redir, origin, crc
FROM urlword;
COMMENT ON VIEW urlword_status IS 'urlword with unpacked status and readable times.';
COMMENT ON COLUMN urlword_status.url_id IS 'Key: urlword.url_id.';
COMMENT ON COLUMN urlword_status.site_id IS 'The URL''s site.';
COMMENT ON COLUMN urlword_status.url IS 'The URL.';
COMMENT ON COLUMN urlword_status.deleted IS '1 = removed from the index by a rule, 0 = not.';
COMMENT ON COLUMN urlword_status.base_status IS 'The last good status, or the error of a URL that is not a document.';
COMMENT ON COLUMN urlword_status.lost_status IS 'The current error of a lost document. 0 = not lost.';
COMMENT ON COLUMN urlword_status.lost_count IS 'Number of runs that found it lost. 0 = not lost.';
COMMENT ON COLUMN urlword_status.next_index IS 'When the URL is due.';
COMMENT ON COLUMN urlword_status.last_index IS 'Time of the last answer from the site. NULL = never.';
COMMENT ON COLUMN urlword_status.referrer IS 'url_id of the page whose link registered the URL. 0 for start URLs.';
COMMENT ON COLUMN urlword_status.tag IS 'Tag of the Server line that matched the URL when it was registered.';
COMMENT ON COLUMN urlword_status.hops IS 'Number of links between a start URL and this URL when it was registered.';
COMMENT ON COLUMN urlword_status.redir IS 'url_id of the redirect''s target. 0 = none.';
COMMENT ON COLUMN urlword_status.origin IS 'url_id of the original of a clone. 0 = not a clone.';
COMMENT ON COLUMN urlword_status.crc IS 'MD5 of the decoded body. Empty without content.';

CREATE VIEW crawl_diagnostics AS
SELECT w.url_id, w.url, status_base(w.status) AS status, status_lost(w.status) AS lost_status,
       status_lost_count(w.status) AS lost_count, w.deleted, w.origin, w.redir,
       s.attempts, s.last_attempt, s.error_class, s.error_count, s.marks,
       to_timestamp(w.next_index_time) AS next_index
FROM urlword w LEFT JOIN urlstate s ON s.url_id = w.url_id;
COMMENT ON VIEW crawl_diagnostics IS 'The crawl state of a URL on one line.';
COMMENT ON COLUMN crawl_diagnostics.url_id IS 'Key: urlword.url_id.';
COMMENT ON COLUMN crawl_diagnostics.url IS 'The URL.';
COMMENT ON COLUMN crawl_diagnostics.status IS 'The last good status, or the error of a URL that is not a document.';
COMMENT ON COLUMN crawl_diagnostics.lost_status IS 'The current error of a lost document. 0 = not lost.';
COMMENT ON COLUMN crawl_diagnostics.lost_count IS 'Number of runs that found it lost. 0 = not lost.';
COMMENT ON COLUMN crawl_diagnostics.deleted IS '1 = removed from the index by a rule, 0 = not.';
COMMENT ON COLUMN crawl_diagnostics.origin IS 'url_id of the original of a clone. 0 = not a clone.';
COMMENT ON COLUMN crawl_diagnostics.redir IS 'url_id of the redirect''s target. 0 = none.';
COMMENT ON COLUMN crawl_diagnostics.attempts IS 'Number of attempts to fetch the URL. NULL = none.';
COMMENT ON COLUMN crawl_diagnostics.last_attempt IS 'Time of the last attempt.';
COMMENT ON COLUMN crawl_diagnostics.error_class IS 'Class of the current series of errors. Empty after a success.';
COMMENT ON COLUMN crawl_diagnostics.error_count IS 'Number of successive errors of that class.';
COMMENT ON COLUMN crawl_diagnostics.marks IS 'Remarks about the current version: see urlstate.marks.';
COMMENT ON COLUMN crawl_diagnostics.next_index IS 'When the URL is due.';

CREATE VIEW indexed_documents AS
SELECT url_id, site_id, url, status_base(status) AS status, origin
FROM urlword
WHERE deleted = 0 AND status_base(status) IN (200, 302);
COMMENT ON VIEW indexed_documents IS 'URLs that count as indexed: documents with status 200 (including lost documents and clones) and 302. Not 301, 406 and errors.';
COMMENT ON COLUMN indexed_documents.url_id IS 'The document.';
COMMENT ON COLUMN indexed_documents.site_id IS 'The document''s site.';
COMMENT ON COLUMN indexed_documents.url IS 'The URL.';
COMMENT ON COLUMN indexed_documents.status IS '200 or 302. 200 for a lost document.';
COMMENT ON COLUMN indexed_documents.origin IS 'url_id of the original of a clone. 0 = not a clone.';

CREATE VIEW lost_documents AS
SELECT url_id, site_id, url, status_lost(status) AS lost_status, status_lost_count(status) AS lost_count,
       to_timestamp(last_index_time) AS last_index, to_timestamp(next_index_time) AS next_index
FROM urlword
WHERE deleted = 0 AND status >= 65536;
COMMENT ON VIEW lost_documents IS 'Documents that currently answer with an error and can still be found: the error, the number of runs, and the next attempt.';
COMMENT ON COLUMN lost_documents.url_id IS 'The document.';
COMMENT ON COLUMN lost_documents.site_id IS 'The document''s site.';
COMMENT ON COLUMN lost_documents.url IS 'The URL.';
COMMENT ON COLUMN lost_documents.lost_status IS 'The current error.';
COMMENT ON COLUMN lost_documents.lost_count IS 'Number of runs that found it lost, 1 to 15.';
COMMENT ON COLUMN lost_documents.last_index IS 'Time of the last answer.';
COMMENT ON COLUMN lost_documents.next_index IS 'When the document is due.';

CREATE VIEW clones AS
SELECT o.url_id AS original_id, o.url AS original, c.url_id AS clone_id, c.url AS clone
FROM urlword c JOIN urlword o ON o.url_id = c.origin
WHERE c.deleted = 0;
COMMENT ON VIEW clones IS 'Documents with the same content: the original and its clones.';
COMMENT ON COLUMN clones.original_id IS 'The original.';
COMMENT ON COLUMN clones.original IS 'URL of the original.';
COMMENT ON COLUMN clones.clone_id IS 'A document with the same content.';
COMMENT ON COLUMN clones.clone IS 'URL of the clone.';

CREATE VIEW broken_links AS
WITH broken AS MATERIALIZED (
    SELECT w.url_id, w.url, CASE WHEN w.status >= 65536 THEN status_lost(w.status) ELSE w.status END AS status,
           unnest(c.referrers) AS referrer_id
    FROM urlword w JOIN citation c ON c.url_id = w.url_id
    WHERE (w.status >= 65536 OR w.status >= 400 AND w.status NOT IN (406, 903))
      AND (w.deleted = 0 OR EXISTS (SELECT FROM urlstate s WHERE s.url_id = w.url_id AND s.withdrawn_by = 'T-13'))
)
SELECT b.url_id, b.url, b.status, b.referrer_id, r.url AS referrer
FROM broken b JOIN urlword r ON r.url_id = b.referrer_id;
COMMENT ON VIEW broken_links IS 'URLs that answered with an error. One row for each page that links to such a URL.';
COMMENT ON COLUMN broken_links.url_id IS 'The URL that answered with an error.';
COMMENT ON COLUMN broken_links.url IS 'The URL.';
COMMENT ON COLUMN broken_links.status IS 'The error, an extended status.';
COMMENT ON COLUMN broken_links.referrer_id IS 'A page that links to it.';
COMMENT ON COLUMN broken_links.referrer IS 'URL of the page.';

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
COMMENT ON VIEW redirect_chains IS 'All redirecting URLs with the end of their chain.';
COMMENT ON COLUMN redirect_chains.url_id IS 'The URL that redirects.';
COMMENT ON COLUMN redirect_chains.url IS 'The URL.';
COMMENT ON COLUMN redirect_chains.redirects IS 'Number of redirects up to the end of the chain.';
COMMENT ON COLUMN redirect_chains.last_url IS 'URL at the end of the chain.';
COMMENT ON COLUMN redirect_chains.last_status IS 'Status of the last URL. 0 = not fetched yet.';
COMMENT ON COLUMN redirect_chains.looped IS 'true = the chain is a loop or has more than 8 redirects.';

-- Sites.

CREATE VIEW documents_by_site AS
SELECT s.site_id, s.site, d.status, d.lost, d.deleted, d.documents
FROM (SELECT site_id, status_base(status) AS status, status >= 65536 AS lost, deleted = 1 AS deleted, count(*) AS documents
      FROM urlword GROUP BY 1, 2, 3, 4) d
JOIN sites s ON s.site_id = d.site_id;
COMMENT ON VIEW documents_by_site IS 'Number of URLs of each site by status.';
COMMENT ON COLUMN documents_by_site.site_id IS 'The site.';
COMMENT ON COLUMN documents_by_site.site IS 'http://host[:port]/.';
COMMENT ON COLUMN documents_by_site.status IS 'Base status. 0 = not fetched yet.';
COMMENT ON COLUMN documents_by_site.lost IS 'true = lost documents.';
COMMENT ON COLUMN documents_by_site.deleted IS 'true = removed from the index by a rule.';
COMMENT ON COLUMN documents_by_site.documents IS 'Number of URLs.';

CREATE VIEW sites_on_hold AS
SELECT h.site_id, s.site, h.held_at, h.reason, w.url, h.cause, h.live, h.turned_lost, h.run_id
FROM site_hold h
JOIN sites s ON s.site_id = h.site_id
LEFT JOIN urlword w ON w.url_id = h.url_id
WHERE h.ended_at IS NULL;
COMMENT ON VIEW sites_on_hold IS 'Sites on hold: too many of their documents failed at once, so none of them is lost or purged. index --release ends a hold.';
COMMENT ON COLUMN sites_on_hold.site_id IS 'The site.';
COMMENT ON COLUMN sites_on_hold.site IS 'Name of the site.';
COMMENT ON COLUMN sites_on_hold.held_at IS 'Start of the hold.';
COMMENT ON COLUMN sites_on_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed.';
COMMENT ON COLUMN sites_on_hold.url IS 'The document whose failure exceeded the limit.';
COMMENT ON COLUMN sites_on_hold.cause IS 'What went wrong with that document.';
COMMENT ON COLUMN sites_on_hold.live IS 'Live documents of the site when the run began.';
COMMENT ON COLUMN sites_on_hold.turned_lost IS 'Documents that became lost in the run before the hold.';
COMMENT ON COLUMN sites_on_hold.run_id IS 'The run that put the site on hold.';

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
COMMENT ON VIEW site_summary IS 'One line for each site: its URLs by state and its errors by class (index -S --sites).';
COMMENT ON COLUMN site_summary.site_id IS 'The site.';
COMMENT ON COLUMN site_summary.site IS 'Name of the site.';
COMMENT ON COLUMN site_summary.found IS 'Known URLs.';
COMMENT ON COLUMN site_summary.fetched IS 'URLs that were fetched at least once.';
COMMENT ON COLUMN site_summary.live IS 'Live documents, including lost documents and clones.';
COMMENT ON COLUMN site_summary.lost IS 'Lost documents.';
COMMENT ON COLUMN site_summary.redirects IS 'URLs that redirect.';
COMMENT ON COLUMN site_summary.withdrawn IS 'URLs that a rule removed from the index.';
COMMENT ON COLUMN site_summary.error_server IS 'URLs in a series of server errors: 403, 429, 5xx and all errors without another class.';
COMMENT ON COLUMN site_summary.error_auth IS 'URLs in a series of 401 answers.';
COMMENT ON COLUMN site_summary.error_gone IS 'URLs in a series of 404 and 410 answers.';
COMMENT ON COLUMN site_summary.error_unreachable IS 'URLs in a series of attempts without an answer.';
COMMENT ON COLUMN site_summary.on_hold IS 'true = the site is on hold.';

-- The crawl.

CREATE VIEW fetch_queue AS
SELECT w.url_id, w.url, w.site_id,
       CASE WHEN w.deleted = 1 THEN 'withdrawn' WHEN w.next_index_time = -1 THEN 'recrawl' WHEN w.next_index_time = 0 THEN 'start'
            WHEN w.status = 0 THEN 'new' ELSE 'known' END AS class,
       to_timestamp(w.next_index_time) AS due, w.hops
FROM urlword w
WHERE w.next_index_time <= floor(extract(epoch FROM now()))::bigint; -- bigint, so that the index urlword_next_index_time is used
COMMENT ON VIEW fetch_queue IS 'URLs that are due now. A URL that a rule removed (withdrawn) is not fetched: the rule is tested again.';
COMMENT ON COLUMN fetch_queue.url_id IS 'The URL''s key.';
COMMENT ON COLUMN fetch_queue.url IS 'The URL.';
COMMENT ON COLUMN fetch_queue.site_id IS 'The URL''s site.';
COMMENT ON COLUMN fetch_queue.class IS 'In the order of fetching on a site: recrawl = requested by index --recrawl, start = start URL of a crawl, new = never fetched, known = fetched before, withdrawn = removed by a rule.';
COMMENT ON COLUMN fetch_queue.due IS 'Since when the URL is due. 1970 or before = ahead of all others.';
COMMENT ON COLUMN fetch_queue.hops IS 'Number of links between a start URL and this URL.';

CREATE VIEW open_schedules AS
SELECT seq, run_id, fetcher, attempt, schedule_time, deadline, deadline < now() AS late, reschedule_count,
       site_ids, cardinality(url_ids) AS urls
FROM schedule
WHERE status = 's';
COMMENT ON VIEW open_schedules IS 'Schedules whose results are not all recorded.';
COMMENT ON COLUMN open_schedules.seq IS 'Number of the schedule.';
COMMENT ON COLUMN open_schedules.run_id IS 'The run that issued it last.';
COMMENT ON COLUMN open_schedules.fetcher IS 'Name of the holder.';
COMMENT ON COLUMN open_schedules.attempt IS 'How often it was issued.';
COMMENT ON COLUMN open_schedules.schedule_time IS 'When it was issued last.';
COMMENT ON COLUMN open_schedules.deadline IS 'After this time another fetcher may take it.';
COMMENT ON COLUMN open_schedules.late IS 'true = the deadline has passed.';
COMMENT ON COLUMN open_schedules.reschedule_count IS 'How often it was issued again.';
COMMENT ON COLUMN open_schedules.site_ids IS 'Its sites.';
COMMENT ON COLUMN open_schedules.urls IS 'Number of its URLs, including those recorded by an earlier holder.';

CREATE VIEW sender_window AS
SELECT seq, attempt, fetcher, schedule_time, deadline, status, reschedule_count
FROM schedule
WHERE seq >= coalesce((SELECT min(seq) FROM schedule WHERE status = 's'), (SELECT max(seq) + 1 FROM schedule));
COMMENT ON VIEW sender_window IS 'The sender''s window: schedules from the lowest open one on.';
COMMENT ON COLUMN sender_window.seq IS 'Number of the schedule.';
COMMENT ON COLUMN sender_window.attempt IS 'How often it was issued.';
COMMENT ON COLUMN sender_window.fetcher IS 'Name of the holder.';
COMMENT ON COLUMN sender_window.schedule_time IS 'When it was issued last.';
COMMENT ON COLUMN sender_window.deadline IS 'After this time another fetcher may take it.';
COMMENT ON COLUMN sender_window.status IS 's = open, a = acknowledged.';
COMMENT ON COLUMN sender_window.reschedule_count IS 'How often it was issued again.';

CREATE VIEW receiver_window AS
WITH low AS MATERIALIZED (SELECT min(seq) AS seq FROM schedule WHERE status = 's')
SELECT j.schedule_seq, j.place, j.url_id, j.status, j.fetched_at
FROM journal j CROSS JOIN low
WHERE j.schedule_seq >= low.seq;
COMMENT ON VIEW receiver_window IS 'The receiver''s window: results that wait for an earlier schedule.';
COMMENT ON COLUMN receiver_window.schedule_seq IS 'The schedule of the fetch.';
COMMENT ON COLUMN receiver_window.place IS 'Place of the URL in its schedule, from 0.';
COMMENT ON COLUMN receiver_window.url_id IS 'The document.';
COMMENT ON COLUMN receiver_window.status IS '200, 301, 302 or 406.';
COMMENT ON COLUMN receiver_window.fetched_at IS 'When the document was fetched.';

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

-- Orphans.

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
COMMENT ON VIEW unreached IS 'Documents that the last complete and unlimited --respider run did not reach: orphans, and documents to which a current page links again.';
COMMENT ON COLUMN unreached.url_id IS 'Key: urlword.url_id.';
COMMENT ON COLUMN unreached.site_id IS 'The document''s site.';
COMMENT ON COLUMN unreached.url IS 'The URL.';
COMMENT ON COLUMN unreached.status IS 'The last good status.';
COMMENT ON COLUMN unreached.lost IS 'true = it was lost before that run. Then LostPeriod is added to OrphanPeriod.';
COMMENT ON COLUMN unreached.last_index IS 'Time of the last answer from the site.';
COMMENT ON COLUMN unreached.since IS 'Start of the run that did not reach it.';

-- citation and the journal give the candidates; the stored links of the page decide whether the link still exists. A clone has the links
-- of its original.
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
COMMENT ON VIEW relinked IS 'The documents of the view unreached to which a current page links: a page visited since that run, or one that is itself relinked.';
COMMENT ON COLUMN relinked.url_id IS 'Key: urlword.url_id.';

CREATE VIEW orphans AS
SELECT u.url_id, u.site_id, u.url, u.status, u.lost, u.last_index, u.since
FROM unreached u
WHERE u.url_id NOT IN (SELECT url_id FROM relinked);
COMMENT ON VIEW orphans IS 'Documents that no link reaches: the last complete and unlimited --respider run did not reach them, and no current page links to them.';
COMMENT ON COLUMN orphans.url_id IS 'Key: urlword.url_id.';
COMMENT ON COLUMN orphans.site_id IS 'The document''s site.';
COMMENT ON COLUMN orphans.url IS 'The URL.';
COMMENT ON COLUMN orphans.status IS 'The last good status.';
COMMENT ON COLUMN orphans.lost IS 'true = it was lost before it became an orphan. Then LostPeriod is added to OrphanPeriod.';
COMMENT ON COLUMN orphans.last_index IS 'Time of the last answer from the site. The periods are measured from it.';
COMMENT ON COLUMN orphans.since IS 'Start of the run that did not reach it.';

-- The index and the queries.

CREATE VIEW index_size AS
WITH w AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE urls <> '') AS inline_words,
           coalesce(sum(urlcount) FILTER (WHERE urls <> ''), 0)::bigint AS inline_postings,
           coalesce(sum(urlcount) FILTER (WHERE urls = ''), 0)::bigint AS large_postings,
           coalesce(sum(octet_length(urls)), 0)::bigint AS inline_bytes
    FROM wordurl
), f AS MATERIALIZED (
    SELECT level, count(*) AS rows, sum(urlcount)::bigint AS postings, sum(octet_length(urls))::bigint AS bytes
    FROM wordfile GROUP BY level
), r AS MATERIALIZED (
    SELECT count(*) AS rows, coalesce(sum(urlcount), 0)::bigint AS postings, coalesce(sum(octet_length(urls)), 0)::bigint AS bytes
    FROM wordurl1
), h AS MATERIALIZED (
    SELECT count(i.word_id) AS postings
    FROM rt_urls u JOIN docwords d ON d.url_id = u.url_id CROSS JOIN LATERAL docwords_info(d.words) i
), line (n, part, rows, postings, out_of_date, bytes) AS (
    SELECT 1, 'wordurl', w.inline_words, w.inline_postings, 0::bigint, w.inline_bytes FROM w
    UNION ALL
    SELECT 2 + l.level, 'wordfile level ' || l.level, coalesce(f.rows, 0), coalesce(f.postings, 0), NULL, coalesce(f.bytes, 0)
    FROM generate_series(0, 2) l (level) LEFT JOIN f ON f.level = l.level
    UNION ALL
    SELECT 5, 'wordfile', coalesce(sum(f.rows), 0)::bigint, coalesce(sum(f.postings), 0)::bigint,
           coalesce(sum(f.postings), 0)::bigint - (SELECT w.large_postings FROM w), coalesce(sum(f.bytes), 0)::bigint
    FROM f
    UNION ALL
    SELECT 6, 'wordurl1', r.rows, r.postings, 0, r.bytes FROM r
    UNION ALL
    SELECT 7, 'hidden by wordurl1', (SELECT count(*) FROM rt_urls), h.postings, h.postings, NULL FROM h
    UNION ALL
    SELECT 8, 'docwords', count(*), NULL, NULL, coalesce(sum(octet_length(d.words)), 0)::bigint FROM docwords d
    UNION ALL
    SELECT 9, 'indexes', NULL, NULL, NULL,
           (SELECT sum(pg_indexes_size(t::regclass))::bigint
            FROM unnest(ARRAY['wordurl'::regclass, 'wordfile'::regclass, 'wordurl1'::regclass, 'docwords'::regclass]) t)
    UNION ALL
    SELECT 10, 'on disk', NULL, NULL, NULL,
           (SELECT sum(pg_total_relation_size(t::regclass))::bigint
            FROM unnest(ARRAY['wordurl'::regclass, 'wordfile'::regclass, 'wordurl1'::regclass, 'docwords'::regclass]) t)
)
SELECT l.part, l.rows, l.postings, l.out_of_date,
       round(100.0 * l.out_of_date / nullif(l.postings, 0), 1) AS out_of_date_percent, l.bytes
FROM line l
ORDER BY l.n;
COMMENT ON VIEW index_size IS 'The size of the inverted index by part, and how much of it is out of date. Exact: it reads wordurl, docwords and the heads of wordfile once.';
COMMENT ON COLUMN index_size.part IS 'wordurl: words with up to 1000 bytes of postings. wordfile: the other words, by level and together. wordurl1: real-time documents. hidden by wordurl1: the postings of these documents in wordurl and wordfile, which are counted there too. indexes, on disk: the four tables, with free space and rows that are not vacuumed yet.';
COMMENT ON COLUMN index_size.rows IS 'Rows of the table. For wordurl only rows with postings; for the hidden part the number of documents.';
COMMENT ON COLUMN index_size.postings IS 'Pairs of word and document, without removals.';
COMMENT ON COLUMN index_size.out_of_date IS 'Postings that a newer row replaces or removes; compaction drops them. NULL = only the sum over the levels is known.';
COMMENT ON COLUMN index_size.out_of_date_percent IS 'Share of out_of_date in postings.';
COMMENT ON COLUMN index_size.bytes IS 'Bytes of the packed values. In the last two lines bytes on disk.';

CREATE VIEW stat_daily AS
SELECT to_timestamp(start::double precision)::date AS day,
       count(*) AS queries,
       count(DISTINCT query) AS distinct_queries,
       count(*) FILTER (WHERE urls = 0) AS empty,
       count(*) FILTER (WHERE urls < 0) AS errors,
       count(DISTINCT addr) FILTER (WHERE addr <> '') AS addresses,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY (finish - start)::double precision) * 1000)::numeric, 1) AS median_ms,
       round((percentile_cont(0.95) WITHIN GROUP (ORDER BY (finish - start)::double precision) * 1000)::numeric, 1) AS p95_ms,
       round(max(finish - start) * 1000) AS slowest_ms
FROM stat
GROUP BY 1;
COMMENT ON VIEW stat_daily IS 'Queries by day, in the session''s time zone. Each page of results counts as a query.';
COMMENT ON COLUMN stat_daily.day IS 'Day of the queries'' start.';
COMMENT ON COLUMN stat_daily.queries IS 'Completed queries.';
COMMENT ON COLUMN stat_daily.distinct_queries IS 'Distinct query texts.';
COMMENT ON COLUMN stat_daily.empty IS 'Queries without results.';
COMMENT ON COLUMN stat_daily.errors IS 'Queries with an error.';
COMMENT ON COLUMN stat_daily.addresses IS 'Distinct client addresses. 0 with StatAddress none.';
COMMENT ON COLUMN stat_daily.median_ms IS 'Median duration in milliseconds.';
COMMENT ON COLUMN stat_daily.p95_ms IS '95th percentile of the duration in milliseconds.';
COMMENT ON COLUMN stat_daily.slowest_ms IS 'Longest duration in milliseconds.';

-- The role that searches. Roles belong to the server, grants to the database.

-- +goose StatementBegin
CREATE FUNCTION grant_search(the_role name, allowed boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    granted   CONSTANT text := CASE WHEN allowed THEN 'GRANT' ELSE 'REVOKE' END;
    whom      CONSTANT text := CASE WHEN allowed THEN ' TO ' ELSE ' FROM ' END || quote_ident(the_role);
    functions CONSTANT text := 'search(text, integer), find_url(text), '
        || 'search_terms, text_words, character_classes, fold_word, word_documents, word_records, place_at, place_from, phrase_places, '
        || 'search_rank, search_score, search_excerpt, word_postings, word_info, word_positions, u32le, '
        || 'subset_documents, site_bits, site_labels, status_base, status_lost, status_lost_count';
    tables    text := 'sites, urlkey, urlword, urlwords, urlrank, wordurl, wordurl1, wordfile, rt_urls, docdates, citation, wordsite, '
        || 'subsets, subsetdocs, subsetstate, spaces, totals, wordrules, '
        || 'urlstate, journal, markdel, reindexing, schedule, fetcher, sites_on_hold'; -- marks of pages, unmerged versions, the status page
BEGIN
    FOR n IN 0 .. 15 LOOP
        tables := tables || ', urlwords' || lpad(n::text, 2, '0');
    END LOOP;
    EXECUTE granted || ' USAGE ON SCHEMA ' || quote_ident(current_schema()) || whom;
    EXECUTE granted || ' SELECT ON ' || tables || whom;
    EXECUTE granted || ' INSERT ON stat' || whom;
    EXECUTE granted || ' EXECUTE ON FUNCTION ' || functions || whom;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION grant_search(name, boolean) IS
    'Lets a role search: read the index and the stored pages, execute the search functions and insert into stat, nothing else. With false it revokes these privileges. Only for the owner of the tables.';
REVOKE EXECUTE ON FUNCTION grant_search(name, boolean) FROM PUBLIC;
-- The search_path as in 00107_functions.sql.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION grant_search(name, boolean) SET search_path = %I, pg_temp', current_schema());
END $$;
-- +goose StatementEnd

-- Several databases of one server may be migrated at once.
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        BEGIN
            CREATE ROLE pgseek_search NOLOGIN;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN
                NULL; -- another database has just created it
            WHEN insufficient_privilege THEN
                RAISE NOTICE 'the role pgseek_search does not exist, and % may not create it: searches run as the owner (docs/schema.md)', current_user;
        END;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        RETURN;
    END IF;
    PERFORM grant_search('pgseek_search');
    IF NOT pg_has_role(current_user, 'pgseek_search', 'MEMBER') THEN
        BEGIN
            EXECUTE format('GRANT pgseek_search TO %I', current_user);
        EXCEPTION WHEN insufficient_privilege OR unique_violation OR internal_error THEN -- the last: "tuple concurrently updated"
            RAISE NOTICE '% is not a member of pgseek_search: searches run as the owner (docs/schema.md)', current_user;
        END;
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down

-- The role stays: other databases of the server use it.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        PERFORM grant_search('pgseek_search', false);
    END IF;
END $$;
-- +goose StatementEnd
DROP FUNCTION grant_search(name, boolean);
DROP VIEW stat_daily, index_size, orphans, relinked, unreached, last_run_changes, receiver_window, sender_window, open_schedules,
          fetch_queue, site_summary, sites_on_hold, documents_by_site, redirect_chains, broken_links, clones, lost_documents,
          indexed_documents, crawl_diagnostics, urlword_status;
