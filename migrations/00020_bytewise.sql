-- Words are compared byte by byte, whatever the database's collation says: finding one costs less, beginnings of words are
-- ranges of the index, and ids that ascend with the words let both indexes grow at one end.
-- Locks wordurl and wordurl1 while the index over the words is built anew; no table is rewritten; no re-index needed.

-- +goose Up

DROP FUNCTION word_postings(text); -- its body names the columns
ALTER TABLE wordurl ALTER COLUMN word TYPE text COLLATE "C";
ALTER TABLE wordurl1 ALTER COLUMN word TYPE text COLLATE "C";

-- +goose StatementBegin
CREATE FUNCTION word_postings(the_word text)
    RETURNS TABLE (site_id integer, url_id integer, url text, cnt integer, positions integer[])
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH entry AS MATERIALIZED (
        SELECT i.site_id, i.url_id, i.cnt, i.positions, 0 AS level, 0::bigint AS seq
        FROM wordurl w CROSS JOIN LATERAL word_info(w.urls) i
        WHERE w.word = the_word
        UNION ALL
        SELECT i.site_id, i.url_id, i.cnt, i.positions, f.level, f.seq
        FROM wordurl w JOIN wordfile f ON f.word_id = w.word_id CROSS JOIN LATERAL word_info(f.urls) i
        WHERE w.word = the_word
    ), newest AS MATERIALIZED (
        SELECT DISTINCT ON (e.site_id, e.url_id) e.site_id, e.url_id, e.cnt, e.positions
        FROM entry e
        ORDER BY e.site_id, e.url_id, e.level, e.seq DESC
    ), posting AS MATERIALIZED (
        SELECT n.site_id, n.url_id, n.cnt, n.positions
        FROM newest n LEFT JOIN rt_urls r ON r.url_id = n.url_id
        WHERE n.cnt > 0 AND r.url_id IS NULL
        UNION ALL
        SELECT i.site_id, i.url_id, i.cnt, i.positions
        FROM wordurl1 w CROSS JOIN LATERAL word_info(w.urls) i
        WHERE w.word = the_word
    )
    SELECT p.site_id, p.url_id, u.url, p.cnt, p.positions
    FROM posting p JOIN urlword u ON u.url_id = p.url_id
    ORDER BY p.site_id, p.url_id;
END;
-- +goose StatementEnd
COMMENT ON FUNCTION word_postings(text) IS
    'The postings of a word wherever they stand (wordurl, wordfile, wordurl1): site, document, its URL, count, positions (see word_info). Give the word in lower case.';

-- +goose Down
DROP FUNCTION word_postings(text);
ALTER TABLE wordurl1 ALTER COLUMN word TYPE text;
ALTER TABLE wordurl ALTER COLUMN word TYPE text;

-- +goose StatementBegin
CREATE FUNCTION word_postings(the_word text)
    RETURNS TABLE (site_id integer, url_id integer, url text, cnt integer, positions integer[])
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH entry AS MATERIALIZED (
        SELECT i.site_id, i.url_id, i.cnt, i.positions, 0 AS level, 0::bigint AS seq
        FROM wordurl w CROSS JOIN LATERAL word_info(w.urls) i
        WHERE w.word = the_word
        UNION ALL
        SELECT i.site_id, i.url_id, i.cnt, i.positions, f.level, f.seq
        FROM wordurl w JOIN wordfile f ON f.word_id = w.word_id CROSS JOIN LATERAL word_info(f.urls) i
        WHERE w.word = the_word
    ), newest AS MATERIALIZED (
        SELECT DISTINCT ON (e.site_id, e.url_id) e.site_id, e.url_id, e.cnt, e.positions
        FROM entry e
        ORDER BY e.site_id, e.url_id, e.level, e.seq DESC
    ), posting AS MATERIALIZED (
        SELECT n.site_id, n.url_id, n.cnt, n.positions
        FROM newest n LEFT JOIN rt_urls r ON r.url_id = n.url_id
        WHERE n.cnt > 0 AND r.url_id IS NULL
        UNION ALL
        SELECT i.site_id, i.url_id, i.cnt, i.positions
        FROM wordurl1 w CROSS JOIN LATERAL word_info(w.urls) i
        WHERE w.word = the_word
    )
    SELECT p.site_id, p.url_id, u.url, p.cnt, p.positions
    FROM posting p JOIN urlword u ON u.url_id = p.url_id
    ORDER BY p.site_id, p.url_id;
END;
-- +goose StatementEnd
COMMENT ON FUNCTION word_postings(text) IS
    'The postings of a word wherever they stand (wordurl, wordfile, wordurl1): site, document, its URL, count, positions (see word_info). Give the word in lower case.';
