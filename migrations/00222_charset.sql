-- Charset of sets.cnf is the charset of pages that declare none. By which one a document was read stands in urlstate.index_mode, so that
-- its content is read again in the same way, and that its next visit reads it by another line (T-16). Those of this index were read
-- without one, which is 0.
--
-- Changes a comment only.

-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('COMMENT ON COLUMN urlstate.index_mode IS %L', (SELECT rtrim(col_description(attrelid, attnum), '.') FROM pg_attribute
        WHERE attrelid = 'urlstate'::regclass AND attname = 'index_mode')
        || '. Bits 10 to 15 = number of the Charset of its Server line, 0 = none.');
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('COMMENT ON COLUMN urlstate.index_mode IS %L', (SELECT regexp_replace(col_description(attrelid, attnum), ' Bits 10 to 15 = [^.]*[.]', '') FROM pg_attribute
        WHERE attrelid = 'urlstate'::regclass AND attname = 'index_mode'));
END
$$;
-- +goose StatementEnd
UPDATE urlstate SET index_mode = index_mode & ~64512 WHERE index_mode & 64512 <> 0;
