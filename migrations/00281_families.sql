-- The comment of each table ends with its family: the column by which a distributed database would place its rows, or local for
-- one copy beside the others. Tables of a family have their rows of one value in one place and are joined by this column. The test
-- of the statements (store/storetest/shape) reads the families from here. A new table names its family in its own comment.
--
-- Changes comments only.

-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    t record;
BEGIN
    FOR t IN
        SELECT f.family, n.name, obj_description(format('%I.%I', current_schema(), n.name)::regclass, 'pg_class') AS about
        FROM (VALUES
            ('url_id', ARRAY['urlword', 'urlstate', 'docdates', 'citation', 'urlrank', 'crawl_history', 'tmpurl', 'journal', 'markdel',
                'docwords', 'rt_urls', 'named_by'] || ARRAY(SELECT 'urlwords' || lpad(i::text, 2, '0') FROM generate_series(0, 15) i)),
            ('url_hash', ARRAY['urlkey']),
            ('word', ARRAY['wordurl', 'wordurl1']),
            ('word_id', ARRAY['wordfile']),
            ('local', ARRAY['sites', 'rankstate', 'reindexing', 'process', 'fetcher', 'schedule', 'sitestate', 'site_hold', 'robots',
                'robots_allow', 'robots_cache', 'crawl_control', 'wordsite', 'totals', 'wordrules', 'subsets', 'subsetstate', 'subsetdocs',
                'spaces', 'stat', 'host_limit', 'crawled_by', 'paused_pattern', 'soft404_probe', 'suggestions', 'suggestionstate',
                'sitemaps', 'file_mount'])
        ) AS f (family, names) CROSS JOIN LATERAL unnest(f.names) AS n (name)
    LOOP
        EXECUTE format('COMMENT ON TABLE %I IS %L', t.name, t.about || ' Family: ' || t.family || '.');
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
DECLARE
    t record;
BEGIN
    FOR t IN
        SELECT relname, obj_description(oid, 'pg_class') AS about FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND obj_description(oid, 'pg_class') ~ ' Family: \w+\.$'
    LOOP
        EXECUTE format('COMMENT ON TABLE %I IS %L', t.relname, regexp_replace(t.about, ' Family: \w+\.$', ''));
    END LOOP;
END $$;
-- +goose StatementEnd
