-- Why a host is deferred, and what the X-Robots-Tag header of a page said, are kept.
--
-- Locks robots_cache for a moment, and urlstate while the check reads it once: a second for some million URLs. No URL is visited anew.

-- +goose Up
ALTER TABLE robots_cache ADD COLUMN cause text NOT NULL DEFAULT '';
COMMENT ON COLUMN robots_cache.cause IS 'Why the last answer gave no rules: what failed, or empty. Empty after a valid answer.';

ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 63);
COMMENT ON COLUMN urlstate.index_mode IS 'Indexing mode of the last success: bit 0 = words are indexed, bit 1 = links are followed, bit 2 = a page with nofollow is not indexed, bit 3 = META robots is ignored (IgnoreMeta), bits 4 and 5 = the page''s X-Robots-Tag header says noindex, nofollow.';
COMMENT ON COLUMN urlstate.marks IS 'Remarks about the current version. truncated, links-dropped, nested: the content was cut or repaired. noarchive, nosnippet: META robots or X-Robots-Tag forbids the cached copy or excerpts. nofollow: META robots says so.';

-- +goose Down
COMMENT ON COLUMN urlstate.marks IS 'Remarks about the current version. truncated, links-dropped, nested: the content was cut or repaired. noarchive, nosnippet: META robots or X-Robots-Tag forbids the cached copy or excerpts.';
COMMENT ON COLUMN urlstate.index_mode IS 'Indexing mode of the last success: bit 0 = words are indexed, bit 1 = links are followed, bit 2 = a page with nofollow is not indexed.';
UPDATE urlstate SET index_mode = index_mode & 7 WHERE index_mode > 7;
ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 7);
ALTER TABLE robots_cache DROP COLUMN cause;
