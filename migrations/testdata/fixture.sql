-- A small index as a crawl and a merge leave it, with something for every query of docs/schema.md to find. Two sites:
-- www.example.org (1) and docs.example.org:8080 (2). The last run is 3, and it is still under way.

INSERT INTO sites (site_id, site) VALUES (1, 'http://www.example.org/'), (2, 'http://docs.example.org:8080/');
INSERT INTO sitestate (site_id, host, lease_seq, next_due, leased_at, labelled) VALUES
    (1, 'www.example.org', 12, 0, now(), true),
    (2, 'docs.example.org', 0, extract(epoch FROM now())::bigint - 7200, now() - interval '1 day', true);
INSERT INTO wordsite VALUES
    ('org', '{-2147483647}'), ('example', '{1073741825,1073741826}'), ('www', '{536870913}'),
    ('docs', '{536870914}'), ('org:8080', '{-2147483646}');

INSERT INTO urlword (url_id, site_id, url, next_index_time, status, crc, etag, last_index_time, referrer, hops, redir, origin, deleted)
SELECT u.url_id, u.site_id, u.url, extract(epoch FROM now())::bigint + u.due, u.status, u.crc, '',
    CASE WHEN u.status IN (0, 702) THEN 0 ELSE extract(epoch FROM now())::bigint - 86400 END,
    u.referrer, u.hops, u.redir, u.origin, u.deleted
FROM (VALUES
    (1, 1, 'http://www.example.org/', 600000, 200, md5('home'), 0, 0, 0, 0, 0),
    (2, 1, 'http://www.example.org/about.html', 600000, 200, md5('about'), 1, 1, 0, 0, 0),
    (3, 1, 'http://www.example.org/copy.html', 600000, 200, md5('about'), 1, 1, 0, 2, 0),
    (4, 1, 'http://www.example.org/gone.html', 1200, 404, '', 1, 1, 0, 0, 0),
    (5, 1, 'http://www.example.org/old.html', 600000, 301, '', 1, 1, 6, 0, 0),
    (6, 1, 'http://www.example.org/new.html', 600000, 302, '', 5, 2, 2, 0, 0),
    (7, 1, 'http://www.example.org/lost.html', 86400, 200 | (503 << 16) | (2 << 27), md5('lost'), 1, 1, 0, 0, 0),
    (8, 2, 'http://docs.example.org:8080/', 600000, 200, md5('docs'), 1, 1, 0, 0, 0),
    (9, 2, 'http://docs.example.org:8080/new.html', -7200, 0, '', 8, 2, 0, 0, 0),
    (10, 1, 'http://www.example.org/private/', 600000, 200, md5('private'), 1, 1, 0, 0, 1),
    (11, 1, 'http://www.example.org/changed.html', -60, 200, md5('changed'), 1, 1, 0, 0, 0),
    (12, 2, 'http://docs.example.org:8080/down.html', -3600, 702, '', 8, 2, 0, 0, 0)
) u (url_id, site_id, url, due, status, crc, referrer, hops, redir, origin, deleted);
INSERT INTO urlkey SELECT decode(md5(url), 'hex'), url_id FROM urlword;
SELECT setval('urlword_url_id_seq', 12), setval('sites_site_id_seq', 2);

INSERT INTO urlwords01 (url_id, wordcount, totalcount, content_type, charset, title, txt, docsize, lang, words, hrefs)
    VALUES (1, 2, 5, 'text/html', 'utf-8', 'Home', 'How to vacuum the house.', 1200, 'en', '\xffffffff', '{2,4,5,7,8,10,11}');
INSERT INTO urlwords02 (url_id, wordcount, totalcount, content_type, charset, title, txt, docsize, lang, words, hrefs)
    VALUES (2, 1, 1, 'text/html', 'utf-8', 'About', 'About the house.', 800, 'en', '\xffffffff', '{1}');
INSERT INTO urlwords05 (url_id, content_type, hrefs) VALUES (5, 'text/html', '{6}');
INSERT INTO urlwords06 (url_id, content_type, hrefs) VALUES (6, 'text/html', '{2}');
INSERT INTO urlwords07 (url_id, wordcount, totalcount, content_type, charset, title, docsize, words, hrefs)
    VALUES (7, 1, 1, 'text/html', 'utf-8', 'Lost', 500, '\xffffffff', '{1,4}');
INSERT INTO urlwords08 (url_id, wordcount, totalcount, content_type, charset, title, docsize, words, hrefs)
    VALUES (8, 1, 3, 'text/html', 'utf-8', 'Documentation', 900, '\xffffffff', '{1,9,12}');
