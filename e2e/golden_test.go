package e2e

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// goldenDir holds eight pages and the tables that ASPseek 1.2.15 wrote for them after index -D.
const goldenDir = "../document/testdata/golden"

// goldenPorts are the ports of the two sites when ASPseek crawled them.
var goldenPorts = []string{"18080", "18081"}

// golden returns a table of the dump after the first merge: rows by column name.
func golden(t *testing.T, table string) []map[string]string {
	t.Helper()
	return goldenStep(t, "blobs-2-after-D", table)
}

// goldenStep returns a table of a later dump.
func goldenStep(t *testing.T, step, table string) (rows []map[string]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(goldenDir, step, table+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	names := strings.Split(lines[0], "\t")
	for _, line := range lines[1:] {
		row := make(map[string]string)
		for i, value := range strings.Split(line, "\t") {
			row[names[i]] = value
		}
		rows = append(rows, row)
	}
	return rows
}

// serveGolden serves the two sites and returns a replacer from ASPseek's URLs to ours.
func serveGolden(t *testing.T) (a, b *spidertest.Site, ours *strings.Replacer) {
	t.Helper()
	a, b = spidertest.NewSite(t), spidertest.NewSite(t)
	port := func(s *spidertest.Site) string { return s.URL[strings.LastIndexByte(s.URL, ':')+1:] }
	ours = strings.NewReplacer("127.0.0.1:18080", "127.0.0.1:"+port(a), "127.0.0.1:18081", "127.0.0.1:"+port(b))
	modified := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, site := range map[string]*spidertest.Site{"siteA": a, "siteB": b} {
		root := filepath.Join(goldenDir, "pages", name)
		err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(root, path)
			page := spidertest.Page{Body: ours.Replace(string(body)), Modified: modified, Type: "text/html"}
			if strings.HasSuffix(rel, ".txt") {
				page.Type = "text/plain"
			}
			site.Set("/"+filepath.ToSlash(rel), page)
			if rel == "index.html" {
				site.Set("/", page)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	b.Set("/moved.html", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/plain.txt"}})
	return a, b, ours
}

// goldenPosting is a posting of ours or of ASPseek's, by URL.
type goldenPosting struct{ Word, URL, Positions string }

// TestGoldenASPseek compares a whole crawl and merge of the golden pages with the tables of a real ASPseek:
// postings, counts, hrefs, citation, wordsite, robots rows. The functions below remove intended differences
// from ASPseek's side, each with its reason.
func TestGoldenASPseek(t *testing.T) {
	t.Parallel()
	a, b, ours := serveGolden(t)
	w := goldenWorld(t, a, b)
	w.index()
	urls := goldenURLs(golden(t, "urlword"), ours)

	t.Run("postings of every word", func(t *testing.T) {
		got := ourPostings(w)
		if diff := gocmp.Diff(goldenPostings(t, golden(t, "wordurl"), urls), got); diff != "" {
			t.Errorf("postings (-ASPseek +ours):\n%s", diff)
		}
		if len(got) < 60 {
			t.Errorf("only %d postings compared", len(got))
		}
	})

	t.Run("urlcount and totalcount", func(t *testing.T) {
		for _, line := range w.rows(`
			SELECT word, urlcount, totalcount, count(*), coalesce(sum(cnt), 0)
			FROM wordurl, word_postings(word) GROUP BY 1, 2, 3`) {
			f := strings.Fields(line)
			if f[1] != f[3] || f[2] != f[4] {
				t.Errorf("%s: urlcount %s, totalcount %s; the postings have %s, %s", f[0], f[1], f[2], f[3], f[4])
			}
		}
	})

	t.Run("hrefs", func(t *testing.T) {
		want := goldenLinks(t, urls, ours)
		got := make(map[string][]string)
		for _, line := range w.rows(`
			SELECT f.url, l.url FROM urlwords c JOIN urlword f USING (url_id), unnest(c.hrefs) h JOIN urlword l ON l.url_id = h
			WHERE f.status = 200 ORDER BY 1, 2`) {
			f := strings.Fields(line)
			got[f[0]] = append(got[f[0]], f[1])
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("links (-ASPseek +ours):\n%s", diff)
		}
	})

	t.Run("citation", func(t *testing.T) {
		want := goldenCitation(t, urls, ours, b.URL)
		got := make(map[string][]string)
		for _, line := range w.rows(`
			SELECT c.url, r.url FROM citation t JOIN urlword c USING (url_id), unnest(t.referrers) h JOIN urlword r ON r.url_id = h
			ORDER BY 1, 2`) {
			f := strings.Fields(line)
			got[f[0]] = append(got[f[0]], f[1])
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("citation (-ASPseek +ours):\n%s", diff)
		}
	})

	t.Run("counts of words", func(t *testing.T) {
		got := make(map[string]string)
		for _, line := range w.rows(`SELECT url, wordcount, totalcount FROM urlwords JOIN urlword USING (url_id) WHERE status = 200`) {
			url, counts, _ := strings.Cut(line, " ")
			got[url] = counts
		}
		compared := 0
		for n := range 16 {
			table := fmt.Sprintf("urlwords%02d", n)
			if _, err := os.Stat(filepath.Join(goldenDir, "blobs-2-after-D", table+".tsv")); err != nil {
				continue
			}
			for _, row := range golden(t, table) {
				url := urls[row["url_id"]]
				if strings.HasSuffix(url, "/robots.txt") || row["deleted"] == "1" || strings.HasSuffix(url, "quiet.html") {
					continue // robots.txt is no document of ours; clones have no row; 406 instead of 200
				}
				want := row["wordcount"] + " " + row["totalcount"]
				if got[url] != want {
					t.Errorf("%s: got wordcount and totalcount %q, ASPseek %q", url, got[url], want)
				}
				compared++
			}
		}
		if compared < 5 {
			t.Errorf("only %d documents compared", compared)
		}
	})

	t.Run("wordsite", func(t *testing.T) {
		var want []string
		for _, row := range golden(t, "wordsite") {
			raw, _ := hex.DecodeString(row["hex(sites)"])
			var sites []string
			for i := 0; i < len(raw); i += 4 {
				sites = append(sites, strconv.Itoa(int(int32(binary.LittleEndian.Uint32(raw[i:])))))
			}
			word := row["word"]
			for i, site := range []string{a.URL, b.URL} {
				if word == "1:"+goldenPorts[i] {
					word = "1" + site[strings.LastIndexByte(site, ':'):]
				}
			}
			want = append(want, word+" "+strings.Join(sites, ","))
		}
		got := w.rows(`SELECT word, array_to_string(sites, ',') FROM wordsite`)
		slices.Sort(want)
		slices.Sort(got)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("wordsite (-ASPseek +ours):\n%s", diff)
		}
	})

	t.Run("robots", func(t *testing.T) {
		var want []string
		for _, row := range golden(t, "robots") {
			want = append(want, ours.Replace(row["hostinfo"])+" "+row["path"])
		}
		if diff := gocmp.Diff(want, w.rows(`SELECT hostinfo, path FROM robots`)); diff != "" {
			t.Errorf("robots (-ASPseek +ours):\n%s", diff)
		}
		if n := a.Count()["/private/secret.html"]; n != 0 {
			t.Errorf("the forbidden page was asked for %d times", n)
		}
	})

	t.Run("faults of ASPseek and the decisions that differ", func(t *testing.T) {
		for _, c := range []struct{ what, query, want string }{
			{
				"quiet.html is 406, and its content is kept for its link (T-06)",
				`SELECT status, wordcount, cardinality(hrefs) FROM urlword JOIN urlwords USING (url_id) WHERE url LIKE '%/quiet.html'`, "406 0 1",
			},
			{
				"origin is the original's id",
				`SELECT o.url LIKE '%/two.html' FROM urlword c JOIN urlword o ON o.url_id = c.origin WHERE c.url LIKE '%/copy.html'`, "true",
			},
			{
				"a clone has no row of its own",
				`SELECT count(*) FROM urlword JOIN urlwords USING (url_id) WHERE origin <> 0`, "0",
			},
			{
				"the redirect is a document of its own, with its target as link (T-05)",
				`SELECT m.status, t.url LIKE '%/plain.txt', c.words IS NULL, cardinality(c.hrefs)
				 FROM urlword m JOIN urlwords c USING (url_id) JOIN urlword t ON t.url_id = m.redir WHERE m.url LIKE '%/moved.html'`,
				"301 true true 1",
			},
			{
				"plain text counts from 0",
				`SELECT positions[1] FROM word_postings('plain') WHERE url LIKE '%/plain.txt'`, "0",
			},
			{
				"capital Cyrillic letters are folded",
				`SELECT count(*) FROM word_postings('стокгольм')`, "1",
			},
			{
				"searches in SQL leave out what the index leaves out",
				`SELECT min_length, max_length, array_to_string(stopwords, ',') FROM wordrules`, "3 16 about,also,and,are,here,the",
			},
			{
				"words zipped with gzip",
				`SELECT bool_and(substr(words, 5, 2) = '\x1f8b' OR substr(words, 1, 4) = '\xffffffff') FROM urlwords WHERE words IS NOT NULL`, "true",
			},
		} {
			if got := w.one(c.query); got != c.want {
				t.Errorf("%s: got %s, want %s", c.what, got, c.want)
			}
		}
	})
}

// goldenWorld returns a configuration like ASPseek's.
func goldenWorld(t *testing.T, a, b *spidertest.Site) *world {
	w := newWorld(t, fmt.Sprintf("HostLoad * 0 24 1\nServer %s/\nServer %s/\n", a.URL, b.URL)) // one after the other: ids in ASPseek's order
	w.write("stop.en", "about\nalso\nand\nare\nhere\nthe\n")
	w.spider("MinWordLength 3\nMaxWordLength 16\nStopwordFile en stop.en\nThreads 1\n")
	return w
}

// goldenURLs maps ASPseek's url_id to our URLs.
func goldenURLs(urlword []map[string]string, ours *strings.Replacer) map[string]string {
	urls := make(map[string]string)
	for _, row := range urlword {
		urls[row["url_id"]] = ours.Replace(row["url"])
	}
	return urls
}

// ourPostings returns all postings that a search would merge, by word and URL.
func ourPostings(w *world) (list []goldenPosting) {
	for _, line := range w.rows(`SELECT word, url, array_to_string(positions, ',') FROM wordurl, word_postings(word)`) {
		f := strings.Fields(line)
		list = append(list, goldenPosting{f[0], f[1], f[2]})
	}
	slices.SortFunc(list, goldenPosting.compare)
	return list
}

func (p goldenPosting) compare(q goldenPosting) int {
	return cmp.Or(cmp.Compare(p.Word, q.Word), cmp.Compare(p.URL, q.URL))
}

// goldenPostings decodes the column urls of wordurl or wordurl1 and removes intended differences.
func goldenPostings(t *testing.T, table []map[string]string, urls map[string]string) (list []goldenPosting) {
	for _, row := range table {
		blob, err := hex.DecodeString(strings.TrimPrefix(row["hex(urls)"], `\N`)) // NULL: a word that no merge has seen
		if err != nil {
			t.Fatal(err)
		}
		u32 := func(at int) int { return int(binary.LittleEndian.Uint32(blob[at:])) }
		u16 := func(at int) int { return int(binary.LittleEndian.Uint16(blob[at:])) }
		if len(blob) == 0 {
			continue
		}
		for at := u32(0); at < len(blob); {
			url, count := urls[strconv.Itoa(u32(at))], u16(at+4)
			var positions []string
			for i := range count {
				p := u16(at + 6 + 2*i)
				if strings.HasSuffix(url, ".txt") {
					p-- // plain text counts from 0 with us
				}
				positions = append(positions, strconv.Itoa(p))
			}
			at += 6 + 2*count
			word := strings.ToLower(row["word"]) // capital Cyrillic letters stayed as they were
			list = append(list, goldenPosting{word, url, strings.Join(positions, ",")})
		}
	}
	slices.SortFunc(list, goldenPosting.compare)
	return list
}

// betweenSites are the links that ASPseek left out because the other site was not yet in its table when it
// parsed the page (README, "Layout"). Our index has them.
var betweenSites = map[string][]string{
	"127.0.0.1:18080/":         {"127.0.0.1:18081/"},
	"127.0.0.1:18080/two.html": {"127.0.0.1:18081/plain.txt"},
	"127.0.0.1:18081/":         {"127.0.0.1:18080/one.html", "127.0.0.1:18080/two.html"},
}

// goldenLinks decodes hrefs of the documents with status 200 that are no clones.
func goldenLinks(t *testing.T, urls map[string]string, ours *strings.Replacer) map[string][]string {
	links := make(map[string][]string)
	for n := range 16 {
		table := fmt.Sprintf("urlwords%02d", n)
		if _, err := os.Stat(filepath.Join(goldenDir, "blobs-2-after-D", table+".tsv")); err != nil {
			continue
		}
		for _, row := range golden(t, table) {
			from := urls[row["url_id"]]
			if strings.HasSuffix(from, "/quiet.html") || row["deleted"] == "1" {
				continue // 406 with us
			}
			raw, _ := hex.DecodeString(row["hex(hrefs)"])
			for i := 0; i < len(raw); i += 4 {
				links[from] = append(links[from], urls[strconv.Itoa(int(binary.LittleEndian.Uint32(raw[i:])))])
			}
		}
	}
	for from, targets := range betweenSites {
		from = ours.Replace("http://" + from)
		for _, target := range targets {
			links[from] = append(links[from], ours.Replace("http://"+target))
		}
		slices.Sort(links[from])
	}
	for from := range links {
		slices.Sort(links[from])
	}
	return links
}

// goldenCitation decodes citation and adds the intended differences: links between the sites, and redirects,
// which cite their targets themselves.
func goldenCitation(t *testing.T, urls map[string]string, ours *strings.Replacer, b string) map[string][]string {
	cited := make(map[string][]string)
	for _, row := range golden(t, "citation") {
		raw, _ := hex.DecodeString(row["hex(referrers)"])
		target := urls[row["url_id"]]
		for at := int(binary.LittleEndian.Uint32(raw)); at < len(raw); at += 4 {
			cited[target] = append(cited[target], urls[strconv.Itoa(int(binary.LittleEndian.Uint32(raw[at:])))])
		}
	}
	for from, targets := range betweenSites {
		for _, target := range targets {
			target = ours.Replace("http://" + target)
			cited[target] = append(cited[target], ours.Replace("http://"+from))
		}
	}
	// ASPseek credited the redirect's citation to its target. Ours cites the redirect, which cites the
	// target.
	cited[b+"/moved.html"] = []string{b + "/"}
	cited[b+"/plain.txt"] = append(cited[b+"/plain.txt"], b+"/moved.html")
	for target := range cited {
		slices.Sort(cited[target])
	}
	return cited
}
