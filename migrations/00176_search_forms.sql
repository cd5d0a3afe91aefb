-- Other forms of words in search() as in searchd: compared without accents, Korean words that begin with a noun, and the languages of few
-- documents. Only functions are changed.

-- +goose Up
CREATE FUNCTION form_languages() RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY(SELECT w.lang FROM stop_words() w UNION SELECT 'ko' ORDER BY 1);
COMMENT ON FUNCTION form_languages() IS 'The languages in which search() knows other forms of words: those of stop_words, and Korean.';
COMMENT ON FUNCTION stop_words() IS
    'By language, words that say nothing about what is searched for. A search leaves them out of queries that have others and in which any word is enough.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_languages() RETURNS text[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
DECLARE
    -- Of each content table some documents are a sample.
    sampled CONSTANT integer := 300;
    -- A language counts if at least one in rare documents has it, or one in rarest and at least least_documents of the sample: a few
    -- documents are often labeled wrongly. The same as in search/forms.go.
    rare            CONSTANT integer := 20;
    rarest          CONSTANT integer := 50;
    least_documents CONSTANT integer := 30;
    found   text[];
BEGIN
    WITH sample AS (
        (SELECT c.lang FROM urlwords00 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords01 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords02 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords03 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords04 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords05 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords06 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords07 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords08 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords09 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords10 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords11 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords12 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords13 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords14 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords15 c WHERE c.lang <> '' LIMIT sampled)
    ), counted AS (
        SELECT s.lang, count(*) AS documents, sum(count(*)) OVER () AS total FROM sample s GROUP BY s.lang
    )
    SELECT array_agg(c.lang ORDER BY c.lang COLLATE "C") INTO found
    FROM counted c
    WHERE c.lang = ANY (form_languages())
      AND (c.documents * rare >= c.total OR c.documents * rarest >= c.total AND c.documents >= least_documents);
    RETURN coalesce(found, '{en}');
END $$;
-- +goose StatementEnd

