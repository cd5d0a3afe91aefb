-- A changed Tag reaches the index: searches filter by docdates.tag, which the merge wrote for changed documents only.
--
-- Locks crawl_control and totals for a moment: constant defaults rewrite nothing.

-- +goose Up
ALTER TABLE crawl_control ADD COLUMN retags bigint NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN retags bigint NOT NULL DEFAULT 0;
UPDATE crawl_control SET retags = 1 WHERE tag_hash IS NOT NULL;
COMMENT ON COLUMN crawl_control.retags IS 'How many transactions gave registered URLs a changed tag.';
COMMENT ON COLUMN crawl_control.tag_hash IS 'Hash of the Server and Tag lines whose tags all URLs have. NULL = no run has compared them, or one was interrupted.';
COMMENT ON COLUMN totals.retags IS 'The crawl_control.retags up to which docdates has the tags of urlword.';
COMMENT ON COLUMN urlword_status.tag IS 'Tag of the Server line that rules the URL, as of the last run.';

-- +goose Down
COMMENT ON COLUMN urlword_status.tag IS 'Tag of the Server line that matched the URL when it was registered.';
COMMENT ON COLUMN crawl_control.tag_hash IS 'Hash of the Server and Tag lines whose tags all URLs have. NULL = no run has compared them.';
ALTER TABLE totals DROP COLUMN retags;
ALTER TABLE crawl_control DROP COLUMN retags;
