-- site_summary counts each error under the class of the answer: a document that a hold keeps answered, although its class is that of no
-- answer, and what cannot be read is unread, as in unread_documents. Damaged documents (801, 805, 806) with nothing in the index get the
-- class unread, and are visited again after Period. Their next visit stays when it was.
--
-- Reads urlword and urlstate once.

-- +goose Up
UPDATE urlstate s SET error_class = 'unread' FROM urlword w WHERE w.url_id = s.url_id AND w.status IN (801, 805, 806) AND s.error_class = 'server';
COMMENT ON COLUMN urlstate.error_class IS 'Class of the current series of errors: server, auth, gone, unreachable or robots; unread = the URL has nothing in the index, and nothing reads its type, or the document is damaged. Empty after a success.';

CREATE OR REPLACE VIEW site_summary AS
SELECT s.site_id, s.site, u.found, u.fetched, u.live, u.lost, u.redirects, u.withdrawn,
       u.error_server, u.error_auth, u.error_gone, u.error_unreachable, coalesce(t.gate = 'h', false) AS on_hold, u.unread
FROM sites s
JOIN (SELECT w.site_id, count(*) AS found, count(*) FILTER (WHERE w.status <> 0) AS fetched,
             count(*) FILTER (WHERE w.deleted = 0 AND status_base(w.status) = 200) AS live,
             count(*) FILTER (WHERE w.deleted = 0 AND w.status >= 65536) AS lost,
             count(*) FILTER (WHERE w.deleted = 0 AND w.status IN (301, 302)) AS redirects,
             count(*) FILTER (WHERE w.deleted = 1) AS withdrawn,
             count(*) FILTER (WHERE w.deleted = 0 AND c.class = 'server') AS error_server,
             count(*) FILTER (WHERE w.deleted = 0 AND c.class = 'auth') AS error_auth,
             count(*) FILTER (WHERE w.deleted = 0 AND c.class = 'gone') AS error_gone,
             count(*) FILTER (WHERE w.deleted = 0 AND c.class = 'unreachable') AS error_unreachable,
             count(*) FILTER (WHERE w.deleted = 0 AND c.class = 'unread') AS unread
      FROM urlword w
      LEFT JOIN urlstate e ON e.url_id = w.url_id
      LEFT JOIN LATERAL (
          SELECT h.result, h.cause FROM crawl_history h
          WHERE e.error_class = 'unreachable' AND h.url_id = w.url_id
          ORDER BY h.at DESC, h.slot DESC LIMIT 1
      ) h ON true
      CROSS JOIN LATERAL (
          SELECT CASE WHEN w.status BETWEEN 800 AND 806 THEN 'unread'
                      WHEN h.cause IS NULL OR h.cause NOT LIKE 'site on hold: %' OR h.result BETWEEN 700 AND 799 OR h.result = 902 THEN e.error_class
                      WHEN h.result IN (404, 410, 905) THEN 'gone'
                      WHEN h.result = 401 THEN 'auth'
                      WHEN h.result >= 400 THEN 'server'
                 END AS class
      ) c
      GROUP BY w.site_id) u ON u.site_id = s.site_id
LEFT JOIN sitestate t ON t.site_id = s.site_id;
COMMENT ON COLUMN site_summary.error_server IS 'URLs in a series of server errors: 403, 429, 5xx and all errors without another class. Also documents that a hold keeps, as in the next two columns.';
COMMENT ON COLUMN site_summary.unread IS 'URLs with nothing in the index whose answer cannot be read: those of unread_documents.';

-- +goose Down
UPDATE urlstate s SET error_class = 'server' FROM urlword w WHERE w.url_id = s.url_id AND w.status IN (801, 805, 806) AND s.error_class = 'unread';
COMMENT ON COLUMN urlstate.error_class IS 'Class of the current series of errors: server, auth, gone, unreachable or robots; unread = the URL has nothing in the index, and nothing reads its type, which is no error. Empty after a success.';
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
COMMENT ON COLUMN site_summary.error_server IS 'URLs in a series of server errors: 403, 429, 5xx and all errors without another class.';
