-- Functions find our tables and each other whatever the caller's search_path is: in a materialized view that is restored or refreshed,
-- over postgres_fdw, from an application with a schema of its own. What is written BEGIN ATOMIC or as RETURN did so before.
-- find_url looks a URL up by its hash. The role that searches may do so where nothing is open to everybody.
-- Locks nothing for longer than a moment; no table is rewritten; no re-index needed.

-- +goose Up

-- The inner functions of search() have it from that: each setting costs a microsecond a call, and they are called for each candidate.
-- +goose StatementBegin
DO $$
DECLARE
    f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY[
        'word_info(bytea)', 'word_positions(bytea, integer, integer)', 'word_records(bytea)', 'doc_words(integer)', 'redirect_chain(integer)',
        'text_words(text)', 'search_terms(text)', 'search_excerpt(text, text[])', 'search(text, integer)']::regprocedure[]
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

CREATE FUNCTION find_url(url text) RETURNS integer
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT k.url_id FROM urlkey k WHERE k.url_hash = decode(md5(url), 'hex'));
COMMENT ON FUNCTION find_url(text) IS
    'The url_id of a URL, written as urlword has it: by urlkey, since urlword has no index of URLs. NULL = it is not known.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION grant_search(the_role name, allowed boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    granted   CONSTANT text := CASE WHEN allowed THEN 'GRANT' ELSE 'REVOKE' END;
    whom      CONSTANT text := CASE WHEN allowed THEN ' TO ' ELSE ' FROM ' END || quote_ident(the_role);
    functions CONSTANT text := 'search(text, integer), find_url(text), '
        || 'search_terms, text_words, character_classes, fold_word, word_documents, word_records, place_at, place_from, phrase_places, '
        || 'search_rank, search_score, search_excerpt, word_postings, word_info, word_positions, u32le, '
        || 'subset_documents, site_bits, site_labels, status_base, status_lost, status_lost_count';
    tables    text := 'sites, urlkey, urlword, urlwords, urlrank, wordurl, wordurl1, wordfile, rt_urls, docdates, citation, wordsite, '
        || 'subsets, subsetdocs, subsetstate, spaces, totals, wordrules, '
        || 'urlstate, journal, markdel, reindexing, schedule, fetcher, sites_on_hold'; -- marks of pages, what waits, the status page
BEGIN
    FOR n IN 0 .. 15 LOOP
        tables := tables || ', urlwords' || lpad(n::text, 2, '0');
    END LOOP;
    EXECUTE granted || ' USAGE ON SCHEMA ' || quote_ident(current_schema()) || whom;
    EXECUTE granted || ' SELECT ON ' || tables || whom;
    EXECUTE granted || ' INSERT ON stat' || whom;
    EXECUTE granted || ' EXECUTE ON FUNCTION ' || functions || whom;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION grant_search(name, boolean) IS
    'Lets a role search: it may read the index and the stored pages, execute the functions for that and add to stat, nothing else. With false that is taken back. For the owner of the tables only.';

-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION grant_search(name, boolean) SET search_path = %I, pg_temp', current_schema());
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
        PERFORM grant_search('pgseek_search', false);
    END IF;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION grant_search(the_role name, allowed boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    granted CONSTANT text := CASE WHEN allowed THEN 'GRANT' ELSE 'REVOKE' END;
    whom    CONSTANT text := CASE WHEN allowed THEN ' TO ' ELSE ' FROM ' END || quote_ident(the_role);
    tables  text := 'sites, urlkey, urlword, urlwords, urlrank, wordurl, wordurl1, wordfile, rt_urls, docdates, citation, wordsite, '
        || 'subsets, subsetdocs, subsetstate, spaces, totals, wordrules, '
        || 'urlstate, journal, markdel, reindexing, schedule, fetcher, sites_on_hold'; -- marks of pages, what waits, the status page
BEGIN
    FOR n IN 0 .. 15 LOOP
        tables := tables || ', urlwords' || lpad(n::text, 2, '0');
    END LOOP;
    EXECUTE granted || ' SELECT ON ' || tables || whom;
    EXECUTE granted || ' INSERT ON stat' || whom;
    EXECUTE granted || ' EXECUTE ON FUNCTION search(text, integer)' || whom;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION grant_search(name, boolean) IS
    'Lets a role search: it may read the index and the stored pages, execute search() and add to stat, nothing else. With false that is taken back. For the owner of the tables only.';
DROP FUNCTION find_url(text);
-- +goose StatementBegin
DO $$
DECLARE
    f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY[
        'word_info(bytea)', 'word_positions(bytea, integer, integer)', 'word_records(bytea)', 'doc_words(integer)', 'redirect_chain(integer)',
        'text_words(text)', 'search_terms(text)', 'search_excerpt(text, text[])', 'search(text, integer)', 'grant_search(name, boolean)']::regprocedure[]
    LOOP
        EXECUTE format('ALTER FUNCTION %s RESET search_path', f);
    END LOOP;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        PERFORM grant_search('pgseek_search');
    END IF;
END $$;
-- +goose StatementEnd
