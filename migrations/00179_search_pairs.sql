-- A search for a single Chinese character in SQL joins the postings of 200 pairs at most: 2000 took 15 s. searchd still reads 2000.

-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('word_variants(text, boolean, boolean, boolean)'::regprocedure), 'pairs_most      CONSTANT integer := 1000;',
        'pairs_most      CONSTANT integer := 100;');
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_variants(text, boolean, boolean, boolean) IS
    'A word of a query, and the words of the index that are this word written otherwise, with their weights: its other spellings, if wanted, and of a single Chinese character the pairs that end with it, if the word is the first of a phrase, or begin with it, if it is the last: the 100 in the most documents.';

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('word_variants(text, boolean, boolean, boolean)'::regprocedure), 'pairs_most      CONSTANT integer := 100;',
        'pairs_most      CONSTANT integer := 1000;');
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_variants(text, boolean, boolean, boolean) IS
    'A word of a query, and the words of the index that are this word written otherwise, with their weights: its other spellings, if wanted, and of a single Chinese character the pairs that end with it, if the word is the first of a phrase, or begin with it, if it is the last.';
