-- Subsets and totals, kept by differences by every merge batch, and functions that tell of one document and of the index's size.
-- Locks nothing that exists; counts wordurl and docwords once (a minute for ten million words); no re-index needed. Subsets
-- are built by the next index -D or index -B.

-- +goose Up

CREATE TABLE subsetstate (
    subset_id   integer PRIMARY KEY,
    mask        text NOT NULL,
    whole_sites boolean NOT NULL,
    problem     text NOT NULL DEFAULT '',
    built_at    timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE subsetstate IS 'The subsets that subsetdocs has, each with the mask under which it was built. Where that is not the one of subsets, the next merge builds it anew.';
COMMENT ON COLUMN subsetstate.subset_id IS 'The subset.';
COMMENT ON COLUMN subsetstate.mask IS 'Its mask as subsetdocs follows it.';
COMMENT ON COLUMN subsetstate.whole_sites IS 'true = the mask ends in %, so a site whose name fits it is in the subset with all its documents.';
COMMENT ON COLUMN subsetstate.problem IS 'Why the mask fits nothing, empty when it can be used.';
COMMENT ON COLUMN subsetstate.built_at IS 'When it was built whole last; since then it is kept by differences.';

CREATE TABLE subsetdocs (
    subset_id integer NOT NULL,
    site_id   integer NOT NULL,
    block     integer NOT NULL CHECK (block >= -1),
    docs      integer[] CHECK (cardinality(docs) > 0),
    PRIMARY KEY (subset_id, site_id, block),
    CHECK ((block = -1) = (docs IS NULL))
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE subsetdocs ALTER COLUMN docs SET STORAGE EXTERNAL;
COMMENT ON TABLE subsetdocs IS 'The live originals of each subset by site: what a search by subset reads, and no other site''s postings. Written by the merge and index -B.';
COMMENT ON COLUMN subsetdocs.subset_id IS 'The subset.';
COMMENT ON COLUMN subsetdocs.site_id IS 'A site that has documents in it.';
COMMENT ON COLUMN subsetdocs.block IS '-1 = all documents of the site; else its documents with url_id / 16384 = block.';
COMMENT ON COLUMN subsetdocs.docs IS 'url_ids, ascending; NULL where block is -1.';

CREATE TABLE totals (
    single    boolean PRIMARY KEY DEFAULT true CHECK (single),
    documents bigint NOT NULL DEFAULT 0,
    words     bigint NOT NULL DEFAULT 0,
    postings  bigint NOT NULL DEFAULT 0,
    positions bigint NOT NULL DEFAULT 0
);
INSERT INTO totals (documents, words, postings, positions)
SELECT (SELECT count(*) FROM docwords WHERE octet_length(words) > 2),
       count(*) FILTER (WHERE urlcount > 0), coalesce(sum(urlcount), 0), coalesce(sum(totalcount), 0)
FROM wordurl;
COMMENT ON TABLE totals IS 'Sizes of the inverted index, for document frequencies. One row, kept by the merge; index -U counts it anew. Real-time documents are not in it before their merge.';
COMMENT ON COLUMN totals.single IS 'Always true: there is one row.';
COMMENT ON COLUMN totals.documents IS 'Documents with words in the index.';
COMMENT ON COLUMN totals.words IS 'Words with documents.';
COMMENT ON COLUMN totals.postings IS 'Pairs of word and document: the sum of wordurl.urlcount.';
COMMENT ON COLUMN totals.positions IS 'Occurrences of words: the sum of wordurl.totalcount.';

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
COMMENT ON FUNCTION subset_documents(integer) IS
    'The documents of a subset, by its subset_id, as the last merge left it.';

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
    'The labels of a site''s host name, each with its places as wordsite.sites packs them: bit 31 the last label, bit 30 the one before, down to bit 24; 0 further left.';

-- +goose StatementBegin
CREATE FUNCTION docwords_info(packed bytea)
    RETURNS TABLE (word_id integer, cnt integer)
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE ROWS 250
AS $$
DECLARE
    size  integer := octet_length(packed);
    at    integer := 1;
    rest  bigint := -1; -- words that follow; the first number says how many
    value bigint;
    shift integer;
    byte  integer;
    is_id boolean := true;
BEGIN
    packed := packed || ''::bytea; -- a value out of line is fetched here once, not again for every byte
    IF size < 2 OR get_byte(packed, 0) <> 1 THEN
        RAISE EXCEPTION 'not a list of words: % bytes', size USING ERRCODE = 'data_corrupted';
    END IF;
    word_id := 0;
    WHILE rest <> 0 LOOP
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
    'docwords.words decoded: the ids of a document''s words, ascending, each with the number of its positions.';

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
    blob := blob || ''::bytea; -- a value out of line is fetched here once, not again for every byte
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
    -- Records have no index: the bytes of the id say where one may be, and the walk over the counts whether it is one.
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
    'The positions of one document in a blob of wordurl.urls, wordurl1.urls or wordfile.urls, by site_id and url_id: NULL when the blob does not have it, empty for a removal. It reads no other document of the blob, so it costs less than word_info.';

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
    'The words that the index has of a document, by its url_id: the word, how often, its positions (see word_info). Real-time words when index -T indexed it last. positions NULL = the posting is missing, the index is damaged there.';

CREATE VIEW index_size AS
WITH w AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE urls <> '') AS inline_words,
           coalesce(sum(urlcount) FILTER (WHERE urls <> ''), 0)::bigint AS inline_postings,
           coalesce(sum(urlcount) FILTER (WHERE urls = ''), 0)::bigint AS large_postings,
           coalesce(sum(octet_length(urls)), 0)::bigint AS inline_bytes
    FROM wordurl
), f AS MATERIALIZED (
    SELECT level, count(*) AS rows, sum(urlcount)::bigint AS postings, sum(octet_length(urls))::bigint AS bytes
    FROM wordfile GROUP BY level
), r AS MATERIALIZED (
    SELECT count(*) AS rows, coalesce(sum(urlcount), 0)::bigint AS postings, coalesce(sum(octet_length(urls)), 0)::bigint AS bytes
    FROM wordurl1
), h AS MATERIALIZED (
    SELECT count(i.word_id) AS postings
    FROM rt_urls u JOIN docwords d ON d.url_id = u.url_id CROSS JOIN LATERAL docwords_info(d.words) i
), line (n, part, rows, postings, out_of_date, bytes) AS (
    SELECT 1, 'wordurl', w.inline_words, w.inline_postings, 0::bigint, w.inline_bytes FROM w
    UNION ALL
    SELECT 2 + l.level, 'wordfile level ' || l.level, coalesce(f.rows, 0), coalesce(f.postings, 0), NULL, coalesce(f.bytes, 0)
    FROM generate_series(0, 2) l (level) LEFT JOIN f ON f.level = l.level
    UNION ALL
    SELECT 5, 'wordfile', coalesce(sum(f.rows), 0)::bigint, coalesce(sum(f.postings), 0)::bigint,
           coalesce(sum(f.postings), 0)::bigint - (SELECT w.large_postings FROM w), coalesce(sum(f.bytes), 0)::bigint
    FROM f
    UNION ALL
    SELECT 6, 'wordurl1', r.rows, r.postings, 0, r.bytes FROM r
    UNION ALL
    SELECT 7, 'hidden by wordurl1', (SELECT count(*) FROM rt_urls), h.postings, h.postings, NULL FROM h
    UNION ALL
    SELECT 8, 'docwords', count(*), NULL, NULL, coalesce(sum(octet_length(d.words)), 0)::bigint FROM docwords d
    UNION ALL
    SELECT 9, 'indexes', NULL, NULL, NULL,
           (SELECT sum(pg_indexes_size(t::regclass))::bigint
            FROM unnest(ARRAY['wordurl'::regclass, 'wordfile'::regclass, 'wordurl1'::regclass, 'docwords'::regclass]) t)
    UNION ALL
    SELECT 10, 'on disk', NULL, NULL, NULL,
           (SELECT sum(pg_total_relation_size(t::regclass))::bigint
            FROM unnest(ARRAY['wordurl'::regclass, 'wordfile'::regclass, 'wordurl1'::regclass, 'docwords'::regclass]) t)
)
SELECT l.part, l.rows, l.postings, l.out_of_date,
       round(100.0 * l.out_of_date / nullif(l.postings, 0), 1) AS out_of_date_percent, l.bytes
