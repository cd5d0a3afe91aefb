-- What is written like a name in code, such as dynamic_library_path and os.path, weighs twice as much as a phrase as other words
-- without a blank between them.

-- +goose Up
DROP FUNCTION search_terms(text);
-- +goose StatementBegin
CREATE FUNCTION search_terms(query text)
 RETURNS TABLE(term integer, phrase boolean, excluded boolean, place integer, word text, unit boolean, must boolean, name boolean)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT ROWS 5
AS $$
DECLARE
    max_words CONSTANT integer := 32;  -- of words of which the search cannot choose (query.MaxTerms)
    most      CONSTANT integer := 512; -- of all words (query.mostTerms)
    quotes    CONSTANT text := '["\u201C-\u201F]';
    -- Characters that join words without a blank between them, and invisible characters.
    joiners   CONSTANT text := '[-_''’`./\\:@&#%=~^$·‐‑\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B-\u200F'
        || '\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]';
    rules     wordrules;
    txt       text;
    c         text;
    written   record;            -- words without a blank between them, such as pg_stat_activity
    stored    text[];            -- these words, NULL where the index leaves the word out
    behind    integer := 1;      -- the first character that is not yet read
    quoted    boolean := false;
    opened    integer;           -- number of the term that a quotation mark began
    without   boolean;           -- whether that term is excluded
    apart     boolean := true;   -- at the beginning, or after a separator
    minus     boolean := false;
    plus      boolean := false;
    previous  integer := 0;      -- the term before an AND
    terms     integer := 0;
    inside    integer;           -- place in the excluded term
    onward    integer := 0;      -- place among the terms that are not excluded
    left_out  boolean := false;  -- the index leaves out a word that is not excluded
    -- The rows, and the terms that a + or AND makes conditions.
    row_terms integer[] := '{}';
    phrases   boolean[] := '{}';
    units     boolean[] := '{}';
    names     boolean[] := '{}';
    exclusions boolean[] := '{}';
    places    integer[] := '{}';
    words     text[] := '{}';
    musts     integer[] := '{}';
    positive  integer;           -- number of terms that are not excluded
    spare     integer;           -- number of words of which the search can choose
