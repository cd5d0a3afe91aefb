-- Which converter made the stored text of a document, so that a changed Converter line reaches unchanged documents.
--
-- Locks urlstate and crawl_control for a moment: the columns are added without a default. No URL is visited again.

-- +goose Up
ALTER TABLE urlstate ADD COLUMN converter text;
COMMENT ON COLUMN urlstate.converter IS 'Digest of the Converter lines or the reader that made the stored content of a document. Empty = they have changed since: the next visit requests the document without conditions and converts it again. NULL = not converted.';
ALTER TABLE crawl_control ADD COLUMN converters text;
COMMENT ON COLUMN crawl_control.converters IS 'Digest of the converters with which documents were last compared. NULL = never.';

-- +goose Down
ALTER TABLE crawl_control DROP COLUMN converters;
ALTER TABLE urlstate DROP COLUMN converter;
