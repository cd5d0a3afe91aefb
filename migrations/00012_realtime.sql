-- Which words a real-time document has, so that it is replaced, and taken over by the merge, word by word.
-- Locks rt_urls and wordurl1 for a moment; no table is rewritten; no re-index needed.

-- +goose Up

ALTER TABLE rt_urls ADD COLUMN words bytea NOT NULL DEFAULT '\x0100';
ALTER TABLE rt_urls ALTER COLUMN words SET STORAGE EXTERNAL;
ALTER TABLE rt_urls SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE wordurl1 ALTER COLUMN urls SET STORAGE EXTERNAL; -- packing what the next index -T unpacks again costs more than it saves
COMMENT ON TABLE rt_urls IS 'Documents that index -T brought or took out since the last merge: their postings in wordurl and wordfile are out of date and are passed over. Their words stand in wordurl1.';
COMMENT ON COLUMN rt_urls.seq IS 'The journal row whose words wordurl1 has, or the mark of markdel that took the document out. The merge of this or a newer fact removes the row.';
COMMENT ON COLUMN rt_urls.words IS 'The words that wordurl1 has of the document, as in docwords; none when it was taken out. They tell which rows of wordurl1 to touch.';

-- +goose Down
COMMENT ON COLUMN rt_urls.seq IS 'The journal row whose words wordurl1 has.';
COMMENT ON TABLE rt_urls IS 'Documents whose words stand in wordurl1: their postings in wordurl and wordfile are out of date and are passed over.';
ALTER TABLE wordurl1 ALTER COLUMN urls SET STORAGE EXTENDED;
ALTER TABLE rt_urls RESET (fillfactor, autovacuum_vacuum_scale_factor);
ALTER TABLE rt_urls DROP COLUMN words;
