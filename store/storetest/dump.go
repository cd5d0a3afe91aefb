package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// nameSQL gives every URL a name that does not depend on ids: its own URL, and for the members of a clone group the
// group's lowest URL, since which member is the original depends on the ids.
const nameSQL = `
	CREATE TEMP VIEW name AS
	SELECT w.url_id, w.url, min(g.url) AS name
	FROM urlword w JOIN urlword g
		ON g.url_id = w.url_id OR
			w.crc <> '' AND g.crc = w.crc AND w.deleted = 0 AND g.deleted = 0 AND status_base(w.status) = 200 AND status_base(g.status) = 200
	GROUP BY w.url_id, w.url`

// dumps are the parts of the oracle's dump (reliability.md): ids replaced by URLs, clocks, numbers and what depends on
// the order of fetching (hops, referrer) left out, blobs decoded.
var dumps = []struct{ what, query string }{
	{"url", `
		SELECT w.url, w.deleted, status_base(w.status), status_lost(w.status), status_lost_count(w.status), w.crc, w.last_modified, w.etag,
			w.tag, coalesce(t.url, '')
		FROM urlword w LEFT JOIN urlword t ON t.url_id = w.redir`},
	{"clones", `
		SELECT crc, count(*) FILTER (WHERE origin = 0), count(*) FILTER (WHERE origin <> 0)
		FROM urlword WHERE crc <> '' AND deleted = 0 AND status_base(status) = 200 GROUP BY crc`},
	{"content", `
		SELECT n.name, c.deleted, c.wordcount, c.totalcount, c.content_type, c.charset, c.title, c.txt, c.docsize, c.keywords,
			c.description, c.lang, md5(c.words)
		FROM urlwords c JOIN name n USING (url_id)`},
	{"link", `
		SELECT f.name, t.url FROM urlwords c JOIN name f USING (url_id) CROSS JOIN unnest(c.hrefs) h JOIN name t ON t.url_id = h`},
	{"word", `SELECT word, urlcount, totalcount FROM wordurl`},
	{"posting", `
		SELECT w.word, n.name, p.cnt, p.positions FROM wordurl w CROSS JOIN word_postings(w.word) p JOIN name n ON n.url_id = p.url_id`},
	{"citation", `
		SELECT t.url, f.name FROM citation c JOIN name t USING (url_id) CROSS JOIN unnest(c.referrers) r JOIN name f ON f.url_id = r`},
	{"docwords", `SELECT n.name FROM docwords d JOIN name n USING (url_id)`},
	{"wordsite", `SELECT w.word, s.site, b.bits FROM wordsite w CROSS JOIN site_bits(w.sites) b JOIN sites s ON s.site_id = b.site_id`},
	{"robots", `SELECT 'disallow', hostinfo, path FROM robots UNION ALL SELECT 'allow', hostinfo, path FROM robots_allow`},
	{"journal", `SELECT n.name FROM journal j JOIN name n USING (url_id)`},
	{"markdel", `SELECT n.name FROM markdel m JOIN name n USING (url_id)`},
	{"schedule", `SELECT 'open', count(*) FROM schedule WHERE status = 's'`},
}

// Dump returns what a database says, independent of ids, clocks and the order in which URLs were fetched: two databases
// that went different ways to the same end have equal dumps. Lines are sorted within their part.
func Dump(t testing.TB, dsn string) (lines []string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, nameSQL); err != nil {
		t.Fatal(err)
	}
	for _, d := range dumps {
		rows, err := conn.Query(ctx, `SELECT q::text FROM (`+d.query+`) q ORDER BY 1`)
		if err != nil {
			t.Fatalf("dump %s: %v", d.what, err)
		}
		part, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("dump %s: %v", d.what, err)
		}
		for _, line := range part {
			lines = append(lines, d.what+" "+line)
		}
	}
	return lines
}

