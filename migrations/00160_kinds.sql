-- The language, type and tag of each document, by which searches filter and count.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION document_type(content_type text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN t.name IN ('text/html', 'application/xhtml+xml') THEN 'html'
        WHEN t.name = 'text/plain' THEN 'text'
        WHEN t.name IN ('application/rss+xml', 'application/atom+xml') THEN 'feed'
        WHEN t.name IN ('text/xml', 'application/xml') THEN 'xml'
        WHEN t.name LIKE 'application/msword%' OR t.name LIKE 'application/vnd.%wordprocessingml%'
            OR t.name LIKE 'application/vnd.oasis.opendocument.text%' THEN 'word'
        WHEN t.name LIKE 'application/vnd.ms-excel%' OR t.name LIKE 'application/vnd.%spreadsheetml%'
            OR t.name LIKE 'application/vnd.oasis.opendocument.spreadsheet%' THEN 'sheet'
        WHEN t.name LIKE 'application/vnd.ms-powerpoint%' OR t.name LIKE 'application/vnd.%presentationml%'
            OR t.name LIKE 'application/vnd.oasis.opendocument.presentation%' THEN 'slides'
        ELSE left(regexp_replace(regexp_replace(split_part(t.name, '/', 2), '^(x-|vnd\.)', ''), '[^a-z0-9.+_-]', '', 'g'), 40)
    END
    FROM (SELECT btrim(lower(split_part(content_type, ';', 1)))) t (name)
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION document_type(text) IS
    'The short name of a content type, by which searches filter and count: html, text, xml, feed, word, sheet, slides, otherwise the subtype (pdf, csv). Empty if there is none.';

ALTER TABLE docdates ADD COLUMN lang text, ADD COLUMN type text, ADD COLUMN tag integer;
COMMENT ON TABLE docdates IS 'What searches filter, sort and count documents by: dates, language, type and tag, and the length, by which they rank. Written by the merge.';
COMMENT ON COLUMN docdates.lang IS 'Language as in urlwordsNN. Empty or NULL = unknown.';
COMMENT ON COLUMN docdates.type IS 'Short name of the content type (document_type). Empty or NULL = unknown.';
COMMENT ON COLUMN docdates.tag IS 'Tag as in urlword. 0 or NULL = none.';
UPDATE docdates d SET lang = c.lang, type = document_type(c.content_type), tag = w.tag
FROM urlwords c JOIN urlword w USING (url_id)
WHERE c.url_id = d.url_id AND d.length IS NOT NULL;

-- +goose Down
ALTER TABLE docdates DROP COLUMN lang, DROP COLUMN type, DROP COLUMN tag;
COMMENT ON TABLE docdates IS 'Dates of a document as searches sort and filter by them, and its length, by which they rank. Written by the merge.';
DROP FUNCTION document_type(text);
