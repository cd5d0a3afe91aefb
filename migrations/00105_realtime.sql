-- The real-time index: documents of index -T until a merge takes them over.

-- +goose Up

-- Both bytea columns are not compressed: the next index -T would only decompress them again.
CREATE TABLE wordurl1 (
    word       text COLLATE "C" PRIMARY KEY CHECK (char_length(word) BETWEEN 1 AND 32),
    word_id    integer NOT NULL UNIQUE,
    urls       bytea NOT NULL CHECK (octet_length(urls) > 0),
    urlcount   integer NOT NULL,
    totalcount integer NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE wordurl1 ALTER COLUMN urls SET STORAGE EXTERNAL;
COMMENT ON TABLE wordurl1 IS 'The real-time index: postings of documents that index -T indexed and no merge has taken over.';
COMMENT ON COLUMN wordurl1.word IS 'The word: wordurl.word.';
COMMENT ON COLUMN wordurl1.word_id IS 'Its wordurl.word_id.';
COMMENT ON COLUMN wordurl1.urls IS 'Postings as a blob of any length, never empty.';
COMMENT ON COLUMN wordurl1.urlcount IS 'Number of real-time documents with the word.';
COMMENT ON COLUMN wordurl1.totalcount IS 'Number of positions of the word in these documents. 2147483647 = that many or more.';
COMMENT ON INDEX wordurl1_word_id_key IS 'Finds a word by its word_id.';

CREATE TABLE rt_urls (
    url_id integer PRIMARY KEY,
    seq    bigint NOT NULL,
    words  bytea NOT NULL DEFAULT '\x0100'
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE rt_urls ALTER COLUMN words SET STORAGE EXTERNAL;
COMMENT ON TABLE rt_urls IS 'Documents that index -T indexed or removed since the last merge. Their words are in wordurl1; their postings in wordurl and wordfile are out of date and are skipped.';
COMMENT ON COLUMN rt_urls.url_id IS 'The document.';
COMMENT ON COLUMN rt_urls.seq IS 'The journal row whose words are in wordurl1, or the mark in markdel that removed the document. The merge of this row or a newer one deletes the row of rt_urls.';
COMMENT ON COLUMN rt_urls.words IS 'The document''s words in wordurl1, packed as in docwords. Empty when the document was removed.';

-- +goose Down
DROP TABLE rt_urls, wordurl1;
