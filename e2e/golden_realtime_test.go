package e2e

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestGoldenRealtime compares the real-time index with ASPseek's: -T of siteA's home, then of one.html and
// siteB's home, then -D. Intended differences:
//
//   - robots.txt is no document of ours, so it has no row of urlword;
//   - siteB's home is registered by siteA's link to it in the first step already, and the link counts:
//     ASPseek left out links to sites that were not yet in its table (README, "Layout");
//   - a word that no real-time document has any more has no row in wordurl1, where ASPseek keeps one without
//     postings.
func TestGoldenRealtime(t *testing.T) {
	t.Parallel()
	a, b, ours := serveGolden(t)
	w := goldenWorld(t, a, b)
	for _, step := range []struct {
		name, table string
		args        []string
	}{
		{"realtime-1-T-home", "wordurl1", []string{"-T", a.URL + "/"}},
		{"realtime-2-T-three-urls", "wordurl1", []string{"-T", a.URL + "/one.html", "-T", b.URL + "/"}},
		{"realtime-3-after-D", "wordurl", []string{"-D"}},
	} {
		w.index(step.args...)
		urlword := goldenStep(t, step.name, "urlword")
		urls := goldenURLs(urlword, ours)
		table := goldenStep(t, step.name, step.table)
		want := goldenPostings(t, table, urls)
		if diff := gocmp.Diff(want, ourPostings(w)); diff != "" {
			t.Errorf("%s: postings (-ASPseek +ours):\n%s", step.name, diff)
		}
		if len(want) < 20 {
			t.Errorf("%s: only %d postings compared", step.name, len(want))
		}
		stored := w.rows(`SELECT word, (word_info(urls)).* FROM ` + step.table) // not where word_postings looks, but where it should be
		if len(stored) != len(want) {
			t.Errorf("%s: %s has %d postings, want %d", step.name, step.table, len(stored), len(want))
		}
		var counts []string
		for _, row := range table {
			counts = append(counts, strings.ToLower(row["word"])+" "+row["urlcount"]+" "+row["totalcount"])
		}
		slices.Sort(counts)
		if diff := gocmp.Diff(counts, w.rows(`SELECT word, urlcount, totalcount FROM `+step.table+` ORDER BY word COLLATE "C"`)); diff != "" {
			t.Errorf("%s: counts of %s (-ASPseek +ours):\n%s", step.name, step.table, diff)
		}
		status := make(map[string]string)
		for _, line := range w.rows(`SELECT url, status FROM urlword`) {
			url, s, _ := strings.Cut(line, " ")
			status[url] = s
		}
		for _, row := range urlword {
			if url := ours.Replace(row["url"]); !strings.HasSuffix(url, "/robots.txt") && status[url] != row["status"] {
				t.Errorf("%s: %s has status %q, ASPseek's %s", step.name, url, status[url], row["status"])
			}
		}
	}

	urls := goldenURLs(goldenStep(t, "realtime-3-after-D", "urlword"), ours)
	want := map[string][]string{b.URL + "/": {a.URL + "/"}} // which ASPseek left out
	for _, row := range goldenStep(t, "realtime-3-after-D", "citation") {
		raw, err := hex.DecodeString(row["hex(referrers)"])
		if err != nil {
			t.Fatal(err)
		}
		url := urls[row["url_id"]]
		for at := int(binary.LittleEndian.Uint32(raw)); at < len(raw); at += 4 {
			want[url] = append(want[url], urls[strconv.Itoa(int(binary.LittleEndian.Uint32(raw[at:])))])
		}
		slices.Sort(want[url])
	}
	got := make(map[string][]string)
	for _, line := range w.rows(`
		SELECT c.url, r.url FROM citation t JOIN urlword c USING (url_id), unnest(t.referrers) h JOIN urlword r ON r.url_id = h
		ORDER BY 1, 2`) {
		f := strings.Fields(line)
		got[f[0]] = append(got[f[0]], f[1])
	}
	for _, list := range got {
		slices.Sort(list)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("citation (-ASPseek +ours):\n%s", diff)
	}
	if got := w.one(`SELECT (SELECT count(*) FROM wordurl1), (SELECT count(*) FROM rt_urls)`); got != "0 0" {
		t.Errorf("after -D wordurl1 and rt_urls have %s rows", got)
	}
}
