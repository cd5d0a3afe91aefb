-- The planner expected one word of a query to count for nearness, and went through all postings once for each: 2000 pairs of
-- characters took 11 s, now 0.5 s. So a single Chinese character reads 1000 pairs on each side again, as in searchd. An error about
-- a prefix says what to write.

-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    change record;
    before text;
BEGIN
    FOR change IN
        SELECT * FROM (VALUES
            ('search_matches(text,text,text,boolean,boolean,text,text,text,text,text,timestamptz,timestamptz)',
                'JOIN part_word w ON w.number = p.number AND w.part = ''near''',
                '-- Written so that the planner expects most words to pass.' || E'\n        '
                || 'JOIN part_word w ON w.number = p.number AND (CASE WHEN w.part = ''near'' THEN true END) IS NOT NULL'),
            ('word_variants(text, boolean, boolean, boolean)', 'pairs_most      CONSTANT integer := 100;', 'pairs_most      CONSTANT integer := 1000;'),
            ('search_terms(text)', 'c, written.first USING ERRCODE = ''feature_not_supported'';',
                'c, written.first USING ERRCODE = ''feature_not_supported'', HINT = CASE c' || E'\n'
                || '                        WHEN ''site:'' THEN ''Write the argument site: search(''''word'''', site => ''''www.example.org'''')''' || E'\n'
                || '                        WHEN ''lang:'' THEN ''Write the argument lang: search(''''word'''', lang => ''''en'''')''' || E'\n'
                || '                        WHEN ''filetype:'' THEN ''Write the argument type: search(''''word'''', type => ''''pdf'''')''' || E'\n'
                || '                        WHEN ''inurl:'' THEN ''The argument path limits to the beginning of a path: search(''''word'''', path => ''''/docs/'''')''' || E'\n'
                || '                        ELSE ''searchd and index --search know it. In quotes it is a word'' END;')
        ) c (function, old, new)
    LOOP
        before := pg_get_functiondef(change.function::regprocedure);
        IF position(change.old IN before) = 0 THEN
            RAISE EXCEPTION '% is not the function that this migration changes', change.function;
        END IF;
        EXECUTE replace(before, change.old, change.new);
    END LOOP;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_variants(text, boolean, boolean, boolean) IS
    'A word of a query, and the words of the index that are this word written otherwise, with their weights: its other spellings, if wanted, and of a single Chinese character the pairs that end with it, if the word is the first of a phrase, or begin with it, if it is the last: the 1000 in the most documents.';

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('search_matches(text,text,text,boolean,boolean,text,text,text,text,text,timestamptz,timestamptz)'::regprocedure),
        '-- Written so that the planner expects most words to pass.' || E'\n        '
        || 'JOIN part_word w ON w.number = p.number AND (CASE WHEN w.part = ''near'' THEN true END) IS NOT NULL',
        'JOIN part_word w ON w.number = p.number AND w.part = ''near''');
    EXECUTE replace(pg_get_functiondef('word_variants(text, boolean, boolean, boolean)'::regprocedure), 'pairs_most      CONSTANT integer := 1000;',
        'pairs_most      CONSTANT integer := 100;');
    EXECUTE regexp_replace(pg_get_functiondef('search_terms(text)'::regprocedure), ', HINT = CASE c\n.*?END;', ';');
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_variants(text, boolean, boolean, boolean) IS
    'A word of a query, and the words of the index that are this word written otherwise, with their weights: its other spellings, if wanted, and of a single Chinese character the pairs that end with it, if the word is the first of a phrase, or begin with it, if it is the last: the 100 in the most documents.';
