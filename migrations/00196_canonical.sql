-- Pages that name another page as the canonical one (rel=canonical) are united with it (T-19, status 906). Adds columns to urlstate and
-- sitestate, and an index that reads urlstate once. Pages that were read before are read for it at their next visit.

-- +goose Up
ALTER TABLE urlstate
    ADD COLUMN canonical       integer NOT NULL DEFAULT 0,
    ADD COLUMN canonical_run   integer NOT NULL DEFAULT 0,
    ADD COLUMN canonical_cause text    NOT NULL DEFAULT '';
CREATE INDEX urlstate_canonical ON urlstate (url_id) WHERE canonical > 0;
COMMENT ON COLUMN urlstate.canonical IS 'The URL that the page names as its canonical one. 0 = none, or itself. -1 = one that is not followed (canonical_cause).';
COMMENT ON COLUMN urlstate.canonical_run IS 'The run in which the document came into the index with that. Until the next run it does not count as one that would be taken out. 0 = it was there before.';
COMMENT ON COLUMN urlstate.canonical_cause IS 'Which URL it names and why that is not followed. Empty = it is followed, or there is none.';
COMMENT ON INDEX urlstate_canonical IS 'Pages that name another page as the canonical one.';
ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 511);
COMMENT ON COLUMN urlstate.index_mode IS 'Indexing mode of the last success: bit 0 = words are indexed, bit 1 = links are followed, bit 2 = a page with nofollow is not indexed, bit 3 = META robots is ignored (IgnoreMeta), bits 4 and 5 = the page''s X-Robots-Tag header says noindex, nofollow (bit 4 also after the date of unavailable_after), bit 6 = META robots says noindex since the version that is kept, bit 7 = the header has a date (unavailable_after), bit 8 = the Link header names a canonical page.';
COMMENT ON COLUMN urlword.status IS 'Extended status: 0 not fetched yet, 100-599 HTTP, 600-699 header error, 700-799 no answer, 800-899 cannot be read, 903 infinite space, 905 not found, answered with 200, 906 another page is the canonical one. 65536 and above = lost document, packed: see status_base, status_lost, status_lost_count.';
COMMENT ON COLUMN urlword.redir IS 'url_id of the redirect''s target, or of the canonical page of a 906. 0 = no redirect, or the target is not registered.';

ALTER TABLE sitestate ADD COLUMN canonical_until timestamptz;
COMMENT ON COLUMN sitestate.canonical_until IS 'Until then pages of the site are united with their canonical pages without counting, after index --release or LostLimit days. NULL = they are counted.';
ALTER TABLE site_hold DROP CONSTRAINT site_hold_reason_check;
ALTER TABLE site_hold ADD CONSTRAINT site_hold_reason_check CHECK (reason IN ('share', 'start URLs', 'robots.txt', 'redirects', 'noindex', 'canonical'));
COMMENT ON COLUMN site_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them. redirects = more than MaxLostShare of them redirect. noindex = more of them say noindex; they are not found, but their contents are kept. canonical = more of them name other pages as canonical.';
COMMENT ON COLUMN sites_on_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them. redirects = more than MaxLostShare of them redirect. noindex = more of them say noindex; they are not found, but their contents are kept. canonical = more of them name other pages as canonical.';
COMMENT ON COLUMN site_hold.days IS 'On how many days (UTC) the cause was seen; only for the reasons redirects and canonical.';
COMMENT ON COLUMN site_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reasons redirects and canonical: documents that redirected, or named another page, at the same time, at most.';
COMMENT ON COLUMN sites_on_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reasons redirects and canonical: documents that redirected, or named another page, at the same time, at most.';

ALTER TABLE journal DROP CONSTRAINT journal_status_check;
ALTER TABLE journal ADD CONSTRAINT journal_status_check CHECK (status IN (200, 301, 302, 406, 906));
COMMENT ON COLUMN journal.status IS '200, 301, 302, 406 or 906. Other statuses write no row.';

CREATE OR REPLACE VIEW broken_links AS
WITH broken AS MATERIALIZED (
    SELECT w.url_id, w.url, CASE WHEN w.status >= 65536 THEN status_lost(w.status) ELSE w.status END AS status,
           unnest(c.referrers) AS referrer_id
    FROM urlword w JOIN citation c ON c.url_id = w.url_id
    WHERE (w.status >= 65536 OR w.status >= 400 AND w.status NOT IN (406, 903, 906) AND w.status NOT BETWEEN 800 AND 806
           OR w.status = 406 AND EXISTS (SELECT FROM urlstate s WHERE s.url_id = w.url_id AND s.error_class = 'server'))
      AND (w.deleted = 0 OR EXISTS (SELECT FROM urlstate s WHERE s.url_id = w.url_id AND s.withdrawn_by = 'T-13'))
)
SELECT b.url_id, b.url, b.status, b.referrer_id, r.url AS referrer
FROM broken b JOIN urlword r ON r.url_id = b.referrer_id;

CREATE OR REPLACE VIEW unreached AS
SELECT w.url_id, w.site_id, w.url, status_base(w.status) AS status, w.status >= 65536 AS lost,
       to_timestamp(w.last_index_time) AS last_index, run.started_at AS since
FROM (SELECT started_at FROM reindexing
      WHERE kind = 'crawl' AND respider AND NOT limited AND end_reason = 'complete' AND begun_at IS NOT NULL AND starts <> '{}'
      ORDER BY run_id DESC LIMIT 1) run
