-- A changed Tag reaches the URLs that are registered.
--
-- Locks crawl_control for a moment: the column is added without a default.

-- +goose Up
ALTER TABLE crawl_control ADD COLUMN tag_hash bytea;
COMMENT ON COLUMN crawl_control.tag_hash IS 'Hash of the Server and Tag lines whose tags all URLs have. NULL = no run has compared them.';
COMMENT ON COLUMN urlword.tag IS 'Tag of the Server line that rules the URL, as of the last run.';

-- +goose Down
COMMENT ON COLUMN urlword.tag IS 'Tag of the Server line that matched the URL when it was registered.';
ALTER TABLE crawl_control DROP COLUMN tag_hash;