CREATE FUNCTION hangul_word(word text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN word ~ '^[\u1100-\u11FF\u302E\u302F\u3131-\u318E\u3200-\u321E\u3260-\u327E\uA960-\uA97C\uAC00-\uD7A3\uD7B0-\uD7C6\uD7CB-\uD7FB\uFFA0-\uFFBE\uFFC2-\uFFC7\uFFCA-\uFFCF\uFFD2-\uFFD7\uFFDA-\uFFDC]+$';
COMMENT ON FUNCTION hangul_word(text) IS 'Whether a word is Korean: all its letters are Hangul.';

-- A body that is bound to the dictionaries needs no search_path, and the planner can put it into queries.
DROP FUNCTION word_stem(text, text);
-- +goose StatementBegin
CREATE FUNCTION word_stem(word text, lang text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    -- Stemmers disagree about ё and Romanian ș and ț: they all know е, and the newest ones turn ş into ș.
    RETURN CASE lang
        WHEN 'ko' THEN CASE WHEN hangul_word(word)
            -- The longest particle, or several in a row, behind a noun of two syllables: search/korean.go.
            THEN coalesce(substring(word FROM '^(..+?)(?:은|는|이|가|을|를|과|와|의|에|도|만|로|으로|나|이나|랑|이랑|야|아|여|들|들은|들이|들을|들의|들에|들과|들도|에서'
            || '|에게|께|께서|한테|에는|에도|에만|에서는|에서도|에서만|에게서|에게는|로는|로도|로만|로서|로써|으로는|으로도|으로만'
            || '|으로서|으로써|로부터|으로부터|부터|까지|까지는|까지도|마다|마저|조차|밖에|보다|보다는|처럼|같이|만큼|만이|만을|만은'
            || '|대로|이라도|라도|이라는|라는|이란|란|이라고|라고|이라면|라면|하고|와는|과는|와의|과의|와도|과도|에의|로의|으로의'
            || '|에서의|까지의|부터는|에게도|한테서|이든지|든지|이며|며|이고|고|이다|다|입니다|이었다|였다|이에요|예요|인|인데|이지만'
            || '|지만|이므로|므로|이면|일|이어야|여야|에대한|에서부터|들에게|들에서|들로|들까지)$'), word)
            ELSE word END
        WHEN 'ro' THEN translate((ts_lexize('stem_ro', translate(word, 'șț', 'şţ')))[1], 'șț', 'şţ')
        WHEN 'ru' THEN (ts_lexize('stem_ru', replace(word, 'ё', 'е')))[1]
        WHEN 'da' THEN (ts_lexize('stem_da', word))[1]
        WHEN 'de' THEN (ts_lexize('stem_de', word))[1]
        WHEN 'en' THEN (ts_lexize('stem_en', word))[1]
        WHEN 'es' THEN (ts_lexize('stem_es', word))[1]
        WHEN 'fi' THEN (ts_lexize('stem_fi', word))[1]
        WHEN 'fr' THEN (ts_lexize('stem_fr', word))[1]
        WHEN 'hu' THEN (ts_lexize('stem_hu', word))[1]
        WHEN 'it' THEN (ts_lexize('stem_it', word))[1]
        WHEN 'nl' THEN (ts_lexize('stem_nl', word))[1]
        WHEN 'no' THEN (ts_lexize('stem_no', word))[1]
        WHEN 'pt' THEN (ts_lexize('stem_pt', word))[1]
        WHEN 'sv' THEN (ts_lexize('stem_sv', word))[1]
        WHEN 'tr' THEN (ts_lexize('stem_tr', word))[1]
    END;
-- +goose StatementEnd
COMMENT ON FUNCTION word_stem(text, text) IS
    'The Snowball stem of a word in lower case, in a language of form_languages. Of a Korean word the noun without its particle. NULL in other languages.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION word_forms(the_word text, lang text) RETURNS TABLE (form text, documents integer)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 5
AS $$
DECLARE
    -- Bounds of a search for other forms, as in search/forms.go.
    korean      CONSTANT boolean := lang = 'ko';
    form_least  CONSTANT integer := CASE WHEN korean THEN 2 ELSE 3 END;    -- minimum length of the common prefix, in characters
    forms_most  CONSTANT integer := CASE WHEN korean THEN 256 ELSE 16 END; -- maximum number of forms; those in the most documents count
    form_ending CONSTANT integer := 10;   -- maximum length of an ending, in characters
    form_limit  CONSTANT integer := 5000; -- maximum number of words read from the dictionary, with accents and without
    plain       text := plain_word(the_word);
    stem        text := plain_word(word_stem(the_word, lang));
    prefix      text := regexp_replace(stem, 'i$', ''); -- theory and theories have the stem theori
BEGIN
    IF NOT lang = ANY (form_languages()) THEN
        RAISE EXCEPTION 'word_forms() knows no other forms of words for lang %: the languages are %', quote_literal(lang), array_to_string(form_languages(), ', ')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    WHILE NOT starts_with(plain, prefix) LOOP
        prefix := left(prefix, -1);
    END LOOP;
    IF char_length(prefix) < form_least OR hangul_word(the_word) <> korean THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT w.word, w.urlcount
    FROM (
        (SELECT u.word, u.urlcount
        FROM wordurl u
        WHERE u.word >= prefix AND u.word < prefix || U&'\+10FFFF' AND char_length(u.word) <= char_length(prefix) + form_ending
        ORDER BY u.word
        LIMIT form_limit)
        UNION
        (SELECT u.word, u.urlcount
        FROM wordurl u
        WHERE plain_word(u.word) >= prefix AND plain_word(u.word) < prefix || U&'\+10FFFF' AND plain_word(u.word) <> u.word
          AND char_length(u.word) <= char_length(prefix) + form_ending
        ORDER BY plain_word(u.word)
        LIMIT form_limit)
    ) w
    WHERE w.word <> the_word
      AND (korean -- what begins with a noun has it: the rest is particles or makes a compound
        OR plain_word(w.word) <> plain
        AND (plain_word(word_stem(w.word, lang)) = stem
            -- comando and comandi: Snowball's algorithm takes the first for a gerund.
            OR lang = 'it' AND octet_length(the_word) >= 6 AND left(w.word, -1) = left(the_word, -1) AND right(w.word, 1) ~ '[aeio]' AND right(the_word, 1) ~ '[aeio]'))
    ORDER BY w.urlcount DESC, w.word
    LIMIT forms_most;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_forms(text, text) IS
    'Other forms of a word in a language of form_languages: words of the index with the same stem and the same beginning when accents do not count, those in the most documents first, at most 16. Of a Korean word those that begin with the noun, at most 256.';

-- CREATE OR REPLACE forgets the search_path.
-- +goose StatementBegin
DO $$
DECLARE
    f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['search_languages()', 'word_forms(text, text)']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_languages() RETURNS text[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
DECLARE
    -- Of each content table some documents are a sample.
    sampled  CONSTANT integer := 300;
    -- A language of less than 1 of so many documents does not count: such documents are often labeled wrongly.
    rare     CONSTANT integer := 20;
    found    text[];
BEGIN
    WITH sample AS (
        (SELECT c.lang FROM urlwords00 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords01 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords02 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords03 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords04 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords05 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords06 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords07 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords08 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords09 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords10 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords11 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords12 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords13 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords14 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords15 c WHERE c.lang <> '' LIMIT sampled)
    ), counted AS (
        SELECT s.lang, count(*) AS documents, sum(count(*)) OVER () AS total FROM sample s GROUP BY s.lang
    )
    SELECT array_agg(c.lang ORDER BY c.lang) INTO found
    FROM counted c JOIN stop_words() w ON w.lang = c.lang
    WHERE c.documents * rare >= c.total;
    RETURN coalesce(found, '{en}');
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION word_stem(word text, lang text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
AS $$
BEGIN
    -- Newer stemmers read ё as е. That of searchd does not know the letter, like the ђ here.
    IF lang = 'ru' AND word ~ 'ё' THEN
        RETURN replace((ts_lexize('stem_ru', replace(word, 'ё', 'ђ')))[1], 'ђ', 'ё');
    END IF;
    RETURN (ts_lexize(('stem_' || lang)::regdictionary, word))[1];
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_stem(text, text) IS 'The Snowball stem of a word in lower case, in a language of stop_words.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION word_forms(the_word text, lang text) RETURNS TABLE (form text, documents integer)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 5
AS $$
DECLARE
    -- Bounds of a search for other forms, as in search/forms.go.
    form_least  CONSTANT integer := 3;    -- minimum length of the common prefix, in characters
    forms_most  CONSTANT integer := 16;   -- maximum number of forms; those in the most documents count
    form_ending CONSTANT integer := 10;   -- maximum length of an ending, in characters
    form_limit  CONSTANT integer := 5000; -- maximum number of words read from the dictionary
    stem        text := word_stem(the_word, lang);
    prefix      text := regexp_replace(stem, 'i$', ''); -- theory and theories have the stem theori
BEGIN
    WHILE NOT starts_with(the_word, prefix) LOOP
        prefix := left(prefix, -1);
    END LOOP;
    IF char_length(prefix) < form_least THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT w.word, w.urlcount
    FROM (
        SELECT u.word, u.urlcount
        FROM wordurl u
        WHERE u.word >= prefix AND u.word < prefix || U&'\+10FFFF'
          AND char_length(u.word) BETWEEN char_length(prefix) AND char_length(prefix) + form_ending
        ORDER BY u.word
        LIMIT form_limit
    ) w
    WHERE w.word <> the_word AND word_stem(w.word, lang) = stem
    ORDER BY w.urlcount DESC, w.word
    LIMIT forms_most;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_forms(text, text) IS
    'Other forms of a word in a language of stop_words: words of the index with the same stem and the same beginning, those in the most documents first.';

-- +goose StatementBegin
DO $$
DECLARE
    f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['search_languages()', 'word_forms(text, text)']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION stop_words() IS
    'By language, words that say nothing about what is searched for. A search leaves them out of queries that have others and in which any word is enough. The languages are those whose forms of words are known.';
DROP FUNCTION hangul_word(text);
DROP FUNCTION form_languages();
