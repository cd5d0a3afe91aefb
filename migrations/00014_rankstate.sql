-- When link ranks are to be computed anew (design.md 5, RankShare), and what changes them is counted by.
-- Locks nothing; counts the rows of citation once. No re-index needed: the next merge computes the ranks.

-- +goose Up

CREATE TABLE rankstate (
    single      boolean PRIMARY KEY DEFAULT true CHECK (single),
    links       bigint NOT NULL DEFAULT 0 CHECK (links >= 0),
    changed     bigint NOT NULL DEFAULT 0,
    documents   bigint NOT NULL DEFAULT 0 CHECK (documents >= 0),
    computed_at timestamptz
);
-- A database that has links has never had ranks: all of them have changed.
INSERT INTO rankstate (changed) SELECT count(*) FROM citation;
COMMENT ON TABLE rankstate IS 'How far urlrank is behind the links. One row. Written by the merge, index -K and index -H.';
COMMENT ON COLUMN rankstate.single IS 'Always true: there is one row.';
COMMENT ON COLUMN rankstate.links IS 'Links of ranked documents when the ranks were computed, as hrefs had them.';
COMMENT ON COLUMN rankstate.changed IS 'Links that citation gained or lost since then. A merge computes the ranks anew when it is more than RankShare of links.';
COMMENT ON COLUMN rankstate.documents IS 'Documents that got a rank then.';
COMMENT ON COLUMN rankstate.computed_at IS 'When the ranks were computed, NULL = never.';

COMMENT ON TABLE urlrank IS 'Link ranks of live originals: the mean is 1, less where documents link to what is none. Written by index -K, and by a merge after many links changed.';
COMMENT ON COLUMN urlrank.rank IS '0.15 + 0.85 times the sum, over the documents that link here, of their rank by the number of their targets; after 10 rounds that begin with 1. Links to redirects and clones count for where they lead.';

-- +goose Down
COMMENT ON COLUMN urlrank.rank IS 'Rank by the links that lead to it.';
COMMENT ON TABLE urlrank IS 'Link ranks of documents: damped, the mean is 1. Empty until they are computed.';
DROP TABLE rankstate;
