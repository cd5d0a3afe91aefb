-- Link ranks (D-10). The frontier and the search order by them; a document without a row has rank 0.
-- Locks nothing; no re-index needed.

-- +goose Up

CREATE TABLE urlrank (
    url_id integer PRIMARY KEY,
    rank   real NOT NULL
);
COMMENT ON TABLE urlrank IS 'Link ranks of documents: damped, the mean is 1. Empty until they are computed.';
COMMENT ON COLUMN urlrank.url_id IS 'Key, the url_id of urlword.';
COMMENT ON COLUMN urlrank.rank IS 'Rank by the links that lead to it.';

-- +goose Down
DROP TABLE urlrank;
