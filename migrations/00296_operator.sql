-- What the pages of the operator show and do: searchd's /status and /explain read, /admin of a continuous crawl acts.

-- +goose Up
ALTER TABLE reindexing ADD COLUMN live bigint;
COMMENT ON COLUMN reindexing.live IS 'Documents of the index (totals.documents) when the run ended: the plot of /status. NULL while it runs, and in runs of earlier versions.';

-- The role that searches may read the state of the crawl, too. Nothing there is a secret: passwords are in the configuration only.
-- +goose StatementBegin
DO $$
DECLARE
    before text := pg_get_functiondef('grant_search(name, boolean)'::regprocedure);
BEGIN
    IF position('schedule, fetcher, sites_on_hold' IN before) = 0 THEN
        RAISE EXCEPTION 'grant_search is not the function that this migration changes';
    END IF;
    EXECUTE replace(before, 'schedule, fetcher, sites_on_hold', 'schedule, fetcher, crawl_history, robots_cache, sitestate, site_hold, '
        || 'host_limit, docwords, sitemaps, named_by, paused_pattern, unread_documents, unreached, orphans, sites_on_hold');
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        PERFORM grant_search('pgseek_search');
    END IF;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION grant_admin(the_role name, allowed boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    granted CONSTANT text := CASE WHEN allowed THEN 'GRANT ' ELSE 'REVOKE ' END;
    whom    CONSTANT text := CASE WHEN allowed THEN ' TO ' ELSE ' FROM ' END || quote_ident(the_role);
BEGIN
    EXECUTE granted || 'USAGE ON SCHEMA ' || quote_ident(current_schema()) || whom;
    EXECUTE granted || 'SELECT ON crawl_control' || whom;
    EXECUTE granted || 'UPDATE ON crawl_control' || whom;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION grant_admin(name, boolean) IS
    'Lets a role do what /admin does: ask a crawl to begin, pause or go on, end a hold, register URLs, make them due and remove them, nothing else. With false it revokes these privileges. Only for the owner of the tables.';
REVOKE EXECUTE ON FUNCTION grant_admin(name, boolean) FROM PUBLIC;
-- The search_path as in 00107_functions.sql. Roles belong to the server, grants to the database; several databases of one server
-- may be migrated at once.
-- +goose StatementBegin
DO $$
DECLARE
    f text;
BEGIN
    FOREACH f IN ARRAY ARRAY['grant_admin(name, boolean)', 'grant_search(name, boolean)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_admin') THEN
        BEGIN
            CREATE ROLE pgseek_admin NOLOGIN;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN
                NULL; -- another database has just created it
            WHEN insufficient_privilege THEN
                RAISE NOTICE 'the role pgseek_admin does not exist, and % may not create it: /admin acts as the owner (docs/schema.md)', current_user;
        END;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_admin') THEN
        RETURN;
    END IF;
    PERFORM grant_admin('pgseek_admin');
    IF NOT pg_has_role(current_user, 'pgseek_admin', 'MEMBER') THEN
        BEGIN
            EXECUTE format('GRANT pgseek_admin TO %I', current_user);
        EXCEPTION WHEN insufficient_privilege OR unique_violation OR internal_error THEN -- the last: "tuple concurrently updated"
            RAISE NOTICE '% is not a member of pgseek_admin: /admin acts as the owner (docs/schema.md)', current_user;
        END;
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
DECLARE
    added CONSTANT text := 'crawl_history, robots_cache, sitestate, site_hold, host_limit, docwords, sitemaps, named_by, paused_pattern, '
        || 'unread_documents, unreached, orphans';
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        EXECUTE 'REVOKE SELECT ON ' || added || ' FROM pgseek_search';
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_admin') THEN
        PERFORM grant_admin('pgseek_admin', false);
    END IF;
    EXECUTE replace(pg_get_functiondef('grant_search(name, boolean)'::regprocedure), 'schedule, fetcher, crawl_history, robots_cache, sitestate, site_hold, '
        || 'host_limit, docwords, sitemaps, named_by, paused_pattern, unread_documents, unreached, orphans, sites_on_hold', 'schedule, fetcher, sites_on_hold');
END $$;
-- +goose StatementEnd
DROP FUNCTION grant_admin(name, boolean);
ALTER TABLE reindexing DROP COLUMN live;
