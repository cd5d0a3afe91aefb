-- Functions that decode packed columns, and functions about one word, document or URL.

-- +goose Up

CREATE FUNCTION find_url(url text) RETURNS integer
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT k.url_id FROM urlkey k WHERE k.url_hash = decode(md5(url), 'hex'));
COMMENT ON FUNCTION find_url(text) IS
    'The url_id of a normalized URL, looked up in urlkey. NULL = unknown. urlword has no index on url.';

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
COMMENT ON FUNCTION redirect_chain(integer) IS 'Follows redirects from a URL, at most 10 steps. A loop ends where it closes.';

-- Postings: wordurl.urls, wordurl1.urls and wordfile.urls.

CREATE FUNCTION u32le(b bytea, at integer) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN get_byte(b, at) | (get_byte(b, at + 1) << 8) | (get_byte(b, at + 2) << 16) | (get_byte(b, at + 3) << 24);
COMMENT ON FUNCTION u32le(bytea, integer) IS 'The little-endian 32-bit number at a byte offset.';

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
    blob := blob || ''::bytea; -- fetches a TOASTed value once, not again for every byte
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
    'Decodes a blob (wordurl.urls, wordurl1.urls, wordfile.urls): site, document, count (0 = removal, in wordfile only) and positions. Bits 14-15 of a position are the section (0 body, 1 description, 2 keywords, 3 title), bits 0-13 the ordinal.';

-- +goose StatementBegin
CREATE FUNCTION word_records(blob bytea) RETURNS TABLE (url_id integer, places bytea)
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE ROWS 1000
AS $$
DECLARE
    size   integer := octet_length(blob);
    at     integer;
    starts integer[] := '{}';
BEGIN
    IF size = 0 THEN
        RETURN;
    END IF;
    blob := blob || ''::bytea; -- fetches a TOASTed value once, not again for every byte
    at := CASE WHEN size >= 18 THEN u32le(blob, 0) ELSE size END;
    IF at < 12 OR at % 8 <> 4 OR at > size - 6 OR u32le(blob, at - 4) <> size THEN
        RAISE EXCEPTION 'not a word blob: % bytes, first number %', size, at USING ERRCODE = 'data_corrupted';
    END IF;
    -- The records of all sites are adjacent. Only their counts are read one by one, the rest by one statement.
    WHILE at < size - 5 LOOP
        starts := starts || at;
        at := at + 6 + 2 * (get_byte(blob, at + 4) | (get_byte(blob, at + 5) << 8));
    END LOOP;
    IF at <> size THEN
        RAISE EXCEPTION 'word blob damaged: its records end at byte % of %', at, size USING ERRCODE = 'data_corrupted';
    END IF;
    RETURN QUERY
    SELECT get_byte(blob, s) | (get_byte(blob, s + 1) << 8) | (get_byte(blob, s + 2) << 16) | (get_byte(blob, s + 3) << 24),
           substring(blob FROM s + 7 FOR 2 * (get_byte(blob, s + 4) | (get_byte(blob, s + 5) << 8)))
    FROM unnest(starts) s;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_records(bytea) IS
    'The documents in a blob with their packed positions: two bytes each, low byte first; none = removal. Much faster than word_info, which unpacks all positions.';

