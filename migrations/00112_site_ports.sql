-- +goose Up
CREATE INDEX wordsite_port ON wordsite (split_part(word, ':', 1)) WHERE word LIKE '%:%';
COMMENT ON INDEX wordsite_port IS 'Last labels with a port, by the label without it: a query that names no port.';

-- +goose Down
DROP INDEX wordsite_port;
