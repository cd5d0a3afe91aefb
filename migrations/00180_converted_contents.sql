-- A document that the parser cannot read itself (PDF, Office, CSV) is stored as the HTML or plain text that it was converted to.
--
-- Locks urlstate for a moment: both columns are added without a default. No URL is visited again.

-- +goose Up
ALTER TABLE urlstate ADD COLUMN read_as text CHECK (read_as <> ''), ADD COLUMN content_crc char(32),
    ADD CONSTRAINT urlstate_converted CHECK ((read_as IS NULL) = (content_crc IS NULL));
COMMENT ON COLUMN urlstate.read_as IS 'Media type of the stored content of a document that was converted: text/html or text/plain, with its charset. NULL = the content is as it was fetched, of type content_type.';
COMMENT ON COLUMN urlstate.content_crc IS 'MD5 of the stored content of a document that was converted, as hex digits. urlword.crc is that of the bytes that were fetched. NULL = not converted.';

-- +goose Down
ALTER TABLE urlstate DROP CONSTRAINT urlstate_converted, DROP COLUMN read_as, DROP COLUMN content_crc;
