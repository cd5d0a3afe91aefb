-- Documents: content (ASPseek's tables urlwordsNN), dates, inbound links and link ranks.

-- +goose Up

-- Sixteen independent tables that differ only in their number, and a view of all of them.
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
            'Content rows of the documents whose url_id mod 16 is ' || n || ': originals with status 200, pages with status 406 and links, and link-only rows of redirects. Written by the crawl and by index -T.');
        EXECUTE format('COMMENT ON COLUMN %I.url_id IS %L', t, 'Key: urlword.url_id.');
        EXECUTE format('COMMENT ON COLUMN %I.deleted IS %L', t, '1 = removed from the index by a rule, 0 = not.');
        EXECUTE format('COMMENT ON COLUMN %I.wordcount IS %L', t, 'Number of distinct stored words.');
        EXECUTE format('COMMENT ON COLUMN %I.totalcount IS %L', t, 'Number of occurrences of stored words.');
        EXECUTE format('COMMENT ON COLUMN %I.content_type IS %L', t, 'Content type with its parameters.');
        EXECUTE format('COMMENT ON COLUMN %I.charset IS %L', t, 'Charset that the content was decoded with.');
        EXECUTE format('COMMENT ON COLUMN %I.title IS %L', t, 'Title, at most 128 characters.');
        EXECUTE format('COMMENT ON COLUMN %I.txt IS %L', t, 'Beginning of the body''s text, at most 255 characters.');
        EXECUTE format('COMMENT ON COLUMN %I.docsize IS %L', t, 'Size in bytes as announced by the server, otherwise as read.');
        EXECUTE format('COMMENT ON COLUMN %I.keywords IS %L', t, 'META keywords, at most 255 characters.');
        EXECUTE format('COMMENT ON COLUMN %I.description IS %L', t, 'META description, at most 100 characters.');
        EXECUTE format('COMMENT ON COLUMN %I.lang IS %L', t, 'Two-letter language code. Empty when unknown.');
        EXECUTE format('COMMENT ON COLUMN %I.words IS %L', t, 'The content: 4 bytes with its length and a gzip stream, or ffffffff and the plain bytes. NULL in link-only rows.');
        EXECUTE format('COMMENT ON COLUMN %I.hrefs IS %L', t, 'url_ids of the links: ascending, without duplicates and without the document itself.');
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
COMMENT ON VIEW urlwords IS 'Union of the sixteen tables urlwords00 to urlwords15, for reading. A condition on url_id makes it fast.';

CREATE TABLE docdates (
    url_id        integer PRIMARY KEY,
    created       timestamptz NOT NULL,
    modified      timestamptz NOT NULL,
    modified_from text NOT NULL CHECK (modified_from IN ('last-modified', 'fetch')),
    created_from  text NOT NULL DEFAULT 'fetch' CHECK (created_from IN ('fetch'))
);
COMMENT ON TABLE docdates IS 'Dates of a document as searches sort and filter by them. Written by the merge.';
COMMENT ON COLUMN docdates.url_id IS 'The document.';
COMMENT ON COLUMN docdates.created IS 'When its first version was fetched.';
COMMENT ON COLUMN docdates.modified IS 'When its content last changed, as far as known.';
COMMENT ON COLUMN docdates.modified_from IS 'Source of modified: last-modified = a credible Last-Modified header, fetch = the time of the fetch.';
COMMENT ON COLUMN docdates.created_from IS 'Source of created: fetch = the time of the first fetch.';

CREATE TABLE citation (
    url_id    integer PRIMARY KEY,
    referrers integer[] NOT NULL
) WITH (fillfactor = 90);
COMMENT ON TABLE citation IS 'Inbound links: the inverse of urlwordsNN.hrefs over rows with deleted = 0. Written by the merge and by index -H.';
COMMENT ON COLUMN citation.url_id IS 'The link''s target.';
COMMENT ON COLUMN citation.referrers IS 'url_ids of the pages that link to the target: ascending, without duplicates, never empty.';

CREATE TABLE urlrank (
    url_id integer PRIMARY KEY,
    rank   real NOT NULL
);
COMMENT ON TABLE urlrank IS 'Link ranks of live originals. The mean is 1, or less when documents link to URLs that are no documents. Written by index -K, and by a merge after many links changed.';
COMMENT ON COLUMN urlrank.url_id IS 'Key: urlword.url_id.';
COMMENT ON COLUMN urlrank.rank IS '0.15 + 0.85 times the sum, over all documents that link here, of their rank divided by their number of targets. Ten iterations, beginning with 1. A link to a redirect or a clone counts for the document at its end.';

CREATE TABLE rankstate (
    single      boolean PRIMARY KEY DEFAULT true CHECK (single),
    links       bigint NOT NULL DEFAULT 0 CHECK (links >= 0),
    changed     bigint NOT NULL DEFAULT 0,
    documents   bigint NOT NULL DEFAULT 0 CHECK (documents >= 0),
    computed_at timestamptz
);
INSERT INTO rankstate DEFAULT VALUES;
COMMENT ON TABLE rankstate IS 'How much the links have changed since the link ranks were computed. One row. Written by the merge, index -K and index -H.';
COMMENT ON COLUMN rankstate.single IS 'Always true: the table has one row.';
COMMENT ON COLUMN rankstate.links IS 'Number of links between ranked documents when the ranks were computed.';
COMMENT ON COLUMN rankstate.changed IS 'Number of links added to or removed from citation since then. When it exceeds RankShare of links, the next merge computes the ranks again.';
COMMENT ON COLUMN rankstate.documents IS 'Number of documents that were ranked.';
COMMENT ON COLUMN rankstate.computed_at IS 'When the ranks were computed. NULL = never.';

-- +goose Down
DROP TABLE rankstate, urlrank, citation, docdates;
DROP VIEW urlwords;
DROP TABLE urlwords00, urlwords01, urlwords02, urlwords03, urlwords04, urlwords05, urlwords06, urlwords07,
           urlwords08, urlwords09, urlwords10, urlwords11, urlwords12, urlwords13, urlwords14, urlwords15;
