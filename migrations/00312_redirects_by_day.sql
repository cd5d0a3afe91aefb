-- Redirects of a site are counted over a day as losses are. Those that were carried out before this migration do not count.
--
-- Locks urlstate while its rows are read once for the index.

-- +goose Up
ALTER TABLE urlstate ADD COLUMN moved_at timestamptz;
COMMENT ON COLUMN urlstate.moved_at IS 'When a redirect took the document out of the index last, after those of its site were counted. NULL = never.';
CREATE INDEX urlstate_moved_at ON urlstate (moved_at) WHERE moved_at IS NOT NULL;
COMMENT ON INDEX urlstate_moved_at IS 'The documents that redirects took out within the last day: hold for redirects.';

-- +goose Down
DROP INDEX urlstate_moved_at;
ALTER TABLE urlstate DROP COLUMN moved_at;
