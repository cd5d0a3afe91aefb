-- Redirects of documents are counted for their site before they take anything out, and redirects of most of a site put it on
-- hold. Locks urlstate while an index is made, which reads it once: a second for some million URLs. No URL is visited anew.

-- +goose Up
ALTER TABLE urlstate
    ADD COLUMN redirect     smallint NOT NULL DEFAULT 0 CHECK (redirect IN (0, 301, 302)),
    ADD COLUMN redirect_to  integer  NOT NULL DEFAULT 0,
    ADD COLUMN redirect_run integer  NOT NULL DEFAULT 0;
CREATE INDEX urlstate_redirect ON urlstate (url_id) WHERE redirect <> 0;
COMMENT ON COLUMN urlstate.redirect IS 'Redirect that the document answered last and that is not carried out yet: 301 or 302. 0 = none.';
COMMENT ON COLUMN urlstate.redirect_to IS 'Its target, 0 when that is filtered.';
COMMENT ON COLUMN urlstate.redirect_run IS 'The last run that met it, 0 for none.';
COMMENT ON INDEX urlstate_redirect IS 'Documents with a redirect that is not carried out yet.';
ALTER TABLE sitestate ADD COLUMN redirects_until timestamptz;
COMMENT ON COLUMN sitestate.redirects_until IS 'Until then redirects of the site are carried out without counting, after index --release or LostLimit days. NULL = they are counted.';
ALTER TABLE site_hold
    ADD COLUMN days integer NOT NULL DEFAULT 0,
    ADD COLUMN seen timestamptz;
COMMENT ON COLUMN site_hold.days IS 'On how many days (UTC) the cause was seen; only for the reason redirects.';
COMMENT ON COLUMN site_hold.seen IS 'When it was seen last.';
COMMENT ON COLUMN site_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reason redirects: documents that redirected at the same time, at most.';
COMMENT ON COLUMN sites_on_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reason redirects: documents that redirected at the same time, at most.';
COMMENT ON COLUMN site_hold.ended_by IS 'released = by index --release, expired = after LostPeriod, or after LostLimit days for robots.txt and redirects, recovered = the documents answered again.';
ALTER TABLE site_hold DROP CONSTRAINT site_hold_reason_check;
ALTER TABLE site_hold ADD CONSTRAINT site_hold_reason_check CHECK (reason IN ('share', 'start URLs', 'robots.txt', 'redirects'));
COMMENT ON COLUMN site_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them. redirects = more than MaxLostShare of them redirect.';
COMMENT ON COLUMN sites_on_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them. redirects = more than MaxLostShare of them redirect.';

-- +goose Down
UPDATE site_hold SET reason = 'share' WHERE reason = 'redirects';
ALTER TABLE site_hold DROP CONSTRAINT site_hold_reason_check;
ALTER TABLE site_hold ADD CONSTRAINT site_hold_reason_check CHECK (reason IN ('share', 'start URLs', 'robots.txt'));
COMMENT ON COLUMN site_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them.';
COMMENT ON COLUMN sites_on_hold.reason IS 'share = more than MaxLostShare of the live documents would have become lost. start URLs = all start URLs failed. robots.txt = robots.txt forbids more than MaxLostShare of them.';
COMMENT ON COLUMN site_hold.ended_by IS 'released = by index --release, expired = after LostPeriod, recovered = the documents answered again.';
COMMENT ON COLUMN sites_on_hold.turned_lost IS 'Documents that became lost in the run before the hold.';
COMMENT ON COLUMN site_hold.turned_lost IS 'Documents that became lost in the run before the hold.';
ALTER TABLE site_hold DROP COLUMN days, DROP COLUMN seen;
ALTER TABLE sitestate DROP COLUMN redirects_until;
ALTER TABLE urlstate DROP COLUMN redirect, DROP COLUMN redirect_to, DROP COLUMN redirect_run;
