-- Spellings of words: without accents and points, for people who type no others.

-- +goose Up
-- The tables are those of document.Plain. The first branch is the way of most words, so the planner puts the body into queries.
-- +goose StatementBegin
CREATE FUNCTION plain_word(word text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN octet_length(word) = char_length(word) THEN word ELSE
        coalesce(nullif(normalize(replace(replace(replace(replace(translate(regexp_replace(normalize(translate(word,
            'йїѓќўӂӑӓӗӛӝӟӣӥӧӫӭӯӱӳӵӹѷЙЇЃЌЎӁӐӒӖӚӜӞӢӤӦӪӬӮӰӲӴӸѶ',
            U&'\E000\E001\E002\E003\E004\E005\E006\E007\E008\E009\E00A\E00B\E00C\E00D\E00E\E00F\E010\E011\E012\E013\E014\E015\E016\E017\E018\E019\E01A\E01B\E01C\E01D\E01E\E01F\E020\E021\E022\E023\E024\E025\E026\E027\E028\E029\E02A\E02B\E02C\E02D'), NFD),
            '[\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1-\u05C2\u05C4-\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7-\u06E8\u06EA-\u06ED\u08D3-\u08E1\u08E3-\u08FF\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]', '', 'g'),
            U&'\E000\E001\E002\E003\E004\E005\E006\E007\E008\E009\E00A\E00B\E00C\E00D\E00E\E00F\E010\E011\E012\E013\E014\E015\E016\E017\E018\E019\E01A\E01B\E01C\E01D\E01E\E01F\E020\E021\E022\E023\E024\E025\E026\E027\E028\E029\E02A\E02B\E02C\E02D' || 'øłđðħŧıىةیک',
            'йїѓќўӂӑӓӗӛӝӟӣӥӧӫӭӯӱӳӵӹѷЙЇЃЌЎӁӐӒӖӚӜӞӢӤӦӪӬӮӰӲӴӸѶolddhtiيهيك'),
            'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), NFC), ''), word) END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION plain_word(text) IS
    'A word without accents, points of Hebrew and Arabic and the like: resume for résumé, еще for ещё, strasse for straße. Letters of their own such as й and the vowel signs of Hindi stay.';

-- Only words with another plain form are in it: few in English.
CREATE INDEX wordurl_plain ON wordurl (plain_word(word)) WHERE plain_word(word) <> word;
COMMENT ON INDEX wordurl_plain IS 'Words that are found without their accents.';

-- +goose StatementBegin
CREATE FUNCTION word_spellings(typed text) RETURNS TABLE (word text, documents integer)
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
COMMENT ON FUNCTION word_spellings(text) IS
    'Other spellings of a word of a query that the dictionary has, the most frequent first, and their documents. A word without accents finds all words with that plain form, one with accents the plain form and the other Romanian ș and ț. German and Danish digraphs count: mueller and müller, aarhus and århus. At most 32.';

CREATE INDEX wordurl_last ON wordurl ("right"(word, 1)) WHERE char_length(word) = 2 AND word >= 'ก';
COMMENT ON INDEX wordurl_last IS 'Pairs of characters by the second one, for queries of a single Chinese character.';

-- +goose Down
DROP INDEX wordurl_last;
DROP FUNCTION word_spellings(text);
DROP INDEX wordurl_plain;
DROP FUNCTION plain_word(text);
