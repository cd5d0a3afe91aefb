-- A type that nothing reads is no error: URLs with nothing in the index whose last answer was of such a type have an error class of their
-- own, and are visited again after Period. unread_documents gets the type, site_summary the number.
--
-- Locks urlstate while its rows are read once. URLs that have such a status change their class here; their next visit stays when it was.

-- +goose Up
ALTER TABLE urlstate DROP CONSTRAINT urlstate_error_class_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_error_class_check CHECK (error_class IN ('', 'server', 'auth', 'gone', 'unreachable', 'robots', 'unread'));
UPDATE urlstate s SET error_class = 'unread' FROM urlword w WHERE w.url_id = s.url_id AND w.status = 800 AND s.error_class = 'server';
COMMENT ON COLUMN urlstate.error_class IS 'Class of the current series of errors: server, auth, gone, unreachable or robots; unread = the URL has nothing in the index, and nothing reads its type, which is no error. Empty after a success.';

CREATE OR REPLACE VIEW unread_documents AS
SELECT w.url_id, w.url, w.status, coalesce(h.cause, '') AS cause,
       CASE WHEN w.status = 800 THEN coalesce(lower(rtrim(substring(h.cause FROM '^no converter for ([^ ;]+)'))), '') ELSE '' END AS media_type
FROM urlword w LEFT JOIN LATERAL (
    SELECT cause FROM crawl_history WHERE url_id = w.url_id AND result = w.status ORDER BY at DESC, slot DESC LIMIT 1
) h ON true
WHERE w.status BETWEEN 800 AND 806 AND w.deleted = 0;
COMMENT ON COLUMN unread_documents.media_type IS 'The type that nothing reads. Empty for a status other than 800, or if crawl_history has no cause.';

CREATE OR REPLACE VIEW site_summary AS
SELECT s.site_id, s.site, u.found, u.fetched, u.live, u.lost, u.redirects, u.withdrawn,
       u.error_server, u.error_auth, u.error_gone, u.error_unreachable, coalesce(t.gate = 'h', false) AS on_hold, u.unread
FROM sites s
JOIN (SELECT w.site_id, count(*) AS found, count(*) FILTER (WHERE w.status <> 0) AS fetched,
             count(*) FILTER (WHERE w.deleted = 0 AND status_base(w.status) = 200) AS live,
             count(*) FILTER (WHERE w.deleted = 0 AND w.status >= 65536) AS lost,
             count(*) FILTER (WHERE w.deleted = 0 AND w.status IN (301, 302)) AS redirects,
             count(*) FILTER (WHERE w.deleted = 1) AS withdrawn,
             count(*) FILTER (WHERE w.deleted = 0 AND e.error_class = 'server') AS error_server,
             count(*) FILTER (WHERE w.deleted = 0 AND e.error_class = 'auth') AS error_auth,
             count(*) FILTER (WHERE w.deleted = 0 AND e.error_class = 'gone') AS error_gone,
             count(*) FILTER (WHERE w.deleted = 0 AND e.error_class = 'unreachable') AS error_unreachable,
             count(*) FILTER (WHERE w.deleted = 0 AND e.error_class = 'unread') AS unread
      FROM urlword w LEFT JOIN urlstate e ON e.url_id = w.url_id
      GROUP BY w.site_id) u ON u.site_id = s.site_id
LEFT JOIN sitestate t ON t.site_id = s.site_id;
COMMENT ON COLUMN site_summary.unread IS 'URLs with nothing in the index whose type nothing reads.';

-- +goose Down
DROP VIEW unread_documents;
CREATE VIEW unread_documents AS
SELECT w.url_id, w.url, w.status, coalesce(h.cause, '') AS cause
FROM urlword w LEFT JOIN LATERAL (
    SELECT cause FROM crawl_history WHERE url_id = w.url_id AND result = w.status ORDER BY at DESC, slot DESC LIMIT 1
) h ON true
WHERE w.status BETWEEN 800 AND 806 AND w.deleted = 0;
COMMENT ON VIEW unread_documents IS 'URLs whose answer cannot be read: pictures, archives and other types without a converter, broken encodings.';
COMMENT ON COLUMN unread_documents.url_id IS 'The URL.';
COMMENT ON COLUMN unread_documents.url IS 'The URL as text.';
COMMENT ON COLUMN unread_documents.status IS 'Why it cannot be read, an extended status from 800 to 806.';
COMMENT ON COLUMN unread_documents.cause IS 'Cause of its last such attempt, with the type if nothing reads it. Empty if crawl_history has none.';
DROP VIEW site_summary;
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
COMMENT ON COLUMN urlstate.error_class IS 'Class of the current series of errors: server, auth, gone, unreachable or robots. Empty after a success.';
UPDATE urlstate SET error_class = 'server' WHERE error_class = 'unread';
ALTER TABLE urlstate DROP CONSTRAINT urlstate_error_class_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_error_class_check CHECK (error_class IN ('', 'server', 'auth', 'gone', 'unreachable', 'robots'));
