-- What is not content of a page, such as its navigation, is left out of its words. How the words of a document were read stands in
-- urlstate.index_mode, so that its content is read again in the same way.
--
-- Rewrites urlstate. The documents of this index have all their words, which is what their mode says: the next visit of each reads its
-- stored content again (T-16), and index --rebuild-index reads all of them at once.

-- +goose Up
ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ALTER COLUMN index_mode TYPE integer;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode >= 0);
ALTER TABLE wordrules ADD COLUMN leave_out text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN wordrules.leave_out IS 'Selectors of LeaveOut lines, one text for each list of them. Number n is that of the documents with n in bits 18 and higher of urlstate.index_mode. Lists are only added.';
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('COMMENT ON COLUMN urlstate.index_mode IS %L', (SELECT rtrim(col_description(attrelid, attnum), '.') FROM pg_attribute
        WHERE attrelid = 'urlstate'::regclass AND attname = 'index_mode')
        || '. Bit 16 = what is not content is left out of the words, bit 17 = it is the start page of a site, whose header and footer stay, bits 18 and higher = number of its list in wordrules.leave_out.');
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('COMMENT ON COLUMN urlstate.index_mode IS %L', (SELECT regexp_replace(col_description(attrelid, attnum), ' Bit 16 = .*$', '') FROM pg_attribute
        WHERE attrelid = 'urlstate'::regclass AND attname = 'index_mode'));
END
$$;
-- +goose StatementEnd
ALTER TABLE wordrules DROP COLUMN leave_out;
UPDATE urlstate SET index_mode = index_mode & 32767 WHERE index_mode > 32767;
ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ALTER COLUMN index_mode TYPE smallint;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 511);
