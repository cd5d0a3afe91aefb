-- Since version 2 of docwords.words, which has fingerprints of the positions of a document, a merge leaves postings alone that are as
-- they were.
-- Locks nothing for longer than a moment; no table is rewritten; no re-index needed. A row gets its fingerprints with the next change of
-- its document, all rows get them from index --rebuild-index.

-- +goose Up

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION docwords_info(packed bytea)
    RETURNS TABLE (word_id integer, cnt integer)
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE ROWS 250
AS $$
DECLARE
    size   integer := octet_length(packed);
    at     integer := 1;
    rest   bigint := -1; -- words or blocks that follow; a number before them says how many
    value  bigint;
    shift  integer;
    byte   integer;
    is_id  boolean := true;
    blocks boolean := false; -- the words are read, version 2 has fingerprints of blocks behind them
    block  integer := -1;
BEGIN
    packed := packed || ''::bytea; -- a value out of line is fetched here once, not again for every byte
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

COMMENT ON COLUMN docwords.words IS 'A version byte, then word ids ascending with their counts as varints; in version 2 also a fingerprint of each 64 ordinals of a section, by which the merge sees which postings of a new version are as they were (store/posting/doc.go).';

-- +goose Down
COMMENT ON COLUMN docwords.words IS 'A version byte, then word ids ascending with their counts as varints (store/posting/doc.go).';

-- Rows of version 2 lose their fingerprints, which programs of before cannot read: a second for 4,000 documents.
-- +goose StatementBegin
DO $$
DECLARE
    r       record;
    at      integer;
    numbers bigint;
    shift   integer;
BEGIN
    FOR r IN SELECT d.url_id, d.words FROM docwords d WHERE get_byte(d.words, 0) = 2 LOOP
        at := 1;
        shift := 0;
        numbers := 0;
        LOOP -- the number of words
            numbers := numbers | ((get_byte(r.words, at) & 127)::bigint << shift);
            shift := shift + 7;
            at := at + 1;
            EXIT WHEN get_byte(r.words, at - 1) < 128;
        END LOOP;
        numbers := 2 * numbers; -- a number for the id and one for the count
        WHILE numbers > 0 LOOP
            IF get_byte(r.words, at) < 128 THEN
                numbers := numbers - 1;
            END IF;
            at := at + 1;
        END LOOP;
        UPDATE docwords d SET words = '\x01' || substr(r.words, 2, at - 1) WHERE d.url_id = r.url_id;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION docwords_info(packed bytea)
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