FROM line l
ORDER BY l.n;
COMMENT ON VIEW index_size IS 'Where the bytes of the inverted index are, and what of it is out of date. Exact; it reads wordurl, docwords and the heads of wordfile once.';
COMMENT ON COLUMN index_size.part IS 'wordurl: words with up to 1000 bytes. wordfile: the others, by level and together. wordurl1: real-time documents. hidden by wordurl1: what these have in wordurl and wordfile, which is counted there too. indexes, on disk: of the four tables, with free space and what vacuum has not found.';
COMMENT ON COLUMN index_size.rows IS 'Rows of the table; of wordurl those with postings in them; of the hidden part documents.';
COMMENT ON COLUMN index_size.postings IS 'Pairs of word and document stored there, removals aside.';
COMMENT ON COLUMN index_size.out_of_date IS 'Postings there that a newer row overrides or removes, until a compaction drops them; NULL where only the sum over the levels is known.';
COMMENT ON COLUMN index_size.out_of_date_percent IS 'Their share of the postings.';
COMMENT ON COLUMN index_size.bytes IS 'Bytes of the packed values; of the last two lines bytes on disk.';

-- +goose Down
DROP VIEW index_size;
DROP FUNCTION doc_words(integer);
DROP FUNCTION word_positions(bytea, integer, integer);
DROP FUNCTION docwords_info(bytea);
DROP FUNCTION site_labels(text);
DROP FUNCTION subset_documents(integer);
DROP TABLE totals, subsetdocs, subsetstate;
