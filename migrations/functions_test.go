package migrations_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// info is a row of word_info.
type info struct {
	Site, URL, Count int32
	Positions        []int32
}

// The worked example of the blob format (store/posting/doc.go).
const example = "14000000 01000000 1e000000 02000000 26000000 05000000 0200 0100 0700 09000000 0100 0300"

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// word_info decodes blobs of every shape.
func TestWordInfo(t *testing.T) {
	_, conn := connect(t)
	for _, c := range []struct {
		name, blob string
		want       []info
	}{
		{"a word without documents", "", []info{}},
		{"the worked example", example, []info{{1, 5, 2, []int32{1, 7}}, {2, 9, 1, []int32{3}}}},
		{"sections are the two top bits", "0c000000 01000000 16000000 01000000 0200 0000 ffff", []info{{1, 1, 2, []int32{0, 65535}}}},
		{"a removal of wordfile", "0c000000 01000000 12000000 01000000 0000", []info{{1, 1, 0, []int32{}}}},
		{"site 2^24-1 and url 2^31-1", "0c000000 ffffff00 14000000 ffffff7f 0100 0100", []info{{1<<24 - 1, math.MaxInt32, 1, []int32{1}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := collect[info](t, conn, `SELECT * FROM word_info($1)`, unhex(t, c.blob))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := column[bool](t, conn, `SELECT count(*) = 0 FROM word_info(NULL)`); !got[0] {
		t.Error("NULL has postings")
	}
}

// A damaged blob raises an error and never returns rows.
func TestWordInfoRefusesGarbage(t *testing.T) {
	ctx, conn := connect(t)
	whole := unhex(t, example)
	blobs := map[string][]byte{
		"text":                   []byte("this is not a blob of postings"),
		"zeros":                  make([]byte, 40),
		"ones":                   []byte(strings.Repeat("\xff", 40)),
		"a byte too many":        append(unhex(t, example), 0),
		"sites out of order":     unhex(t, "14000000 02000000 1e000000 01000000 26000000 05000000 0200 0100 0700 09000000 0100 0300"),
		"records out of order":   unhex(t, "0c000000 01000000 1c000000 05000000 0100 0100 04000000 0100 0100"),
		"a count beyond its end": unhex(t, "14000000 01000000 1e000000 02000000 26000000 05000000 0300 0100 0700 09000000 0100 0300"),
		"a count before its end": unhex(t, "14000000 01000000 1e000000 02000000 26000000 05000000 0100 0100 0700 09000000 0100 0300"),
		"site 0":                 unhex(t, "0c000000 00000000 14000000 01000000 0100 0100"),
		"url 0":                  unhex(t, "0c000000 01000000 14000000 00000000 0100 0100"),
		"a site without records": unhex(t, "14000000 01000000 14000000 02000000 1c000000 01000000 0100 0100"),
	}
	for n := 1; n < len(whole); n++ {
		blobs[fmt.Sprintf("cut at byte %d", n)] = whole[:n]
	}
	for name, blob := range blobs {
		if _, err := conn.Exec(ctx, `SELECT count(*) FROM word_info($1)`, blob); sqlState(err) != "XX001" {
			t.Errorf("%s: got %v, want data_corrupted", name, err)
		}
	}
}

// A large row of wordfile is TOASTed; it is fetched once and read to its end.
func TestWordInfoOfALargeRow(t *testing.T) {
	ctx, conn := connect(t)
	blob := []byte{12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}
	const postings = 3000
	for u := 1; u <= postings; u++ {
		blob = append(blob, byte(u), byte(u>>8), 0, 0, 2, 0, 1, 0, 7, 0)
	}
	blob[8], blob[9], blob[10] = byte(len(blob)), byte(len(blob)>>8), byte(len(blob)>>16)
	if _, err := conn.Exec(ctx, `INSERT INTO wordfile VALUES (1, 0, 1, 1, 1, $1, $2, $3)`, postings, 2*postings, blob); err != nil {
		t.Fatal(err)
	}
	type sums struct{ Rows, URLs, Positions int64 }
	got := collect[sums](t, conn, `
		SELECT count(*), sum(i.url_id), sum(i.positions[1] + i.positions[2]) FROM wordfile f, word_info(f.urls) i`)
	want := []sums{{postings, postings * (postings + 1) / 2, 8 * postings}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// found is a row of word_postings.
type found struct {
	Site, URL int32
	Text      string
	Count     int32
	Positions []int32
}

// word_postings combines inline blobs, the levels of wordfile and the real-time index.
func TestWordPostings(t *testing.T) {
	ctx, conn := connect(t)
	const urls = `INSERT INTO urlword (url_id, site_id, url) SELECT n, 1 + n / 10, 'u' || n FROM generate_series(1, 20) n`
	if _, err := conn.Exec(ctx, urls); err != nil {
		t.Fatal(err)
	}
	// Blobs of one site and, in this order, url 1 at 1, url 2 at 2, url 3 at 3, or their removal.
	const (
		one    = `'\x0c0000000100000014000000 01000000 0100 0100'`
		two    = `'\x0c0000000100000014000000 02000000 0100 0200'`
		both   = `'\x0c000000010000001c000000 01000000 0100 0100 02000000 0100 0200'`
		three  = `'\x0c000000010000001c000000 02000000 0100 0900 03000000 0100 0300'`
		twoOut = `'\x0c0000000100000012000000 02000000 0000'`
		other  = `'\x0c0000000200000014000000 0a000000 0100 0400'`
		oneNew = `'\x0c0000000100000016000000 01000000 0200 0500 0600'`
	)
	u1 := found{1, 1, "u1", 1, []int32{1}}
	u2 := found{1, 2, "u2", 1, []int32{2}}
	for _, c := range []struct {
		name, sql string
		want      []found
	}{
		{"an unknown word", ``, []found{}},
		{"a word without documents", `INSERT INTO wordurl VALUES ('w', 1, '', 0, 0)`, []found{}},
		{"another word's postings stay away", `
			INSERT INTO wordurl VALUES ('v', 1, ` + one + `, 1, 1), ('w', 2, ` + two + `, 1, 1)`, []found{u2}},
		{"inline", `INSERT INTO wordurl VALUES ('w', 1, ` + both + `, 2, 2)`, []found{u1, u2}},
		{"one row of wordfile", `
			INSERT INTO wordurl VALUES ('w', 1, '', 2, 2);
			INSERT INTO wordfile VALUES (1, 2, 1, 1, 1, 2, 2, ` + both + `)`, []found{u1, u2}},
		{
			"two ranges of one level, two sites", `
			INSERT INTO wordurl VALUES ('w', 1, '', 3, 3);
			INSERT INTO wordfile VALUES (1, 2, 2, 10, 1, 1, 1, ` + other + `), (1, 2, 1, 1, 1, 2, 2, ` + both + `)`,
			[]found{u1, u2, {2, 10, "u10", 1, []int32{4}}},
		},
		{
			"the lower level wins, whatever its number", `
			INSERT INTO wordurl VALUES ('w', 1, '', 3, 3);
			INSERT INTO wordfile VALUES (1, 2, 1, 1, 9, 2, 2, ` + both + `), (1, 1, 1, 2, 3, 2, 2, ` + three + `)`,
			[]found{u1, {1, 2, "u2", 1, []int32{9}}, {1, 3, "u3", 1, []int32{3}}},
		},
		{
			"on one level the higher number wins", `
			INSERT INTO wordurl VALUES ('w', 1, '', 3, 3);
			INSERT INTO wordfile VALUES (1, 0, 1, 1, 5, 2, 2, ` + both + `), (1, 0, 1, 2, 4, 2, 2, ` + three + `)`,
			[]found{u1, u2, {1, 3, "u3", 1, []int32{3}}},
		},
		{"a removal hides what is older", `
			INSERT INTO wordurl VALUES ('w', 1, '', 1, 1);
			INSERT INTO wordfile VALUES (1, 2, 1, 1, 1, 2, 2, ` + both + `), (1, 0, 1, 2, 2, 0, 0, ` + twoOut + `)`, []found{u1}},
		{"a removal does not hide what is newer", `
			INSERT INTO wordurl VALUES ('w', 1, '', 2, 2);
			INSERT INTO wordfile VALUES (1, 1, 1, 2, 2, 0, 0, ` + twoOut + `), (1, 0, 1, 1, 3, 2, 2, ` + both + `)`, []found{u1, u2}},
		{"real time alone", `
			INSERT INTO wordurl VALUES ('w', 1, '', 0, 0);
			INSERT INTO wordurl1 VALUES ('w', 1, ` + one + `, 1, 1); INSERT INTO rt_urls VALUES (1, 1)`, []found{u1}},
		{
			"a document in rt_urls shows its real-time version", `
			INSERT INTO wordurl VALUES ('w', 1, ` + both + `, 2, 2);
			INSERT INTO wordurl1 VALUES ('w', 1, ` + oneNew + `, 1, 2); INSERT INTO rt_urls VALUES (1, 1)`,
			[]found{{1, 1, "u1", 2, []int32{5, 6}}, u2},
		},
		{"a document in rt_urls that lost the word is gone", `
			INSERT INTO wordurl VALUES ('w', 1, '', 2, 2);
			INSERT INTO wordfile VALUES (1, 2, 1, 1, 1, 2, 2, ` + both + `); INSERT INTO rt_urls VALUES (2, 1)`, []found{u1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer conn.Exec(ctx, `ROLLBACK`) //nolint:errcheck // the next BEGIN would fail
			if _, err := conn.PgConn().Exec(ctx, "BEGIN;"+compact(c.sql)).ReadAll(); err != nil {
				t.Fatal(err)
			}
			got := collect[found](t, conn, `SELECT * FROM word_postings('w')`)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// site_bits decodes the places of labels; the packed numbers are those of the golden data.
func TestSiteBits(t *testing.T) {
	_, conn := connect(t)
	type bits struct{ Site, Bits int32 }
	for _, c := range []struct {
		name   string
		packed []uint32
		want   []bits
	}{
		{"nothing", nil, []bits{}},
		{"the last label is bit 31", []uint32{0x80000001}, []bits{{1, 128}}},
		{"the one before is bit 30", []uint32{0x40000002}, []bits{{2, 64}}},
		{"the eighth from the right is bit 24", []uint32{0x01000003}, []bits{{3, 1}}},
		{"further labels have no bit", []uint32{5}, []bits{{5, 0}}},
		{"a label at two places", []uint32{0xa0000001, 0xffffffff}, []bits{{1, 160}, {1<<24 - 1, 255}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			packed := make([]int32, len(c.packed))
			for i, p := range c.packed {
				packed[i] = int32(p)
			}
			got := collect[bits](t, conn, `SELECT * FROM site_bits($1)`, packed)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The parts of a packed status.
func TestStatusFunctions(t *testing.T) {
	_, conn := connect(t)
	type parts struct{ Base, Lost, Count int32 }
	for _, c := range []struct {
		name   string
		status int32
		want   parts
	}{
		{"not fetched yet", 0, parts{0, 0, 0}},
		{"a live document", 200, parts{200, 0, 0}},
		{"an error", 404, parts{404, 0, 0}},
		{"a network error", 702, parts{702, 0, 0}},
		{"lost for the first time", 200 | 503<<16 | 1<<27, parts{200, 503, 1}},
		{"lost fifteen times", 200 | 404<<16 | 15<<27, parts{200, 404, 15}},
		{"all bits", math.MaxInt32, parts{65535, 2047, 15}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := collect[parts](t, conn, `SELECT status_base($1), status_lost($1), status_lost_count($1)`, c.status)
			if diff := cmp.Diff([]parts{c.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The crawl follows at most 8 redirects in a row; redirect_chain goes a little further, up to 10.
func TestRedirectChains(t *testing.T) {
	ctx, conn := connect(t)
	const urls = `
		INSERT INTO urlword (url_id, site_id, url, status, redir) VALUES
			(1, 1, 'a', 301, 2), (2, 1, 'b', 302, 3), (3, 1, 'c', 200, 0),  -- a chain that ends at a document
			(4, 1, 'd', 301, 5), (5, 1, 'e', 301, 4),                       -- a loop of two
			(6, 1, 'f', 302, 6),                                            -- a redirect to itself
			(7, 1, 'g', 301, 0);                                            -- the target was filtered
		INSERT INTO urlword (url_id, site_id, url, status, redir)
		SELECT n, 1, 'n' || n, CASE WHEN n < 33 THEN 301 ELSE 200 END, CASE WHEN n < 33 THEN n + 1 ELSE 0 END
		FROM generate_series(20, 33) n                                      -- 13 redirects`
	if _, err := conn.PgConn().Exec(ctx, urls).ReadAll(); err != nil {
		t.Fatal(err)
	}
	type step struct{ Step, URL, Status int32 }
	for _, c := range []struct {
		name string
		from int32
		want []step
	}{
		{"to its end", 1, []step{{0, 1, 301}, {1, 2, 302}, {2, 3, 200}}},
		{"a loop once round", 4, []step{{0, 4, 301}, {1, 5, 301}}},
		{"to itself", 6, []step{{0, 6, 302}}},
		{"an unknown URL", 99, []step{}},
		{"at most ten", 20, []step{
			{0, 20, 301},
			{1, 21, 301},
			{2, 22, 301},
			{3, 23, 301},
			{4, 24, 301},
			{5, 25, 301},
			{6, 26, 301},
			{7, 27, 301},
			{8, 28, 301},
			{9, 29, 301},
			{10, 30, 301},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := collect[step](t, conn, `SELECT step, url_id, status FROM redirect_chain($1)`, c.from)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	type chain struct {
		URL       int32
		Redirects int64
		LastURL   string
		Status    int32
		Looped    bool
	}
	want := []chain{
		{1, 2, "c", 200, false},
		{2, 1, "c", 200, false},
		{4, 1, "e", 301, true},
		{5, 1, "d", 301, true},
		{6, 0, "f", 302, true},
		{20, 10, "n30", 301, true},
		{24, 9, "n33", 200, true}, // longer than 8
		{25, 8, "n33", 200, false},
	}
	got := collect[chain](t, conn, `
		SELECT url_id, redirects, last_url, last_status, looped FROM redirect_chains
		WHERE url_id IN (1, 2, 3, 4, 5, 6, 7, 20, 24, 25) ORDER BY url_id`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("redirect_chains (-want +got):\n%s", diff)
	}
}

// blobText is a bytea literal with blanks between its parts.
var blobText = regexp.MustCompile(`'\\x[0-9a-f ]*'`)

// compact takes the blanks out of bytea literals.
func compact(sql string) string {
	return blobText.ReplaceAllStringFunc(sql, func(s string) string { return strings.ReplaceAll(s, " ", "") })
}
