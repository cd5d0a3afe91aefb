-- A robots.txt that forbids most of a site is obeyed at once, but the documents stay until it was seen on several days. Locks
-- robots_cache and site_hold for a moment; no document must be indexed again.

-- +goose Up
ALTER TABLE robots_cache
    ADD COLUMN ban_hash     bytea,
    ADD COLUMN ban_days     integer NOT NULL DEFAULT 0,
    ADD COLUMN ban_seen     timestamptz,
    ADD COLUMN ban_released boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN robots_cache.ban_hash IS 'Hash of rules that forbid most of the site and take no document out yet. NULL = the rules are no such ban.';
COMMENT ON COLUMN robots_cache.ban_days IS 'On how many days (UTC) the ban was fetched.';
COMMENT ON COLUMN robots_cache.ban_seen IS 'When the ban was fetched last.';
COMMENT ON COLUMN robots_cache.ban_released IS 'true = an operator released the site: the next crawl takes the documents out.';
ALTER TABLE site_hold DROP CONSTRAINT site_hold_reason_check;
ALTER TABLE site_hold ADD CONSTRAINT site_hold_reason_check CHECK (reason IN ('share', 'start URLs', 'robots.txt'));
COMMENT ON COLUMN site_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them.';
COMMENT ON COLUMN sites_on_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them.';

-- +goose Down
UPDATE site_hold SET reason = 'share' WHERE reason = 'robots.txt';
ALTER TABLE site_hold DROP CONSTRAINT site_hold_reason_check;
ALTER TABLE site_hold ADD CONSTRAINT site_hold_reason_check CHECK (reason IN ('share', 'start URLs'));
COMMENT ON COLUMN site_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed.';
COMMENT ON COLUMN sites_on_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed.';
ALTER TABLE robots_cache DROP COLUMN ban_hash, DROP COLUMN ban_days, DROP COLUMN ban_seen, DROP COLUMN ban_released;