BEGIN
    IF octet_length(query) > 2048 THEN
        RAISE EXCEPTION 'the query is too long: it has % bytes, and 2048 are allowed', octet_length(query)
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    txt := regexp_replace(query, '[\u0001-\u001F\u007F-\u009F]', ' ', 'g');
    SELECT r.* INTO rules FROM wordrules r;
    FOR written IN
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
        FOR i IN behind .. written.first - 1 LOOP
            c := substr(txt, i, 1);
            IF c ~ quotes THEN
                quoted := NOT quoted;
                apart := false;
                IF quoted THEN
                    terms := terms + 1;
                    opened := terms;
                    without := minus;
                    minus := false;
                    plus := false; -- a phrase is a condition anyway
                    previous := 0;
                    inside := 0;
                END IF;
            ELSIF c = '?' AND written.words <> '{}' AND substr(txt, i, written.first - i) ~ '^[?]+$'
                AND (behind = 1 OR substr(txt, behind, i - behind) !~ ('^' || joiners || '*[?]*$')) THEN
                NULL; -- punctuation before a word, as behind one
            ELSIF c = '?' AND behind > 1 AND substr(txt, behind, i - behind + 1) ~ '^[?]+$'
                AND substr(txt, i, written.first - i) !~ ('^[?]+' || joiners || '*[*]')
                AND (written.words = '{}' OR substr(txt, i, written.first - i) !~ ('^[?]+' || joiners || '*$')) THEN
                apart := false; -- the end of a question
            ELSIF c IN ('(', ')', '*', '?') OR c = '|' AND NOT quoted THEN
                RAISE EXCEPTION 'search() supports words, "phrases", +conditions and -exclusions: % at character % is part of searchd''s query language', c, i
                    USING ERRCODE = 'feature_not_supported';
            ELSIF c IN ('-', '+') AND apart AND NOT quoted
                AND (written.words <> '{}' AND substr(txt, i + 1, written.first - i - 1) ~ '^[?]*$' OR substr(txt, i + 1, 1) ~ quotes) THEN
                minus := c = '-';
                plus := c = '+' OR plus;
                apart := false;
            ELSE
                apart := c !~ joiners;
            END IF;
        END LOOP;
        EXIT WHEN written.words = '{}';
        behind := written.last + 1;
        apart := false;
        IF NOT quoted THEN
            c := substring(substr(txt, written.first) FROM '^(?:title|intitle|body|desc|keywords|site|filetype|inurl|lang):');
            IF c IS NULL AND terms = 0 THEN
                c := substring(txt FROM '^\s*(link:)');
            END IF;
            IF cardinality(written.words) = 1 AND written.last - written.first < 3 THEN
                CASE substr(txt, written.first, written.last - written.first + 1)
                WHEN 'AND' THEN -- makes the terms before and behind it conditions
                    musts := musts || previous;
                    plus := true;
                    CONTINUE;
                WHEN 'OR' THEN
                    c := 'OR';
                ELSE
                END CASE;
            END IF;
            IF c IS NOT NULL THEN
                RAISE EXCEPTION 'search() supports words, "phrases", +conditions and -exclusions: % at character % is part of searchd''s query language',
                    c, written.first USING ERRCODE = 'feature_not_supported';
            END IF;
            terms := terms + 1;
            inside := 0;
            without := minus;
            IF plus AND NOT minus THEN
                musts := musts || terms;
            END IF;
            minus := false;
            plus := false;
        END IF;
        stored := ARRAY(
            SELECT CASE WHEN char_length(w.word) BETWEEN rules.min_length AND rules.max_length AND NOT w.word = ANY (rules.stopwords)
                THEN w.word END
            FROM unnest(written.words) WITH ORDINALITY w (word, n) ORDER BY w.n);
        previous := CASE WHEN without OR quoted OR array_remove(stored, NULL) = '{}' THEN 0 ELSE terms END;
        left_out := left_out OR NOT without AND array_position(stored, NULL) IS NOT NULL;
        FOREACH word IN ARRAY stored LOOP -- a word that is left out still takes a place
            IF word IS NOT NULL THEN
                row_terms := row_terms || CASE WHEN quoted THEN opened ELSE terms END;
                words := words || word;
                places := places || CASE WHEN without THEN inside ELSE onward END;
                phrases := phrases || (quoted OR cardinality(array_remove(stored, NULL)) > 1);
                units := units || (NOT quoted AND cardinality(array_remove(stored, NULL)) > 1);
                names := names || (units[cardinality(units)] AND array_position(stored, NULL) IS NULL
                    AND substr(txt, written.first, written.last - written.first + 1) ~ '^[0-9A-Za-z]{2,}([_.]+[0-9A-Za-z]{2,})+$');
                exclusions := exclusions || without;
                EXIT WHEN cardinality(words) > most;
            END IF;
            inside := inside + 1;
            onward := onward + CASE WHEN without THEN 0 ELSE 1 END;
        END LOOP;
    END LOOP;
    -- A query that is nothing but -header is the word.
    IF NOT left_out AND NOT false = ANY (exclusions) AND row_terms[1] = ALL (row_terms) THEN
        exclusions := array_fill(false, ARRAY[cardinality(words)]);
    END IF;
    SELECT count(DISTINCT t.term) INTO positive FROM unnest(row_terms, exclusions) t (term, excluded) WHERE NOT t.excluded;
    IF positive = 1 THEN
        musts := '{}'; -- it is the only one
    END IF;
    -- Of more words that are no conditions a search uses the most significant.
    SELECT count(*) INTO spare
    FROM unnest(row_terms, phrases, units, exclusions) t (term, phrase, unit, excluded)
    WHERE (NOT t.phrase OR t.unit) AND NOT t.excluded AND NOT t.term = ANY (musts);
    IF cardinality(words) > most OR cardinality(words) - spare > max_words THEN
        RAISE EXCEPTION 'the query has too many words: % are allowed, besides words of which any is enough', max_words
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    RETURN QUERY
    SELECT t.term, t.phrase, t.excluded, t.place, t.word, t.unit, NOT t.excluded AND t.term = ANY (musts), t.name
    FROM unnest(row_terms, phrases, exclusions, places, words, units, names) WITH ORDINALITY t (term, phrase, excluded, place, word, unit, name, n)
    ORDER BY t.n;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search_terms(text) IS 'How search() reads a query. One row for each word that can be indexed: the number of its term, whether the term is a phrase, whether it is excluded, the word''s place, whether the term was written without a blank (pg_stat_activity), whether + or AND makes it a condition, whether the term is written like a name in code (os.path). Words that are left out (wordrules) still take a place.';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_plan(query text, match text DEFAULT 'any'::text, forms text DEFAULT 'on'::text, loose boolean DEFAULT false)
 RETURNS TABLE(part text, n integer, words text[], places integer[], needed boolean, weight double precision, weights double precision[])
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT ROWS 10
AS $$
DECLARE
    s         record;
    total     bigint;
    languages text[]; -- of other forms of words; with none there are no other spellings, either
    stops     text[]; -- words that are left out
