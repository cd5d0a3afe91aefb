-- A link to a picture or an archive is not broken: the file is there, but nothing reads its type. Such URLs leave broken_links
-- and have a view of their own.

-- +goose Up
CREATE OR REPLACE VIEW broken_links AS
WITH broken AS MATERIALIZED (
    SELECT w.url_id, w.url, CASE WHEN w.status >= 65536 THEN status_lost(w.status) ELSE w.status END AS status,
           unnest(c.referrers) AS referrer_id
    FROM urlword w JOIN citation c ON c.url_id = w.url_id
    WHERE (w.status >= 65536 OR w.status >= 400 AND w.status NOT IN (406, 903) AND w.status NOT BETWEEN 800 AND 806
           OR w.status = 406 AND EXISTS (SELECT FROM urlstate s WHERE s.url_id = w.url_id AND s.error_class = 'server'))
      AND (w.deleted = 0 OR EXISTS (SELECT FROM urlstate s WHERE s.url_id = w.url_id AND s.withdrawn_by = 'T-13'))
)
SELECT b.url_id, b.url, b.status, b.referrer_id, r.url AS referrer
FROM broken b JOIN urlword r ON r.url_id = b.referrer_id;

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

-- +goose Down
DROP VIEW unread_documents;
CREATE OR REPLACE VIEW broken_links AS
WITH broken AS MATERIALIZED (
    SELECT w.url_id, w.url, CASE WHEN w.status >= 65536 THEN status_lost(w.status) ELSE w.status END AS status,
           unnest(c.referrers) AS referrer_id
    FROM urlword w JOIN citation c ON c.url_id = w.url_id
    WHERE (w.status >= 65536 OR w.status >= 400 AND w.status NOT IN (406, 903)
           OR w.status = 406 AND EXISTS (SELECT FROM urlstate s WHERE s.url_id = w.url_id AND s.error_class = 'server'))
      AND (w.deleted = 0 OR EXISTS (SELECT FROM urlstate s WHERE s.url_id = w.url_id AND s.withdrawn_by = 'T-13'))
)
SELECT b.url_id, b.url, b.status, b.referrer_id, r.url AS referrer
FROM broken b JOIN urlword r ON r.url_id = b.referrer_id;
