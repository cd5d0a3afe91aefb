-- File trees: the mount points that were seen, and the documents that others may not read.
--
-- Locks nothing that is in use.

-- +goose Up
CREATE TABLE file_mount (
    path    bytea PRIMARY KEY,
    seen_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE file_mount IS 'Mount points on the way to files that were found. While one of them is not mounted, nothing below it is lost. Written by the crawl.';
COMMENT ON COLUMN file_mount.path IS 'The directory, as the bytes of its path.';
COMMENT ON COLUMN file_mount.seen_at IS 'When it was seen first.';

CREATE VIEW protected_files AS
SELECT w.url_id, w.url
FROM urlstate s JOIN urlword w USING (url_id)
WHERE s.index_mode & 512 <> 0 AND w.deleted = 0 AND status_base(w.status) = 200;
COMMENT ON VIEW protected_files IS 'Files in the index that others may not read (FilePrivate yes in spider.cnf). Everybody who may search finds them.';
COMMENT ON COLUMN protected_files.url_id IS 'The file.';
COMMENT ON COLUMN protected_files.url IS 'Its URL.';
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('COMMENT ON COLUMN urlstate.index_mode IS %L', (SELECT replace(col_description(attrelid, attnum), 'a canonical page.',
        'a canonical page. Bit 9 = a file that others may not read.') FROM pg_attribute
        WHERE attrelid = 'urlstate'::regclass AND attname = 'index_mode'));
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('COMMENT ON COLUMN urlstate.index_mode IS %L', (SELECT replace(col_description(attrelid, attnum),
        ' Bit 9 = a file that others may not read.', '') FROM pg_attribute
        WHERE attrelid = 'urlstate'::regclass AND attname = 'index_mode'));
END
$$;
-- +goose StatementEnd
UPDATE urlstate SET index_mode = index_mode & ~512 WHERE index_mode & 512 <> 0;
DROP VIEW protected_files;
DROP TABLE file_mount;
