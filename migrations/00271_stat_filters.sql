-- stat.ul has all filters of a search, so that a report can tell a search that its filters made empty. The table keeps ASPseek's columns.

-- +goose Up
COMMENT ON COLUMN stat.ul IS 'What the search was limited to: sites or subsets, and further filters as parameters, such as lang=de path=/docs/. Separated by blanks.';

-- +goose Down
COMMENT ON COLUMN stat.ul IS 'Site or subset that the search was limited to.';
