-- The indexing mode knows NofollowExcludes, so that a change of it reaches documents that have not changed (T-16, C-10).
-- Locks urlstate while its rows are checked; no re-index needed.

-- +goose Up

ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 7);
COMMENT ON COLUMN urlstate.index_mode IS 'Indexing mode of the last success: bit 0 = words are indexed, bit 1 = links are followed, bit 2 = pages with nofollow have no words.';

-- +goose Down
ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
UPDATE urlstate SET index_mode = index_mode & 3 WHERE index_mode > 3;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 3);
COMMENT ON COLUMN urlstate.index_mode IS 'Indexing mode of the last success: bit 0 = words are indexed, bit 1 = links are followed.';