BEGIN
    SELECT * INTO s FROM search_parameters();
    total := coalesce((SELECT t.documents FROM totals t), 0);
    CASE forms
    WHEN 'off' THEN
        languages := '{}';
    WHEN 'on' THEN
        languages := search_languages();
    ELSE
        languages := string_to_array(forms, ',');
        IF languages = '{}' OR EXISTS (SELECT FROM unnest(languages) l WHERE NOT l = ANY (form_languages())) THEN
            RAISE EXCEPTION 'search() knows no other forms of words for %: forms is on, off, or languages such as en,de', quote_literal(forms)
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END CASE;
    IF match NOT IN ('any', 'all') THEN
        RAISE EXCEPTION 'match is any or all, not %', quote_literal(match) USING ERRCODE = 'invalid_parameter_value';
    END IF;
    stops := CASE WHEN match = 'any' THEN
        ARRAY(SELECT unnest(w.words) FROM stop_words() w WHERE w.lang = ANY (CASE WHEN forms = 'on' THEN languages ELSE search_languages() END))
        ELSE '{}' END;
    RETURN QUERY
    WITH read AS ( -- an exclusion of a single letter is an option and a word, behind the others: zipfile -e
        SELECT t.*, match = 'any' AND t.excluded AND NOT t.phrase AND octet_length(t.word) = 1
            AND bool_or(NOT t.excluded) OVER () AS option
        FROM search_terms(query) t
    ), term_read AS (
        SELECT r.term + CASE WHEN r.option THEN 1000 ELSE 0 END AS term, r.phrase, r.unit, r.must, r.excluded AND NOT r.option AS excluded, r.name,
               array_agg(r.word ORDER BY r.place) AS words, array_agg(r.place ORDER BY r.place) AS places
        FROM read r
        GROUP BY r.term, r.phrase, r.unit, r.must, r.excluded, r.option, r.name
    ), asked AS (
        SELECT r.*, NOT r.excluded AND NOT r.phrase AND NOT r.must AS plain FROM term_read r
    ), content AS ( -- without stop words, if there is anything else
        SELECT a.* FROM asked a
        WHERE NOT (a.plain AND a.words[1] = ANY (stops))
           OR NOT EXISTS (SELECT FROM asked b WHERE NOT b.excluded AND NOT (b.plain AND b.words[1] = ANY (stops)))
    ), kept AS ( -- free: it is no condition if any word is enough. A + has no effect on what is alone
        SELECT c.*, (NOT c.phrase OR c.unit)
                AND NOT (c.must AND (c.excluded OR (SELECT count(*) FROM content d) > 1)) AS free
        FROM content c
    ), mode AS (
        SELECT match = 'any' AND coalesce(bool_or(k.free AND k.unit) OR bool_or(k.free) AND count(*) > 1, false) AS any_word,
               coalesce(sum(cardinality(k.words)) FILTER (WHERE k.free), 0) AS free_words
        FROM kept k WHERE NOT k.excluded
    ), term AS ( -- loose: "phrases" among other words count as if they were written without a blank; always in a pasted text
        SELECT k.term, k.excluded, k.words, k.places, m.any_word, (k.free OR l.loosened) AND m.any_word AS free,
               k.unit OR l.loosened AS unit, k.name, k.phrase AND NOT (l.loosened AND cardinality(k.words) = 1) AS phrase
        FROM kept k CROSS JOIN mode m
        CROSS JOIN LATERAL (SELECT (loose OR m.free_words > s.max_terms) AND m.any_word AND k.phrase AND NOT k.unit AND NOT k.excluded AS loosened) l
    ), single AS ( -- words outside of "phrases". time counts how often the query has had a word
        SELECT t.term, t.unit, t.phrase, t.excluded, t.free, x.word, x.place,
               x.k, x.k = 1 AS first, x.k = cardinality(t.words) AS last,
               row_number() OVER (PARTITION BY t.excluded, x.word ORDER BY t.term, x.place) AS time
        FROM term t CROSS JOIN LATERAL unnest(t.words, t.places) WITH ORDINALITY x (word, place, k)
        WHERE NOT t.phrase OR t.unit AND NOT t.excluded
    ), formed AS MATERIALIZED (
        SELECT w.*, v.words || f.words AS words, v.weights || array_fill(s.form_weight, ARRAY[cardinality(f.words)]) AS weights
        FROM single w
        CROSS JOIN LATERAL (
            SELECT array_agg(v.word ORDER BY v.n) AS words, array_agg(v.weight ORDER BY v.n) AS weights
            FROM word_variants(w.word, w.first, w.last, languages <> '{}') WITH ORDINALITY v (word, weight, n)
        ) v
        CROSS JOIN LATERAL (
            SELECT CASE
                WHEN w.unit AND (w.phrase OR NOT EXISTS (SELECT FROM single o WHERE NOT o.unit AND o.word = w.word)) THEN '{}'
                ELSE ARRAY(
                    SELECT f.form
                    -- Of the languages of the documents the script tells Korean, however few documents are in it.
                    FROM unnest(CASE WHEN forms = 'on' AND hangul_word(w.word) THEN '{ko}' ELSE languages END) WITH ORDINALITY l (lang, n)
                    CROSS JOIN LATERAL word_forms(w.word, l.lang) WITH ORDINALITY f (form, documents, n)
                    GROUP BY f.form
                    ORDER BY min(l.n), min(f.n)) END AS words
        ) f
    ), weighed AS MATERIALIZED (
        -- The number of documents with any form is between the largest and the sum of their numbers.
        SELECT f.*, search_idf((SELECT coalesce((max(u.urlcount) + sum(u.urlcount)) / 2, 0) FROM unnest(f.words) x (word) JOIN wordurl u ON u.word = x.word), total) AS idf
        FROM formed f
    ), chosen AS ( -- of many words those that add most: rare and repeated ones. A word of a unit is repeated with its unit
        SELECT w.*, w.idf * (s.k1 + 1) * w.again AS most, w.excluded OR NOT w.free OR w.importance <= s.max_terms AS counts
        FROM (
            SELECT w.*, dense_rank() OVER (PARTITION BY w.excluded, w.free ORDER BY w.absent, w.total DESC, w.first_term, w.first_place) AS importance
            FROM (
                SELECT w.*, sum(w.idf * w.again) OVER same AS total, min(w.term) OVER same AS first_term, min(w.place) OVER same AS first_place,
                    NOT EXISTS (SELECT FROM wordurl u WHERE u.word = ANY (w.words) AND u.urlcount > 0)
                        AND NOT EXISTS (SELECT FROM wordurl1 u WHERE u.word = ANY (w.words)) AS absent
                FROM (
                    SELECT w.*, CASE WHEN w.time > 1 THEN s.again_weight ELSE 1 END AS again,
                        CASE WHEN w.phrase THEN (SELECT t.words FROM term t WHERE t.term = w.term) || (w.k::text) ELSE ARRAY[w.word] END AS entry
                    FROM weighed w
                ) w
                WINDOW same AS (PARTITION BY w.excluded, w.free, w.phrase, w.entry)
            ) w
        ) w
    ), phrased AS ( -- the weight of a phrase is the sum of those of its words, as if they were independent of each other
        SELECT t.term, t.unit, t.name, t.words, t.places, t.free, sum(search_idf(coalesce(u.urlcount, 0), total)) AS idf
        FROM term t CROSS JOIN LATERAL unnest(t.words) x (word) LEFT JOIN wordurl u ON u.word = x.word
        WHERE t.phrase AND NOT t.excluded AND t.term NOT IN (SELECT c.term FROM chosen c WHERE NOT c.counts)
        GROUP BY t.term, t.unit, t.name, t.words, t.places, t.free
    ), spelled AS MATERIALIZED ( -- the words of phrases with all their spellings, which take the same place
        SELECT t.term, t.excluded, x.place, x.word, array_agg(v.word ORDER BY v.n) AS words
        FROM term t CROSS JOIN LATERAL unnest(t.words, t.places) WITH ORDINALITY x (word, place, k)
        CROSS JOIN LATERAL word_variants(x.word, x.k = 1, x.k = cardinality(t.words), languages <> '{}') WITH ORDINALITY v (word, weight, n)
        WHERE t.phrase
        GROUP BY t.term, t.excluded, x.place, x.word
    ), near AS ( -- each word once, in their order
        SELECT DISTINCT ON (w.words[1]) w.term, w.place, w.words, w.idf
        FROM (
            SELECT c.term, c.place, c.words, c.idf FROM chosen c WHERE NOT c.excluded AND c.counts
            UNION ALL
            SELECT p.term, x.place, x.words, search_idf(coalesce(u.urlcount, 0), total)
            FROM phrased p JOIN spelled x ON x.term = p.term LEFT JOIN wordurl u ON u.word = x.word
            WHERE NOT p.unit
        ) w
        ORDER BY w.words[1], w.term, w.place
    )
    SELECT r.part, row_number() OVER (ORDER BY r.class, r.term, r.place)::integer, r.words, r.places, r.needed, r.weight, r.weights
    FROM (
        SELECT 1 AS class, 'word' AS part, c.term, c.place, c.words, NULL::integer[] AS places, NOT c.free AS needed, c.most AS weight, c.weights
        FROM chosen c WHERE NOT c.excluded AND c.counts
        UNION ALL
        SELECT 2, CASE WHEN p.unit THEN 'unit' ELSE 'phrase' END, p.term, p.places[1], x.words, x.places, NOT p.free,
               p.idf * (s.k1 + 1) * CASE WHEN p.name THEN 2 * s.unit_weight WHEN p.unit THEN s.unit_weight ELSE 1 END, NULL
        FROM phrased p
        CROSS JOIN LATERAL (
            SELECT array_agg(v.word ORDER BY x.place, v.n) AS words, array_agg(x.place ORDER BY x.place, v.n) AS places
            FROM spelled x CROSS JOIN LATERAL unnest(x.words) WITH ORDINALITY v (word, n)
            WHERE x.term = p.term
        ) x
        UNION ALL
        SELECT 3, 'near', a.term, a.place, a.words, NULL, false, a.idf, NULL FROM near a
        UNION ALL
        SELECT 4, 'not', c.term, c.place, c.words, NULL, false, 0, NULL FROM chosen c WHERE c.excluded
        UNION ALL
        SELECT 4, 'not', x.term, min(x.place), array_agg(v.word ORDER BY x.place, v.n), array_agg(x.place ORDER BY x.place, v.n), false, 0, NULL
        FROM spelled x CROSS JOIN LATERAL unnest(x.words) WITH ORDINALITY v (word, n)
        WHERE x.excluded
        GROUP BY x.term
    ) r;
