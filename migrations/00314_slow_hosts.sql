-- The turn of a host depends on how long its answers take.

-- +goose Up
ALTER TABLE sitestate ADD COLUMN turn_at timestamptz NOT NULL DEFAULT '-infinity';
UPDATE sitestate SET turn_at = leased_at WHERE leased_at > '-infinity';
DROP INDEX sitestate_turn;
CREATE INDEX sitestate_turn ON sitestate (next_class, turn_at, site_id) WHERE lease_seq = 0 AND next_class < 9;
COMMENT ON INDEX sitestate_turn IS 'The next host to lease.';
COMMENT ON COLUMN sitestate.leased_at IS 'Time of the last lease.';
COMMENT ON COLUMN sitestate.turn_at IS 'When the wait for the next lease began. Of the sites with the same next_class the one with the lowest value goes first. It is the time of the last lease, and later by twice the time of the host''s answers since, but at most 10 minutes after the end of that lease.';

-- +goose Down
DROP INDEX sitestate_turn;
CREATE INDEX sitestate_turn ON sitestate (next_class, leased_at, site_id) WHERE lease_seq = 0 AND next_class < 9;
COMMENT ON INDEX sitestate_turn IS 'The next host to lease.';
COMMENT ON COLUMN sitestate.leased_at IS 'Time of the last lease. The site that has waited longest goes first.';
ALTER TABLE sitestate DROP COLUMN turn_at;