INSERT INTO urlwords11 (url_id, wordcount, totalcount, content_type, charset, title, docsize, words, hrefs)
    VALUES (11, 1, 1, 'text/html', 'utf-8', 'Changed', 700, '\xffffffff', '{1}');

INSERT INTO citation VALUES (1, '{2,7,8,11}'), (2, '{1,6}'), (4, '{1,7}'), (5, '{1}'), (6, '{5}'), (7, '{1}'),
    (8, '{1}'), (9, '{8}'), (11, '{1}'), (12, '{8}');
INSERT INTO docdates SELECT url_id, now() - interval '30 days', now() - url_id * interval '1 day', 'last-modified'
    FROM urlword WHERE status_base(status) = 200 AND origin = 0 AND deleted = 0;

-- vacuum: inline, document 1 at 1 and 7 of the body and in the title, document 8 at 3.
INSERT INTO wordurl (word, word_id, urls, urlcount, totalcount) VALUES
    ('vacuum', 1, '\x14000000010000002000000002000000280000000100000003000100070001c00800000001000300', 2, 4),
    ('house', 2, '', 2, 3),
    ('forgotten', 3, '', 0, 0),
    ('lost', 4, '\x0c000000010000001400000007000000010001c0', 1, 1);
SELECT setval('wordurl_word_id_seq', 4);
-- house: base and a newer row that takes document 2 away and gives document 1 another version.
INSERT INTO wordfile (word_id, level, first_site, first_url, seq, urlcount, totalcount, urls) VALUES
    (2, 2, 1, 1, 1, 3, 3, '\x140000000100000024000000020000002c000000010000000100050002000000010002000800000001000900'),
    (2, 0, 1, 1, 2, 1, 2, '\x0c000000010000001c00000001000000020005000800020000000000');
SELECT setval('wordfile_seq', 2);
INSERT INTO docwords SELECT url_id, 1, '\x0100' FROM urlword WHERE url_id IN (2, 11);
-- vacuum 3 and house 2 in document 1, lost 1 in document 7, vacuum 1 in document 8.
INSERT INTO docwords VALUES (1, 1, '\x010201030102'), (7, 1, '\x01010401'), (8, 1, '\x01010101');
UPDATE totals SET documents = 3, words = 3, postings = 5, positions = 8;

-- A subset of a whole site, one of some documents, one that nothing has built yet, one that is gone.
INSERT INTO subsets (subset_id, mask) VALUES
    (1, 'http://docs.example.org:8080/%'), (2, 'http://www.example.org/l%'), (3, 'http://www.example.org/private/%');
SELECT setval('subsets_subset_id_seq', 3);
INSERT INTO subsetstate (subset_id, mask, whole_sites) VALUES
    (1, 'http://docs.example.org:8080/%', true), (2, 'http://www.example.org/l%', false), (4, 'http://old.example.org/%', true);
INSERT INTO subsetdocs VALUES (1, 2, -1, NULL), (2, 1, 0, '{7}'), (4, 1, -1, NULL);

INSERT INTO reindexing (run_id, kind, started_at, ended_at, end_reason, program, documents, created, lost, failed) VALUES
    (1, 'crawl', now() - interval '2 days', now() - interval '47 hours', 'complete', 'index host/100', 12, 8, 0, 2),
    (2, 'merge', now() - interval '47 hours', now() - interval '46 hours', 'complete', 'index host/100', 8, 0, 0, 0),
    (3, 'crawl', now() - interval '1 hour', NULL, NULL, 'index host/200', 5, 0, 1, 1);
-- An --respider that came to everything but 2 and 3. Links reach 2 again, from 1.
INSERT INTO reindexing (run_id, kind, started_at, begun_at, ended_at, end_reason, respider, starts) VALUES
    (0, 'crawl', now() - interval '40 minutes', now() - interval '40 minutes', now() - interval '39 minutes', 'complete', true, '{1}');
SELECT setval('reindexing_run_id_seq', 3);
INSERT INTO process (process_id, run_id, name, started_at) VALUES (1, 3, 'index host/200', now() - interval '1 hour');
SELECT setval('process_process_id_seq', 1);
INSERT INTO fetcher (name, run_id, started_at, heartbeat, process_id) VALUES
    ('host/200/0', 3, now() - interval '1 hour', now(), 1), ('host/200/1', 3, now() - interval '1 hour', now(), 1);
