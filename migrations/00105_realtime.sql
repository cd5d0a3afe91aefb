-- The real-time index: what index -T indexes until a merge takes it over.

-- +goose Up

-- EXTERNAL: packing a value that the next index -T unpacks again costs more than it saves.
CREATE TABLE wordurl1 (
    word       text COLLATE "C" PRIMARY KEY CHECK (char_length(word) BETWEEN 1 AND 32),
    word_id    integer NOT NULL UNIQUE,
    urls       bytea NOT NULL CHECK (octet_length(urls) > 0),
    urlcount   integer NOT NULL,
    totalcount integer NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE wordurl1 ALTER COLUMN urls SET STORAGE EXTERNAL;
COMMENT ON TABLE wordurl1 IS 'The real-time index: postings of documents indexed by index -T that no merge has taken over yet.';
COMMENT ON COLUMN wordurl1.word IS 'The word, as in wordurl.';
COMMENT ON COLUMN wordurl1.word_id IS 'Its key in wordurl.';
COMMENT ON COLUMN wordurl1.urls IS 'Postings as a blob, never empty, always here whatever its length.';
COMMENT ON COLUMN wordurl1.urlcount IS 'Real-time documents that contain the word.';
COMMENT ON COLUMN wordurl1.totalcount IS 'Its positions in all of them; 2147483647 stands for as many or more.';
COMMENT ON INDEX wordurl1_word_id_key IS 'Finds a word by its key (store.DumpWord, store.Realtime).';

CREATE TABLE rt_urls (
    url_id integer PRIMARY KEY,
    seq    bigint NOT NULL,
    words  bytea NOT NULL DEFAULT '\x0100'
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE rt_urls ALTER COLUMN words SET STORAGE EXTERNAL;
COMMENT ON TABLE rt_urls IS 'Documents that index -T brought or took out since the last merge: their postings in wordurl and wordfile are out of date and are passed over. Their words stand in wordurl1.';
COMMENT ON COLUMN rt_urls.url_id IS 'The document.';
COMMENT ON COLUMN rt_urls.seq IS 'The journal row whose words wordurl1 has, or the mark of markdel that took the document out. The merge of this or a newer fact removes the row.';
COMMENT ON COLUMN rt_urls.words IS 'The words that wordurl1 has of the document, as in docwords; none when it was taken out. They tell which rows of wordurl1 to touch.';

-- +goose Down
DROP TABLE rt_urls, wordurl1;
