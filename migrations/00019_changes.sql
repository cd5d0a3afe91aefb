-- Counts the changes of the index, so that nothing is written that was reckoned from an earlier state. Says where totalcount ends.
-- Locks totals for a moment; no table is rewritten; no re-index needed.

-- +goose Up

ALTER TABLE totals ADD COLUMN changes bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN totals.changes IS 'How often the index was changed: batches of merges, index -H, -X2 and --rebuild-index. Who has read the index, and writes what follows from that, looks whether it is still the same, and begins again.';
COMMENT ON COLUMN wordurl.totalcount IS 'Its positions in all documents. 2147483647 stands for as many or more, and stays until a merge writes the base of the word anew.';
COMMENT ON COLUMN wordurl1.totalcount IS 'Its positions in all of them; 2147483647 stands for as many or more.';

-- +goose Down
COMMENT ON COLUMN wordurl1.totalcount IS 'Its positions in all of them.';
COMMENT ON COLUMN wordurl.totalcount IS 'Its positions in all documents.';
ALTER TABLE totals DROP COLUMN changes;
