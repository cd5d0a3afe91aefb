package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// best returns the URLs that index --search finds, best first, at most ten.
func (w *world) best(query string) []string {
	w.t.Helper()
	var answer struct {
		Results []struct{ URL string }
	}
	if err := json.Unmarshal([]byte(w.index("--search", query, "--format", "json")), &answer); err != nil {
		w.t.Fatal(err)
	}
	urls := make([]string, len(answer.Results))
	for i, r := range answer.Results {
		urls[i] = r.URL
	}
	return urls
}

// rankingCase is a query and the pages that it must find, the best first. The other pages are as good or better in
// everything except the property that the case is about.
type rankingCase struct {
	name, query string
	pages       []string // names, in the order in which they must be found
	texts       map[string]string
	cited       map[string]int // by so many pages that have none of the words
}

var rankingCases = []rankingCase{
	{
		name: "a title goes before a text that mentions the word often and is cited more", query: "walrus",
		pages: []string{"title", "mention"},
		texts: map[string]string{
			"title":   `<title>Walrus</title><p>An animal of the north.`,
			"mention": `<title>Animals</title><p>A walrus, a second walrus, a third walrus.`,
		},
		cited: map[string]int{"mention": 9},
	},
	{
		name: "a title of all words goes before one that begins with one of them", query: "routine vacuuming",
		pages: []string{"whole", "half", "text"},
		texts: map[string]string{
			"whole": `<title>Routine Vacuuming</title><p>Why it is needed.`,
			"half":  `<title>Routine work</title><p>It is routine, and vacuuming is part of it. Routine vacuuming!`,
			"text":  `<title>Chores</title><p>First a routine, later some more vacuuming, and vacuuming again: it is routine.`,
		},
		cited: map[string]int{"half": 6, "text": 9},
	},
	{
		name: "the title is the query before a title that goes on to it", query: "otter",
		pages: []string{"is", "has"},
		texts: map[string]string{
			"is":  `<title>Otter</title><p>It swims.`,
			"has": `<title>Of the beaver and the otter</title><p>An otter.`,
		},
		cited: map[string]int{"has": 9},
	},
	{
		name: "a phrase goes before the same words scattered", query: "badger sett",
		pages: []string{"phrase", "scattered"},
		texts: map[string]string{
			"phrase":    `<title>Holes</title><p>Under the hill is a badger sett.`,
			"scattered": `<title>More holes</title><p>The badger digs. A sett is deep. Every badger has one: its own sett.`,
		},
		cited: map[string]int{"scattered": 9},
	},
	{
		name: "what is cited more goes before what is cited less", query: "lynx",
		pages: []string{"nine", "three", "none"},
		texts: map[string]string{
			"none":  `<title>Cats</title><p>The lynx lives all alone.`,
			"three": `<title>Cats</title><p>The lynx hunts by night.`,
			"nine":  `<title>Cats</title><p>The lynx climbs on trees.`,
		},
		cited: map[string]int{"nine": 9, "three": 3},
	},
	{
		name: "the word itself goes before its other forms", query: "marten",
		pages: []string{"exact", "other"},
		texts: map[string]string{
			"exact": `<title>Furs</title><p>Here is no animal but one marten.`,
			"other": `<title>Furs</title><p>Here are no animals but many martens.`,
		},
		cited: map[string]int{"other": 9},
	},
	{
		name: "a word often goes before a word once", query: "heron",
		pages: []string{"often", "once"},
		texts: map[string]string{
			"often": `<title>Ponds</title><p>A heron stands. The heron waits. Then the heron flies.`,
			"once":  `<title>Ponds</title><p>A heron stands, a frog waits, then it rains.`,
		},
	},
}

// TestSearchRanking verifies the order of results (docs/reference/behavior.md, Ranking) through the whole
// program: crawl, merge, link ranks, search.
func TestSearchRanking(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	var home strings.Builder
	for i, c := range rankingCases {
		for name, text := range c.texts {
			path := fmt.Sprintf("/%d/%s.html", i, name)
			site.HTML(path, text)
			fmt.Fprintf(&home, `<a href="%s">x</a> `, path)
			for n := range c.cited[name] {
				citing := fmt.Sprintf("/%d/%s-cited-%d.html", i, name, n)
				site.HTML(citing, fmt.Sprintf(`<title>%d</title><p>Page %d %d %s. <a href="%s">see there</a>`, n, i, n, name, path))
				fmt.Fprintf(&home, `<a href="%s">x</a> `, citing)
			}
		}
	}
	site.HTML("/", home.String())
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.write("searchd.conf", "WordForms en\n")
	w.index("-m")
	w.index("-D")
	w.index("-K")
	for i, c := range rankingCases {
		t.Run(c.name, func(t *testing.T) {
			w := *w
			w.t = t
			got := w.best(c.query)
			for j, url := range got {
				got[j] = strings.TrimSuffix(strings.TrimPrefix(url, fmt.Sprintf("%s/%d/", site.URL, i)), ".html")
			}
			if diff := cmp.Diff(c.pages, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s%s", c.query, diff, w.index("--search", c.query, "--why"))
			}
			if pages := slices.Sorted(slices.Values(c.pages)); len(pages) != len(c.texts) {
				t.Errorf("the case names %q of %d pages", pages, len(c.texts))
			}
		})
	}
}
