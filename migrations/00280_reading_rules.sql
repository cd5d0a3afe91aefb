-- A crawl says when DateRule, KeepNavigation or LeaveOut have changed, because stored documents keep their words and dates for a while.
-- The view canonical_pages says which pages it does not list.
--
-- Locks crawl_control for a moment: the column is added without a default.

-- +goose Up
ALTER TABLE crawl_control ADD COLUMN reading_hash bytea;
COMMENT ON COLUMN crawl_control.reading_hash IS 'Hash of the DateRule, KeepNavigation and LeaveOut lines of the last crawl or rebuild. NULL = there was none.';
COMMENT ON VIEW canonical_pages IS 'Pages that name another page as the canonical one. A page with status 906 is united with it: searches find only the canonical page. A page whose canonical URL is not registered, because the rules refuse it, is not listed: urlstate.canonical_cause has the reason.';

-- +goose Down
COMMENT ON VIEW canonical_pages IS 'Pages that name another page as the canonical one. A page with status 906 is united with it: searches find only the canonical page.';
ALTER TABLE crawl_control DROP COLUMN reading_hash;
