-- Says in the comments of marks what else stands there by now: what a document asks of who shows it.
-- Locks nothing for longer than a moment; no table is rewritten; no re-index needed. Documents of before have the new marks when they
-- are read next (index -a -m reads all); META is obeyed at once, since it is in the stored content.

-- +goose Up

COMMENT ON COLUMN urlstate.marks IS 'What was cut or repaired in the last version: truncated, links-dropped, nested; and what its author asks for in META robots or X-Robots-Tag: noarchive (no cached copy), nosnippet (no excerpts).';
COMMENT ON COLUMN crawl_diagnostics.marks IS 'What was cut or repaired in the last version, and what its author asks for.';

-- +goose Down
COMMENT ON COLUMN crawl_diagnostics.marks IS 'What was cut or repaired in the last version.';
COMMENT ON COLUMN urlstate.marks IS 'What was cut or repaired in the last version: truncated, links-dropped, nested.';
