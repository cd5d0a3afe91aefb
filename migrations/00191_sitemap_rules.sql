-- Entries of a sitemap that the rules refused are tested again when the rules have changed.
--
-- Locks table sitemaps for a moment.

-- +goose Up
ALTER TABLE sitemaps ADD COLUMN rules_hash bytea;
COMMENT ON COLUMN sitemaps.rules_hash IS 'Hash of the settings and of the robots.txt rules under which its entries were tested. When they have changed it is read again. NULL = never.';

-- +goose Down
ALTER TABLE sitemaps DROP COLUMN rules_hash;
