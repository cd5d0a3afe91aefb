-- Why a URL is where it is: what took it out, why it is due when it is, how often it changes; dates and what they were taken from.
-- Locks urlstate, journal, docdates and robots_cache; rewrites the rows of urlstate once (a minute for ten million); no re-index needed.

-- +goose Up

ALTER TABLE urlstate ADD COLUMN events integer NOT NULL DEFAULT 0,
    ADD COLUMN withdrawn_by text NOT NULL DEFAULT '' CHECK (withdrawn_by IN ('', 'T-12', 'T-13', 'SR-09')),
    ADD COLUMN pace smallint NOT NULL DEFAULT 0 CHECK (pace BETWEEN -1 AND 1),
    ADD COLUMN step smallint NOT NULL DEFAULT 0,
    ADD COLUMN unchanged smallint NOT NULL DEFAULT 0,
    ADD COLUMN next_why text NOT NULL DEFAULT '';
UPDATE urlstate s SET events = attempts, withdrawn_by = CASE WHEN w.deleted = 1 THEN 'T-12' ELSE '' END
FROM urlword w WHERE w.url_id = s.url_id;
COMMENT ON COLUMN urlstate.events IS 'Rows ever written to crawl_history for it; the next one takes slot events mod HistoryKeep.';
COMMENT ON COLUMN urlstate.withdrawn_by IS 'The rule behind urlword.deleted = 1: T-12 configuration or robots.txt, T-13 DeleteBad, SR-09 purged orphan; empty when it is not deleted.';
COMMENT ON COLUMN urlstate.pace IS '1 = CrawlFrequently, -1 = CrawlInfrequently held for it at the last attempt, 0 = neither.';
COMMENT ON COLUMN urlstate.step IS 'Rung of the ladder of intervals under Schedule adaptive, from 0.';
COMMENT ON COLUMN urlstate.unchanged IS 'Unchanged results in a row on that rung.';
COMMENT ON COLUMN urlstate.next_why IS 'Why it is due at next_index_time, in words.';

ALTER TABLE journal ADD COLUMN same_content boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN journal.same_content IS 'True when the content is what it was (forced, another indexing mode, a clone that became the original): the document''s dates stay.';

ALTER TABLE docdates ADD COLUMN created_from text NOT NULL DEFAULT 'fetch' CHECK (created_from IN ('fetch'));
COMMENT ON COLUMN docdates.created_from IS 'Where created comes from: fetch = its first version was fetched then.';

ALTER TABLE robots_cache ADD COLUMN swept bytea, ADD COLUMN refusals integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN robots_cache.swept IS 'Hash of the rules under which the host''s URLs were tested last, NULL = never.';
COMMENT ON COLUMN robots_cache.refusals IS 'Answers other than 200 and 404 in a row, for RobotsPolicy gsa.';

-- +goose Down
ALTER TABLE robots_cache DROP COLUMN refusals, DROP COLUMN swept;
ALTER TABLE docdates DROP COLUMN created_from;
ALTER TABLE journal DROP COLUMN same_content;
ALTER TABLE urlstate DROP COLUMN next_why, DROP COLUMN unchanged, DROP COLUMN step, DROP COLUMN pace, DROP COLUMN withdrawn_by, DROP COLUMN events;
