-- DocumentLimit: a run adds no more documents than it has room for.
--
-- Locks reindexing for a moment: the column is added without a default.

-- +goose Up
ALTER TABLE reindexing ADD COLUMN room bigint;
COMMENT ON COLUMN reindexing.room IS 'Crawl: how many documents the run may still add (DocumentLimit). NULL = any number.';

-- +goose Down
ALTER TABLE reindexing DROP COLUMN room;
