package document

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goldenRules are the settings under which ASPseek wrote testdata/golden.
func goldenRules(t *testing.T) *Rules {
	stop := map[string]string{}
	for _, word := range []string{"about", "also", "and", "are", "here", "the"} {
		stop[word] = "en"
	}
	return newRules(t, Rules{MinWordLength: 3, MaxWordLength: 16, Stopwords: stop})
}

// TestGoldenPostings compares our words and positions with the postings of ASPseek 1.2.15. The test lists all
// differences.
func TestGoldenPostings(t *testing.T) {
	want := goldenPostings(t)
	// Its stop words in a plain text have ordinals from 1, ours from 0.
	for word, positions := range want["http://127.0.0.1:18081/plain.txt"] {
		for i := range positions {
			positions[i]--
		}
		want["http://127.0.0.1:18081/plain.txt"][word] = positions
	}
	// ASPseek did not fold capital Cyrillic letters in UTF-8 (README, "Trust").
	one := want["http://127.0.0.1:18080/one.html"]
	one["стокгольм"] = one["Стокгольм"]
	delete(one, "Стокгольм")
	// A clone has no words of its own; its page is two.html's.
	if _, ok := want["http://127.0.0.1:18080/copy.html"]; ok {
		t.Error("the golden data have words of a clone")
	}
	want["http://127.0.0.1:18080/copy.html"] = want["http://127.0.0.1:18080/two.html"]
	// quiet.html is noindex: it has no words in either index.
	want["http://127.0.0.1:18081/quiet.html"] = map[string][]uint16{}

	got := map[string]map[string][]uint16{}
	for url := range want {
		got[url] = map[string][]uint16{}
		for _, w := range goldenParse(t, url).Words {
			got[url][w.Text] = w.Positions
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("postings (-ASPseek +ours):\n%s", diff)
	}
}

// TestGoldenFields compares the columns of urlwordsNN.
func TestGoldenFields(t *testing.T) {
	urls := goldenURLs(t)
	seen := 0
	for _, name := range goldenGlob(t, "urlwords??.tsv") {
		for _, row := range goldenTable(t, name) {
			if row["deleted"] == "1" {
				continue // clones
			}
			seen++
			url := urls[row["url_id"]]
			d := goldenParse(t, url)
			type fields struct {
				Title, Text, Keywords, Description, Lang string
				WordCount, TotalCount                    int
			}
			want := fields{
				goldenText(t, row["hex(title)"]), goldenText(t, row["hex(txt)"]), goldenText(t, row["hex(keywords)"]),
				goldenText(t, row["hex(description)"]), row["lang"],
				goldenInt(t, row["wordcount"]), goldenInt(t, row["totalcount"]),
			}
			// ASPseek's txt has doubled blanks, line ends, and entities as written (README, "Trust").
			want.Text = strings.ReplaceAll(strings.Join(strings.Fields(want.Text), " "), "&eacute;", "é")
			// ASPseek made a back-quote of the apostrophe.
			want.Text = strings.ReplaceAll(want.Text, "`", "'")
			if strings.HasSuffix(url, "/plain.txt") { // it has none in ASPseek
				want.Title = "Plain text document."
			}
			got := fields{d.Title, d.Text, d.Keywords, d.Description, d.Lang, d.WordCount, d.TotalCount}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-ASPseek +ours):\n%s", url, diff)
			}
			// Without a declaration ASPseek's charset column is empty; ours has the charset used (B2).
			if charset := row["charset"]; charset != "" && charset != d.Charset {
				t.Errorf("%s: charset %q, want %q", url, d.Charset, charset)
			}
		}
	}
	if seen != 6 {
		t.Errorf("%d rows compared, want 6", seen)
	}
}

func goldenParse(t *testing.T, url string) *Document {
	t.Helper()
	name := strings.NewReplacer("http://127.0.0.1:18080/", "siteA/", "http://127.0.0.1:18081/", "siteB/").Replace(url)
	if strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	body, err := os.ReadFile(filepath.Join("testdata/golden/pages", name))
	if err != nil {
		t.Fatal(err)
	}
	media := "text/html"
	if strings.HasSuffix(name, ".txt") {
		media = "text/plain"
	}
	d, err := Parse(body, media, goldenRules(t))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// goldenPostings decodes wordurl.urls: URL -> word -> positions.
func goldenPostings(t *testing.T) map[string]map[string][]uint16 {
	t.Helper()
	urls := goldenURLs(t)
	out := map[string]map[string][]uint16{}
	for _, row := range goldenTable(t, goldenGlob(t, "wordurl.tsv")[0]) {
		blob := []byte(goldenText(t, row["hex(urls)"]))
		records := blob[binary.LittleEndian.Uint32(blob):]
		for len(records) > 0 {
			url := urls[strconv.Itoa(int(binary.LittleEndian.Uint32(records)))]
			n := int(binary.LittleEndian.Uint16(records[4:]))
			if out[url] == nil {
				out[url] = map[string][]uint16{}
			}
			for i := range n {
				p := binary.LittleEndian.Uint16(records[6+2*i:])
				out[url][row["word"]] = append(out[url][row["word"]], p)
			}
			records = records[6+2*n:]
		}
	}
	return out
}

func goldenURLs(t *testing.T) map[string]string {
	t.Helper()
	urls := map[string]string{}
	for _, row := range goldenTable(t, goldenGlob(t, "urlword.tsv")[0]) {
		urls[row["url_id"]] = row["url"]
	}
	return urls
}

func goldenGlob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/golden/blobs-2-after-D/" + pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden file %s: %v", pattern, err)
	}
	return names
}

// goldenTable reads a dump: rows of column name -> value.
func goldenTable(t *testing.T, name string) []map[string]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	columns := strings.Split(lines[0], "\t")
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, value := range strings.Split(line, "\t") {
			row[columns[i]] = value
		}
		rows = append(rows, row)
	}
	return rows
}

func goldenText(t *testing.T, digits string) string {
	t.Helper()
	b, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func goldenInt(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
