package storetest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// nameSQL gives every URL a name that does not depend on ids: its own URL, and for the members of a clone
// group the lowest URL of the group, because the ids decide which member is the original.
const nameSQL = `
	CREATE TEMP VIEW name AS
	SELECT w.url_id, w.url, min(g.url) AS name
	FROM urlword w JOIN urlword g
		ON g.url_id = w.url_id OR
			w.crc <> '' AND g.crc = w.crc AND w.deleted = 0 AND g.deleted = 0 AND status_base(w.status) = 200 AND status_base(g.status) = 200
	GROUP BY w.url_id, w.url`

// dumps are the parts of a dump. URLs replace ids, blobs are decoded, and clocks, numbers and columns that
// depend on the order of fetching (hops, referrer) are left out.
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

// Dump returns the contents of a database, independent of ids, clocks and the order in which URLs were
// fetched: two databases that reached the same state in different ways have equal dumps. Lines are sorted
// within their part.
func Dump(t testing.TB, dsn string) (lines []string) {
	t.Helper()
	ctx := context.Background()
	conn, err := openConn(ctx, dsn)
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