// invariants are queries that find what must not be (reliability.md 7). Those marked merged hold when journal and
// markdel are empty.
var invariants = []struct {
	what   string
	merged bool
	query  string
}{
	{"a URL without its key", false, `
		SELECT url FROM urlword LEFT JOIN urlkey USING (url_id) WHERE urlkey.url_id IS NULL OR url_hash <> decode(md5(url), 'hex')`},
	{"a key without its URL", false, `SELECT url_id FROM urlkey LEFT JOIN urlword USING (url_id) WHERE urlword.url_id IS NULL`},
	{"a URL on another site than its own", false, `
		SELECT url FROM urlword LEFT JOIN sites USING (site_id) WHERE site IS NULL OR NOT starts_with(url, site)`},
	{"a content row without its URL, or where none may be (C-03, T-13)", false, `
		SELECT c.url_id, w.status FROM urlwords c LEFT JOIN urlword w USING (url_id)
		WHERE w.url_id IS NULL OR w.origin <> 0 OR CASE
			WHEN w.deleted = 1 AND status_base(w.status) IN (404, 410) THEN false
			WHEN status_base(w.status) = 406 AND c.hrefs = '{}' THEN true
			ELSE status_base(w.status) NOT IN (200, 301, 302, 406) OR (c.words IS NULL) <> (status_base(w.status) IN (301, 302)) END`},
	{"a live original without its content row", false, `
		SELECT w.url FROM urlword w LEFT JOIN urlwords c USING (url_id)
		WHERE status_base(w.status) IN (200, 301, 302) AND w.origin = 0 AND c.url_id IS NULL`},
	{"a deleted document whose content row is not", false, `
		SELECT w.url FROM urlword w JOIN urlwords c USING (url_id) WHERE w.deleted <> c.deleted`},
	{"a clone of nothing, of a clone or of other content", false, `
		SELECT w.url FROM urlword w LEFT JOIN urlword o ON o.url_id = w.origin
		WHERE w.origin <> 0 AND (o.url_id IS NULL OR o.origin <> 0 OR o.url_id = w.url_id
			OR w.deleted = 0 AND status_base(w.status) = 200
				AND (o.crc <> w.crc OR o.deleted <> 0 OR status_base(o.status) <> 200 OR o.url_id > w.url_id))`},
	{"two live originals with one content", false, `
		SELECT crc, count(*) FROM urlword
		WHERE crc <> '' AND deleted = 0 AND status_base(status) = 200 AND origin = 0 GROUP BY crc HAVING count(*) > 1`},
	{"a redirect to nothing", false, `
		SELECT w.url FROM urlword w LEFT JOIN urlword t ON t.url_id = w.redir WHERE w.redir <> 0 AND t.url_id IS NULL`},
	{"a redir of what is no redirect", false, `
		SELECT url FROM urlword WHERE redir <> 0 AND status_base(status) NOT IN (301, 302)`},
	{"links out of order, doubled, to itself or to nothing", false, `
		SELECT c.url_id FROM urlwords c CROSS JOIN LATERAL (
			SELECT array_agg(DISTINCT h ORDER BY h) AS sorted, bool_or(w.url_id IS NULL) AS lost
			FROM unnest(c.hrefs) h LEFT JOIN urlword w ON w.url_id = h) l
		WHERE c.hrefs <> '{}' AND (l.sorted <> c.hrefs OR l.lost OR c.url_id = ANY(c.hrefs))`},
	{"a site held by no open schedule", false, `
		SELECT s.site_id FROM sitestate s LEFT JOIN schedule c ON c.seq = s.lease_seq AND c.status = 's'
		WHERE s.lease_seq <> 0 AND c.seq IS NULL`},
	{"a site without its state", false, `SELECT site FROM sites LEFT JOIN sitestate USING (site_id) WHERE sitestate.site_id IS NULL`},
	{"a journal row or mark without its URL", false, `
		SELECT j.url_id FROM (SELECT url_id FROM journal UNION ALL SELECT url_id FROM markdel) j LEFT JOIN urlword USING (url_id)
		WHERE urlword.url_id IS NULL`},
	{"a blob of wrong length, or a word both inline and in wordfile", false, `
		SELECT word FROM wordurl w WHERE octet_length(urls) > 1000
			OR urls <> '' AND EXISTS (SELECT FROM wordfile f WHERE f.word_id = w.word_id)`},
	{"a blob out of order", false, `
		SELECT b.id FROM (SELECT word_id AS id, urls FROM wordurl UNION ALL SELECT word_id, urls FROM wordfile) b
		CROSS JOIN LATERAL (
			SELECT bool_or(prev_site > site_id OR prev_site = site_id AND prev_url >= url_id OR cnt <> cardinality(positions)) AS wrong
			FROM (SELECT *, lag(site_id) OVER (ORDER BY n) AS prev_site, lag(url_id) OVER (ORDER BY n) AS prev_url
				FROM word_info(b.urls) WITH ORDINALITY i (site_id, url_id, cnt, positions, n)) o) c
		WHERE c.wrong`},
	{"counts of a word that are not those of its postings", false, `
		SELECT w.word, w.urlcount, w.totalcount, p.urls, p.total FROM wordurl w CROSS JOIN LATERAL (
			SELECT count(*) AS urls, coalesce(sum(cnt), 0) AS total FROM word_postings(w.word)) p
		WHERE w.urlcount <> p.urls OR w.totalcount <> p.total`},
	{"a posting of a document that is no live original", true, `
		SELECT w.word, p.url FROM wordurl w CROSS JOIN word_postings(w.word) p JOIN urlword u USING (url_id)
		WHERE u.deleted <> 0 OR status_base(u.status) <> 200 OR u.origin <> 0`},
	{"postings of a document that are not as many as its words", true, `
		SELECT c.url_id, c.wordcount, p.words FROM urlwords c LEFT JOIN (
			SELECT p.url_id, count(*) AS words FROM wordurl w CROSS JOIN word_postings(w.word) p GROUP BY 1) p USING (url_id)
		WHERE c.deleted = 0 AND c.wordcount <> coalesce(p.words, 0)`},
	{"a document with words and no docwords, or the reverse", true, `
		SELECT coalesce(c.url_id, d.url_id) FROM (SELECT url_id FROM urlwords WHERE deleted = 0 AND wordcount > 0) c
		FULL JOIN (SELECT url_id FROM docwords WHERE octet_length(words) > 1) d USING (url_id)
		WHERE c.url_id IS NULL OR d.url_id IS NULL`},
	{"a citation that is not a link, or the reverse", true, `
		SELECT coalesce(l.target, c.target), coalesce(l.source, c.source), l.target IS NULL FROM (
			SELECT h AS target, r.url_id AS source FROM urlwords r JOIN urlword w USING (url_id) CROSS JOIN unnest(r.hrefs) h
			WHERE r.deleted = 0 AND w.deleted = 0) l
		FULL JOIN (SELECT url_id AS target, r AS source FROM citation CROSS JOIN unnest(referrers) r) c USING (target, source)
		WHERE l.target IS NULL OR c.target IS NULL`},
}

// CheckInvariants fails the test for everything in the database that must not be (reliability.md 7).
func CheckInvariants(t testing.TB, dsn string) {
	t.Helper()
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var waiting bool
	err = pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM journal) OR EXISTS (SELECT FROM markdel)`).Scan(&waiting)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range invariants {
		if i.merged && waiting {
			continue
		}
		rows, err := pool.Query(ctx, fmt.Sprintf(`SELECT q::text FROM (%s) q LIMIT 5`, i.query))
		if err != nil {
			t.Fatalf("%s: %v", i.what, err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", i.what, err)
		}
		if len(found) > 0 {
			t.Errorf("invariant: %s: %s", i.what, strings.Join(found, " "))
		}
	}
}
