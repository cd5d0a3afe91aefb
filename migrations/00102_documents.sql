-- Documents: ASPseek's urlwordsNN with their content, their dates, who links to them, and their link ranks.

-- +goose Up

-- Sixteen independent tables, alike but for their number, and a view of them all for people.
-- +goose StatementBegin
DO $$
DECLARE
    t text;
BEGIN
    FOR n IN 0..15 LOOP
        t := 'urlwords' || lpad(n::text, 2, '0');
        EXECUTE format($ddl$
            CREATE TABLE %1$I (
                url_id       integer PRIMARY KEY CHECK (url_id %% 16 = %2$s),
                deleted      smallint NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1)),
                wordcount    integer NOT NULL DEFAULT 0,
                totalcount   integer NOT NULL DEFAULT 0,
                content_type text NOT NULL DEFAULT '',
                charset      text NOT NULL DEFAULT '',
                title        text NOT NULL DEFAULT '' CHECK (char_length(title) <= 128),
                txt          text NOT NULL DEFAULT '' CHECK (char_length(txt) <= 255),
                docsize      integer NOT NULL DEFAULT 0,
                keywords     text NOT NULL DEFAULT '' CHECK (char_length(keywords) <= 255),
                description  text NOT NULL DEFAULT '' CHECK (char_length(description) <= 100),
                lang         text NOT NULL DEFAULT '' CHECK (char_length(lang) <= 2),
                words        bytea,
                hrefs        integer[] NOT NULL DEFAULT '{}'
            )$ddl$, t, n);
        EXECUTE format('ALTER TABLE %I ALTER COLUMN words SET STORAGE EXTERNAL', t);
        EXECUTE format('COMMENT ON TABLE %I IS %L', t,
            'Content of the documents whose url_id mod 16 is ' || n || ': originals with status 200, 406 with links, and link-only rows of redirects. Written by the crawl and index -T.');
        EXECUTE format('COMMENT ON COLUMN %I.url_id IS %L', t, 'Key, the url_id of urlword.');
        EXECUTE format('COMMENT ON COLUMN %I.deleted IS %L', t, '1 = the document was taken out of the index by a rule, 0 = not.');
        EXECUTE format('COMMENT ON COLUMN %I.wordcount IS %L', t, 'Distinct stored words.');
        EXECUTE format('COMMENT ON COLUMN %I.totalcount IS %L', t, 'Occurrences of stored words.');
        EXECUTE format('COMMENT ON COLUMN %I.content_type IS %L', t, 'Content type with its parameters.');
        EXECUTE format('COMMENT ON COLUMN %I.charset IS %L', t, 'The charset that was used to decode the content.');
        EXECUTE format('COMMENT ON COLUMN %I.title IS %L', t, 'Title, at most 128 characters.');
        EXECUTE format('COMMENT ON COLUMN %I.txt IS %L', t, 'Beginning of the body''s text, at most 255 characters.');
        EXECUTE format('COMMENT ON COLUMN %I.docsize IS %L', t, 'Size in bytes as announced by the server, else as read.');
        EXECUTE format('COMMENT ON COLUMN %I.keywords IS %L', t, 'META keywords, at most 255 characters.');
        EXECUTE format('COMMENT ON COLUMN %I.description IS %L', t, 'META description, at most 100 characters.');
        EXECUTE format('COMMENT ON COLUMN %I.lang IS %L', t, 'Two-letter language code, empty when unknown.');
        EXECUTE format('COMMENT ON COLUMN %I.words IS %L', t, 'The content: 4 bytes of length and a gzip stream, or ffffffff and the plain bytes. NULL in link-only rows.');
        EXECUTE format('COMMENT ON COLUMN %I.hrefs IS %L', t, 'url_ids of its links: ascending, no duplicates, not its own.');
    END LOOP;
    EXECUTE 'CREATE VIEW urlwords AS ' || (
        SELECT string_agg(format(
            'SELECT url_id, deleted, wordcount, totalcount, content_type, charset, title, txt, docsize, keywords, description, lang, words, hrefs FROM urlwords%s',
            lpad(n::text, 2, '0')), ' UNION ALL ' ORDER BY n)
        FROM generate_series(0, 15) n);
    FOR t IN SELECT attname FROM pg_attribute WHERE attrelid = 'urlwords00'::regclass AND attnum > 0 LOOP
        EXECUTE format('COMMENT ON COLUMN urlwords.%I IS %L', t, (
            SELECT col_description(attrelid, attnum) FROM pg_attribute
            WHERE attrelid = 'urlwords00'::regclass AND attname = t));
    END LOOP;
