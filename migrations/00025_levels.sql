-- Since runs that are alike unite, a level 0 row may be what several batches brought.

-- +goose Up
COMMENT ON COLUMN wordfile.level IS '0 = what a batch brought, or a few lately, 1 = united batches, 2 = base.';

-- +goose Down
COMMENT ON COLUMN wordfile.level IS '0 = what a batch brought, 1 = united batches, 2 = base.';