INSERT INTO site_hold (site_id, run_id, held_at, reason, url_id, cause, live, turned_lost) VALUES
    (2, 3, now() - interval '30 minutes', 'start URLs', 8, '503 Service Unavailable', 1, 0);
UPDATE sitestate SET gate = 'h' WHERE site_id = 2;
INSERT INTO schedule (seq, run_id, fetcher, attempt, schedule_time, deadline, status, reschedule_count, site_ids, url_ids) VALUES
    (10, 1, 'host/100/0', 1, now() - interval '100 days', now() - interval '99 days', 'a', 0, '{1}', '{1,2,3}'),
    (11, 3, 'host/200/1', 1, now() - interval '50 minutes', now() - interval '20 minutes', 'a', 0, '{2}', '{8,12}'),
    (12, 3, 'host/200/0', 2, now() - interval '40 minutes', now() - interval '10 minutes', 's', 1, '{1}', '{0,11,4}'),
    (13, 3, 'host/200/1', 1, now() - interval '5 minutes', now() + interval '25 minutes', 's', 0, '{2}', '{9}');
SELECT setval('schedule_seq_seq', 13);

INSERT INTO urlrank SELECT url_id, 0.15 + url_id / 10.0 FROM urlword WHERE deleted = 0 AND status_base(status) = 200 AND origin = 0;
UPDATE rankstate SET links = 8, changed = 1, documents = 5, computed_at = now() - interval '1 day';

-- Waiting for the merge: a new version of 11, read under the open schedule 12.
INSERT INTO markdel (url_id, seq, schedule_seq, site_id, run_id, reason) VALUES (11, 20, 12, 1, 3, 'T-04');
INSERT INTO journal (seq, schedule_seq, place, run_id, url_id, site_id, status, words) VALUES (21, 12, 1, 3, 11, 1, 200, '\x01');
SELECT setval('journal_seq', 21);

INSERT INTO urlstate (url_id, attempts, last_attempt, error_class, error_count, seen_run)
SELECT url_id, 2, now() - interval '30 minutes',
    CASE WHEN url_id IN (4) THEN 'gone' WHEN url_id = 7 THEN 'server' WHEN url_id = 12 THEN 'unreachable' ELSE '' END,
    CASE WHEN url_id IN (4, 7, 12) THEN 2 ELSE 0 END, 3
FROM urlword WHERE status <> 0;
UPDATE urlstate SET last_attempt = now() - interval '2 days' WHERE url_id IN (2, 3);
UPDATE urlstate SET withdrawn_by = 'T-12' WHERE url_id = 10;
UPDATE urlstate SET canonical = 1 WHERE url_id = 3;
UPDATE urlstate SET index_mode = index_mode | 512 WHERE url_id = 3;
INSERT INTO crawl_history (url_id, slot, run_id, at, rule, result, old_status, new_status, bytes, elapsed_ms, cause) VALUES
    (1, 0, 1, now() - interval '2 days', 'T-01', 200, 0, 200, 1200, 14, ''),
    (1, 1, 3, now() - interval '55 minutes', 'T-02', 304, 200, 200, 0, 5, ''),
    (4, 0, 3, now() - interval '54 minutes', 'T-08', 404, 404, 404, 300, 7, 'Not Found'),
    (7, 0, 1, now() - interval '2 days', 'T-01', 200, 0, 200, 500, 9, ''),
    (7, 1, 3, now() - interval '53 minutes', 'T-07', 503, 200 | (503 << 16) | (1 << 27), 200 | (503 << 16) | (2 << 27), 0, 11, 'Service Unavailable'),
    (11, 0, 3, now() - interval '52 minutes', 'T-04', 200, 200, 200, 700, 8, ''),
    (12, 0, 3, now() - interval '51 minutes', 'T-10n', 702, 702, 702, 0, 1, 'connection refused');

INSERT INTO robots VALUES ('www.example.org', '/private/');
INSERT INTO robots_cache VALUES
    ('www.example.org', now(), 200, 0, now(), 'User-agent: *'),
    ('docs.example.org:8080', now(), 503, 3, now() - interval '1 day', '');
INSERT INTO stat (addr, query, np, ps, sites, urls, start, finish) VALUES
    ('192.0.2.1', 'vacuum', 0, 20, 2, 2, extract(epoch FROM now()) - 10, extract(epoch FROM now()) - 9.9),
    ('192.0.2.1', 'vacuum house', 0, 20, 1, 1, extract(epoch FROM now()) - 400 * 86400, extract(epoch FROM now()) - 400 * 86400 + 0.2);
