-- The length of each document, for the ranking.

-- +goose Up
ALTER TABLE docdates ADD COLUMN length smallint;
COMMENT ON TABLE docdates IS 'Dates of a document as searches sort and filter by them, and its length, by which they rank. Written by the merge.';
COMMENT ON COLUMN docdates.length IS 'Length of the document: round(16 * ln(1 + n)) for n positions of words, 11 to 255. NULL = unknown: it ranks like a document of average length.';
UPDATE docdates d SET length = least(round(16 * ln(1 + c.totalcount::double precision)), 255)
FROM urlwords c
WHERE c.url_id = d.url_id AND c.totalcount > 0;
COMMENT ON FUNCTION search(text, integer) IS
    'The documents with all words and "phrases" of a query and without its -exclusions (a blank before the -, none behind), best first: by ASPseek''s rank (searchd has it with Ranking aspseek), then url_id. A compound such as pg_stat_activity is a phrase. At most 32 words, 1024 bytes, 1000 results. The excerpt is from the stored beginning of the text, or from the description.';

-- +goose Down
ALTER TABLE docdates DROP COLUMN length;
COMMENT ON TABLE docdates IS 'Dates of a document as searches sort and filter by them. Written by the merge.';
COMMENT ON FUNCTION search(text, integer) IS
    'The documents with all words and "phrases" of a query and without its -exclusions (a blank before the -, none behind), best first: by searchd''s rank, then url_id. A compound such as pg_stat_activity is a phrase. At most 32 words, 1024 bytes, 1000 results. The excerpt is from the stored beginning of the text, or from the description.';
