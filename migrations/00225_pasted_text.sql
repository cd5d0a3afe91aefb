-- In a query of more than 32 words that are no conditions, which is pasted text, "phrases" are no conditions, either. A word that
-- the query repeats weighs more.

-- +goose Up
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_parameters()
 RETURNS TABLE(k1 double precision, length_part double precision, title_weight double precision, keywords_weight double precision, description_weight double precision, form_weight double precision, again_weight double precision, unit_weight double precision, link_weight double precision, near_most integer, title_bonus double precision, rerank_most integer, all_pairs integer, rank_unit double precision, max_terms integer)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE ROWS 1
AS $$
    -- Chosen by a simulation over test collections: search/rank.go has the reasons and the ranges.
    SELECT 1.2,     -- k1: saturation of occurrences
           0.75,    -- length_part: b, the weight of the length
           3, 2, 2, -- title_weight, keywords_weight, description_weight: of the sections, where the body has 1
           0.6,     -- form_weight: of other forms of a word
           0.7,     -- again_weight: of a word each further time that it stands in the query
           0.3,     -- unit_weight: of io.Text as a phrase, in addition to its words
           0.1,     -- link_weight: of ln(10 · link rank)
           8,       -- near_most: distance of words that are near to each other
           0.3,     -- title_bonus: of Σ idf
           100,     -- rerank_most: documents that are ranked again by the places of the words
           6,       -- all_pairs: of more words only neighbors are pairs
           1048576, -- rank_unit: rank of a score of 1
           32       -- max_terms: of more words that are no conditions the rarest count
$$;
-- +goose StatementEnd
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
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = 'search_plan'
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_parameters()
 RETURNS TABLE(k1 double precision, length_part double precision, title_weight double precision, keywords_weight double precision, description_weight double precision, form_weight double precision, again_weight double precision, unit_weight double precision, link_weight double precision, near_most integer, title_bonus double precision, rerank_most integer, all_pairs integer, rank_unit double precision, max_terms integer)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE ROWS 1
AS $$
    -- Chosen by a simulation over test collections: search/rank.go has the reasons and the ranges.
    SELECT 1.2,     -- k1: saturation of occurrences
           0.75,    -- length_part: b, the weight of the length
           3, 2, 2, -- title_weight, keywords_weight, description_weight: of the sections, where the body has 1
           0.6,     -- form_weight: of other forms of a word
           0.5,     -- again_weight: of a word each further time that it stands in the query
           0.3,     -- unit_weight: of io.Text as a phrase, in addition to its words
           0.1,     -- link_weight: of ln(10 · link rank)
           8,       -- near_most: distance of words that are near to each other
           0.3,     -- title_bonus: of Σ idf
           100,     -- rerank_most: documents that are ranked again by the places of the words
           6,       -- all_pairs: of more words only neighbors are pairs
           1048576, -- rank_unit: rank of a score of 1
           32       -- max_terms: of more words that are no conditions the rarest count
$$;
-- +goose StatementEnd
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
        SELECT match = 'any' AND coalesce(bool_or(k.free AND k.unit) OR bool_or(k.free) AND count(*) > 1, false) AS any_word
        FROM kept k WHERE NOT k.excluded
    ), term AS ( -- loose: "phrases" among other words count as if they were written without a blank
        SELECT k.term, k.excluded, k.words, k.places, m.any_word, (k.free OR l.loosened) AND m.any_word AS free,
               k.unit OR l.loosened AS unit, k.phrase AND NOT (l.loosened AND cardinality(k.words) = 1) AS phrase
        FROM kept k CROSS JOIN mode m
        CROSS JOIN LATERAL (SELECT loose AND m.any_word AND k.phrase AND NOT k.unit AND NOT k.excluded AS loosened) l
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
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = 'search_plan'
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd
