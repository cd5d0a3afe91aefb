-- The filters of a recorded search, so that a report can tell a search that its filters made empty.
--
-- Locks stat for a moment.

-- +goose Up
ALTER TABLE stat ADD COLUMN filters text;
COMMENT ON COLUMN stat.filters IS 'Further filters as parameters, such as lang=de path=/docs/: st if several sites were chosen, lang, type, tag, path, dates, and the sections bd, ds, kw, tl. Empty without one.';

-- +goose Down
ALTER TABLE stat DROP COLUMN filters;
