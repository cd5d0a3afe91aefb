-- Searching in SQL: search('vacuum "full table"', 10).

-- +goose Up

-- Parsing the query.

-- +goose StatementBegin
CREATE FUNCTION search_terms(query text)
    RETURNS TABLE (term integer, phrase boolean, excluded boolean, place integer, word text)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 5
AS $$
DECLARE
    quotes  CONSTANT text := '["\u201C-\u201F]';
    -- Characters that join words without a blank between them, and invisible characters.
    joiners CONSTANT text := '[-_''’`./\\:@&#%=~^$·‐‑\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B-\u200F'
        || '\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]';
    rules   wordrules;
    txt     text;
    c       text;
    unit    record;            -- words without a blank between them, such as pg_stat_activity
    stored  text[];            -- these words, NULL where the index leaves the word out
    behind  integer := 1;      -- the first character that is not yet read
    quoted  boolean := false;
    opened  integer;           -- number of the term that a quotation mark began
    without boolean;           -- whether that term is excluded
    apart   boolean := true;   -- at the beginning, or after a separator
    minus   boolean := false;
    terms   integer := 0;
    words   integer := 0;
    inside  integer;           -- place in the excluded term
    onward  integer := 0;      -- place among the terms that are not excluded
BEGIN
    IF octet_length(query) > 1024 THEN
        RAISE EXCEPTION 'the query is too long: it has % bytes, and 1024 are allowed', octet_length(query)
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    txt := regexp_replace(query, '[\u0001-\u001F\u007F-\u009F]', ' ', 'g');
    SELECT r.* INTO rules FROM wordrules r;
    FOR unit IN
        WITH w AS (
            SELECT t.place, t.word, t.first, t.last, lag(t.last) OVER (ORDER BY t.place) AS last_before
            FROM text_words(txt) t
        ), u AS (
            SELECT w.*, count(*) FILTER (WHERE w.last_before IS NULL OR w.first > w.last_before + 1
                AND substr(txt, w.last_before + 1, greatest(w.first - w.last_before - 1, 0)) !~ ('^' || joiners || '+$'))
                OVER (ORDER BY w.place) AS number
            FROM w
        )
        SELECT min(u.first) AS first, max(u.last) AS last, array_agg(u.word ORDER BY u.place) AS words
        FROM u GROUP BY u.number
        UNION ALL
        SELECT char_length(txt) + 1, char_length(txt) + 1, '{}' -- the end of the query, so that the characters before it are read
        ORDER BY 1
    LOOP
        FOR i IN behind .. unit.first - 1 LOOP
            c := substr(txt, i, 1);
            IF c ~ quotes THEN
                quoted := NOT quoted;
                apart := false;
                IF quoted THEN
                    terms := terms + 1;
                    opened := terms;
                    without := minus;
                    minus := false;
                    inside := 0;
                END IF;
            ELSIF c IN ('(', ')', '*', '?') OR c = '|' AND NOT quoted THEN
                RAISE EXCEPTION 'search() supports words, "phrases" and -exclusions: % at character % is part of searchd''s query language', c, i
                    USING ERRCODE = 'feature_not_supported';
            ELSIF c = '-' AND apart AND NOT quoted
                AND (i + 1 = unit.first AND unit.words <> '{}' OR substr(txt, i + 1, 1) ~ quotes) THEN
                minus := true;
                apart := false;
            ELSE
                apart := c !~ joiners;
            END IF;
        END LOOP;
        EXIT WHEN unit.words = '{}';
        behind := unit.last + 1;
        apart := false;
        IF NOT quoted THEN
            c := substring(substr(txt, unit.first) FROM '^(?:title|body|desc|keywords|site):');
            IF c IS NULL AND terms = 0 THEN
                c := substring(txt FROM '^\s*(link:)');
            END IF;
            IF cardinality(unit.words) = 1 AND unit.last - unit.first < 3 THEN
                CASE substr(txt, unit.first, unit.last - unit.first + 1)
                WHEN 'AND' THEN
                    CONTINUE;
                WHEN 'OR' THEN
                    c := 'OR';
                ELSE
                END CASE;
            END IF;
            IF c IS NOT NULL THEN
                RAISE EXCEPTION 'search() supports words, "phrases" and -exclusions: % at character % is part of searchd''s query language', c, unit.first
                    USING ERRCODE = 'feature_not_supported';
            END IF;
            terms := terms + 1;
            inside := 0;
            without := minus;
            minus := false;
        END IF;
        stored := ARRAY(
            SELECT CASE WHEN char_length(w.word) BETWEEN rules.min_length AND rules.max_length AND NOT w.word = ANY (rules.stopwords)
                THEN w.word END
            FROM unnest(unit.words) WITH ORDINALITY w (word, n) ORDER BY w.n);
        term := CASE WHEN quoted THEN opened ELSE terms END;
        phrase := quoted OR cardinality(array_remove(stored, NULL)) > 1;
        excluded := without;
        FOREACH word IN ARRAY stored LOOP -- a word that is left out still takes a place
            place := CASE WHEN without THEN inside ELSE onward END;
            inside := inside + 1;
            onward := onward + CASE WHEN without THEN 0 ELSE 1 END;
            CONTINUE WHEN word IS NULL;
            words := words + 1;
            IF words > 32 THEN
                RAISE EXCEPTION 'the query has too many words: 32 are allowed' USING ERRCODE = 'program_limit_exceeded';
            END IF;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search_terms(text) IS
    'How search() reads a query. One row for each word that can be indexed: the number of its term, whether the term is a phrase, whether it is excluded, and the word''s place. Words that are left out (wordrules) still take a place.';

