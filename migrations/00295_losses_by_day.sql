-- The safety gate counts the losses of a day instead of those of a run: several runs a day may lose no more of a site than one. Documents
-- that were lost before this migration do not count.
--
-- Locks urlstate while its rows are read once for the index.

-- +goose Up
ALTER TABLE urlstate ADD COLUMN lost_at timestamptz;
COMMENT ON COLUMN urlstate.lost_at IS 'When the document turned lost last, as the safety gate counted it. NULL = never.';
CREATE INDEX urlstate_lost_at ON urlstate (lost_at) WHERE lost_at IS NOT NULL;
COMMENT ON INDEX urlstate_lost_at IS 'The documents that turned lost within the last day: safety gate.';
ALTER TABLE sitestate ADD COLUMN live_at timestamptz NOT NULL DEFAULT '-infinity';
COMMENT ON COLUMN sitestate.live_at IS 'When live was counted.';
COMMENT ON COLUMN sitestate.live IS 'Live documents when a run counted them last, at its beginning. While losses of the last day count, the largest number since.';
COMMENT ON COLUMN sitestate.turned_lost IS 'Documents that turned lost within the day before the last run and were lost then, and those that turned lost in it.';
COMMENT ON COLUMN sitestate.starts_failed IS 'Start URLs that failed in the last run; in a round also those that were not due and had failed before.';
COMMENT ON COLUMN site_hold.live IS 'Live documents of the site as the gate counted them.';
COMMENT ON COLUMN sites_on_hold.live IS 'Live documents of the site as the gate counted them.';
COMMENT ON COLUMN site_hold.turned_lost IS 'Documents that turned lost within a day before the hold. For the reasons redirects and canonical: the largest number of documents that redirected, or named another page as canonical, at the same time.';
COMMENT ON COLUMN sites_on_hold.turned_lost IS 'Documents that turned lost within a day before the hold. For the reasons redirects and canonical: the largest number of documents that redirected, or named another page as canonical, at the same time.';

-- +goose Down
COMMENT ON COLUMN sites_on_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reasons redirects and canonical: the largest number of documents that redirected, or named another page, at the same time.';
COMMENT ON COLUMN site_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reasons redirects and canonical: the largest number of documents that redirected, or named another page, at the same time.';
COMMENT ON COLUMN sites_on_hold.live IS 'Live documents of the site when the run began.';
COMMENT ON COLUMN site_hold.live IS 'Live documents of the site when the run began.';
COMMENT ON COLUMN sitestate.starts_failed IS 'Start URLs that failed in the last run.';
COMMENT ON COLUMN sitestate.turned_lost IS 'Documents that became lost in the last run.';
COMMENT ON COLUMN sitestate.live IS 'Live documents when the last run began.';
ALTER TABLE sitestate DROP COLUMN live_at;
DROP INDEX urlstate_lost_at;
ALTER TABLE urlstate DROP COLUMN lost_at;
