-- The language, type and tag of each document, by which searches filter and count.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION document_type(content_type text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$
    SELECT CASE t.name
        WHEN 'application/xhtml+xml' THEN 'html'
        WHEN 'application/msword' THEN 'doc'
        WHEN 'application/vnd.ms-excel' THEN 'xls'
        WHEN 'application/vnd.ms-powerpoint' THEN 'ppt'
        WHEN 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' THEN 'docx'
        WHEN 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' THEN 'xlsx'
        WHEN 'application/vnd.openxmlformats-officedocument.presentationml.presentation' THEN 'pptx'
        WHEN 'application/vnd.oasis.opendocument.text' THEN 'odt'
        WHEN 'application/epub+zip' THEN 'epub'
        ELSE CASE t.subtype
            WHEN 'htm' THEN 'html' WHEN 'shtml' THEN 'html' WHEN 'xhtml' THEN 'html' WHEN 'xht' THEN 'html'
            WHEN 'txt' THEN 'text' WHEN 'plain' THEN 'text' WHEN 'md' THEN 'markdown' WHEN 'js' THEN 'javascript' WHEN 'jpg' THEN 'jpeg'
            ELSE t.subtype
        END
    END
    FROM (
        SELECT m.name, regexp_replace(regexp_replace(coalesce(substring(m.name FROM '/(.*)'), ''), '^x-', ''), '[+]xml$', '')
        FROM (SELECT btrim(lower(split_part(content_type, ';', 1)), E' \t')) m (name)
    ) t (name, subtype)
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION document_type(text) IS
    'The short name of a content type, by which searches filter and count: html for text/html and application/xhtml+xml, text for text/plain, docx and the like for office programs, otherwise the subtype without x- and +xml. Empty if there is none.';

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