-- +goose StatementBegin
CREATE FUNCTION word_positions(blob bytea, the_site integer, the_url integer) RETURNS integer[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    size   integer := octet_length(blob);
    head   integer;
    low    integer := 0;
    high   integer;
    middle integer;
    at     integer;
    finish integer;
    key    bytea := set_byte(set_byte(set_byte(set_byte('\x00000000'::bytea, 0, the_url & 255), 1, (the_url >> 8) & 255),
                        2, (the_url >> 16) & 255), 3, (the_url >> 24) & 255);
    found  integer;
    cnt    integer;
BEGIN
    IF size = 0 THEN
        RETURN NULL;
    END IF;
    blob := blob || ''::bytea; -- fetches a TOASTed value once, not again for every byte
    head := CASE WHEN size >= 18 THEN u32le(blob, 0) ELSE 0 END;
    IF head < 12 OR head % 8 <> 4 OR head > size OR u32le(blob, head - 4) <> size THEN
        RAISE EXCEPTION 'not a word blob: % bytes, first number %', size, head USING ERRCODE = 'data_corrupted';
    END IF;
    high := (head - 4) / 8 - 1;
    WHILE low < high LOOP
        middle := (low + high) / 2;
        IF u32le(blob, 8 * middle + 4) < the_site THEN
            low := middle + 1;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    IF u32le(blob, 8 * low + 4) <> the_site THEN
        RETURN NULL;
    END IF;
    at := u32le(blob, 8 * low);
    finish := u32le(blob, 8 * low + 8);
    IF at < head OR finish <= at OR finish > size THEN
        RAISE EXCEPTION 'word blob damaged at byte %: site % from % to %', 8 * low, the_site, at, finish USING ERRCODE = 'data_corrupted';
    END IF;
    -- Records have no index. The bytes of the id give a candidate, and the walk over the counts decides whether a record begins there.
    LOOP
        found := position(key IN substring(blob FROM at + 1 FOR finish - at));
        IF found = 0 OR at + found + 5 > finish THEN
            RETURN NULL;
        END IF;
        found := at + found - 1;
        WHILE at < found LOOP
            at := at + 6 + 2 * (get_byte(blob, at + 4) | (get_byte(blob, at + 5) << 8));
        END LOOP;
        EXIT WHEN at = found;
        IF at >= finish THEN
            RETURN NULL;
        END IF;
    END LOOP;
    cnt := get_byte(blob, at + 4) | (get_byte(blob, at + 5) << 8);
    IF at + 6 + 2 * cnt > finish THEN
        RAISE EXCEPTION 'word blob damaged at byte %: a record of site %', at, the_site USING ERRCODE = 'data_corrupted';
    END IF;
    RETURN ARRAY(
        SELECT get_byte(blob, p) | (get_byte(blob, p + 1) << 8)
        FROM generate_series(at + 6, at + 4 + 2 * cnt, 2) p);
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_positions(bytea, integer, integer) IS
    'The positions of one document in a blob, by site_id and url_id. NULL = not in the blob, empty = a removal. Cheaper than word_info, because it decodes only this document.';

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
    'All postings of a word in lower case, from wordurl, wordfile and wordurl1: site, document, URL, count and positions (see word_info).';

-- +goose StatementBegin
CREATE FUNCTION word_documents(the_word text) RETURNS TABLE (url_id integer, places bytea)
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
BEGIN ATOMIC
    SELECT n.url_id, n.places
    FROM (
        SELECT r.url_id, r.places
        FROM wordurl w CROSS JOIN LATERAL word_records(w.urls) r
        WHERE w.word = the_word
        UNION ALL
        SELECT f.url_id, f.places
        FROM (
            SELECT DISTINCT ON (r.url_id) r.url_id, r.places
            FROM wordurl w JOIN wordfile f ON f.word_id = w.word_id CROSS JOIN LATERAL word_records(f.urls) r
            WHERE w.word = the_word
            ORDER BY r.url_id, f.level, f.seq DESC
        ) f
        WHERE f.places <> ''
    ) n
    WHERE NOT EXISTS (SELECT FROM rt_urls r WHERE r.url_id = n.url_id)
    UNION ALL
    SELECT r.url_id, r.places
    FROM wordurl1 w CROSS JOIN LATERAL word_records(w.urls) r
    WHERE w.word = the_word;
END;
-- +goose StatementEnd
COMMENT ON FUNCTION word_documents(text) IS
    'All documents with a word, from wordurl, wordfile and wordurl1, with positions packed as in word_records. Includes documents that a rule removed since the last merge.';

-- The words of a document: docwords.words and rt_urls.words.

-- +goose StatementBegin
CREATE FUNCTION docwords_info(packed bytea)
    RETURNS TABLE (word_id integer, cnt integer)
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE ROWS 250
AS $$
DECLARE
    size   integer := octet_length(packed);
    at     integer := 1;
    rest   bigint := -1; -- words or blocks that follow; their number comes first
    value  bigint;
    shift  integer;
    byte   integer;
    is_id  boolean := true;
    blocks boolean := false; -- all words are read; version 2 continues with the fingerprints of blocks
    block  integer := -1;
BEGIN
    packed := packed || ''::bytea; -- fetches a TOASTed value once, not again for every byte
    IF size < 2 OR get_byte(packed, 0) NOT IN (1, 2) THEN
        RAISE EXCEPTION 'not a list of words: % bytes', size USING ERRCODE = 'data_corrupted';
    END IF;
    word_id := 0;
    LOOP
        IF rest = 0 THEN
            EXIT WHEN blocks OR get_byte(packed, 0) = 1;
            blocks := true;
            rest := -1;
        END IF;
        value := 0;
        shift := 0;
        LOOP
            IF at >= size OR shift > 28 THEN
                RAISE EXCEPTION 'list of words damaged at byte %', at USING ERRCODE = 'data_corrupted';
            END IF;
            byte := get_byte(packed, at);
            at := at + 1;
            value := value | ((byte & 127)::bigint << shift);
            shift := shift + 7;
            EXIT WHEN byte < 128;
        END LOOP;
        IF rest < 0 THEN
            rest := value;
            IF rest = 0 AND NOT blocks AND get_byte(packed, 0) = 2 THEN
                RAISE EXCEPTION 'list of words damaged at byte %: blocks of no words', at USING ERRCODE = 'data_corrupted';
            END IF;
        ELSIF blocks THEN
            IF value = 0 AND block >= 0 OR greatest(block, 0) + value > 1023 OR at + 8 > size THEN
                RAISE EXCEPTION 'list of words damaged at byte %: a block after %', at, block USING ERRCODE = 'data_corrupted';
            END IF;
            block := greatest(block, 0) + value;
            at := at + 8;
            rest := rest - 1;
        ELSIF is_id THEN
            IF value = 0 OR word_id + value > 2147483647 THEN
                RAISE EXCEPTION 'list of words damaged at byte %: a word after %', at, word_id USING ERRCODE = 'data_corrupted';
            END IF;
            word_id := word_id + value;
            is_id := false;
        ELSE
            cnt := value;
            is_id := true;
            rest := rest - 1;
            RETURN NEXT;
        END IF;
    END LOOP;
    IF at <> size THEN
        RAISE EXCEPTION 'list of words damaged: it ends at byte % of %', at, size USING ERRCODE = 'data_corrupted';
    END IF;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION docwords_info(bytea) IS
    'Decodes docwords.words: the word ids of a document, ascending, each with the number of its positions.';

-- +goose StatementBegin
CREATE FUNCTION doc_words(the_url integer)
    RETURNS TABLE (word text, cnt integer, positions integer[])
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 250
AS $$
DECLARE
    the_site integer;
BEGIN
    SELECT u.site_id INTO the_site FROM urlword u WHERE u.url_id = the_url;
    IF EXISTS (SELECT FROM rt_urls r WHERE r.url_id = the_url) THEN
        RETURN QUERY
        SELECT w.word, i.cnt, word_positions(w.urls, the_site, the_url)
        FROM rt_urls r
        CROSS JOIN LATERAL docwords_info(r.words) i
        LEFT JOIN wordurl1 w ON w.word_id = i.word_id
        WHERE r.url_id = the_url
        ORDER BY w.word;
        RETURN;
    END IF;
    RETURN QUERY
    SELECT w.word, i.cnt, CASE WHEN w.urls <> '' THEN word_positions(w.urls, the_site, the_url) ELSE NULLIF((
            SELECT p
            FROM (SELECT DISTINCT ON (f.level, f.seq) f.level, f.seq, f.urls
                  FROM wordfile f
                  WHERE f.word_id = w.word_id AND (f.first_site, f.first_url) <= (the_site, the_url)
                  ORDER BY f.level, f.seq DESC, f.first_site DESC, f.first_url DESC) run
            CROSS JOIN LATERAL word_positions(run.urls, the_site, the_url) p
            WHERE p IS NOT NULL
            ORDER BY run.level, run.seq DESC
            LIMIT 1), '{}') END
    FROM docwords d
    CROSS JOIN LATERAL docwords_info(d.words) i
    LEFT JOIN wordurl w ON w.word_id = i.word_id
    WHERE d.url_id = the_url
    ORDER BY w.word;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION doc_words(integer) IS
    'The indexed words of a document: word, count and positions (see word_info). For a document in rt_urls these are its real-time words. positions NULL = the posting is missing: the index is damaged.';

-- Sites and subsets.

-- +goose StatementBegin
CREATE FUNCTION site_labels(site text)
    RETURNS TABLE (label text, bits integer)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT p.part, bit_or(CASE WHEN p.parts - p.n < 8 THEN 1 << (31 - (p.parts - p.n)::integer) ELSE 0 END)
    FROM (SELECT h.part, h.n, count(*) OVER () AS parts
          FROM unnest(string_to_array(lower(split_part(split_part(site, '://', 2), '/', 1)), '.')) WITH ORDINALITY AS h (part, n)) p
    WHERE p.part <> '' AND char_length(p.part) <= 32
    GROUP BY p.part;
END;
-- +goose StatementEnd
COMMENT ON FUNCTION site_labels(text) IS
    'The labels of a site''s host name, each with its places packed as in wordsite.sites: bit 31 the last label, bit 30 the one before, down to bit 24; 0 for labels further left.';

-- +goose StatementBegin
CREATE FUNCTION site_bits(packed integer[])
    RETURNS TABLE (site_id integer, bits integer)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT p & 16777215, (p >> 24) & 255 FROM unnest(packed) p;
END;
-- +goose StatementEnd
COMMENT ON FUNCTION site_bits(integer[]) IS
    'Decodes wordsite.sites: the site, and the places of the label in its host name (bit 7 = last label, bit 6 the one before, ..., bit 0 the eighth from the right).';

-- +goose StatementBegin
CREATE FUNCTION subset_documents(the_subset integer)
    RETURNS TABLE (site_id integer, url_id integer)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT d.site_id, doc
    FROM subsetdocs d CROSS JOIN LATERAL unnest(d.docs) doc
    WHERE d.subset_id = the_subset
    UNION ALL
    SELECT w.site_id, w.url_id
    FROM subsetdocs d JOIN urlword w ON w.site_id = d.site_id
    WHERE d.subset_id = the_subset AND d.block = -1
      AND w.deleted = 0 AND w.status <> 0 AND (w.status & 65535) = 200 AND w.origin = 0;
END;
-- +goose StatementEnd
COMMENT ON FUNCTION subset_documents(integer) IS 'The documents of a subset as of the last merge.';

-- These functions must work whatever the caller's search_path is: in a materialized view that is restored or refreshed, over
-- postgres_fdw, from an application with its own schema. Functions with BEGIN ATOMIC or RETURN are bound to their tables anyway.
-- +goose StatementBegin
DO $$
DECLARE
    f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY[
        'redirect_chain(integer)', 'word_info(bytea)', 'word_records(bytea)', 'word_positions(bytea, integer, integer)',
        'doc_words(integer)']::regprocedure[]
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION subset_documents(integer);
DROP FUNCTION site_bits(integer[]);
DROP FUNCTION site_labels(text);
DROP FUNCTION doc_words(integer);
DROP FUNCTION docwords_info(bytea);
DROP FUNCTION word_documents(text);
DROP FUNCTION word_postings(text);
DROP FUNCTION word_positions(bytea, integer, integer);
DROP FUNCTION word_records(bytea);
DROP FUNCTION word_info(bytea);
DROP FUNCTION u32le(bytea, integer);
DROP FUNCTION redirect_chain(integer);
DROP FUNCTION find_url(text);
