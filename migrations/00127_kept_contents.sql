-- The contents of documents that left the index are kept for LostPeriod, so that what comes back need not be fetched again. Adds a
-- column and an index to urlstate, and looks at the URLs that were taken out. No document must be indexed again.

-- +goose Up
ALTER TABLE urlstate ADD COLUMN kept_since timestamptz;
COMMENT ON COLUMN urlstate.kept_since IS 'Since when the content, the words and the dates of a document that left the index are kept (T-06, T-12). They are removed LostPeriod later (T-20), with -infinity at the next merge. NULL = nothing is kept for its return.';
ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 127);
COMMENT ON COLUMN urlstate.index_mode IS 'Indexing mode of the last success: bit 0 = words are indexed, bit 1 = links are followed, bit 2 = a page with nofollow is not indexed, bit 3 = META robots is ignored (IgnoreMeta), bits 4 and 5 = the page''s X-Robots-Tag header says noindex, nofollow, bit 6 = META robots says noindex since the version that is kept.';
UPDATE urlstate s SET kept_since = now()
FROM urlword w
WHERE w.url_id = s.url_id AND w.deleted = 1 AND s.withdrawn_by = 'T-12' AND w.crc <> ''
    AND (w.status & 65535 = 200 AND (w.origin <> 0 OR EXISTS (SELECT FROM urlwords c WHERE c.url_id = w.url_id AND c.words IS NOT NULL))
        OR w.status & 65535 = 406 AND EXISTS (SELECT FROM urlwords c WHERE c.url_id = w.url_id AND c.words IS NOT NULL));
CREATE INDEX urlstate_kept ON urlstate (url_id) WHERE kept_since IS NOT NULL;
COMMENT ON INDEX urlstate_kept IS 'The documents that left the index and whose contents are kept: purge, hold for noindex.';
-- +goose StatementBegin
DO $$
BEGIN
    FOR n IN 0..15 LOOP
        EXECUTE format('DELETE FROM urlwords%s c USING urlstate s WHERE s.url_id = c.url_id AND s.withdrawn_by = ''T-13''', to_char(n, 'FM00'));
        EXECUTE format('COMMENT ON TABLE urlwords%s IS %L', to_char(n, 'FM00'),
            'Content rows of the documents whose url_id mod 16 is ' || n || ': originals with status 200, pages with status 406 and links, what is kept of documents that left the index, and link-only rows of redirects. Written by the crawl and by index -T.');
    END LOOP;
END $$;
-- +goose StatementEnd

ALTER TABLE sitestate
    ADD COLUMN noindex_days smallint NOT NULL DEFAULT 0,
    ADD COLUMN noindex_seen timestamptz;
COMMENT ON COLUMN sitestate.noindex_days IS 'On how many days (UTC) the site said noindex in more than MaxLostShare of its documents. From LostLimit on their contents are removed after LostPeriod; 32767 = an operator released the site. 0 = it does not say so.';
COMMENT ON COLUMN sitestate.noindex_seen IS 'When it said so last.';
ALTER TABLE site_hold DROP CONSTRAINT site_hold_reason_check;
ALTER TABLE site_hold ADD CONSTRAINT site_hold_reason_check CHECK (reason IN ('share', 'start URLs', 'robots.txt', 'redirects', 'noindex'));
COMMENT ON COLUMN site_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them. redirects = more than MaxLostShare of them redirect. noindex = more of them say noindex; they are not found, but their contents are kept.';
COMMENT ON COLUMN sites_on_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them. redirects = more than MaxLostShare of them redirect. noindex = more of them say noindex; they are not found, but their contents are kept.';

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    FOR n IN 0..15 LOOP
        EXECUTE format('COMMENT ON TABLE urlwords%s IS %L', to_char(n, 'FM00'),
            'Content rows of the documents whose url_id mod 16 is ' || n || ': originals with status 200, pages with status 406 and links, and link-only rows of redirects. Written by the crawl and by index -T.');
    END LOOP;
END $$;
-- +goose StatementEnd
UPDATE site_hold SET reason = 'share' WHERE reason = 'noindex';
ALTER TABLE site_hold DROP CONSTRAINT site_hold_reason_check;
ALTER TABLE site_hold ADD CONSTRAINT site_hold_reason_check CHECK (reason IN ('share', 'start URLs', 'robots.txt', 'redirects'));
COMMENT ON COLUMN site_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them. redirects = more than MaxLostShare of them redirect.';
COMMENT ON COLUMN sites_on_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them. redirects = more than MaxLostShare of them redirect.';
ALTER TABLE sitestate DROP COLUMN noindex_days, DROP COLUMN noindex_seen;
DROP INDEX urlstate_kept;
COMMENT ON COLUMN urlstate.index_mode IS 'Indexing mode of the last success: bit 0 = words are indexed, bit 1 = links are followed, bit 2 = a page with nofollow is not indexed, bit 3 = META robots is ignored (IgnoreMeta), bits 4 and 5 = the page''s X-Robots-Tag header says noindex, nofollow.';
UPDATE urlstate SET index_mode = index_mode & 63 WHERE index_mode > 63;
ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 63);
ALTER TABLE urlstate DROP COLUMN kept_since;
