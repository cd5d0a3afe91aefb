-- search(): the site of files by its name, the names of types that searchd knows, a notice for a site that the index does not have,
-- and errors in a query without the text of other functions.

-- +goose Up
CREATE FUNCTION type_named(name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
AS $$
    SELECT CASE t.name
        WHEN 'htm' THEN 'html' WHEN 'shtml' THEN 'html' WHEN 'xhtml' THEN 'html' WHEN 'xht' THEN 'html'
        WHEN 'txt' THEN 'text' WHEN 'plain' THEN 'text' WHEN 'md' THEN 'markdown' WHEN 'js' THEN 'javascript'
        WHEN 'rss' THEN 'feed' WHEN 'atom' THEN 'feed'
        WHEN 'doc' THEN 'word' WHEN 'docx' THEN 'word' WHEN 'odt' THEN 'word'
        WHEN 'xls' THEN 'sheet' WHEN 'xlsx' THEN 'sheet' WHEN 'ods' THEN 'sheet'
        WHEN 'ppt' THEN 'slides' WHEN 'pptx' THEN 'slides' WHEN 'odp' THEN 'slides'
        ELSE t.name END
    FROM (SELECT ltrim(lower(btrim(name)), '.')) t (name)
$$;
COMMENT ON FUNCTION type_named(text) IS
    'The short name of a type (document_type) that somebody wrote: htm and .HTML are html, docx is word, txt is text.';

CREATE FUNCTION sites_named(names text) RETURNS TABLE (name text, site text)
    LANGUAGE sql STABLE PARALLEL SAFE STRICT
AS $$
    SELECT x.name, s.site
    FROM unnest(string_to_array(replace(names, ' ', ''), ',')) x (name)
    LEFT JOIN sites s ON s.site IN (x.name, x.name || '/', 'http://' || x.name || '/', 'https://' || x.name || '/',
        CASE WHEN lower(x.name) IN ('file', 'file:', 'file://') THEN 'file:///' END)
    WHERE x.name <> ''
$$;
COMMENT ON FUNCTION sites_named(text) IS
    'The sites of a list of names with commas between them: www.example.org, https://www.example.org/, file (the site of files, file:///). site is NULL if the index has no site of that name.';

-- +goose StatementBegin
DO $$
DECLARE
    change record;
    before text;
    f      text;
BEGIN
    FOR change IN
        SELECT * FROM (VALUES
            ('document_facets(integer[],text,text,text,text,text,timestamptz,timestamptz)',
                'sites := ARRAY\(.*?\)\);', 'sites := ARRAY(SELECT n.site FROM sites_named(of_site) n WHERE n.site IS NOT NULL);'),
            ('document_facets(integer[],text,text,text,text,text,timestamptz,timestamptz)',
                'SELECT lower\(btrim\(x\)\) FROM string_to_table\(of_type', 'SELECT type_named(x) FROM string_to_table(of_type'),
            ('search(text,integer,text,text,text,text,text,text,text,text,timestamptz,timestamptz)',
                'DECLARE\n', 'DECLARE' || E'\n' || '    missing text; -- the name of a site that the index does not have' || E'\n'),
            ('search(text,integer,text,text,text,text,text,text,text,text,timestamptz,timestamptz)',
                '    ELSIF ranking = ''aspseek'' THEN\n',
                '    END IF;' || E'\n'
                || '    PERFORM FROM search_terms(query); -- an error in the query comes from here, without the text of the functions below' || E'\n'
                || '    FOR missing IN SELECT n.name FROM sites_named(search.site) n WHERE n.site IS NULL LOOP' || E'\n'
                || '        RAISE NOTICE ''the index has no site %'', quote_literal(missing) USING HINT = ''Table sites has its sites'';' || E'\n'
                || '    END LOOP;' || E'\n'
                || '    IF ranking = ''aspseek'' THEN' || E'\n'),
            ('search_facets(text,text,text,text,text,text,text,text,timestamptz,timestamptz)',
                'BEGIN\n    RETURN QUERY',
                'BEGIN' || E'\n' || '    PERFORM FROM search_terms(query);' || E'\n' || '    RETURN QUERY')
        ) c (function, old, new)
    LOOP
        before := pg_get_functiondef(change.function::regprocedure);
        IF before !~ change.old THEN
            RAISE EXCEPTION '% is not the function that this migration changes', change.function;
        END IF;
        EXECUTE regexp_replace(before, change.old, change.new);
    END LOOP;
    FOREACH f IN ARRAY ARRAY['type_named(text)', 'sites_named(text)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
    before := pg_get_functiondef('grant_search(name, boolean)'::regprocedure);
    IF position('search, search_facets, document_type' IN before) = 0 THEN
        RAISE EXCEPTION 'grant_search is not the function that this migration changes';
    END IF;
    EXECUTE replace(before, 'search, search_facets, document_type', 'search, search_facets, sites_named, type_named, document_type');
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        PERFORM grant_search('pgseek_search');
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
DECLARE
    change record;
BEGIN
    FOR change IN
        SELECT * FROM (VALUES
            ('document_facets(integer[],text,text,text,text,text,timestamptz,timestamptz)',
                'sites := ARRAY(SELECT n.site FROM sites_named(of_site) n WHERE n.site IS NOT NULL);', 'sites := ARRAY(' || E'\n'
                || '            SELECT s.site FROM unnest(string_to_array(replace(of_site, '' '', ''''), '','')) x (name)' || E'\n'
                || '            JOIN sites s ON s.site IN (x.name, x.name || ''/'', ''http://'' || x.name || ''/'', ''https://'' || x.name || ''/''));'),
            ('document_facets(integer[],text,text,text,text,text,timestamptz,timestamptz)',
                'SELECT type_named(x) FROM string_to_table(of_type', 'SELECT lower(btrim(x)) FROM string_to_table(of_type'),
            ('search(text,integer,text,text,text,text,text,text,text,text,timestamptz,timestamptz)',
                '    END IF;' || E'\n'
                || '    PERFORM FROM search_terms(query); -- an error in the query comes from here, without the text of the functions below' || E'\n'
                || '    FOR missing IN SELECT n.name FROM sites_named(search.site) n WHERE n.site IS NULL LOOP' || E'\n'
                || '        RAISE NOTICE ''the index has no site %'', quote_literal(missing) USING HINT = ''Table sites has its sites'';' || E'\n'
                || '    END LOOP;' || E'\n'
                || '    IF ranking = ''aspseek'' THEN' || E'\n',
                '    ELSIF ranking = ''aspseek'' THEN' || E'\n'),
            ('search(text,integer,text,text,text,text,text,text,text,text,timestamptz,timestamptz)',
                '    missing text; -- the name of a site that the index does not have' || E'\n', ''),
            ('search_facets(text,text,text,text,text,text,text,text,timestamptz,timestamptz)',
                '    PERFORM FROM search_terms(query);' || E'\n', '')
        ) c (function, old, new)
    LOOP
        EXECUTE replace(pg_get_functiondef(change.function::regprocedure), change.old, change.new);
    END LOOP;
    EXECUTE replace(pg_get_functiondef('grant_search(name, boolean)'::regprocedure),
        'search, search_facets, sites_named, type_named, document_type', 'search, search_facets, document_type');
END $$;
-- +goose StatementEnd
DROP FUNCTION sites_named(text);
DROP FUNCTION type_named(text);
