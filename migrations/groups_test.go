package migrations_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/store/posting"
)

// docword is a row of docwords_info.
type docword struct{ ID, Count int32 }

// docwords_info decodes the packed words of a document, without fingerprints and with them.
func TestDocwordsInfo(t *testing.T) {
	ctx, conn := connect(t)
	for _, c := range []struct {
		name string
		want []docword
	}{
		{"none", []docword{}},
		{"one", []docword{{1, 1}}},
		{"the worked example", []docword{{205, 2}, {300, 1}}},
		{"the highest numbers", []docword{{1, 16383}, {math.MaxInt32, 16383}}},
	} {
		var packed []posting.DocWord
		for _, w := range c.want {
			packed = append(packed, posting.DocWord{ID: w.ID, Count: int(w.Count)})
		}
		blobs := [][]byte{posting.AppendDocWords(nil, packed)}
		if len(packed) > 0 {
			var sums posting.BlockSums
			sums.Add(1, []uint16{1, 100, 101, 40000, 65535})
			blobs = append(blobs, posting.AppendDocWordsBlocks(nil, packed, sums.AppendTo(nil)))
		}
		for _, blob := range blobs {
			if d := cmp.Diff(c.want, collect[docword](t, conn, `SELECT * FROM docwords_info($1)`, blob)); d != "" {
				t.Errorf("%s, version %d (-want +got):\n%s", c.name, blob[0], d)
			}
			for n := range blob {
				if _, err := conn.Exec(ctx, `SELECT count(*) FROM docwords_info($1)`, blob[:n]); sqlState(err) != "XX001" {
					t.Errorf("%s, version %d, cut at byte %d: got %v, want data_corrupted", c.name, blob[0], n, err)
				}
			}
			if _, err := conn.Exec(ctx, `SELECT count(*) FROM docwords_info($1)`, append(blob, 0)); sqlState(err) != "XX001" {
				t.Errorf("%s, version %d, with a byte too many: got %v, want data_corrupted", c.name, blob[0], err)
			}
		}
	}
	for _, bad := range []string{
		"0001", "0301", "01ffffffffffffff", "010180808080", "01010001", "0102ffffffff070101" + "01", "0201", "020000",
		"02010101" + "01" + "8008" + "1122334455667788", "02010101" + "02" + "01" + "1122334455667788" + "00" + "1122334455667788",
	} {
		if _, err := conn.Exec(ctx, `SELECT count(*) FROM docwords_info(decode($1, 'hex'))`, bad); sqlState(err) != "XX001" {
			t.Errorf("%s: got %v, want data_corrupted", bad, err)
		}
	}
}

// word_positions finds every posting of a blob that word_info finds, and no other, also where the bytes of an
// id occur among counts and positions.
func TestWordPositionsFindsWhatWordInfoHas(t *testing.T) {
	_, conn := connect(t)
	var list []posting.Entry
	for site := int32(1); site <= 40; site += 3 {
		for url := int32(1); url <= 30; url++ {
			// Small ids, small positions: each is to be found inside of others.
			e := posting.Entry{Site: site, URL: 65536*(url/8) + url*(site%2+1)}
			for p := range url % 5 {
				e.Positions = append(e.Positions, uint16(p)*uint16(site%3+1)+uint16(url))
			}
			if url%5 == 0 && url%2 == 0 {
				e.Positions = nil // a removal
			} else if url%5 == 0 {
				e.Positions = []uint16{0, 1, 2, 3, uint16(url)}
			}
			list = append(list, e)
		}
	}
	blob := posting.AppendBlob(nil, list)
	type row struct {
		Site, URL int32
		Positions []int32
	}
	got := collect[row](t, conn, `
		SELECT s, u, word_positions($1, s, u) FROM generate_series(1, 41) s, generate_series(1, 65536 * 4, 1) u
		WHERE (u % 65536) <= 64 AND word_positions($1, s, u) IS NOT NULL ORDER BY s, u`, blob)
	want := collect[row](t, conn, `SELECT site_id, url_id, positions FROM word_info($1)`, blob)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-word_info +word_positions):\n%s", d)
	}
	if len(want) != len(list) {
		t.Errorf("%d postings of %d", len(want), len(list))
	}
}

