-- The configurations that crawl the database, so that another project's is noticed. Locks nothing; no document must be indexed
-- again.

-- +goose Up
CREATE TABLE crawled_by (
    kind  text NOT NULL CHECK (kind IN ('project', 'host')),
    name  text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kind, name)
);
COMMENT ON TABLE crawled_by IS 'What crawls this database: names of projects, and hosts of Server lines. A configuration without any of them is refused. Empty = the next one may.';
COMMENT ON COLUMN crawled_by.kind IS 'project = Project of sets.cnf, host = host of a Server line in a sets.cnf without Project.';
COMMENT ON COLUMN crawled_by.name IS 'The name, or the host without its port.';
COMMENT ON COLUMN crawled_by.since IS 'When a configuration with it crawled first.';

-- +goose Down
DROP TABLE crawled_by;
