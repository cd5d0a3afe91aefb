-- The operator removes URLs: index --remove and index -C with limits (T-21).
--
-- Locks urlstate while all its rows are read, which takes about a second per ten million.

-- +goose Up
ALTER TABLE urlstate DROP CONSTRAINT urlstate_withdrawn_by_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_withdrawn_by_check CHECK (withdrawn_by IN ('', 'T-12', 'T-13', 'T-21', 'SR-09'));
COMMENT ON COLUMN urlstate.withdrawn_by IS 'The transition behind urlword.deleted = 1: T-12 configuration or robots.txt, T-13 DeleteBad, T-21 removed by the operator, SR-09 purge of orphans. Empty when deleted = 0.';
COMMENT ON COLUMN urlword.deleted IS '1 = removed from the index by a rule (configuration, robots.txt, DeleteBad or the purge of orphans) or by the operator, 0 = not.';
COMMENT ON COLUMN urlword.next_index_time IS 'When the URL is due, in epoch seconds. 0 = at once and before all others (the start URLs at the beginning of a crawl), -1 = before these (--recrawl). 2^62 = not before a link reaches it, 2^62 + 1 = not before it is asked for by name (--remove).';

-- +goose Down
-- Of what the operator removed nothing is stored. The version before knows it as purged orphans, which a link brings back.
UPDATE urlword SET next_index_time = 4611686018427387904 WHERE next_index_time > 4611686018427387904;
UPDATE urlword w SET status = 200 FROM urlstate s
WHERE s.url_id = w.url_id AND s.withdrawn_by = 'T-21' AND w.status NOT IN (200, 301, 302, 406, 906);
UPDATE urlstate SET withdrawn_by = 'SR-09' WHERE withdrawn_by = 'T-21';
ALTER TABLE urlstate DROP CONSTRAINT urlstate_withdrawn_by_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_withdrawn_by_check CHECK (withdrawn_by IN ('', 'T-12', 'T-13', 'SR-09'));
COMMENT ON COLUMN urlstate.withdrawn_by IS 'The transition behind urlword.deleted = 1: T-12 configuration or robots.txt, T-13 DeleteBad, SR-09 purge of orphans. Empty when deleted = 0.';
COMMENT ON COLUMN urlword.next_index_time IS 'When the URL is due, in epoch seconds. 0 = at once and before all others (the start URLs at the beginning of a crawl), -1 = before these (index --recrawl).';
COMMENT ON COLUMN urlword.deleted IS '1 = removed from the index by a rule (configuration, robots.txt, DeleteBad or the purge of orphans), 0 = not.';
