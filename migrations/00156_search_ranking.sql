-- search() in SQL ranks as searchd does, and finds documents with any word. Only functions are created: no table is locked and no document is
-- indexed again.
--
--   search            the page: the best documents with titles and excerpts
--   search_matches    all documents that match, with their ranks
--   search_plan       what is looked for: words with their weights, phrases, exclusions (search_terms reads the query)
--   weighted_..., search_idf, length_norm, search_parameters    the formula; search/rank.go explains it
--   search_aspseek    ASPseek's rank, as search() had it

-- +goose Up
DROP FUNCTION search(text, integer);

-- The formula.

-- +goose StatementBegin
CREATE FUNCTION search_parameters()
    RETURNS TABLE (k1 double precision, length_part double precision, title_weight double precision, keywords_weight double precision,
        description_weight double precision, form_weight double precision, again_weight double precision, unit_weight double precision,
        link_weight double precision, near_most integer, title_bonus double precision, rerank_most integer, all_pairs integer,
        rank_unit double precision, max_terms integer)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1
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
COMMENT ON FUNCTION search_parameters() IS 'The parameters of the ranking, the same as in search/rank.go. One row.';

CREATE FUNCTION search_idf(documents double precision, total double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ln(1 + (total - least(documents, total) + 0.5) / (least(documents, total) + 0.5));
COMMENT ON FUNCTION search_idf(double precision, double precision) IS 'The weight of a term that so many documents of all have: the rarer, the more.';

CREATE FUNCTION link_units(link real) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN link > 0 THEN least(greatest(trunc(2000 * ln(10 * link::double precision)), 0), 65535) ELSE 0 END::integer;
COMMENT ON FUNCTION link_units(real) IS 'A link rank (urlrank.rank) on the scale of ranks: 2000 ln(10 rank), 0 to 65535.';

CREATE FUNCTION rank_of_score(score double precision) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN trunc(least(score * 1048576, 4294967295))::bigint;
COMMENT ON FUNCTION rank_of_score(double precision) IS 'The rank of a score: in units of 1/rank_unit (search_parameters), 32 bits.';

-- The code of a length is 16 ln(1 + positions), NULL if it is unknown: docdates.length.
CREATE FUNCTION length_norm(code integer, average double precision, part double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN code > 0 THEN 1 - part + part * (exp(code / 16.0::double precision) - 1) / greatest(average, 1) ELSE 1 END;
COMMENT ON FUNCTION length_norm(integer, double precision, double precision) IS
    'By what occurrences in the body of a document are divided: 1 for a document of average or unknown length, more for longer ones. The arguments are docdates.length, the average number of positions, and the weight of the length.';

-- +goose StatementBegin
CREATE FUNCTION places_before(places bytea, wanted integer) RETURNS integer
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
    RETURN low;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION places_before(bytea, integer) IS 'How many of the packed positions of word_records are below a given one.';

-- +goose StatementBegin
CREATE FUNCTION weighted_places(places bytea, norm double precision) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    p           record;
    all_places  integer := octet_length(places) / 2;
    body        integer := places_before(places, 16384);
    description integer := places_before(places, 32768);
    keywords    integer := places_before(places, 49152);
BEGIN
    SELECT * INTO p FROM search_parameters();
    RETURN body / norm + (description - body) * p.description_weight + (keywords - description) * p.keywords_weight
        + (all_places - keywords) * p.title_weight;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION weighted_places(bytea, double precision) IS
    'Occurrences of a word in a document, weighted by section: those in the body are divided by a norm (length_norm). Positions are packed as in word_records.';

-- Most words are in the body only: the section of the last position is 0.
CREATE FUNCTION weighted_word(places bytea, norm double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN get_byte(places, octet_length(places) - 1) < 64 THEN octet_length(places) / 2 / norm ELSE weighted_places(places, norm) END;
COMMENT ON FUNCTION weighted_word(bytea, double precision) IS 'The same as weighted_places, faster for a word that is only in the body.';

-- +goose StatementBegin
CREATE FUNCTION weighted_phrase(lists bytea[], offsets integer[], norm double precision) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    p      record;
    begins integer[] := phrase_places(lists, offsets);
BEGIN
    IF begins = '{}' THEN
        RETURN 0;
    END IF;
    SELECT * INTO p FROM search_parameters();
    RETURN (SELECT sum(CASE b >> 14 WHEN 0 THEN 1 / norm WHEN 1 THEN p.description_weight WHEN 2 THEN p.keywords_weight ELSE p.title_weight END)
        FROM unnest(begins) b);
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION weighted_phrase(bytea[], integer[], double precision) IS
    'Occurrences of words at given offsets to each other in a document, weighted as in weighted_places. 0 = there is none.';

-- What is looked for.

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

-- The documents.

-- +goose StatementBegin
CREATE FUNCTION search_matches(query text, match text DEFAULT 'any', forms text DEFAULT 'on', judged boolean DEFAULT true,
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
COMMENT ON FUNCTION search_matches(text, text, text, boolean, boolean, text, text, text, text, text, timestamptz, timestamptz) IS
    'All documents that search() finds, in no order: with their ranks as searchd has them, and whether they have all words. judged => false: without ranking the best again by the places of the words. If no document has the "phrases", those among other words are no conditions; loose says whether they are.';

-- +goose StatementBegin
CREATE FUNCTION search_aspseek(query text, results integer DEFAULT 20, site text DEFAULT NULL, lang text DEFAULT NULL, type text DEFAULT NULL,
        path text DEFAULT NULL, tag text DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL)
    RETURNS TABLE (rank bigint, url_id integer, url text, title text, excerpt text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
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
    limited   boolean := num_nonnulls(site, lang, type, path, tag, since, until) > 0;
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
                  AND (NOT limited OR u.url_id IN (
                      SELECT v.url_id
                      FROM document_facets(ARRAY(SELECT 2147483647 - (w.key & 2147483647)::integer FROM unnest(waiting) w (key)),
                          search_aspseek.site, search_aspseek.lang, search_aspseek.type, search_aspseek.path, search_aspseek.tag,
                          search_aspseek.since, search_aspseek.until) v
                      WHERE v.missed = '{}'))
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
COMMENT ON FUNCTION search_aspseek(text, integer, text, text, text, text, text, timestamptz, timestamptz) IS
    'The documents with all words and "phrases" of a query and without its -exclusions, best first: by ASPseek''s rank (searchd has it with Ranking aspseek), then url_id. search() with ranking => ''aspseek'' calls it.';

-- +goose StatementBegin
CREATE FUNCTION search(query text, results integer DEFAULT 20, match text DEFAULT 'any', ranking text DEFAULT 'relevance', forms text DEFAULT 'on',
        site text DEFAULT NULL, lang text DEFAULT NULL, type text DEFAULT NULL,
        path text DEFAULT NULL, tag text DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL)
    RETURNS TABLE (rank bigint, url_id integer, url text, title text, excerpt text, score double precision, all_words boolean)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
AS $$
DECLARE
    marked text[]; -- words that an excerpt marks
    unit   double precision;
BEGIN
    IF num_nulls(query, results, match, ranking, forms) > 0 THEN
        RETURN;
    ELSIF results < 1 OR results > 1000 THEN
        RAISE EXCEPTION 'search() returns 1 to 1000 results, not %', results USING ERRCODE = 'invalid_parameter_value';
    ELSIF ranking = 'aspseek' THEN
        RETURN QUERY SELECT a.*, NULL::double precision, true FROM search_aspseek(query, results, site, lang, type, path, tag, since, until) a;
        RETURN;
    ELSIF ranking <> 'relevance' THEN
        RAISE EXCEPTION 'ranking is relevance or aspseek, not %', quote_literal(ranking) USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT array_agg(DISTINCT w.word) INTO marked
    FROM search_plan(query, match, forms) p CROSS JOIN LATERAL unnest(p.words) w (word)
    WHERE p.part = 'near';
    IF marked IS NULL THEN
        RAISE NOTICE 'there is no word to search for: the query is empty, has only exclusions, or the index leaves out all its words';
        RETURN;
    END IF;
    unit := (SELECT s.rank_unit FROM search_parameters() s);
    RETURN QUERY
    SELECT b.rank, b.url_id, u.url, coalesce(c.title, ''),
           coalesce(search_excerpt(c.txt, marked), search_excerpt(c.description, marked), nullif(c.txt, ''), c.description, ''),
           b.rank / unit, b.all_words
    FROM (
        SELECT m.* FROM search_matches(query, match, forms, true, NULL, site, lang, type, path, tag, since, until) m
        ORDER BY m.rank DESC, m.url_id
        LIMIT results
    ) b
    JOIN urlword u ON u.url_id = b.url_id
    LEFT JOIN urlwords c ON c.url_id = b.url_id
    ORDER BY b.rank DESC, b.url_id;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search(text, integer, text, text, text, text, text, text, text, text, timestamptz, timestamptz) IS
    'The documents with any word of a query, all its "phrases" and +conditions and none of its -exclusions (a blank before the sign, none behind), best first: by searchd''s rank, then url_id. match => ''all'' wants all words. ranking => ''aspseek'' wants them, too, and ranks as searchd does with Ranking aspseek. forms: other forms of words; on, off, or languages (en,de). Filters: site, lang, type and tag are lists separated by commas, path is the beginning of the path, since and until are dates. At most 1024 bytes, 1000 results. The excerpt is from the stored beginning of the text, or from the description.';

-- The search_path as in 00107_functions.sql. What is called for each document inherits it.
-- +goose StatementBegin
DO $$
DECLARE
    f text;
BEGIN
    FOR f IN
        SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN ('search', 'search_aspseek', 'search_matches', 'search_plan')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION search(text, integer, text, text, text, text, text, text, text, text, timestamptz, timestamptz);
DROP FUNCTION search_aspseek(text, integer, text, text, text, text, text, timestamptz, timestamptz);
DROP FUNCTION search_matches(text, text, text, boolean, boolean, text, text, text, text, text, timestamptz, timestamptz);
DROP FUNCTION search_plan(text, text, text, boolean);
DROP FUNCTION weighted_phrase(bytea[], integer[], double precision);
DROP FUNCTION weighted_word(bytea, double precision);
DROP FUNCTION weighted_places(bytea, double precision);
DROP FUNCTION places_before(bytea, integer);
DROP FUNCTION length_norm(integer, double precision, double precision);
DROP FUNCTION rank_of_score(double precision);
DROP FUNCTION link_units(real);
DROP FUNCTION search_idf(double precision, double precision);
DROP FUNCTION search_parameters();
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
    'The documents with all words and "phrases" of a query and without its -exclusions (a blank before the -, none behind), best first: by ASPseek''s rank (searchd has it with Ranking aspseek), then url_id. A compound such as pg_stat_activity is a phrase. At most 32 words, 1024 bytes, 1000 results. The excerpt is from the stored beginning of the text, or from the description.';
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION search(text, integer) SET search_path = %I, pg_temp', current_schema());
END $$;
-- +goose StatementEnd