END $$;
-- +goose StatementEnd
-- The search_path as in 00107_functions.sql. CREATE OR REPLACE forgets it.
-- +goose StatementBegin
DO $$
DECLARE
    f text;
BEGIN
    FOR f IN
        SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN ('search_terms', 'search_plan')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

-- Who could execute it can.
-- +goose StatementBegin
DO $$
DECLARE
    r name;
BEGIN
    FOR r IN
        SELECT DISTINCT a.grantee::regrole::name FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a
        WHERE p.oid = 'search_plan(text, text, text, boolean)'::regprocedure AND a.privilege_type = 'EXECUTE' AND a.grantee NOT IN (0, p.proowner)
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION search_terms(text) TO %I', r);
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION search_terms(text);
-- +goose StatementBegin
CREATE FUNCTION search_terms(query text)
 RETURNS TABLE(term integer, phrase boolean, excluded boolean, place integer, word text, unit boolean, must boolean)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT ROWS 5
AS $$
DECLARE
    max_words CONSTANT integer := 32;  -- of words of which the search cannot choose (query.MaxTerms)
    most      CONSTANT integer := 512; -- of all words (query.mostTerms)
    quotes    CONSTANT text := '["\u201C-\u201F]';
    -- Characters that join words without a blank between them, and invisible characters.
    joiners   CONSTANT text := '[-_''’`./\\:@&#%=~^$·‐‑\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B-\u200F'
        || '\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]';
    rules     wordrules;
    txt       text;
    c         text;
    written   record;            -- words without a blank between them, such as pg_stat_activity
    stored    text[];            -- these words, NULL where the index leaves the word out
    behind    integer := 1;      -- the first character that is not yet read
    quoted    boolean := false;
    opened    integer;           -- number of the term that a quotation mark began
    without   boolean;           -- whether that term is excluded
    apart     boolean := true;   -- at the beginning, or after a separator
    minus     boolean := false;
    plus      boolean := false;
    previous  integer := 0;      -- the term before an AND
    terms     integer := 0;
    inside    integer;           -- place in the excluded term
    onward    integer := 0;      -- place among the terms that are not excluded
    left_out  boolean := false;  -- the index leaves out a word that is not excluded
    -- The rows, and the terms that a + or AND makes conditions.
    row_terms integer[] := '{}';
    phrases   boolean[] := '{}';
    units     boolean[] := '{}';
    exclusions boolean[] := '{}';
    places    integer[] := '{}';
    words     text[] := '{}';
    musts     integer[] := '{}';
    positive  integer;           -- number of terms that are not excluded
    spare     integer;           -- number of words of which the search can choose