END $$;
-- +goose StatementEnd
COMMENT ON VIEW urlwords IS 'The sixteen tables urlwords00 to urlwords15 together, for reading. Ask it by url_id.';

CREATE TABLE docdates (
    url_id        integer PRIMARY KEY,
    created       timestamptz NOT NULL,
    modified      timestamptz NOT NULL,
    modified_from text NOT NULL CHECK (modified_from IN ('last-modified', 'fetch')),
    created_from  text NOT NULL DEFAULT 'fetch' CHECK (created_from IN ('fetch'))
);
COMMENT ON TABLE docdates IS 'The engine''s own dates of a document, those that sorting and date limits use. Written by the merge.';
COMMENT ON COLUMN docdates.url_id IS 'The document.';
COMMENT ON COLUMN docdates.created IS 'When it was first seen with content.';
COMMENT ON COLUMN docdates.modified IS 'When its content last changed, as far as we can tell.';
COMMENT ON COLUMN docdates.modified_from IS 'Where modified comes from: the Last-Modified header where it is believable, else the fetch.';
COMMENT ON COLUMN docdates.created_from IS 'Where created comes from: fetch = its first version was fetched then.';

CREATE TABLE citation (
    url_id    integer PRIMARY KEY,
    referrers integer[] NOT NULL
) WITH (fillfactor = 90);
COMMENT ON TABLE citation IS 'Who links to a URL: the inverse of urlwordsNN.hrefs over rows that are not deleted. Written by the merge.';
COMMENT ON COLUMN citation.url_id IS 'The cited URL.';
COMMENT ON COLUMN citation.referrers IS 'url_ids of the pages that link to it: ascending, no duplicates, never empty.';

CREATE TABLE urlrank (
    url_id integer PRIMARY KEY,
    rank   real NOT NULL
);
COMMENT ON TABLE urlrank IS 'Link ranks of live originals: the mean is 1, less where documents link to what is none. Written by index -K, and by a merge after many links changed.';
COMMENT ON COLUMN urlrank.url_id IS 'Key, the url_id of urlword.';
COMMENT ON COLUMN urlrank.rank IS '0.15 + 0.85 times the sum, over the documents that link here, of their rank by the number of their targets; after 10 rounds that begin with 1. Links to redirects and clones count for where they lead.';

CREATE TABLE rankstate (
    single      boolean PRIMARY KEY DEFAULT true CHECK (single),
    links       bigint NOT NULL DEFAULT 0 CHECK (links >= 0),
    changed     bigint NOT NULL DEFAULT 0,
    documents   bigint NOT NULL DEFAULT 0 CHECK (documents >= 0),
    computed_at timestamptz
);
INSERT INTO rankstate DEFAULT VALUES;
COMMENT ON TABLE rankstate IS 'How far urlrank is behind the links. One row. Written by the merge, index -K and index -H.';
COMMENT ON COLUMN rankstate.single IS 'Always true: there is one row.';
COMMENT ON COLUMN rankstate.links IS 'Links of ranked documents when the ranks were computed, as hrefs had them.';
COMMENT ON COLUMN rankstate.changed IS 'Links that citation gained or lost since then. A merge computes the ranks anew when it is more than RankShare of links.';
COMMENT ON COLUMN rankstate.documents IS 'Documents that got a rank then.';
COMMENT ON COLUMN rankstate.computed_at IS 'When the ranks were computed, NULL = never.';

-- +goose Down
DROP TABLE rankstate, urlrank, citation, docdates;
DROP VIEW urlwords;
DROP TABLE urlwords00, urlwords01, urlwords02, urlwords03, urlwords04, urlwords05, urlwords06, urlwords07,
           urlwords08, urlwords09, urlwords10, urlwords11, urlwords12, urlwords13, urlwords14, urlwords15;
