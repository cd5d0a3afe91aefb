-- The DBA's tools: functions that decode what is packed.
-- Locks nothing; no re-index needed.

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION u32le(b bytea, at integer) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN get_byte(b, at) | (get_byte(b, at + 1) << 8) | (get_byte(b, at + 2) << 16) | (get_byte(b, at + 3) << 24);
-- +goose StatementEnd
COMMENT ON FUNCTION u32le(bytea, integer) IS 'The 4 bytes at an offset as a little-endian number.';

-- +goose StatementBegin
CREATE FUNCTION word_info(blob bytea)
    RETURNS TABLE (site_id integer, url_id integer, cnt integer, positions integer[])
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE ROWS 100
AS $$
DECLARE
    size   integer := octet_length(blob);
    head   integer;
    at     integer;
    finish integer;
    before integer := 0;
    next   integer;
BEGIN
    IF size = 0 THEN
        RETURN;
    END IF;
    blob := blob || ''::bytea; -- a value out of line is fetched here once, not again for every byte
    head := CASE WHEN size >= 18 THEN u32le(blob, 0) ELSE 0 END;
    IF head < 12 OR head % 8 <> 4 OR head > size OR u32le(blob, head - 4) <> size THEN
        RAISE EXCEPTION 'not a word blob: % bytes, first number %', size, head USING ERRCODE = 'data_corrupted';
    END IF;
    at := head;
    FOR s IN 0 .. (head - 4) / 8 - 1 LOOP
        site_id := u32le(blob, 8 * s + 4);
        finish := u32le(blob, 8 * s + 8);
        IF site_id <= before OR finish <= at OR finish > size THEN
            RAISE EXCEPTION 'word blob damaged at byte %: site % from % to %', 8 * s, site_id, at, finish
                USING ERRCODE = 'data_corrupted';
        END IF;
        before := site_id;
        url_id := 0;
        WHILE at < finish LOOP
            next := 0;
            IF at + 6 <= finish THEN
                next := u32le(blob, at);
                cnt := get_byte(blob, at + 4) | (get_byte(blob, at + 5) << 8);
            END IF;
            IF next <= url_id OR at + 6 + 2 * cnt > finish THEN
                RAISE EXCEPTION 'word blob damaged at byte %: a record of site %', at, site_id USING ERRCODE = 'data_corrupted';
            END IF;
            url_id := next;
            positions := ARRAY(
                SELECT get_byte(blob, p) | (get_byte(blob, p + 1) << 8)
                FROM generate_series(at + 6, at + 4 + 2 * cnt, 2) p);
            at := at + 6 + 2 * cnt;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_info(bytea) IS
    'The postings in a blob of wordurl.urls, wordurl1.urls or wordfile.urls: site, document, count (0 = removal, in wordfile only) and positions (bits 14-15 the section: 0 body, 1 description, 2 keywords, 3 title; bits 0-13 the ordinal in it).';

-- +goose StatementBegin
CREATE FUNCTION word_postings(the_word text)
    RETURNS TABLE (site_id integer, url_id integer, url text, cnt integer, positions integer[])
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH entry AS MATERIALIZED (
        SELECT i.site_id, i.url_id, i.cnt, i.positions, 0 AS level, 0::bigint AS seq
        FROM wordurl w CROSS JOIN LATERAL word_info(w.urls) i
        WHERE w.word = the_word
        UNION ALL
        SELECT i.site_id, i.url_id, i.cnt, i.positions, f.level, f.seq
        FROM wordurl w JOIN wordfile f ON f.word_id = w.word_id CROSS JOIN LATERAL word_info(f.urls) i
        WHERE w.word = the_word
    ), newest AS MATERIALIZED (
        SELECT DISTINCT ON (e.site_id, e.url_id) e.site_id, e.url_id, e.cnt, e.positions
        FROM entry e
        ORDER BY e.site_id, e.url_id, e.level, e.seq DESC
    ), posting AS MATERIALIZED (
        SELECT n.site_id, n.url_id, n.cnt, n.positions
        FROM newest n LEFT JOIN rt_urls r ON r.url_id = n.url_id
        WHERE n.cnt > 0 AND r.url_id IS NULL
        UNION ALL
        SELECT i.site_id, i.url_id, i.cnt, i.positions
        FROM wordurl1 w CROSS JOIN LATERAL word_info(w.urls) i
        WHERE w.word = the_word
    )
    SELECT p.site_id, p.url_id, u.url, p.cnt, p.positions
    FROM posting p JOIN urlword u ON u.url_id = p.url_id
    ORDER BY p.site_id, p.url_id;
END;
-- +goose StatementEnd
COMMENT ON FUNCTION word_postings(text) IS
    'The postings of a word wherever they stand (wordurl, wordfile, wordurl1): site, document, its URL, count, positions (see word_info). Give the word in lower case.';

-- +goose StatementBegin
CREATE FUNCTION site_bits(packed integer[])
    RETURNS TABLE (site_id integer, bits integer)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT p & 16777215, (p >> 24) & 255 FROM unnest(packed) p;
END;
-- +goose StatementEnd
COMMENT ON FUNCTION site_bits(integer[]) IS
    'wordsite.sites decoded: the site, and the places of the label in its host name (bit 7 = last label, bit 6 the one before, ... bit 0 the eighth from the right).';

-- +goose StatementBegin
CREATE FUNCTION redirect_chain(start_url integer, OUT step integer, OUT url_id integer, OUT url text, OUT status integer)
    RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT
AS $$
DECLARE
    at   integer := start_url;
    seen integer[] := '{}';
    next integer;
BEGIN
    step := 0;
    WHILE at <> 0 AND step <= 10 AND NOT at = ANY (seen) LOOP
        SELECT w.url_id, w.url, w.status, w.redir INTO url_id, url, status, next FROM urlword w WHERE w.url_id = at;
        EXIT WHEN NOT FOUND;
        RETURN NEXT;
        seen := seen || at;
        at := next;
        step := step + 1;
    END LOOP;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION redirect_chain(integer) IS 'Follows redirects from a URL, at most 10 steps; a loop ends where it closes.';

-- +goose Down
DROP FUNCTION redirect_chain(integer);
DROP FUNCTION site_bits(integer[]);
DROP FUNCTION word_postings(text);
DROP FUNCTION word_info(bytea);
DROP FUNCTION u32le(bytea, integer);