func TestWordPositionsRefusesGarbage(t *testing.T) {
	ctx, conn := connect(t)
	whole := unhex(t, example)
	for n := 1; n < len(whole); n++ {
		if _, err := conn.Exec(ctx, `SELECT word_positions($1, 1, 5)`, whole[:n]); sqlState(err) != "XX001" {
			t.Errorf("cut at byte %d: got %v, want data_corrupted", n, err)
		}
	}
	for name, blob := range map[string][]byte{
		"text":                []byte("this is not a blob of postings"),
		"a count beyond":      unhex(t, strings.Replace(example, "05000000 0200", "05000000 ff00", 1)),
		"an end before it":    unhex(t, strings.Replace(example, "1e000000 02000000", "10000000 02000000", 1)),
		"a begin in the head": unhex(t, strings.Replace(example, "14000000 01000000", "0c000000 01000000", 1)),
	} {
		if _, err := conn.Exec(ctx, `SELECT word_positions($1, 1, 5)`, blob); sqlState(err) != "XX001" {
			t.Errorf("%s: got %v, want data_corrupted", name, err)
		}
	}
}

// doc_words returns the words of a document's newest version from all tables.
func TestDocWords(t *testing.T) {
	ctx, conn := connectFilled(t)
	type word struct {
		Word      string
		Count     int32
		Positions []int32
	}
	words := func(url int) []word { return collect[word](t, conn, `SELECT * FROM doc_words($1)`, url) }
	vacuum := word{"vacuum", 3, []int32{1, 7, 0xc001}}
	if d := cmp.Diff([]word{{"house", 2, []int32{5, 8}}, vacuum}, words(1)); d != "" {
		t.Errorf("a newer row of wordfile (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]word{{"vacuum", 1, []int32{3}}}, words(8)); d != "" {
		t.Errorf("inline (-want +got):\n%s", d)
	}
	for _, none := range []int{2, 9, 4711} {
		if got := words(none); len(got) != 0 {
			t.Errorf("url %d has %v", none, got)
		}
	}
	// A missing posting is shown as missing, not left out.
	if _, err := conn.Exec(ctx, `UPDATE wordurl SET urls = '' WHERE word = 'vacuum'`); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]word{{"house", 2, []int32{5, 8}}, {"vacuum", 3, nil}}, words(1)); d != "" {
		t.Errorf("a lost posting (-want +got):\n%s", d)
	}
	// The real-time index hides all of these, also words that the new version does not have.
	if _, err := conn.Exec(ctx, `INSERT INTO wordurl1 VALUES ('lost', 4, $1, 1, 1)`,
		posting.AppendBlob(nil, []posting.Entry{{Site: 1, URL: 1, Positions: []uint16{9}}})); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, `INSERT INTO rt_urls (url_id, seq, words) VALUES (1, 30, $1), (8, 31, '\x0100')`,
		posting.AppendDocWords(nil, []posting.DocWord{{ID: 4, Count: 1}})); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]word{{"lost", 1, []int32{9}}}, words(1)); d != "" {
		t.Errorf("real time (-want +got):\n%s", d)
	}
	if got := words(8); len(got) != 0 {
		t.Errorf("a document that was taken out in real time has %v", got)
	}
}

// index_size is exact: it excludes postings that a newer row overrides and those that the real-time index
// hides.
func TestIndexSize(t *testing.T) {
	ctx, conn := connectFilled(t)
	type part struct {
		Part                string
		Rows, Postings, Out *int64
	}
	show := func() (lines []string) {
		for _, p := range collect[part](t, conn, `SELECT part, rows, postings, out_of_date FROM index_size WHERE part NOT IN ('indexes', 'on disk')`) {
			text := p.Part
			for _, n := range []*int64{p.Rows, p.Postings, p.Out} {
				if n == nil {
					text += " -"
				} else {
					text += fmt.Sprint(" ", *n)
				}
			}
			lines = append(lines, text)
		}
		return lines
	}
	// house: 3 postings in the base, of which level 0 overrides one and removes one.
	want := []string{
		"wordurl 2 3 0", "wordfile level 0 1 1 -", "wordfile level 1 0 0 -", "wordfile level 2 1 3 -", "wordfile 2 4 2",
		"wordurl1 0 0 0", "hidden by wordurl1 0 0 0", "docwords 5 - -",
	}
	if d := cmp.Diff(want, show()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := conn.Exec(ctx, `INSERT INTO rt_urls (url_id, seq) VALUES (1, 30)`); err != nil {
		t.Fatal(err)
	}
	want[6] = "hidden by wordurl1 1 2 2"
	if d := cmp.Diff(want, show()); d != "" {
		t.Errorf("with a real-time document (-want +got):\n%s", d)
	}
	if got := column[bool](t, conn, `SELECT min(bytes) > 0 FROM index_size WHERE part IN ('indexes', 'on disk', 'wordurl', 'wordfile')`); !got[0] {
		t.Error("no bytes")
	}
}