BEGIN
    IF octet_length(query) > 2048 THEN
        RAISE EXCEPTION 'the query is too long: it has % bytes, and 2048 are allowed', octet_length(query)
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    txt := regexp_replace(query, '[\u0001-\u001F\u007F-\u009F]', ' ', 'g');
    SELECT r.* INTO rules FROM wordrules r;
    FOR written IN
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
        FOR i IN behind .. written.first - 1 LOOP
            c := substr(txt, i, 1);
            IF c ~ quotes THEN
                quoted := NOT quoted;
                apart := false;
                IF quoted THEN
                    terms := terms + 1;
                    opened := terms;
                    without := minus;
                    minus := false;
                    plus := false; -- a phrase is a condition anyway
                    previous := 0;
                    inside := 0;
                END IF;
            ELSIF c = '?' AND written.words <> '{}' AND substr(txt, i, written.first - i) ~ '^[?]+$'
                AND (behind = 1 OR substr(txt, behind, i - behind) !~ ('^' || joiners || '*[?]*$')) THEN
                NULL; -- punctuation before a word, as behind one
            ELSIF c = '?' AND behind > 1 AND substr(txt, behind, i - behind + 1) ~ '^[?]+$'
                AND substr(txt, i, written.first - i) !~ ('^[?]+' || joiners || '*[*]')
                AND (written.words = '{}' OR substr(txt, i, written.first - i) !~ ('^[?]+' || joiners || '*$')) THEN
                apart := false; -- the end of a question
            ELSIF c IN ('(', ')', '*', '?') OR c = '|' AND NOT quoted THEN
                RAISE EXCEPTION 'search() supports words, "phrases", +conditions and -exclusions: % at character % is part of searchd''s query language', c, i
                    USING ERRCODE = 'feature_not_supported';
            ELSIF c IN ('-', '+') AND apart AND NOT quoted
                AND (written.words <> '{}' AND substr(txt, i + 1, written.first - i - 1) ~ '^[?]*$' OR substr(txt, i + 1, 1) ~ quotes) THEN
                minus := c = '-';
                plus := c = '+' OR plus;
                apart := false;
            ELSE
                apart := c !~ joiners;
            END IF;
        END LOOP;
        EXIT WHEN written.words = '{}';
        behind := written.last + 1;
        apart := false;
        IF NOT quoted THEN
            c := substring(substr(txt, written.first) FROM '^(?:title|intitle|body|desc|keywords|site|filetype|inurl|lang):');
            IF c IS NULL AND terms = 0 THEN
                c := substring(txt FROM '^\s*(link:)');
            END IF;
            IF cardinality(written.words) = 1 AND written.last - written.first < 3 THEN
                CASE substr(txt, written.first, written.last - written.first + 1)
                WHEN 'AND' THEN -- makes the terms before and behind it conditions
                    musts := musts || previous;
                    plus := true;
                    CONTINUE;
                WHEN 'OR' THEN
                    c := 'OR';
                ELSE
                END CASE;
            END IF;
            IF c IS NOT NULL THEN
                RAISE EXCEPTION 'search() supports words, "phrases", +conditions and -exclusions: % at character % is part of searchd''s query language',
                    c, written.first USING ERRCODE = 'feature_not_supported';
            END IF;
            terms := terms + 1;
            inside := 0;
            without := minus;
            IF plus AND NOT minus THEN
                musts := musts || terms;
            END IF;
            minus := false;
            plus := false;
        END IF;
        stored := ARRAY(
            SELECT CASE WHEN char_length(w.word) BETWEEN rules.min_length AND rules.max_length AND NOT w.word = ANY (rules.stopwords)
                THEN w.word END
            FROM unnest(written.words) WITH ORDINALITY w (word, n) ORDER BY w.n);
        previous := CASE WHEN without OR quoted OR array_remove(stored, NULL) = '{}' THEN 0 ELSE terms END;
        left_out := left_out OR NOT without AND array_position(stored, NULL) IS NOT NULL;
        FOREACH word IN ARRAY stored LOOP -- a word that is left out still takes a place
            IF word IS NOT NULL THEN
                row_terms := row_terms || CASE WHEN quoted THEN opened ELSE terms END;
                words := words || word;
                places := places || CASE WHEN without THEN inside ELSE onward END;
                phrases := phrases || (quoted OR cardinality(array_remove(stored, NULL)) > 1);
                units := units || (NOT quoted AND cardinality(array_remove(stored, NULL)) > 1);
                exclusions := exclusions || without;
                EXIT WHEN cardinality(words) > most;
            END IF;
            inside := inside + 1;
            onward := onward + CASE WHEN without THEN 0 ELSE 1 END;
        END LOOP;
    END LOOP;
    -- A query that is nothing but -header is the word.
    IF NOT left_out AND NOT false = ANY (exclusions) AND row_terms[1] = ALL (row_terms) THEN
        exclusions := array_fill(false, ARRAY[cardinality(words)]);
    END IF;
    SELECT count(DISTINCT t.term) INTO positive FROM unnest(row_terms, exclusions) t (term, excluded) WHERE NOT t.excluded;
    IF positive = 1 THEN
        musts := '{}'; -- it is the only one
    END IF;
    -- Of more words that are no conditions a search uses the most significant.
    SELECT count(*) INTO spare
    FROM unnest(row_terms, phrases, units, exclusions) t (term, phrase, unit, excluded)
    WHERE (NOT t.phrase OR t.unit) AND NOT t.excluded AND NOT t.term = ANY (musts);
    IF cardinality(words) > most OR cardinality(words) - spare > max_words THEN
        RAISE EXCEPTION 'the query has too many words: % are allowed, besides words of which any is enough', max_words
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    RETURN QUERY
    SELECT t.term, t.phrase, t.excluded, t.place, t.word, t.unit, NOT t.excluded AND t.term = ANY (musts)
    FROM unnest(row_terms, phrases, exclusions, places, words, units) WITH ORDINALITY t (term, phrase, excluded, place, word, unit, n)
    ORDER BY t.n;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search_terms(text) IS 'How search() reads a query. One row for each word that can be indexed: the number of its term, whether the term is a phrase, whether it is excluded, the word''s place, whether the term was written without a blank (pg_stat_activity), whether + or AND makes it a condition. Words that are left out (wordrules) still take a place.';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_plan(query text, match text DEFAULT 'any'::text, forms text DEFAULT 'on'::text, loose boolean DEFAULT false)
 RETURNS TABLE(part text, n integer, words text[], places integer[], needed boolean, weight double precision, weights double precision[])
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT ROWS 10
AS $$
DECLARE
    s         record;
    total     bigint;
    languages text[]; -- of other forms of words; with none there are no other spellings, either
    stops     text[]; -- words that are left out