-- The rank of a document, computed as by searchd. A place is a position as in blobs: the section in bits 14 and 15, the ordinal in bits 0
-- to 13.

CREATE FUNCTION place_at(places bytea, n integer) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN get_byte(places, 2 * n) | (get_byte(places, 2 * n + 1) << 8);
COMMENT ON FUNCTION place_at(bytea, integer) IS 'Position number n, from 0, of the packed positions of word_records.';

-- +goose StatementBegin
CREATE FUNCTION place_from(places bytea, wanted integer) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    low    integer := 0;
    high   integer := octet_length(places) / 2;
    middle integer;
BEGIN
    WHILE low < high LOOP
        middle := (low + high) / 2;
        IF place_at(places, middle) < wanted THEN
            low := middle + 1;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    RETURN CASE WHEN 2 * low < octet_length(places) THEN place_at(places, low) END;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION place_from(bytea, integer) IS
    'The lowest of the packed positions of word_records that is not below a given one. NULL = none.';

-- +goose StatementBegin
CREATE FUNCTION phrase_places(lists bytea[], offsets integer[], most integer DEFAULT NULL) RETURNS integer[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    lead  integer := 1; -- the word with the fewest places; the others are searched around them
    list  bytea;
    found integer[];
    shift integer;
    steps integer := cardinality(lists) - 1;
BEGIN
    FOR k IN 2 .. cardinality(lists) LOOP
        IF octet_length(lists[k]) < octet_length(lists[lead]) THEN
            lead := k;
        END IF;
    END LOOP;
    list := lists[lead];
    found := ARRAY(SELECT place_at(list, i) FROM generate_series(0, octet_length(list) / 2 - 1) i);
    FOR k IN 1 .. cardinality(lists) LOOP
        CONTINUE WHEN k = lead;
        list := lists[k];
        steps := steps - 1;
        shift := offsets[k] - offsets[lead];
        IF octet_length(list) <= 1024 THEN
            -- The two bytes of a place may be found across two other places; then place_from decides.
            found := ARRAY(
                SELECT p
                FROM unnest(found) p
                CROSS JOIN LATERAL (
                    SELECT position(set_byte(set_byte('\x0000'::bytea, 0, (p + shift) & 255), 1, (p + shift) >> 8) IN list) AS byte OFFSET 0
                ) x
                WHERE (p + shift) >> 14 = p >> 14 AND (x.byte % 2 = 1 OR x.byte > 0 AND place_from(list, p + shift) = p + shift)
                LIMIT CASE WHEN steps = 0 THEN most END);
        ELSE
            found := ARRAY(
                SELECT p
                FROM unnest(found) p
                WHERE (p + shift) >> 14 = p >> 14
                  AND p + shift IN (SELECT place_at(list, i) FROM generate_series(0, octet_length(list) / 2 - 1) i)
                LIMIT CASE WHEN steps = 0 THEN most END);
        END IF;
        EXIT WHEN found = '{}';
    END LOOP;
    IF lead > 1 THEN
        shift := offsets[lead] - offsets[1];
        found := ARRAY(SELECT p - shift FROM unnest(found) p);
    END IF;
    RETURN found;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION phrase_places(bytea[], integer[], integer) IS
    'Where words occur in one document and section at given offsets to each other: the positions of the first word, ascending, or only the first few of them. Positions are packed as in word_records.';

CREATE FUNCTION search_rank(bits integer, occurrences integer, link integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN bits & 24576 <> 0
        THEN (bits::bigint << 16) + least(link + trunc(2000 * ln(occurrences::double precision))::integer, 65535)
        ELSE ((bits & 63488)::bigint << 16) + (least(link + trunc(2000 * ln(occurrences::double precision))::integer, 65535) << 11) END;
COMMENT ON FUNCTION search_rank(integer, integer, integer) IS
    'Packs the rank of a document: 16 bits of quality and place, then 16 bits of link rank, to which occurrences are added. In the body the place is left out.';

-- +goose StatementBegin
CREATE FUNCTION search_score(lists bytea[], terms integer[], phrases boolean[], places integer[], link integer) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    words   integer := cardinality(terms);
    starts  integer[] := '{}'; -- index of the first word of each term, and one after the last
    count   integer := 0;      -- number of terms
    i       integer := 1;
    k       integer;
    found   integer[];
    begins  integer[] := '{}'; -- places where phrases begin
    best    integer;           -- best section of a term
    times   integer;
    section integer := 3;      -- the worst of the terms' sections
    often   integer;           -- occurrences of the rarest term in its section
    ordinal integer;
    pairs   integer := 0;      -- neighboring terms that are adjacent in the document, too
    quality integer;           -- 3 = all terms are adjacent
BEGIN
    WHILE i <= words LOOP
        k := i;
        WHILE terms[k + 1] = terms[i] LOOP
            k := k + 1;
        END LOOP;
        IF phrases[i] THEN
            found := phrase_places(lists[i:k], places[i:k]);
            IF found = '{}' THEN
                RETURN NULL;
            END IF;
            begins := begins || found;
            best := found[cardinality(found)] >> 14;
            times := (SELECT count(*) FROM unnest(found) p WHERE p >> 14 = best);
        ELSE
            best := get_byte(lists[i], octet_length(lists[i]) - 1) >> 6;
            times := CASE WHEN best = 0 THEN octet_length(lists[i]) / 2 ELSE 1 END;
        END IF;
        section := least(section, best);
        often := least(often, times);
        starts := starts || i;
        count := count + 1;
        i := k + 1;
    END LOOP;
    starts := starts || i;
    FOR j IN 1 .. count - 1 LOOP
        found := phrase_places(lists[starts[j]:starts[j + 2] - 1], places[starts[j]:starts[j + 2] - 1], CASE WHEN count > 2 THEN 1 END);
        pairs := pairs + (found <> '{}')::integer;
        EXIT WHEN pairs = 2 AND j > 2; -- more make no difference
    END LOOP;
    quality := least(pairs, 2);
    IF count > 1 AND pairs = count - 1 THEN
        IF count > 2 THEN
            found := phrase_places(lists, places);
        END IF;
        IF found <> '{}' THEN
            quality := 3;
            often := cardinality(found);
        END IF;
    END IF;
    IF section = 0 THEN
        RETURN search_rank(CASE WHEN count > 1 THEN 32768 | (quality << 11) WHEN phrases[1] THEN 45056 ELSE 32768 END, often, link);
    END IF;
    ordinal := (SELECT min(p) FROM unnest(begins) p WHERE p >> 14 = section);
    FOR j IN 1 .. words LOOP
        IF NOT phrases[j] THEN
            k := place_from(lists[j], section << 14);
            IF k >> 14 = section THEN
                ordinal := least(ordinal, k);
            END IF;
        END IF;
    END LOOP;
    ordinal := ordinal & 16383;
    RETURN search_rank(32768 | (section << 13) | CASE
        WHEN count > 1 THEN (quality << 11) | (2047 - least(ordinal, 2047))
        ELSE 8191 - least(ordinal, 8191) END, 1, link);
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search_score(bytea[], integer[], boolean[], integer[], integer) IS
    'The rank of a document that has all words of a query. NULL = a phrase is missing. The arrays have one element for each word: its packed positions, its term, whether that is a phrase, its place. The last argument is the link rank.';

-- The result.

-- +goose StatementBegin
CREATE FUNCTION search_excerpt(txt text, words text[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    mark   record;
    result text;
    copied integer := 0; -- characters of txt that are in the result or were skipped
BEGIN
    FOR mark IN SELECT w.first, w.last FROM text_words(txt) w WHERE w.word = ANY (words) ORDER BY w.place LOOP
        IF result IS NULL THEN
            result := '';
            IF mark.first > 100 THEN -- the excerpt begins at a word, about 60 characters before
                copied := mark.first - 61 + coalesce(nullif(position(' ' IN substr(txt, mark.first - 60, 60)), 0), 0);
                result := '… ';
            END IF;
        ELSIF mark.first <= copied THEN -- pairs of characters overlap
            result := left(result, -1) || substr(txt, copied + 1, greatest(mark.last - copied, 0)) || '»';
            copied := greatest(copied, mark.last);
            CONTINUE;
        END IF;
        result := result || substr(txt, copied + 1, mark.first - copied - 1) || '«'
            || substr(txt, mark.first, mark.last - mark.first + 1) || '»';
        copied := mark.last;
    END LOOP;
    RETURN result || substr(txt, copied + 1);
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search_excerpt(text, text[]) IS
    'A text with the given words marked by « and », from shortly before the first one. NULL = it has none of them. Words are as in text_words.';

-- +goose StatementBegin
CREATE FUNCTION search(query text, results integer DEFAULT 20)
    RETURNS TABLE (rank bigint, url_id integer, url text, title text, excerpt text)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 20
AS $$
DECLARE
    -- One element for each word of the query that is not excluded.
    asked     text[];
    terms     integer[];
    phrases   boolean[];
    places    integer[];
    candidate record;
    reached   bigint;
    -- Documents that are ranked and not yet returned: the rank in the high bits, the inverted url_id in the low ones.
    waiting   bigint[] := '{}';
    highest   bigint := -1;
    shown     integer := 0;
BEGIN
    IF results < 1 OR results > 1000 THEN
        RAISE EXCEPTION 'search() returns 1 to 1000 results, not %', results USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT array_agg(t.word ORDER BY t.place), array_agg(t.term ORDER BY t.place), array_agg(t.phrase ORDER BY t.place),
           array_agg(t.place ORDER BY t.place)
    INTO asked, terms, phrases, places
    FROM search_terms(query) t
    WHERE NOT t.excluded;
    IF asked IS NULL THEN
        RAISE NOTICE 'there is no word to search for: the query is empty, has only exclusions, or the index leaves out all its words';
        RETURN;
    END IF;
    IF EXISTS (
        SELECT FROM unnest(asked) x (word)
        WHERE NOT EXISTS (SELECT FROM wordurl w WHERE w.word = x.word AND w.urlcount > 0)
          AND NOT EXISTS (SELECT FROM wordurl1 w WHERE w.word = x.word)) THEN
        RETURN;
    END IF;
    -- Comparing positions is the expensive part. So the documents come in the order of the highest rank that they can reach, and the
    -- first ones are returned as soon as no other document can pass them.
    FOR candidate IN
        WITH posting AS MATERIALIZED (
            SELECT x.word, d.url_id, d.places
            FROM (SELECT DISTINCT u.word FROM unnest(asked) u (word)) x CROSS JOIN LATERAL word_documents(x.word) d
        ), whole AS (
            SELECT p.url_id, array_agg(p.places ORDER BY x.n) AS lists,
                   min(get_byte(p.places, octet_length(p.places) - 1) >> 6) AS section, -- the best section that all words reach
                   min(octet_length(p.places)) / 2 AS fewest
            FROM unnest(asked) WITH ORDINALITY x (word, n) JOIN posting p ON p.word = x.word
            GROUP BY p.url_id
            HAVING count(*) = cardinality(asked)
        ), without AS MATERIALIZED (
            SELECT x.term, d.url_id
            FROM search_terms(query) x CROSS JOIN LATERAL word_documents(x.word) d
            WHERE x.excluded
            GROUP BY x.term, x.phrase, d.url_id
            HAVING count(*) = (SELECT count(*) FROM search_terms(query) y WHERE y.excluded AND y.term = x.term)
               AND (NOT x.phrase OR phrase_places(array_agg(d.places ORDER BY x.place), array_agg(x.place ORDER BY x.place)) <> '{}')
        )
        SELECT w.url_id, w.lists, l.link, CASE
                WHEN w.section > 0 THEN search_rank(32768 | (w.section << 13) | 8191, 1, l.link)
                WHEN terms[1] <> terms[cardinality(terms)] THEN search_rank(32768 | (3 << 11), w.fewest, l.link)
                WHEN phrases[1] THEN search_rank(45056, w.fewest, l.link)
                ELSE search_rank(32768, w.fewest, l.link) END AS highest
        FROM whole w
        LEFT JOIN urlrank r ON r.url_id = w.url_id
        CROSS JOIN LATERAL (SELECT CASE WHEN r.rank > 0
            THEN least(greatest(trunc(2000 * ln(10 * r.rank::double precision)), 0), 65535) ELSE 0 END::integer AS link) l
        WHERE NOT EXISTS (SELECT FROM without o WHERE o.url_id = w.url_id)
        UNION ALL
        SELECT 0, NULL, 0, 0 -- the end: it passes no document
        ORDER BY 4 DESC, 1
    LOOP
        IF highest >> 31 > candidate.highest OR candidate.lists IS NULL THEN
            -- Only live originals are returned, including lost documents. The index may still have documents that a rule removed.
            FOR rank, url_id, url, title, excerpt IN
                SELECT k.key >> 31, u.url_id, u.url, coalesce(c.title, ''),
                       coalesce(search_excerpt(c.txt, asked), search_excerpt(c.description, asked), nullif(c.txt, ''), c.description, '')
                FROM unnest(waiting) k (key)
                JOIN urlword u ON u.url_id = 2147483647 - (k.key & 2147483647)::integer
                LEFT JOIN urlwords c ON c.url_id = u.url_id
                WHERE k.key >> 31 > candidate.highest AND (u.status & 65535) = 200 AND u.deleted = 0 AND u.origin = 0
                ORDER BY k.key DESC
                LIMIT results - shown
            LOOP
                RETURN NEXT;
                shown := shown + 1;
            END LOOP;
            EXIT WHEN shown = results;
            waiting := ARRAY(SELECT k.key FROM unnest(waiting) k (key) WHERE k.key >> 31 <= candidate.highest);
            highest := coalesce((SELECT max(k.key) FROM unnest(waiting) k (key)), -1);
        END IF;
        reached := search_score(candidate.lists, terms, phrases, places, candidate.link);
        IF reached IS NOT NULL THEN
            waiting := waiting || ((reached << 31) | (2147483647 - candidate.url_id));
            highest := greatest(highest, waiting[cardinality(waiting)]);
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search(text, integer) IS
    'The documents with all words and "phrases" of a query and without its -exclusions (a blank before the -, none behind), best first: by searchd''s rank, then url_id. A compound such as pg_stat_activity is a phrase. At most 32 words, 1024 bytes, 1000 results. The excerpt is from the stored beginning of the text, or from the description.';

-- The search_path as in 00107_functions.sql. The other functions inherit it from search(): a setting costs a microsecond per call, and
-- they are called for each candidate.
-- +goose StatementBegin
DO $$
DECLARE
    f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['search_terms(text)', 'search_excerpt(text, text[])', 'search(text, integer)']::regprocedure[]
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION search(text, integer);
DROP FUNCTION search_excerpt(text, text[]);
DROP FUNCTION search_score(bytea[], integer[], boolean[], integer[], integer);
DROP FUNCTION search_rank(integer, integer, integer);
DROP FUNCTION phrase_places(bytea[], integer[], integer);
DROP FUNCTION place_from(bytea, integer);
DROP FUNCTION place_at(bytea, integer);
DROP FUNCTION search_terms(text);
