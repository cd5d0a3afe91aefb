-- The role that searches may execute all functions of a search where PUBLIC may execute none. No object is changed but its privileges.

-- +goose Up
-- Other migrations may have changed the function.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('grant_search(name, boolean)'::regprocedure), 'search, search_facets, document_facets',
        'search, search_facets, document_type, redirect_chain, plain_word, word_spellings, word_variants, form_languages, hangul_word, merged_places, document_facets');
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        PERFORM grant_search('pgseek_search');
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        REVOKE EXECUTE ON FUNCTION document_type, redirect_chain, plain_word, word_spellings, word_variants, form_languages, hangul_word, merged_places
            FROM pgseek_search;
    END IF;
    EXECUTE replace(pg_get_functiondef('grant_search(name, boolean)'::regprocedure),
        'search, search_facets, document_type, redirect_chain, plain_word, word_spellings, word_variants, form_languages, hangul_word, merged_places, document_facets',
        'search, search_facets, document_facets');
END $$;
-- +goose StatementEnd
