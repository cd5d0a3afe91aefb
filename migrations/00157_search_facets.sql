-- Filters of search() in SQL, and search_facets(), which counts documents by the values of these filters. Only functions are created. They read
-- columns of docdates that 00160_kinds.sql adds.

-- +goose Up

CREATE FUNCTION language_code(lang text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(substring(replace(lower(lang COLLATE "C"), '_', '-') FROM '^([a-z]*)(?:-|$)'), '');
COMMENT ON FUNCTION language_code(text) IS 'The first part of a language tag, pt of pt-BR, by which searches filter and count. Empty = unknown.';

-- +goose StatementBegin
CREATE FUNCTION document_facets(urls integer[], of_site text DEFAULT NULL, of_lang text DEFAULT NULL, of_type text DEFAULT NULL,
        of_path text DEFAULT NULL, of_tag text DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL)
    RETURNS TABLE (url_id integer, site text, folder text, modified bigint, lang text, type text, tag integer, missed text[])
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
AS $$
DECLARE
    sites     text[]; -- what the arguments list
    languages text[];
    types     text[];
    tags      integer[] := string_to_array(of_tag, ',');
    earliest  bigint := floor(extract(epoch FROM since));
    latest    bigint := floor(extract(epoch FROM until));
    v         record;
    dated     integer[] := '{}'; -- documents of the real-time index, and their dates
    dates     timestamptz[] := '{}';
    at        timestamptz;
BEGIN
    IF of_site IS NOT NULL THEN
        sites := ARRAY(
            SELECT s.site FROM unnest(string_to_array(replace(of_site, ' ', ''), ',')) x (name)
            JOIN sites s ON s.site IN (x.name, x.name || '/', 'http://' || x.name || '/', 'https://' || x.name || '/'));
    END IF;
    IF of_lang IS NOT NULL THEN
        languages := ARRAY(SELECT language_code(btrim(x)) FROM string_to_table(of_lang, ',') x);
    END IF;
    IF of_type IS NOT NULL THEN
        types := ARRAY(SELECT lower(btrim(x)) FROM string_to_table(of_type, ',') x);
    END IF;
    -- The dates that the merge is going to give to documents of the real-time index: the same rule as in search/plan.go.
    FOR v IN
        SELECT j.url_id, d.modified AS known, j.modified, j.fetched_at, j.same_content,
               lag(j.url_id) OVER (ORDER BY j.url_id, j.seq) IS DISTINCT FROM j.url_id AS is_first
        FROM rt_urls r JOIN journal j ON j.url_id = r.url_id AND j.status IN (200, 406) LEFT JOIN docdates d ON d.url_id = r.url_id
        WHERE r.url_id = ANY (urls)
        ORDER BY j.url_id, j.seq
    LOOP
        IF v.is_first THEN
            at := v.known;
            dated := dated || v.url_id;
            dates := dates || at;
        END IF;
        IF v.same_content AND at IS NOT NULL THEN
            NULL; -- the date stays
        ELSIF NOT v.same_content AND v.modified <= v.fetched_at AND (at IS NULL OR v.modified > at) THEN
            at := v.modified;
        ELSE
            at := greatest(at, v.fetched_at);
        END IF;
        dates[cardinality(dated)] := at;
    END LOOP;
    RETURN QUERY
    WITH live AS MATERIALIZED ( -- the real-time index
        SELECT r.url_id, c.lang, document_type(c.content_type) AS type, w.tag
        FROM rt_urls r JOIN urlword w ON w.url_id = r.url_id JOIN urlwords c ON c.url_id = r.url_id
        WHERE r.url_id = ANY (urls)
    ), document AS (
        SELECT w.url_id, s.site, split_part(substr(w.url, length(s.site) + 1), '?', 1) AS path, w.url,
               floor(extract(epoch FROM CASE WHEN w.url_id = ANY (dated) THEN dates[array_position(dated, w.url_id)] ELSE d.modified END))::bigint AS modified,
               language_code(CASE WHEN l.url_id IS NULL THEN d.lang ELSE l.lang END) AS lang,
               coalesce(CASE WHEN l.url_id IS NULL THEN d.type ELSE l.type END, '') AS type,
               coalesce(CASE WHEN l.url_id IS NULL THEN d.tag ELSE l.tag END, 0) AS tag
        FROM unnest(urls) u (url_id)
        JOIN urlword w ON w.url_id = u.url_id
        JOIN sites s ON s.site_id = w.site_id
        LEFT JOIN docdates d ON d.url_id = u.url_id
        LEFT JOIN live l ON l.url_id = u.url_id
    )
    SELECT d.url_id, d.site, CASE WHEN d.path LIKE '_%/%' THEN '/' || split_part(d.path, '/', 1) || '/' END, d.modified, d.lang, d.type, d.tag,
           array_remove(ARRAY[
               CASE WHEN NOT d.site = ANY (sites) THEN 'site' END,
               CASE WHEN NOT d.lang = ANY (languages) THEN 'lang' END,
               CASE WHEN NOT d.type = ANY (types) THEN 'type' END,
               CASE WHEN (earliest IS NOT NULL OR latest IS NOT NULL)
                   AND (coalesce(d.modified, 0) = 0 OR d.modified < earliest OR d.modified > latest) THEN 'date' END,
               CASE WHEN NOT starts_with(d.url, d.site || ltrim(of_path, '/')) THEN 'path' END,
               CASE WHEN NOT d.tag = ANY (tags) THEN 'tag' END], NULL)
    FROM document d;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION document_facets(integer[], text, text, text, text, text, timestamptz, timestamptz) IS
    'What searches filter and count documents by: site, first folder (NULL = none), date in epoch seconds, language, type, tag; and the names of the filters that the document does not pass. The filters are as in search(). Values of documents of the real-time index are those that the merge is going to give them.';

-- +goose StatementBegin
CREATE FUNCTION search_facets(query text, match text DEFAULT 'any', forms text DEFAULT 'on', site text DEFAULT NULL, lang text DEFAULT NULL,
        type text DEFAULT NULL, path text DEFAULT NULL, tag text DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL)
    RETURNS TABLE (facet text, value text, documents bigint)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 50
AS $$
DECLARE
    -- Whether "phrases" are no conditions, because no document that passes the filters has them.
    loose boolean := match = 'any' AND query ~ '["\u201C-\u201F]'
        AND NOT EXISTS (SELECT FROM search_matches(query, match, forms, false, false, site, lang, type, path, tag, since, until));
BEGIN
    RETURN QUERY
    WITH matched AS MATERIALIZED (
        SELECT m.url_id, m.all_words FROM search_matches(query, match, forms, false, loose) m
    ), document AS MATERIALIZED (
        SELECT f.*, m.all_words
        FROM document_facets(ARRAY(SELECT a.url_id FROM matched a), site, lang, type, path, tag, since, until) f
        JOIN matched m ON m.url_id = f.url_id
    ), counted AS MATERIALIZED ( -- if a document of the result has all words, only such documents count
        SELECT * FROM document d
        WHERE d.all_words OR NOT EXISTS (SELECT FROM document r WHERE r.all_words AND r.missed = '{}')
    ), one_value AS ( -- documents count in a facet that pass all filters but its own
        SELECT 1 AS place, 'site' AS facet, c.site AS value, NULL::integer AS span FROM counted c WHERE c.missed <@ '{site}'
        UNION ALL
        SELECT 2, 'lang', c.lang, NULL FROM counted c WHERE c.missed <@ '{lang}' AND c.lang <> ''
        UNION ALL
        SELECT 3, 'type', c.type, NULL FROM counted c WHERE c.missed <@ '{type}' AND c.type <> ''
        UNION ALL
        SELECT 4, 'date', s.name, s.span
        FROM counted c
        JOIN (VALUES ('day', 1, 1), ('week', 2, 7), ('month', 3, 30), ('year', 4, 365), ('older', 5, 365)) s (name, span, days)
            ON (c.modified >= floor(extract(epoch FROM now() - s.days * interval '24 hours'))) = (s.name <> 'older')
        WHERE c.missed <@ '{date}' AND c.modified <> 0
        UNION ALL
        SELECT 5, 'path', c.folder, NULL
        FROM counted c
        WHERE c.missed <@ '{path}' AND c.folder IS NOT NULL
          AND (SELECT count(DISTINCT d.site) FROM counted d WHERE d.missed <@ '{path}') = 1
        UNION ALL
        SELECT 6, 'tag', c.tag::text, NULL FROM counted c WHERE c.missed <@ '{tag}' AND c.tag <> 0
    )
    SELECT o.facet, o.value, count(*)
    FROM one_value o
    GROUP BY o.place, o.facet, o.value, o.span
    ORDER BY o.place, o.span, count(*) DESC, o.value COLLATE "C";
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search_facets(text, text, text, text, text, text, text, text, timestamptz, timestamptz) IS
    'By site, lang, type, date, path (if all documents are of one site) and tag, how many documents search() would find with that value. The filters are as in search(); that of the facet itself does not count. If documents with all words are found, only these are counted.';

-- The role that searches.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION grant_search(the_role name, allowed boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    granted   CONSTANT text := CASE WHEN allowed THEN 'GRANT' ELSE 'REVOKE' END;
    whom      CONSTANT text := CASE WHEN allowed THEN ' TO ' ELSE ' FROM ' END || quote_ident(the_role);
    functions CONSTANT text := 'search, search_facets, document_facets, language_code, find_url, '
        || 'search_aspseek, search_matches, search_plan, search_parameters, search_idf, search_languages, stop_words, word_stem, word_forms, '
        || 'rank_of_score, link_units, length_norm, places_before, weighted_places, weighted_word, weighted_phrase, '
        || 'search_terms, text_words, character_classes, fold_word, word_documents, word_records, place_at, place_from, phrase_places, '
        || 'search_rank, search_score, search_excerpt, word_postings, word_info, word_positions, u32le, '
        || 'subset_documents, site_bits, site_labels, status_base, status_lost, status_lost_count';
    tables    text := 'sites, urlkey, urlword, urlwords, urlrank, wordurl, wordurl1, wordfile, rt_urls, docdates, citation, wordsite, '
        || 'subsets, subsetdocs, subsetstate, spaces, totals, wordrules, '
        || 'urlstate, journal, markdel, reindexing, schedule, fetcher, sites_on_hold'; -- marks of pages, unmerged versions, the status page
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
-- The search_path as in 00107_functions.sql. CREATE OR REPLACE forgets that of grant_search.
-- +goose StatementBegin
DO $$
DECLARE
    f text;
BEGIN
    FOR f IN
        SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN ('document_facets', 'search_facets', 'grant_search')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        PERFORM grant_search('pgseek_search');
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION search_facets(text, text, text, text, text, text, text, text, timestamptz, timestamptz);
DROP FUNCTION document_facets(integer[], text, text, text, text, text, timestamptz, timestamptz);
DROP FUNCTION language_code(text);
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
        || 'urlstate, journal, markdel, reindexing, schedule, fetcher, sites_on_hold'; -- marks of pages, unmerged versions, the status page
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
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION grant_search(name, boolean) SET search_path = %I, pg_temp', current_schema());
END $$;
-- +goose StatementEnd
