-- The privileges of the role for /admin: what its actions read and write, and no more. It cannot read stat, change the merged index
-- or the rules of words.

-- +goose Up
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION grant_admin(the_role name, allowed boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    granted CONSTANT text := CASE WHEN allowed THEN 'GRANT ' ELSE 'REVOKE ' END;
    whom    CONSTANT text := CASE WHEN allowed THEN ' TO ' ELSE ' FROM ' END || quote_ident(the_role);
    pages   text := '';
BEGIN
    FOR n IN 0 .. 15 LOOP
        pages := pages || ', urlwords' || lpad(n::text, 2, '0');
    END LOOP;
    EXECUTE granted || 'USAGE ON SCHEMA ' || quote_ident(current_schema()) || whom;
    EXECUTE granted || 'SELECT ON totals, schedule, fetcher, sites_on_hold, crawl_state, urlwords, wordrules' || whom;
    EXECUTE granted || 'SELECT, UPDATE ON crawl_control, host_limit, robots_cache, site_hold' || whom;
    EXECUTE granted || 'SELECT, DELETE ON file_mount' || whom;
    EXECUTE granted || 'SELECT, INSERT, UPDATE ON sites, sitestate, urlkey, urlword, urlstate, crawl_history, markdel, reindexing' || whom;
    EXECUTE granted || 'SELECT, INSERT, UPDATE, DELETE ON journal, rt_urls, wordurl1' || pages || whom;
    EXECUTE granted || 'USAGE ON SEQUENCE urlword_url_id_seq, journal_seq' || whom;
END $$;
-- +goose StatementEnd
-- The search_path as in 00107_functions.sql. CREATE OR REPLACE forgets it.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION grant_admin(name, boolean) SET search_path = %I, pg_temp', current_schema());
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_admin') THEN
        PERFORM grant_admin('pgseek_admin');
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_admin') THEN
        PERFORM grant_admin('pgseek_admin', false);
    END IF;
END $$;
CREATE OR REPLACE FUNCTION grant_admin(the_role name, allowed boolean DEFAULT true) RETURNS void
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
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION grant_admin(name, boolean) SET search_path = %I, pg_temp', current_schema());
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_admin') THEN
        PERFORM grant_admin('pgseek_admin');
    END IF;
END $$;
-- +goose StatementEnd
