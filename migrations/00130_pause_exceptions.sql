-- A paused pattern leaves out the parts that bring something new.

-- +goose Up
ALTER TABLE paused_pattern ADD COLUMN except_patterns text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN paused_pattern.except_patterns IS 'Patterns within it that are not paused, because most of their pages brought something new.';

-- +goose Down
ALTER TABLE paused_pattern DROP COLUMN except_patterns;
