-- MaxURLsPerServerPerIndex limits how many URLs of a site a run requests. All processes of the run count together, here.
--
-- Locks sitestate for a moment: the columns have constant defaults. No site has a limit before the next run sets it.

-- +goose Up
ALTER TABLE sitestate ADD COLUMN run_limit integer CHECK (run_limit >= 0), ADD COLUMN counted_run integer NOT NULL DEFAULT 0,
    ADD COLUMN counted integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN sitestate.run_limit IS 'MaxURLsPerServerPerIndex of the Server lines of the site: URLs that one run requests at most, 0 = any number. NULL = no Server line names the site, and the last value of sets.cnf holds (FollowOutside).';
COMMENT ON COLUMN sitestate.counted_run IS 'The run in which URLs of the site were counted last; only runs with a limit count.';
COMMENT ON COLUMN sitestate.counted IS 'URLs of the site that this run has requested.';

-- +goose Down
ALTER TABLE sitestate DROP COLUMN run_limit, DROP COLUMN counted_run, DROP COLUMN counted;
