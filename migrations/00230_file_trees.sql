-- File trees: which mount points were seen, and which documents others may not read.

-- +goose Up
CREATE TABLE file_mount (
    path    bytea PRIMARY KEY,
    seen_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE file_mount IS 'Mount points below which files were found. While one of them is not mounted, nothing below it is lost. Written by the crawl.';
COMMENT ON COLUMN file_mount.path IS 'The directory, as the bytes of its path.';
COMMENT ON COLUMN file_mount.seen_at IS 'When it was seen first.';

ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 511);
ALTER TABLE urlstate ADD COLUMN protected boolean NOT NULL GENERATED ALWAYS AS (index_mode & 256 <> 0) STORED;
COMMENT ON COLUMN urlstate.protected IS 'true = a file that others may not read (FilePrivate yes). Bit 8 of index_mode.';

-- +goose Down
ALTER TABLE urlstate DROP COLUMN protected;
UPDATE urlstate SET index_mode = index_mode & 127 WHERE index_mode > 127;
ALTER TABLE urlstate DROP CONSTRAINT urlstate_index_mode_check;
ALTER TABLE urlstate ADD CONSTRAINT urlstate_index_mode_check CHECK (index_mode BETWEEN 0 AND 127);
DROP TABLE file_mount;
