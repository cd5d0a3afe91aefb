-- The date of unavailable_after in X-Robots-Tag or META robots. Pages that were read before are read for it when they change.

-- +goose Up
ALTER TABLE urlstate ADD COLUMN unavailable_after timestamptz;
COMMENT ON COLUMN urlstate.unavailable_after IS 'From when on the document is treated as one that says noindex: unavailable_after of its X-Robots-Tag header or META robots, the earlier one. NULL = it says none.';
ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 255);
COMMENT ON COLUMN urlstate.index_mode IS 'Indexing mode of the last success: bit 0 = words are indexed, bit 1 = links are followed, bit 2 = a page with nofollow is not indexed, bit 3 = META robots is ignored (IgnoreMeta), bits 4 and 5 = the page''s X-Robots-Tag header says noindex, nofollow (bit 4 also after the date of unavailable_after), bit 6 = META robots says noindex since the version that is kept, bit 7 = the header has a date (unavailable_after).';

-- +goose Down
COMMENT ON COLUMN urlstate.index_mode IS 'Indexing mode of the last success: bit 0 = words are indexed, bit 1 = links are followed, bit 2 = a page with nofollow is not indexed, bit 3 = META robots is ignored (IgnoreMeta), bits 4 and 5 = the page''s X-Robots-Tag header says noindex, nofollow, bit 6 = META robots says noindex since the version that is kept.';
UPDATE urlstate SET index_mode = index_mode & 127 WHERE index_mode > 127;
ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 127);
ALTER TABLE urlstate DROP COLUMN unavailable_after;
