-- search() finds other spellings of words as searchd does: resume and résumé, in phrases and exclusions, too, and the pairs of characters that
-- have a single Chinese one. Only functions are changed.

-- +goose Up

-- Bound to the tables, it works whatever the caller's search_path is. The planner still puts it into queries.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION word_spellings(typed text) RETURNS TABLE (word text, documents integer)
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 4
BEGIN ATOMIC
    SELECT s.word, s.urlcount FROM (
        SELECT w.word, w.urlcount FROM wordurl w
        WHERE w.word = ANY (ARRAY[plain_word(typed),
            replace(replace(replace(typed, 'ae', 'ä'), 'oe', 'ö'), 'ue', 'ü'), replace(replace(replace(typed, 'aa', 'å'), 'ae', 'æ'), 'oe', 'ø'),
            replace(replace(replace(typed, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), replace(replace(replace(typed, 'å', 'aa'), 'æ', 'ae'), 'ø', 'oe')])
        UNION
        SELECT w.word, w.urlcount FROM wordurl w
        WHERE plain_word(w.word) = plain_word(typed) AND plain_word(w.word) <> w.word
            AND (translate(typed, 'ىةیک', 'يهيك') = plain_word(typed) OR translate(w.word, 'şţ', 'șț') = translate(typed, 'şţ', 'șț'))
    ) s
    WHERE s.word <> typed
    ORDER BY s.urlcount DESC, s.word
    LIMIT 32;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION word_variants(the_word text, first boolean DEFAULT true, last boolean DEFAULT true, spelled boolean DEFAULT true)
    RETURNS TABLE (word text, weight double precision)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 3
AS $$
DECLARE
    -- As in search/spellings.go.
    spelling_weight CONSTANT double precision := 0.9;
    pair_weight     CONSTANT double precision := 0.5;
    pairs_most      CONSTANT integer := 1000;
    paired          boolean := octet_length(the_word) > 1 AND left(character_classes(left(the_word, 1)), 1) IN ('h', 'k', 't', 'm');
BEGIN
    RETURN QUERY SELECT the_word, 1::double precision;
    IF spelled AND NOT paired THEN
        RETURN QUERY SELECT s.word, spelling_weight FROM word_spellings(the_word) s ORDER BY s.documents DESC, s.word;
    ELSIF paired AND char_length(the_word) = 1 THEN
        IF last THEN
            RETURN QUERY
            SELECT w.word, pair_weight FROM wordurl w
            WHERE w.word > the_word AND w.word < the_word || U&'\+10FFFF' AND char_length(w.word) = 2
            ORDER BY w.urlcount DESC, w.word
            LIMIT pairs_most;
        END IF;
        IF first THEN
            RETURN QUERY
            SELECT w.word, pair_weight FROM wordurl w
            WHERE "right"(w.word, 1) = the_word AND char_length(w.word) = 2 AND w.word >= 'ก'
            ORDER BY w.urlcount DESC, w.word
            LIMIT pairs_most;
        END IF;
    END IF;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_variants(text, boolean, boolean, boolean) IS
    'A word of a query, and the words of the index that are this word written otherwise, with their weights: its other spellings, if wanted, and of a single Chinese character the pairs that end with it, if the word is the first of a phrase, or begin with it, if it is the last.';

-- +goose StatementBegin
CREATE FUNCTION merged_places(lists bytea[]) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(set_byte(set_byte('\x0000'::bytea, 0, p.place & 255), 1, p.place >> 8), '' ORDER BY p.place)
    FROM (
        SELECT DISTINCT place_at(l.list, i.n) AS place
        FROM unnest(lists) l (list) CROSS JOIN LATERAL generate_series(0, octet_length(l.list) / 2 - 1) i (n)
    ) p;
END;
-- +goose StatementEnd
COMMENT ON FUNCTION merged_places(bytea[]) IS 'Packed positions of several words as those of one, each once. Positions are packed as in word_records.';

DROP FUNCTION search_plan(text, text, text, boolean);
-- +goose StatementBegin
CREATE FUNCTION search_plan(query text, match text DEFAULT 'any', forms text DEFAULT 'on', loose boolean DEFAULT false)
    RETURNS TABLE (part text, n integer, words text[], places integer[], needed boolean, weight double precision,
        weights double precision[])
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 10
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
               x.k = 1 AS first, x.k = cardinality(t.words) AS last,
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
    ), chosen AS ( -- of many words the rarest
        SELECT w.*, w.idf * (s.k1 + 1) * w.again AS most, w.excluded OR NOT w.free OR w.rarity <= s.max_terms AS counts
        FROM (
            SELECT w.*, row_number() OVER (PARTITION BY w.excluded, w.free ORDER BY w.idf * w.again DESC, w.term, w.place) AS rarity
            FROM (SELECT w.*, CASE WHEN w.time > 1 THEN s.again_weight ELSE 1 END AS again FROM weighed w) w
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
COMMENT ON FUNCTION search_plan(text, text, text, boolean) IS
    'What search() looks for. One row for each part of a query: a word with its other spellings and forms and the weights of these, the words of a phrase with their places (spellings have the same place), what was written without a blank as a phrase (unit), a word whose nearness to the others counts (near), an exclusion (not); whether documents must have it; and the most that it adds to a score, for near the idf. match and forms are as in search(). loose makes phrases among other words units.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_matches(query text, match text DEFAULT 'any', forms text DEFAULT 'on', judged boolean DEFAULT true,
        loose boolean DEFAULT NULL, site text DEFAULT NULL, lang text DEFAULT NULL, type text DEFAULT NULL,
        path text DEFAULT NULL, tag text DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL)
    RETURNS TABLE (url_id integer, site_id integer, rank bigint, all_words boolean)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
AS $$
DECLARE
    s       record;
    average double precision; -- length of a document
    limited boolean := num_nonnulls(site, lang, type, path, tag, since, until) > 0;
BEGIN
    IF match NOT IN ('any', 'all') THEN
        RAISE EXCEPTION 'match is any or all, not %', quote_literal(match) USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT * INTO s FROM search_parameters();
    average := coalesce((SELECT t.positions / nullif(t.documents, 0)::double precision FROM totals t), 0);
    RETURN QUERY
    WITH plan AS MATERIALIZED (
        SELECT * FROM search_plan(query, match, forms, coalesce(loose, false))
    ), number AS MATERIALIZED (
        SELECT count(*) FILTER (WHERE p.part IN ('word', 'phrase', 'unit')) AS parts, count(*) FILTER (WHERE p.needed) AS needed,
               count(*) FILTER (WHERE p.part = 'near') AS near
        FROM plan p
    ), word AS MATERIALIZED ( -- each word once
        SELECT w.word, row_number() OVER ()::integer AS number FROM (SELECT DISTINCT unnest(p.words) AS word FROM plan p) w
    ), part_word AS MATERIALIZED (
        SELECT p.part, p.n, p.needed, p.weight, x.place, w.number, x.weight AS part_of,
               (SELECT count(DISTINCT l.place) FROM unnest(p.places) l (place)) AS length
        FROM plan p CROSS JOIN LATERAL unnest(p.words, p.places, p.weights) x (word, place, weight) JOIN word w ON w.word = x.word
    ), posting AS MATERIALIZED (
        SELECT w.number, d.url_id, d.places FROM word w CROSS JOIN LATERAL word_documents(w.word) d
    ), spelled AS ( -- where a document has any spelling of a word of a phrase
        SELECT w.part, w.n, w.needed, w.weight, w.length, w.place, p.url_id,
               CASE WHEN count(*) = 1 THEN (array_agg(p.places))[1] ELSE merged_places(array_agg(p.places)) END AS places
        FROM part_word w JOIN posting p ON p.number = w.number
        WHERE w.place IS NOT NULL
        GROUP BY w.part, w.n, w.needed, w.weight, w.length, w.place, p.url_id
    ), phrase AS MATERIALIZED (
        SELECT l.part, l.n, l.needed, l.weight, l.url_id, array_agg(l.places ORDER BY l.place) AS lists, array_agg(l.place ORDER BY l.place) AS offsets
        FROM spelled l
        GROUP BY l.part, l.n, l.needed, l.weight, l.length, l.url_id
        HAVING count(*) = l.length
    ), excluded AS MATERIALIZED (
        SELECT p.url_id FROM part_word w JOIN posting p ON p.number = w.number WHERE w.part = 'not' AND w.place IS NULL
        UNION ALL
        SELECT h.url_id FROM phrase h WHERE h.part = 'not' AND phrase_places(h.lists, h.offsets, 1) <> '{}'
    ), document AS MATERIALIZED ( -- live originals
        SELECT u.url_id, u.site_id, length_norm(d.length, average, s.length_part) AS norm, s.link_weight / 2000 * link_units(r.rank) AS link
        FROM (SELECT DISTINCT p.url_id FROM posting p) f
        JOIN urlword u ON u.url_id = f.url_id
        LEFT JOIN docdates d ON d.url_id = f.url_id
        LEFT JOIN urlrank r ON r.url_id = f.url_id
        -- Written so that the planner expects most of them to pass.
        WHERE (CASE WHEN u.deleted = 0 AND (u.status & 65535) = 200 AND u.origin = 0 THEN true END) IS NOT NULL
          AND NOT EXISTS (SELECT FROM excluded x WHERE x.url_id = f.url_id)
          AND (NOT limited OR f.url_id IN (
              SELECT v.url_id
              FROM document_facets(ARRAY(SELECT DISTINCT p.url_id FROM posting p), search_matches.site, search_matches.lang, search_matches.type,
                  search_matches.path, search_matches.tag, search_matches.since, search_matches.until) v
              WHERE v.missed = '{}'))
    ), hit AS (
        SELECT d.url_id, d.site_id, d.link, w.needed, w.weight, sum(w.part_of * weighted_word(p.places, d.norm)) AS x
        FROM part_word w JOIN posting p ON p.number = w.number JOIN document d ON d.url_id = p.url_id
        WHERE w.part = 'word'
        GROUP BY w.n, w.needed, w.weight, d.url_id, d.site_id, d.link
        UNION ALL
        SELECT d.url_id, d.site_id, d.link, h.needed, h.weight, weighted_phrase(h.lists, h.offsets, d.norm)
        FROM phrase h JOIN document d ON d.url_id = h.url_id
        WHERE h.part IN ('phrase', 'unit')
    ), scored AS (
        SELECT h.url_id, h.site_id, sum(h.weight * (h.x / (s.k1 + h.x))) + h.link AS score, count(*) AS parts
        FROM hit h
        WHERE h.x > 0
        GROUP BY h.url_id, h.site_id, h.link
        HAVING count(*) FILTER (WHERE h.needed) = (SELECT c.needed FROM number c)
    ), ranked AS MATERIALIZED (
        SELECT c.url_id, c.site_id, c.score, rank_of_score(c.score) AS rank, c.parts = a.parts AS all_words,
               row_number() OVER (ORDER BY rank_of_score(c.score) DESC, c.url_id) AS place
        FROM scored c CROSS JOIN number a
    ), place AS MATERIALIZED ( -- where the best documents have the words
        SELECT DISTINCT r.url_id, w.n, w.weight AS idf, place_at(p.places, i) AS place -- two forms can have the last place of a section
        FROM ranked r JOIN posting p ON p.url_id = r.url_id JOIN part_word w ON w.number = p.number AND w.part = 'near'
        CROSS JOIN LATERAL generate_series(0, octet_length(p.places) / 2 - 1) i
        WHERE judged AND r.place <= s.rerank_most
    ), cell AS ( -- 8 neighboring places of a document. What is near to a place is in its cell or in one beside it
        SELECT p.*, (p.url_id::bigint << 14) + (p.place >> 3) AS cell FROM place p
    ), pair AS (
        SELECT a.url_id, least(a.idf, b.idf) AS idf, sum(1.0::double precision / ((b.place - a.place) * (b.place - a.place))) AS v
        FROM (SELECT c.*, c.cell + step.by AS beside FROM cell c CROSS JOIN (VALUES (-1), (0), (1)) step (by)) a
        JOIN cell b ON b.cell = a.beside
        CROSS JOIN number c
        WHERE b.n > a.n AND (b.n = a.n + 1 OR c.near <= s.all_pairs)
          AND abs(b.place - a.place) BETWEEN 1 AND s.near_most AND a.place # b.place < 16384 -- in one section
        GROUP BY a.url_id, a.n, b.n, least(a.idf, b.idf)
    ), near AS (
        SELECT p.url_id, sum(p.idf * p.v / (p.v + 1)) AS score FROM pair p GROUP BY p.url_id
    ), title AS ( -- documents with all words in the title
        SELECT t.url_id, s.title_bonus * sum(t.idf) * least(1, count(*) / max(t.first)::double precision) AS score
        FROM (
            SELECT p.url_id, p.n, p.idf, min(p.place & 16383) + 1 AS first FROM place p WHERE p.place >> 14 = 3 GROUP BY p.url_id, p.n, p.idf
        ) t
        GROUP BY t.url_id
        HAVING count(*) = (SELECT c.near FROM number c)
    )
    SELECT r.url_id, r.site_id, CASE WHEN n.score IS NULL AND t.score IS NULL THEN r.rank
            ELSE rank_of_score(r.score + coalesce(n.score, 0) + coalesce(t.score, 0)) END, r.all_words
    FROM ranked r LEFT JOIN near n ON n.url_id = r.url_id LEFT JOIN title t ON t.url_id = r.url_id;
    IF NOT FOUND AND loose IS NULL AND match = 'any' AND query ~ '["\u201C-\u201F]' THEN -- no document has the phrases
        RETURN QUERY
        SELECT * FROM search_matches(query, match, forms, judged, true, search_matches.site, search_matches.lang, search_matches.type,
            search_matches.path, search_matches.tag, search_matches.since, search_matches.until);
    END IF;
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
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN ('word_variants', 'search_plan', 'search_matches')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION search_plan(text, text, text, boolean);
-- +goose StatementBegin
CREATE FUNCTION search_plan(query text, match text DEFAULT 'any', forms text DEFAULT 'on', loose boolean DEFAULT false)
    RETURNS TABLE (part text, n integer, words text[], places integer[], needed boolean, weight double precision)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 10
AS $$
DECLARE
    s         record;
    total     bigint;
    languages text[]; -- of other forms of words
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
        IF languages = '{}' OR EXISTS (SELECT FROM unnest(languages) l WHERE l NOT IN (SELECT w.lang FROM stop_words() w)) THEN
            RAISE EXCEPTION 'search() knows no other forms of words for %: forms is on, off, or languages such as en,de', quote_literal(forms)
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END CASE;
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
               row_number() OVER (PARTITION BY t.excluded, x.word ORDER BY t.term, x.place) AS time
        FROM term t CROSS JOIN LATERAL unnest(t.words, t.places) x (word, place)
        WHERE NOT t.phrase OR t.unit AND NOT t.excluded
    ), formed AS MATERIALIZED (
        SELECT w.*, ARRAY[w.word] || CASE
            WHEN w.unit AND (w.phrase OR NOT EXISTS (SELECT FROM single o WHERE NOT o.unit AND o.word = w.word)) THEN '{}'
            ELSE ARRAY(
                SELECT f.form
                FROM unnest(languages) WITH ORDINALITY l (lang, n)
                CROSS JOIN LATERAL word_forms(w.word, l.lang) WITH ORDINALITY f (form, documents, n)
                GROUP BY f.form
                ORDER BY min(l.n), min(f.n)) END AS words
        FROM single w
    ), weighed AS MATERIALIZED (
        -- The number of documents with any form is between the largest and the sum of their numbers.
        SELECT f.*, search_idf((SELECT coalesce((max(u.urlcount) + sum(u.urlcount)) / 2, 0) FROM wordurl u WHERE u.word = ANY (f.words)), total) AS idf
        FROM formed f
    ), chosen AS ( -- of many words the rarest
        SELECT w.*, w.idf * (s.k1 + 1) * w.again AS most, w.excluded OR NOT w.free OR w.rarity <= s.max_terms AS counts
        FROM (
            SELECT w.*, row_number() OVER (PARTITION BY w.excluded, w.free ORDER BY w.idf * w.again DESC, w.term, w.place) AS rarity
            FROM (SELECT w.*, CASE WHEN w.time > 1 THEN s.again_weight ELSE 1 END AS again FROM weighed w) w
        ) w
    ), phrased AS ( -- the weight of a phrase is the sum of those of its words, as if they were independent of each other
        SELECT t.term, t.unit, t.words, t.places, t.free, sum(search_idf(coalesce(u.urlcount, 0), total)) AS idf
        FROM term t CROSS JOIN LATERAL unnest(t.words) x (word) LEFT JOIN wordurl u ON u.word = x.word
        WHERE t.phrase AND NOT t.excluded AND t.term NOT IN (SELECT c.term FROM chosen c WHERE NOT c.counts)
        GROUP BY t.term, t.unit, t.words, t.places, t.free
    ), near AS ( -- each word once, in their order
        SELECT DISTINCT ON (w.words[1]) w.term, w.place, w.words, w.idf
        FROM (
            SELECT c.term, c.place, c.words, c.idf FROM chosen c WHERE NOT c.excluded AND c.counts
            UNION ALL
            SELECT p.term, x.place, ARRAY[x.word], search_idf(coalesce(u.urlcount, 0), total)
            FROM phrased p CROSS JOIN LATERAL unnest(p.words, p.places) x (word, place) LEFT JOIN wordurl u ON u.word = x.word
            WHERE NOT p.unit
        ) w
        ORDER BY w.words[1], w.term, w.place
    )
    SELECT r.part, row_number() OVER (ORDER BY r.class, r.term, r.place)::integer, r.words, r.places, r.needed, r.weight
    FROM (
        SELECT 1 AS class, 'word' AS part, c.term, c.place, c.words, NULL::integer[] AS places, NOT c.free AS needed, c.most AS weight
        FROM chosen c WHERE NOT c.excluded AND c.counts
        UNION ALL
        SELECT 2, CASE WHEN p.unit THEN 'unit' ELSE 'phrase' END, p.term, p.places[1], p.words, p.places, NOT p.free,
               p.idf * (s.k1 + 1) * CASE WHEN p.unit THEN s.unit_weight ELSE 1 END
        FROM phrased p
        UNION ALL
        SELECT 3, 'near', a.term, a.place, a.words, NULL, false, a.idf FROM near a
        UNION ALL
        SELECT 4, 'not', c.term, c.place, c.words, NULL, false, 0 FROM chosen c WHERE c.excluded
        UNION ALL
        SELECT 4, 'not', t.term, t.places[1], t.words, t.places, false, 0 FROM term t WHERE t.excluded AND t.phrase
    ) r;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search_plan(text, text, text, boolean) IS
    'What search() looks for. One row for each part of a query: a word with its other forms, the words of a phrase with their places, what was written without a blank as a phrase (unit), a word whose nearness to the others counts (near), an exclusion (not); whether documents must have it; and the most that it adds to a score, for near the idf. match and forms are as in search(). loose makes phrases among other words units.';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_matches(query text, match text DEFAULT 'any', forms text DEFAULT 'on', judged boolean DEFAULT true,
        loose boolean DEFAULT NULL, site text DEFAULT NULL, lang text DEFAULT NULL, type text DEFAULT NULL,
        path text DEFAULT NULL, tag text DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL)
    RETURNS TABLE (url_id integer, site_id integer, rank bigint, all_words boolean)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
AS $$
DECLARE
    s       record;
    average double precision; -- length of a document
    limited boolean := num_nonnulls(site, lang, type, path, tag, since, until) > 0;
BEGIN
    IF match NOT IN ('any', 'all') THEN
        RAISE EXCEPTION 'match is any or all, not %', quote_literal(match) USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT * INTO s FROM search_parameters();
    average := coalesce((SELECT t.positions / nullif(t.documents, 0)::double precision FROM totals t), 0);
    RETURN QUERY
    WITH plan AS MATERIALIZED (
        SELECT * FROM search_plan(query, match, forms, coalesce(loose, false))
    ), number AS MATERIALIZED (
        SELECT count(*) FILTER (WHERE p.part IN ('word', 'phrase', 'unit')) AS parts, count(*) FILTER (WHERE p.needed) AS needed,
               count(*) FILTER (WHERE p.part = 'near') AS near
        FROM plan p
    ), word AS MATERIALIZED ( -- each word once
        SELECT w.word, row_number() OVER ()::integer AS number FROM (SELECT DISTINCT unnest(p.words) AS word FROM plan p) w
    ), part_word AS MATERIALIZED (
        SELECT p.part, p.n, p.needed, p.weight, cardinality(p.words) AS length, x.k, x.place, w.number,
               CASE WHEN p.part = 'word' AND x.k > 1 THEN s.form_weight ELSE 1 END AS form
        FROM plan p CROSS JOIN LATERAL unnest(p.words, p.places) WITH ORDINALITY x (word, place, k) JOIN word w ON w.word = x.word
    ), posting AS MATERIALIZED (
        SELECT w.number, d.url_id, d.places FROM word w CROSS JOIN LATERAL word_documents(w.word) d
    ), excluded AS MATERIALIZED (
        SELECT x.url_id
        FROM (
            SELECT w.n, p.url_id, w.length, max(w.place) AS phrase, count(*) AS words,
                   array_agg(p.places ORDER BY w.k) AS lists, array_agg(w.place ORDER BY w.k) AS offsets
            FROM part_word w JOIN posting p ON p.number = w.number
            WHERE w.part = 'not'
            GROUP BY w.n, p.url_id, w.length
        ) x
        WHERE x.phrase IS NULL OR x.words = x.length AND phrase_places(x.lists, x.offsets, 1) <> '{}'
    ), document AS MATERIALIZED ( -- live originals
        SELECT u.url_id, u.site_id, length_norm(d.length, average, s.length_part) AS norm, s.link_weight / 2000 * link_units(r.rank) AS link
        FROM (SELECT DISTINCT p.url_id FROM posting p) f
        JOIN urlword u ON u.url_id = f.url_id
        LEFT JOIN docdates d ON d.url_id = f.url_id
        LEFT JOIN urlrank r ON r.url_id = f.url_id
        -- Written so that the planner expects most of them to pass.
        WHERE (CASE WHEN u.deleted = 0 AND (u.status & 65535) = 200 AND u.origin = 0 THEN true END) IS NOT NULL
          AND NOT EXISTS (SELECT FROM excluded x WHERE x.url_id = f.url_id)
          AND (NOT limited OR f.url_id IN (
              SELECT v.url_id
              FROM document_facets(ARRAY(SELECT DISTINCT p.url_id FROM posting p), search_matches.site, search_matches.lang, search_matches.type,
                  search_matches.path, search_matches.tag, search_matches.since, search_matches.until) v
              WHERE v.missed = '{}'))
    ), hit AS (
        SELECT d.url_id, d.site_id, d.link, w.needed, w.weight, sum(w.form * weighted_word(p.places, d.norm)) AS x
        FROM part_word w JOIN posting p ON p.number = w.number JOIN document d ON d.url_id = p.url_id
        WHERE w.part = 'word'
        GROUP BY w.n, w.needed, w.weight, d.url_id, d.site_id, d.link
        UNION ALL
        SELECT h.url_id, h.site_id, h.link, h.needed, h.weight, weighted_phrase(h.lists, h.offsets, h.norm)
        FROM (
            SELECT w.n, w.needed, w.weight, w.length, d.url_id, d.site_id, d.link, d.norm, count(*) AS words,
                   array_agg(p.places ORDER BY w.k) AS lists, array_agg(w.place ORDER BY w.k) AS offsets
            FROM part_word w JOIN posting p ON p.number = w.number JOIN document d ON d.url_id = p.url_id
            WHERE w.part IN ('phrase', 'unit')
            GROUP BY w.n, w.needed, w.weight, w.length, d.url_id, d.site_id, d.link, d.norm
        ) h
        WHERE h.words = h.length
    ), scored AS (
        SELECT h.url_id, h.site_id, sum(h.weight * (h.x / (s.k1 + h.x))) + h.link AS score, count(*) AS parts
        FROM hit h
        WHERE h.x > 0
        GROUP BY h.url_id, h.site_id, h.link
        HAVING count(*) FILTER (WHERE h.needed) = (SELECT c.needed FROM number c)
    ), ranked AS MATERIALIZED (
        SELECT c.url_id, c.site_id, c.score, rank_of_score(c.score) AS rank, c.parts = a.parts AS all_words,
               row_number() OVER (ORDER BY rank_of_score(c.score) DESC, c.url_id) AS place
        FROM scored c CROSS JOIN number a
    ), place AS MATERIALIZED ( -- where the best documents have the words
        SELECT DISTINCT r.url_id, w.n, w.weight AS idf, place_at(p.places, i) AS place -- two forms can have the last place of a section
        FROM ranked r JOIN posting p ON p.url_id = r.url_id JOIN part_word w ON w.number = p.number AND w.part = 'near'
        CROSS JOIN LATERAL generate_series(0, octet_length(p.places) / 2 - 1) i
        WHERE judged AND r.place <= s.rerank_most
    ), cell AS ( -- 8 neighboring places of a document. What is near to a place is in its cell or in one beside it
        SELECT p.*, (p.url_id::bigint << 14) + (p.place >> 3) AS cell FROM place p
    ), pair AS (
        SELECT a.url_id, least(a.idf, b.idf) AS idf, sum(1.0::double precision / ((b.place - a.place) * (b.place - a.place))) AS v
        FROM (SELECT c.*, c.cell + step.by AS beside FROM cell c CROSS JOIN (VALUES (-1), (0), (1)) step (by)) a
        JOIN cell b ON b.cell = a.beside
        CROSS JOIN number c
        WHERE b.n > a.n AND (b.n = a.n + 1 OR c.near <= s.all_pairs)
          AND abs(b.place - a.place) BETWEEN 1 AND s.near_most AND a.place # b.place < 16384 -- in one section
        GROUP BY a.url_id, a.n, b.n, least(a.idf, b.idf)
    ), near AS (
        SELECT p.url_id, sum(p.idf * p.v / (p.v + 1)) AS score FROM pair p GROUP BY p.url_id
    ), title AS ( -- documents with all words in the title
        SELECT t.url_id, s.title_bonus * sum(t.idf) * least(1, count(*) / max(t.first)::double precision) AS score
        FROM (
            SELECT p.url_id, p.n, p.idf, min(p.place & 16383) + 1 AS first FROM place p WHERE p.place >> 14 = 3 GROUP BY p.url_id, p.n, p.idf
        ) t
        GROUP BY t.url_id
        HAVING count(*) = (SELECT c.near FROM number c)
    )
    SELECT r.url_id, r.site_id, CASE WHEN n.score IS NULL AND t.score IS NULL THEN r.rank
            ELSE rank_of_score(r.score + coalesce(n.score, 0) + coalesce(t.score, 0)) END, r.all_words
    FROM ranked r LEFT JOIN near n ON n.url_id = r.url_id LEFT JOIN title t ON t.url_id = r.url_id;
    IF NOT FOUND AND loose IS NULL AND match = 'any' AND query ~ '["\u201C-\u201F]' THEN -- no document has the phrases
        RETURN QUERY
        SELECT * FROM search_matches(query, match, forms, judged, true, search_matches.site, search_matches.lang, search_matches.type,
            search_matches.path, search_matches.tag, search_matches.since, search_matches.until);
    END IF;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
DECLARE
    f text;
BEGIN
    FOR f IN
        SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN ('search_plan', 'search_matches')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd
DROP FUNCTION merged_places(bytea[]);
DROP FUNCTION word_variants(text, boolean, boolean, boolean);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION word_spellings(typed text) RETURNS TABLE (word text, documents integer)
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 4
AS $$
    SELECT s.word, s.urlcount FROM (
        SELECT w.word, w.urlcount FROM wordurl w
        WHERE w.word = ANY (ARRAY[plain_word(typed),
            replace(replace(replace(typed, 'ae', 'ä'), 'oe', 'ö'), 'ue', 'ü'), replace(replace(replace(typed, 'aa', 'å'), 'ae', 'æ'), 'oe', 'ø'),
            replace(replace(replace(typed, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), replace(replace(replace(typed, 'å', 'aa'), 'æ', 'ae'), 'ø', 'oe')])
        UNION
        SELECT w.word, w.urlcount FROM wordurl w
        WHERE plain_word(w.word) = plain_word(typed) AND plain_word(w.word) <> w.word
            AND (translate(typed, 'ىةیک', 'يهيك') = plain_word(typed) OR translate(w.word, 'şţ', 'șț') = translate(typed, 'şţ', 'șț'))
    ) s
    WHERE s.word <> typed
    ORDER BY s.urlcount DESC, s.word
    LIMIT 32
$$;
-- +goose StatementEnd