CROSS JOIN urlword w
LEFT JOIN urlstate s ON s.url_id = w.url_id
WHERE w.deleted = 0 AND status_base(w.status) IN (200, 406, 301, 302, 906)
  AND w.last_index_time < floor(extract(epoch FROM run.started_at))
  AND (s.last_attempt IS NULL OR s.last_attempt < run.started_at);

CREATE OR REPLACE VIEW redirect_chains AS
SELECT w.url_id, w.url, count(*) - 1 AS redirects,
       (array_agg(c.url ORDER BY c.step DESC))[1] AS last_url,
       (array_agg(status_base(c.status) ORDER BY c.step DESC))[1] AS last_status,
       bool_or(c.step > 8) OR (array_agg(status_base(c.status) ORDER BY c.step DESC))[1] IN (301, 302, 906)
           AND (array_agg(last.redir ORDER BY c.step DESC))[1] <> 0 AS looped
FROM urlword w
CROSS JOIN LATERAL redirect_chain(w.url_id) c
JOIN urlword last ON last.url_id = c.url_id
WHERE w.redir <> 0 AND w.deleted = 0
GROUP BY w.url_id, w.url;
COMMENT ON VIEW redirect_chains IS 'All URLs that redirect, or that are united with a canonical page (906), with the end of their chain.';

CREATE VIEW canonical_pages AS
SELECT w.url_id, w.url, w.status, t.url AS canonical, t.status AS canonical_status
FROM urlstate s JOIN urlword w USING (url_id) JOIN urlword t ON t.url_id = s.canonical
WHERE s.canonical > 0 AND w.deleted = 0 AND status_base(w.status) IN (200, 906);
COMMENT ON VIEW canonical_pages IS 'Pages that name another page as the canonical one. With status 906 they are united with it: searches find the canonical page alone.';
COMMENT ON COLUMN canonical_pages.url_id IS 'The page.';
COMMENT ON COLUMN canonical_pages.url IS 'The URL of the page.';
COMMENT ON COLUMN canonical_pages.status IS 'Extended status of the page: 906 = united, 200 = not, or not yet; index --explain says why.';
COMMENT ON COLUMN canonical_pages.canonical IS 'The URL that it names.';
COMMENT ON COLUMN canonical_pages.canonical_status IS 'Extended status of that URL.';

-- +goose Down
DROP VIEW canonical_pages;
CREATE OR REPLACE VIEW redirect_chains AS
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
CREATE OR REPLACE VIEW unreached AS
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
COMMENT ON COLUMN journal.status IS '200, 301, 302 or 406. Other statuses write no row.';
DELETE FROM journal WHERE status = 906;
ALTER TABLE journal DROP CONSTRAINT journal_status_check;
ALTER TABLE journal ADD CONSTRAINT journal_status_check CHECK (status IN (200, 301, 302, 406));
COMMENT ON COLUMN site_hold.days IS 'On how many days (UTC) the cause was seen; only for the reason redirects.';
COMMENT ON COLUMN site_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reason redirects: documents that redirected at the same time, at most.';
COMMENT ON COLUMN sites_on_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reason redirects: documents that redirected at the same time, at most.';
UPDATE sitestate t SET gate = 'a' FROM site_hold h WHERE h.site_id = t.site_id AND h.ended_at IS NULL AND h.reason = 'canonical';
DELETE FROM site_hold WHERE reason = 'canonical';
ALTER TABLE site_hold DROP CONSTRAINT site_hold_reason_check;
ALTER TABLE site_hold ADD CONSTRAINT site_hold_reason_check CHECK (reason IN ('share', 'start URLs', 'robots.txt', 'redirects', 'noindex'));
COMMENT ON COLUMN site_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them. redirects = more than MaxLostShare of them redirect. noindex = more of them say noindex; they are not found, but their contents are kept.';
COMMENT ON COLUMN sites_on_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them. redirects = more than MaxLostShare of them redirect. noindex = more of them say noindex; they are not found, but their contents are kept.';
ALTER TABLE sitestate DROP COLUMN canonical_until;
-- What was united is fetched as new.
-- +goose StatementBegin
DO $$
BEGIN
    FOR n IN 0..15 LOOP
        EXECUTE format('DELETE FROM urlwords%s c USING urlword w WHERE w.url_id = c.url_id AND w.status = 906', to_char(n, 'FM00'));
    END LOOP;
END $$;
-- +goose StatementEnd
UPDATE urlword SET status = 0, redir = 0, next_index_time = 1 WHERE status = 906;
COMMENT ON COLUMN urlword.redir IS 'url_id of the redirect''s target. 0 = no redirect, or the target is not registered.';
COMMENT ON COLUMN urlword.status IS 'Extended status: 0 not fetched yet, 100-599 HTTP, 600-699 header error, 700-799 no answer, 800-899 cannot be read, 903 infinite space, 905 not found, answered with 200. 65536 and above = lost document, packed: see status_base, status_lost, status_lost_count.';
UPDATE urlstate SET index_mode = index_mode & 255 WHERE index_mode > 255;
ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 255);
COMMENT ON COLUMN urlstate.index_mode IS 'Indexing mode of the last success: bit 0 = words are indexed, bit 1 = links are followed, bit 2 = a page with nofollow is not indexed, bit 3 = META robots is ignored (IgnoreMeta), bits 4 and 5 = the page''s X-Robots-Tag header says noindex, nofollow (bit 4 also after the date of unavailable_after), bit 6 = META robots says noindex since the version that is kept, bit 7 = the header has a date (unavailable_after).';
DROP INDEX urlstate_canonical;
ALTER TABLE urlstate DROP COLUMN canonical, DROP COLUMN canonical_run, DROP COLUMN canonical_cause;
