-- broken_links also has the URLs whose server answered 406. Their status is that of pages which are not to be indexed, but they
-- have a series of errors.

-- +goose Up
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

-- +goose Down
CREATE OR REPLACE VIEW broken_links AS
WITH broken AS MATERIALIZED (
    SELECT w.url_id, w.url, CASE WHEN w.status >= 65536 THEN status_lost(w.status) ELSE w.status END AS status,
           unnest(c.referrers) AS referrer_id
    FROM urlword w JOIN citation c ON c.url_id = w.url_id
    WHERE (w.status >= 65536 OR w.status >= 400 AND w.status NOT IN (406, 903))
      AND (w.deleted = 0 OR EXISTS (SELECT FROM urlstate s WHERE s.url_id = w.url_id AND s.withdrawn_by = 'T-13'))
)
SELECT b.url_id, b.url, b.status, b.referrer_id, r.url AS referrer
FROM broken b JOIN urlword r ON r.url_id = b.referrer_id;
