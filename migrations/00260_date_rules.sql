-- Dates by DateRule. urlstate has the date that the rules found in a document; the merge brings it into docdates.
--
-- Locks urlstate and docdates for a moment: the columns are added without a default. The constraint of docdates is checked once. No
-- URL is visited again.

-- +goose Up
ALTER TABLE urlstate ADD COLUMN dated timestamptz;
COMMENT ON COLUMN urlstate.dated IS 'Date that a DateRule found when the document was read last. NULL = none.';
CREATE INDEX urlstate_dated ON urlstate (url_id) WHERE dated IS NOT NULL;
COMMENT ON INDEX urlstate_dated IS 'Documents that a DateRule dates, so that the merge finds them.';

ALTER TABLE docdates ADD COLUMN unruled timestamptz, ADD COLUMN unruled_from text;
ALTER TABLE docdates DROP CONSTRAINT docdates_modified_from_check;
ALTER TABLE docdates ADD CONSTRAINT docdates_modified_from_check CHECK (modified_from IN ('last-modified', 'fetch', 'rule')),
    ADD CONSTRAINT docdates_unruled CHECK ((modified_from = 'rule') = (unruled IS NOT NULL) AND (unruled IS NULL) = (unruled_from IS NULL)
        AND unruled_from IN ('last-modified', 'fetch'));
COMMENT ON COLUMN docdates.modified IS 'The date of the document, by which searches sort and filter: by a DateRule, else when its content last changed, as far as known.';
COMMENT ON COLUMN docdates.modified_from IS 'Source of modified: rule = a DateRule, last-modified = a credible Last-Modified header, fetch = the time of the fetch.';
COMMENT ON COLUMN docdates.unruled IS 'What modified would be without a DateRule. NULL = no DateRule dates the document.';
COMMENT ON COLUMN docdates.unruled_from IS 'Source of unruled: last-modified or fetch.';
CREATE INDEX docdates_ruled ON docdates (url_id) WHERE unruled IS NOT NULL;
COMMENT ON INDEX docdates_ruled IS 'Documents whose date without rules is kept beside that of a DateRule.';

-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(replace(replace(pg_get_functiondef('document_facets(integer[],text,text,text,text,text,timestamptz,timestamptz)'::regprocedure),
        'd.modified AS known,', 'coalesce(d.unruled, d.modified) AS known, s.dated AS ruled,'),
        'LEFT JOIN docdates d ON d.url_id = r.url_id', 'LEFT JOIN docdates d ON d.url_id = r.url_id LEFT JOIN urlstate s ON s.url_id = r.url_id'),
        'dates[cardinality(dated)] := at;', 'dates[cardinality(dated)] := coalesce(v.ruled, at);');
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(replace(replace(pg_get_functiondef('document_facets(integer[],text,text,text,text,text,timestamptz,timestamptz)'::regprocedure),
        'coalesce(d.unruled, d.modified) AS known, s.dated AS ruled,', 'd.modified AS known,'),
        'LEFT JOIN docdates d ON d.url_id = r.url_id LEFT JOIN urlstate s ON s.url_id = r.url_id', 'LEFT JOIN docdates d ON d.url_id = r.url_id'),
        'dates[cardinality(dated)] := coalesce(v.ruled, at);', 'dates[cardinality(dated)] := at;');
END
$$;
-- +goose StatementEnd
UPDATE docdates SET modified = unruled, modified_from = unruled_from, unruled = NULL, unruled_from = NULL WHERE unruled IS NOT NULL;
ALTER TABLE docdates DROP CONSTRAINT docdates_unruled, DROP CONSTRAINT docdates_modified_from_check, DROP COLUMN unruled, DROP COLUMN unruled_from;
ALTER TABLE docdates ADD CONSTRAINT docdates_modified_from_check CHECK (modified_from IN ('last-modified', 'fetch'));
COMMENT ON COLUMN docdates.modified IS 'When its content last changed, as far as known.';
COMMENT ON COLUMN docdates.modified_from IS 'Source of modified: last-modified = a credible Last-Modified header, fetch = the time of the fetch.';
ALTER TABLE urlstate DROP COLUMN dated;
