-- The configuration that an operator has accepted although it takes many documents out. Locks crawl_control for a moment; no
-- document must be indexed again.

-- +goose Up
ALTER TABLE crawl_control ADD COLUMN accepted_hash bytea;
COMMENT ON COLUMN crawl_control.accepted_hash IS 'Hash of the configuration that an operator accepted with the option accept-rules. NULL = none, or all URLs were tested against it since.';

-- +goose Down
ALTER TABLE crawl_control DROP COLUMN accepted_hash;
