-- Searches that may be suggested to others while they type.

-- +goose Up
CREATE TABLE suggestions (
    query    text PRIMARY KEY CHECK (octet_length(query) BETWEEN 1 AND 256),
    searches integer NOT NULL CHECK (searches > 0)
);
COMMENT ON TABLE suggestions IS 'Searches that searchd suggests while somebody types. Written by the merge from stat: those of the last 90 days that three addresses (of IPv6, networks) made on two days and that found something, without long runs of digits, addresses and signs. Rows leave when stat has them no longer.';
COMMENT ON COLUMN suggestions.query IS 'The query, in lower case.';
COMMENT ON COLUMN suggestions.searches IS 'How often it was made.';

CREATE TABLE suggestionstate (
    only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    filled_at timestamptz,
    took      interval NOT NULL DEFAULT '0'
);
INSERT INTO suggestionstate DEFAULT VALUES;
COMMENT ON TABLE suggestionstate IS 'When suggestions was filled: a merge fills it again, but when that took more than half a second only after fifty times as long.';
COMMENT ON COLUMN suggestionstate.only_row IS 'true: the table has one row.';
COMMENT ON COLUMN suggestionstate.filled_at IS 'When. NULL = never, or searches were removed from stat since then: the next merge fills suggestions.';
COMMENT ON COLUMN suggestionstate.took IS 'How long it took.';

-- The role that searches reads suggestions, and still not stat. Other migrations may have changed the function.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('grant_search(name, boolean)'::regprocedure), 'subsetstate, spaces, totals', 'subsetstate, spaces, suggestions, totals');
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        GRANT SELECT ON suggestions TO pgseek_search;
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('grant_search(name, boolean)'::regprocedure), 'subsetstate, spaces, suggestions, totals', 'subsetstate, spaces, totals');
END $$;
-- +goose StatementEnd
DROP TABLE suggestionstate, suggestions;