BEGIN
    SELECT * INTO s FROM search_parameters();
    total := coalesce((SELECT t.documents FROM totals t), 0);
    CASE forms
    WHEN 'off' THEN
        languages := '{}';
    WHEN 'on' THEN
        languages := search_languages();
    ELSE
        languages := string_to_array(forms, ',');
        IF languages = '{}' OR EXISTS (SELECT FROM unnest(languages) l WHERE NOT l = ANY (form_languages())) THEN
            RAISE EXCEPTION 'search() knows no other forms of words for %: forms is on, off, or languages such as en,de', quote_literal(forms)
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END CASE;
    IF match NOT IN ('any', 'all') THEN
        RAISE EXCEPTION 'match is any or all, not %', quote_literal(match) USING ERRCODE = 'invalid_parameter_value';
    END IF;
    stops := CASE WHEN match = 'any' THEN
        ARRAY(SELECT unnest(w.words) FROM stop_words() w WHERE w.lang = ANY (CASE WHEN forms = 'on' THEN languages ELSE search_languages() END))
        ELSE '{}' END;
    RETURN QUERY
    WITH read AS ( -- an exclusion of a single letter is an option and a word, behind the others: zipfile -e
        SELECT t.*, match = 'any' AND t.excluded AND NOT t.phrase AND octet_length(t.word) = 1
            AND bool_or(NOT t.excluded) OVER () AS option
        FROM search_terms(query) t
    ), term_read AS (
        SELECT r.term + CASE WHEN r.option THEN 1000 ELSE 0 END AS term, r.phrase, r.unit, r.must, r.excluded AND NOT r.option AS excluded,
               array_agg(r.word ORDER BY r.place) AS words, array_agg(r.place ORDER BY r.place) AS places
        FROM read r
        GROUP BY r.term, r.phrase, r.unit, r.must, r.excluded, r.option
    ), asked AS (
        SELECT r.*, NOT r.excluded AND NOT r.phrase AND NOT r.must AS plain FROM term_read r
    ), content AS ( -- without stop words, if there is anything else
        SELECT a.* FROM asked a
        WHERE NOT (a.plain AND a.words[1] = ANY (stops))
           OR NOT EXISTS (SELECT FROM asked b WHERE NOT b.excluded AND NOT (b.plain AND b.words[1] = ANY (stops)))
    ), kept AS ( -- free: it is no condition if any word is enough. A + has no effect on what is alone
        SELECT c.*, (NOT c.phrase OR c.unit)
                AND NOT (c.must AND (c.excluded OR (SELECT count(*) FROM content d) > 1)) AS free
        FROM content c
    ), mode AS (
        SELECT match = 'any' AND coalesce(bool_or(k.free AND k.unit) OR bool_or(k.free) AND count(*) > 1, false) AS any_word,
               coalesce(sum(cardinality(k.words)) FILTER (WHERE k.free), 0) AS free_words
        FROM kept k WHERE NOT k.excluded
    ), term AS ( -- loose: "phrases" among other words count as if they were written without a blank; always in a pasted text
        SELECT k.term, k.excluded, k.words, k.places, m.any_word, (k.free OR l.loosened) AND m.any_word AS free,
               k.unit OR l.loosened AS unit, k.phrase AND NOT (l.loosened AND cardinality(k.words) = 1) AS phrase
        FROM kept k CROSS JOIN mode m
        CROSS JOIN LATERAL (SELECT (loose OR m.free_words > s.max_terms) AND m.any_word AND k.phrase AND NOT k.unit AND NOT k.excluded AS loosened) l
    ), single AS ( -- words outside of "phrases". time counts how often the query has had a word
        SELECT t.term, t.unit, t.phrase, t.excluded, t.free, x.word, x.place,
               x.k, x.k = 1 AS first, x.k = cardinality(t.words) AS last,
               row_number() OVER (PARTITION BY t.excluded, x.word ORDER BY t.term, x.place) AS time
        FROM term t CROSS JOIN LATERAL unnest(t.words, t.places) WITH ORDINALITY x (word, place, k)
        WHERE NOT t.phrase OR t.unit AND NOT t.excluded
    ), formed AS MATERIALIZED (
        SELECT w.*, v.words || f.words AS words, v.weights || array_fill(s.form_weight, ARRAY[cardinality(f.words)]) AS weights
        FROM single w
        CROSS JOIN LATERAL (
            SELECT array_agg(v.word ORDER BY v.n) AS words, array_agg(v.weight ORDER BY v.n) AS weights
            FROM word_variants(w.word, w.first, w.last, languages <> '{}') WITH ORDINALITY v (word, weight, n)
        ) v
        CROSS JOIN LATERAL (
            SELECT CASE
                WHEN w.unit AND (w.phrase OR NOT EXISTS (SELECT FROM single o WHERE NOT o.unit AND o.word = w.word)) THEN '{}'
                ELSE ARRAY(
                    SELECT f.form
                    -- Of the languages of the documents the script tells Korean, however few documents are in it.
                    FROM unnest(CASE WHEN forms = 'on' AND hangul_word(w.word) THEN '{ko}' ELSE languages END) WITH ORDINALITY l (lang, n)
                    CROSS JOIN LATERAL word_forms(w.word, l.lang) WITH ORDINALITY f (form, documents, n)
                    GROUP BY f.form
                    ORDER BY min(l.n), min(f.n)) END AS words
        ) f
    ), weighed AS MATERIALIZED (
        -- The number of documents with any form is between the largest and the sum of their numbers.
        SELECT f.*, search_idf((SELECT coalesce((max(u.urlcount) + sum(u.urlcount)) / 2, 0) FROM unnest(f.words) x (word) JOIN wordurl u ON u.word = x.word), total) AS idf
        FROM formed f
    ), chosen AS ( -- of many words those that add most: rare and repeated ones. A word of a unit is repeated with its unit
        SELECT w.*, w.idf * (s.k1 + 1) * w.again AS most, w.excluded OR NOT w.free OR w.importance <= s.max_terms AS counts
        FROM (
            SELECT w.*, dense_rank() OVER (PARTITION BY w.excluded, w.free ORDER BY w.absent, w.total DESC, w.first_term, w.first_place) AS importance
            FROM (
                SELECT w.*, sum(w.idf * w.again) OVER same AS total, min(w.term) OVER same AS first_term, min(w.place) OVER same AS first_place,
                    NOT EXISTS (SELECT FROM wordurl u WHERE u.word = ANY (w.words) AND u.urlcount > 0)
                        AND NOT EXISTS (SELECT FROM wordurl1 u WHERE u.word = ANY (w.words)) AS absent
                FROM (
                    SELECT w.*, CASE WHEN w.time > 1 THEN s.again_weight ELSE 1 END AS again,
                        CASE WHEN w.phrase THEN (SELECT t.words FROM term t WHERE t.term = w.term) || (w.k::text) ELSE ARRAY[w.word] END AS entry
                    FROM weighed w
                ) w
                WINDOW same AS (PARTITION BY w.excluded, w.free, w.phrase, w.entry)
            ) w
        ) w
    ), phrased AS ( -- the weight of a phrase is the sum of those of its words, as if they were independent of each other
        SELECT t.term, t.unit, t.words, t.places, t.free, sum(search_idf(coalesce(u.urlcount, 0), total)) AS idf
        FROM term t CROSS JOIN LATERAL unnest(t.words) x (word) LEFT JOIN wordurl u ON u.word = x.word
        WHERE t.phrase AND NOT t.excluded AND t.term NOT IN (SELECT c.term FROM chosen c WHERE NOT c.counts)
        GROUP BY t.term, t.unit, t.words, t.places, t.free
    ), spelled AS MATERIALIZED ( -- the words of phrases with all their spellings, which take the same place
        SELECT t.term, t.excluded, x.place, x.word, array_agg(v.word ORDER BY v.n) AS words
        FROM term t CROSS JOIN LATERAL unnest(t.words, t.places) WITH ORDINALITY x (word, place, k)
        CROSS JOIN LATERAL word_variants(x.word, x.k = 1, x.k = cardinality(t.words), languages <> '{}') WITH ORDINALITY v (word, weight, n)
        WHERE t.phrase
        GROUP BY t.term, t.excluded, x.place, x.word
    ), near AS ( -- each word once, in their order
        SELECT DISTINCT ON (w.words[1]) w.term, w.place, w.words, w.idf
        FROM (
            SELECT c.term, c.place, c.words, c.idf FROM chosen c WHERE NOT c.excluded AND c.counts
            UNION ALL
            SELECT p.term, x.place, x.words, search_idf(coalesce(u.urlcount, 0), total)
            FROM phrased p JOIN spelled x ON x.term = p.term LEFT JOIN wordurl u ON u.word = x.word
            WHERE NOT p.unit
        ) w
        ORDER BY w.words[1], w.term, w.place
    )
    SELECT r.part, row_number() OVER (ORDER BY r.class, r.term, r.place)::integer, r.words, r.places, r.needed, r.weight, r.weights
    FROM (
        SELECT 1 AS class, 'word' AS part, c.term, c.place, c.words, NULL::integer[] AS places, NOT c.free AS needed, c.most AS weight, c.weights
        FROM chosen c WHERE NOT c.excluded AND c.counts
        UNION ALL
        SELECT 2, CASE WHEN p.unit THEN 'unit' ELSE 'phrase' END, p.term, p.places[1], x.words, x.places, NOT p.free,
               p.idf * (s.k1 + 1) * CASE WHEN p.unit THEN s.unit_weight ELSE 1 END, NULL
        FROM phrased p
        CROSS JOIN LATERAL (
            SELECT array_agg(v.word ORDER BY x.place, v.n) AS words, array_agg(x.place ORDER BY x.place, v.n) AS places
            FROM spelled x CROSS JOIN LATERAL unnest(x.words) WITH ORDINALITY v (word, n)
            WHERE x.term = p.term
        ) x
        UNION ALL
        SELECT 3, 'near', a.term, a.place, a.words, NULL, false, a.idf, NULL FROM near a
        UNION ALL
        SELECT 4, 'not', c.term, c.place, c.words, NULL, false, 0, NULL FROM chosen c WHERE c.excluded
        UNION ALL
        SELECT 4, 'not', x.term, min(x.place), array_agg(v.word ORDER BY x.place, v.n), array_agg(x.place ORDER BY x.place, v.n), false, 0, NULL
        FROM spelled x CROSS JOIN LATERAL unnest(x.words) WITH ORDINALITY v (word, n)
        WHERE x.excluded
        GROUP BY x.term
    ) r;
END $$;
-- +goose StatementEnd
-- The search_path as in 00107_functions.sql. CREATE OR REPLACE forgets it.
-- +goose StatementBegin
DO $$
DECLARE
    f text;
BEGIN
    FOR f IN
        SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN ('search_terms', 'search_plan')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

-- Who could execute it can.
-- +goose StatementBegin
DO $$
DECLARE
    r name;
BEGIN
    FOR r IN
        SELECT DISTINCT a.grantee::regrole::name FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a
        WHERE p.oid = 'search_plan(text, text, text, boolean)'::regprocedure AND a.privilege_type = 'EXECUTE' AND a.grantee NOT IN (0, p.proowner)
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION search_terms(text) TO %I', r);
    END LOOP;
END $$;
-- +goose StatementEnd
