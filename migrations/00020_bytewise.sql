-- Words are compared byte by byte, whatever the database's collation says: finding one costs less, beginnings of words are
-- ranges of the index, and ids that ascend with the words let both indexes grow at one end.
-- Locks wordurl and wordurl1 while the index over the words is built anew; no table is rewritten; no re-index needed.

-- +goose Up

-- The body of word_postings names the columns: it goes for a moment, and comes back as it was.
-- +goose StatementBegin
DO $$
DECLARE
    body text := pg_get_functiondef('word_postings(text)'::regprocedure);
    meaning text := obj_description('word_postings(text)'::regprocedure, 'pg_proc');
BEGIN
    DROP FUNCTION word_postings(text);
    ALTER TABLE wordurl ALTER COLUMN word TYPE text COLLATE "C";
    ALTER TABLE wordurl1 ALTER COLUMN word TYPE text COLLATE "C";
    EXECUTE body;
    EXECUTE format('COMMENT ON FUNCTION word_postings(text) IS %L', meaning);
END $$;
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
DO $$
DECLARE
    body text := pg_get_functiondef('word_postings(text)'::regprocedure);
    meaning text := obj_description('word_postings(text)'::regprocedure, 'pg_proc');
BEGIN
    DROP FUNCTION word_postings(text);
    ALTER TABLE wordurl1 ALTER COLUMN word TYPE text;
    ALTER TABLE wordurl ALTER COLUMN word TYPE text;
    EXECUTE body;
    EXECUTE format('COMMENT ON FUNCTION word_postings(text) IS %L', meaning);
END $$;
-- +goose StatementEnd
