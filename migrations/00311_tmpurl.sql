-- A crawl writes tmpurl.

-- +goose Up
COMMENT ON TABLE tmpurl IS 'The URLs that the last crawl visited, for index -M. Written at the end of a crawl, and by people. Family: url_id.';
COMMENT ON COLUMN tmpurl.thread IS 'Number of the fetcher that visited it.';

-- +goose Down
COMMENT ON COLUMN tmpurl.thread IS 'A column of ASPseek that is not used.';
COMMENT ON TABLE tmpurl IS 'URLs that index -M is limited to. Written by people; the programs only read it. Family: url_id.';
