-- The language and type of each document beside its key, so that searchd reads those of all documents without their contents.

-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    FOR n IN 0 .. 15 LOOP
        EXECUTE format('ALTER TABLE urlwords%1$s DROP CONSTRAINT urlwords%1$s_pkey, ADD CONSTRAINT urlwords%1$s_pkey PRIMARY KEY (url_id) INCLUDE (lang, content_type)',
            lpad(n::text, 2, '0'));
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    FOR n IN 0 .. 15 LOOP
        EXECUTE format('ALTER TABLE urlwords%1$s DROP CONSTRAINT urlwords%1$s_pkey, ADD CONSTRAINT urlwords%1$s_pkey PRIMARY KEY (url_id)',
            lpad(n::text, 2, '0'));
    END LOOP;
END $$;
-- +goose StatementEnd
