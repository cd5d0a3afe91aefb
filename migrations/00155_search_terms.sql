-- How search() reads a query since it ranks by relevance: which terms are conditions, stop words, other forms of words.
-- The functions are new. No table is locked and no document is indexed again.

-- +goose Up

-- The same stemmers as in searchd. The dictionaries of PostgreSQL itself leave out stop words.
-- +goose StatementBegin
DO $$
DECLARE
    s record;
BEGIN
    FOR s IN
        SELECT * FROM (VALUES
            ('da', 'danish'), ('de', 'german'), ('en', 'english'), ('es', 'spanish'), ('fi', 'finnish'), ('fr', 'french'), ('hu', 'hungarian'),
            ('it', 'italian'), ('nl', 'dutch'), ('no', 'norwegian'), ('pt', 'portuguese'), ('ro', 'romanian'), ('ru', 'russian'),
            ('sv', 'swedish'), ('tr', 'turkish')) v (code, name)
    LOOP
        EXECUTE format('CREATE TEXT SEARCH DICTIONARY stem_%s (TEMPLATE = pg_catalog.snowball, LANGUAGE = %s)', s.code, s.name);
        EXECUTE format('COMMENT ON TEXT SEARCH DICTIONARY stem_%s IS %L', s.code, 'Stems of ' || initcap(s.name) || ' words, for their other forms.');
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION stop_words() RETURNS TABLE (lang text, words text[])
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 15
AS $$
    SELECT v.lang, string_to_array(v.words, ' ')
    FROM (VALUES
        ('da', 'og i jeg det at en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu over'
            || ' da fra du ud os op man hvor eller hvad skal hvordan'),
        ('de', 'der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wird werden mit von vom zu'
            || ' zum zur im in am an auf aus bei für ich du er sie es wir ihr nicht auch als wie was wer wo wenn dass man kann können'
            || ' mein dein sein'),
        ('en', 'a about above after again against all also am an and any are as at be because been before being below between both but'
            || ' by can cannot could did do does doing down during each few for from further had has have having he her here hers'
            || ' herself him himself his how i if in into is it its itself may me might more most must my myself no nor not of off on'
            || ' once only or other ought our ours ourselves out over own same shall she should so some such than that the their theirs'
            || ' them themselves then there these they this those through to too under until up us use used using very was we were what'
            || ' when where which while who whom why will with would you your yours yourself yourselves'),
        ('es', 'el la los las un una unos unas y o de del al a en con por para que como es son era fue se su sus mi me no más pero lo'
            || ' le les qué cómo cuándo dónde este esta'),
        ('fi', 'ja on ei se että en hän mutta tai kun niin kuin jos mitä mikä miten missä tämä olla oli ovat'),
        ('fr', 'le la les un une des du de et ou à au aux en dans par pour sur avec est sont était ce cet cette ces que qui quoi dont'
            || ' où je tu il elle nous vous ils elles ne pas plus se son sa ses mon ma mes comment pourquoi quand d l s c j n qu'),
        ('hu', 'a az és egy hogy nem is van volt ez meg de csak mint ha vagy mi ki hol hogyan mikor'),
        ('it', 'il lo la i gli le un uno una e o di del della dei delle a al alla in nel nella con su per da dal che chi cui come è'
            || ' sono era non più si mi ti ci quando dove perché'),
        ('nl', 'de het een en of van in op te aan met voor door is zijn was waren dat die dit deze niet ook als hoe wat wie waar'
            || ' wanneer er ik je hij zij we naar bij om'),
        ('no', 'og i jeg det at en et den til er som på de med han av for ikke der var seg men har om vi hva hvor hvordan når eller'
            || ' skal'),
        ('pt', 'o a os as um uma uns umas e ou de do da dos das em no na nos nas com por para que como é são era foi se seu sua não'
            || ' mais mas ao à quando onde qual'),
        ('ro', 'și sau un o de la în cu pe din pentru că ce care cum este sunt era nu mai se al ai a ale când unde'),
        ('ru', 'и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по её мне было вот от меня о из ему когда'
            || ' где для это или если ли при чем'),
        ('sv', 'och i att det som en ett på är av för med till den de inte om har var men jag du vi han hon eller hur vad när vilken'
            || ' från'),
        ('tr', 've veya bir bu şu o da de ile için gibi mi mı ne nasıl neden çok daha en ki ama')
    ) v (lang, words)
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION stop_words() IS
    'By language, words that say nothing about what is searched for. A search leaves them out of queries that have others and in which any word is enough. The languages are those whose forms of words are known.';

-- +goose StatementBegin
CREATE FUNCTION search_languages() RETURNS text[]
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
COMMENT ON FUNCTION search_languages() IS
    'The languages of the documents, as far as forms of their words are known, by a sample. English if none is known.';

-- +goose StatementBegin
CREATE FUNCTION word_stem(word text, lang text) RETURNS text
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
CREATE FUNCTION word_forms(the_word text, lang text) RETURNS TABLE (form text, documents integer)
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

-- The query.
DROP FUNCTION search_terms(text);
-- +goose StatementBegin
CREATE FUNCTION search_terms(query text)
    RETURNS TABLE (term integer, phrase boolean, excluded boolean, place integer, word text, unit boolean, must boolean)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 5
AS $$
DECLARE
    max_words CONSTANT integer := 32;  -- of words of which the search cannot choose the rarest (query.MaxTerms)
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
    IF octet_length(query) > 1024 THEN
        RAISE EXCEPTION 'the query is too long: it has % bytes, and 1024 are allowed', octet_length(query)
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
    -- Of more words that are no conditions a search uses the rarest.
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
COMMENT ON FUNCTION search_terms(text) IS
    'How search() reads a query. One row for each word that can be indexed: the number of its term, whether the term is a phrase, whether it is excluded, the word''s place, whether the term was written without a blank (pg_stat_activity), whether + or AND makes it a condition. Words that are left out (wordrules) still take a place.';

-- The search_path as in 00107_functions.sql. word_stem inherits it from word_forms.
-- +goose StatementBegin
DO $$
DECLARE
    f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['search_terms(text)', 'search_languages()', 'word_forms(text, text)']::regprocedure[]
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION search_terms(text);
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
            c := substring(substr(txt, unit.first) FROM '^(?:title|intitle|body|desc|keywords|site|filetype|inurl|lang):');
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
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION search_terms(text) SET search_path = %I, pg_temp', current_schema());
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        PERFORM grant_search('pgseek_search');
    END IF;
END $$;
-- +goose StatementEnd
DROP FUNCTION word_forms(text, text);
DROP FUNCTION word_stem(text, text);
DROP FUNCTION search_languages();
DROP FUNCTION stop_words();
-- +goose StatementBegin
DO $$
DECLARE
    code text;
BEGIN
    FOREACH code IN ARRAY '{da,de,en,es,fi,fr,hu,it,nl,no,pt,ro,ru,sv,tr}'::text[] LOOP
        EXECUTE 'DROP TEXT SEARCH DICTIONARY stem_' || code;
    END LOOP;
END $$;
-- +goose StatementEnd
