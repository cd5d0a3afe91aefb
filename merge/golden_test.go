package merge

import (
	"encoding/hex"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// table reads a dump of ASPseek 1.2.15 after index -D: lines of columns, without the head.
func table(t *testing.T, name string) [][]string {
	t.Helper()
	file, err := os.ReadFile("testdata/aspseek/" + name + ".tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for _, line := range strings.Split(strings.TrimSpace(string(file)), "\n")[1:] {
		out = append(out, strings.Split(line, "\t"))
	}
	return out
}

func number(t *testing.T, s string) int32 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return int32(n)
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The same documents give the blobs, counts and site labels that ASPseek wrote, byte for byte.
func TestMergeWritesWhatASPseekWrote(t *testing.T) {
	w := newWorld(t, storetest.New(t), 1, 0)
	w.exec(`TRUNCATE sites, sitestate CASCADE`)
	for _, row := range table(t, "sites") {
		w.exec(`INSERT INTO sites (site_id, site) VALUES ($1, $2)`, number(t, row[0]), row[1])
		w.exec(`INSERT INTO sitestate (site_id, host) VALUES ($1, '127.0.0.1')`, number(t, row[0]))
	}
	documents := map[place]map[string][]uint16{}
	golden := table(t, "wordurl")
	for _, row := range golden {
		for p, positions := range decodeBlob(unhex(t, row[3])) {
			if documents[p] == nil {
				documents[p] = map[string][]uint16{}
			}
			documents[p][row[0]] = positions
		}
	}
	for p, words := range documents {
		var list []posting.Word
		for _, text := range slices.Sorted(maps.Keys(words)) {
			list = append(list, posting.Word{Text: text, Positions: words[text]})
		}
		w.exec(`INSERT INTO urlword (url_id, site_id, url, status) VALUES ($1::integer, $2, 'http://127.0.0.1/' || $1::integer, 200)`, p.URL, p.Site)
		w.exec(`INSERT INTO journal (run_id, url_id, site_id, status, words) VALUES (1, $1, $2, 200, $3)`,
			p.URL, p.Site, posting.AppendWords(nil, list))
	}
	if sum := w.merge(Options{}); sum.Documents != int64(len(documents)) || sum.Sites != 2 {
		t.Errorf("%+v", sum)
	}
	type row struct {
		URLs              string
		URLCount, Total32 int32
	}
	want, got := map[string]row{}, map[string]row{}
	for _, r := range golden {
		want[r[0]] = row{strings.ToLower(r[3]), number(t, r[4]), number(t, r[5])}
	}
	for _, r := range w.rows(`SELECT word, encode(urls, 'hex'), urlcount, totalcount FROM wordurl`) {
		got[r[0].(string)] = row{r[1].(string), r[2].(int32), r[3].(int32)}
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("wordurl (-ASPseek +ours):\n%s", d)
	}
	labels, ours := map[string][]int32{}, map[string][]int32{}
	for _, r := range table(t, "wordsite") {
		packed := unhex(t, r[2])
		for i := 0; i < len(packed); i += 4 {
			labels[r[0]] = append(labels[r[0]], int32(uint32(packed[i])|uint32(packed[i+1])<<8|uint32(packed[i+2])<<16|uint32(packed[i+3])<<24))
		}
	}
	for _, r := range w.rows(`SELECT word, sites FROM wordsite`) {
		for _, v := range r[1].([]any) {
			ours[r[0].(string)] = append(ours[r[0].(string)], v.(int32))
		}
	}
	if d := gocmp.Diff(labels, ours); d != "" {
		t.Errorf("wordsite (-ASPseek +ours):\n%s", d)
	}
	// Ids of new words ascend in the order of the words, so that both indexes grow at one end.
	if n := w.rows(`SELECT count(*) FROM (SELECT word_id < lag(word_id) OVER (ORDER BY word COLLATE "C") AS down FROM wordurl) x WHERE down`); n[0][0] != int64(0) {
		t.Errorf("%d word ids descend", n[0][0])
	}
}

func TestLabelsOfHosts(t *testing.T) {
	long := strings.Repeat("x", 33)
	for _, c := range []struct {
		site string
		want map[string]uint32
	}{
		{"http://www.my.com/", map[string]uint32{"com": 0x80, "my": 0x40, "www": 0x20}},
		{"http://127.0.0.1:18080/", map[string]uint32{"1:18080": 0x80, "0": 0x60, "127": 0x10}},
		{"https://a.b.a/", map[string]uint32{"a": 0xa0, "b": 0x40}},
		{"http://WWW.Example/", map[string]uint32{"example": 0x80, "www": 0x40}},
		{"http://1.2.3.4.5.6.7.8.9/", map[string]uint32{
			"9": 0x80, "8": 0x40, "7": 0x20, "6": 0x10, "5": 8, "4": 4, "3": 2, "2": 1, "1": 0,
		}},
		{"http://" + long + ".org/", map[string]uint32{"org": 0x80}},
		{"http://" + long[1:] + ".org/", map[string]uint32{"org": 0x80, long[1:]: 0x40}},
		{"http://localhost/", map[string]uint32{"localhost": 0x80}},
	} {
		got := map[string]uint32{}
		for _, l := range labels(c.site) {
			got[l.text] |= uint32(l.bit) >> 24
		}
		if d := gocmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.site, d)
		}
	}
}

// Sites that come later find their place among those that wordsite has.
func TestLabelsOfLaterSitesAreAdded(t *testing.T) {
	w := newWorld(t, storetest.New(t), 1, 0)
	w.exec(`UPDATE sitestate SET labelled = site_id IN (3, 4)`)
	w.exec(`UPDATE sites SET site = 'https://org.example.org/' WHERE site_id = 5`)
	for range 2 {
		w.merge(Options{})
		w.exec(`UPDATE sitestate SET labelled = true`)
		got := w.rows(`SELECT array_agg(s.site_id ORDER BY p), array_agg(s.bits ORDER BY p)
			FROM wordsite, unnest(sites) WITH ORDINALITY AS x (v, p), site_bits(ARRAY[v]) s WHERE word = 'org'`)
		want := [][]any{{[]any{int32(1), int32(2), int32(5)}, []any{int32(0x80), int32(0x80), int32(0xa0)}}}
		if d := gocmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	w.exec(`UPDATE sitestate SET labelled = site_id <> 3`)
	w.merge(Options{})
	got := w.rows(`SELECT array_agg(s.site_id ORDER BY p) FROM wordsite, unnest(sites) WITH ORDINALITY AS x (v, p), site_bits(ARRAY[v]) s WHERE word = 'org'`)
	if d := gocmp.Diff([][]any{{[]any{int32(1), int32(2), int32(3), int32(5)}}}, got); d != "" {
		t.Error(d)
	}
}
