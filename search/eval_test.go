package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
)

// TestWhatCannotBeShownIsCountedOnly: an And that reads positions only in documents that may be among the
// best gives the same documents, scores and counts as one that reads all positions.
func TestWhatCannotBeShownIsCountedOnly(t *testing.T) {
	spared, skips, skipped := 0, 0, false
	usual := fewPostings
	defer func() { fewPostings = usual }()
	for seed := range uint64(150) {
		s := newRandomIndex(seed, 1500)
		if s.IntN(3) == 0 { // one site only
			for i := range s.docs {
				s.docs[i] = placeOf(1, s.docs[i].url())
			}
			slices.Sort(s.docs)
		}
		words := map[string]*stored{}
		for _, text := range []string{"a", "b", "c"} {
			places := map[place][]uint16{}
			for _, d := range s.some(1 + s.IntN(3)) {
				places[d] = s.mostlyInTheBody()
			}
			words[text] = inline(places)
		}
		f := &docValues{}
		for url := range store.URLID(s.IntN(2) * 5000) {
			f.setLink(url, uint16(s.IntN(3))*uint16(s.IntN(1<<13)))
			f.sizes = put(f.sizes, url, byte(20+s.IntN(60)))
		}
		fewPostings = []int64{0, usual}[s.IntN(2)]
		everyWord := s.IntN(3) == 0
		ranking := []Ranking{ByRelevance, ByASPseek}[s.IntN(2)]
		for _, text := range []string{"a", `"a b"`, "a OR b", "a b", "b a", "a b c", "c b -a", "title:a b", "body:a b", "title:a title:b", "a * b", "(a b) c", "a (b OR c)", `a "b c"`} {
			query, err := query.Parse(text, query.Options{})
			if err != nil {
				t.Fatal(err)
			}
			evaluate := func(c *collector) {
				load := &loader{cache: newBlobCache(1 << 20)}
				p := &plan{req: &Request{Query: query, Ranking: ranking, All: everyWord}, tree: flat(query), load: load, words: words, goneAll: true}
				p.state.Documents, p.state.Positions = int64(len(s.docs)), int64(len(s.docs))*20
				if err := p.evaluate(t.Context(), f, c, p.anyWord()); err != nil {
					t.Fatal(err)
				}
				if skipped = p.some != nil && p.some.skipped; skipped {
					skips++
				}
			}
			var all []found
			every := &collector{most: 1 << 20}
			evaluate(every)
			_, groups := every.end()
			for _, g := range groups {
				all = append(all, g.best...)
			}
			slices.SortFunc(all, func(a, b found) int {
				if a.at < b.at {
					return -1
				}
				return 1
			})
			most, grouped := 1+s.IntN(12), s.IntN(2) == 0
			want, got := &collector{most: most, groups: grouped}, &collector{most: most, groups: grouped}
			for i := range all {
				want.add(&all[i])
			}
			evaluate(got)
			if want.all != got.all || want.allSites != got.allSites || !skipped && (want.urls != got.urls || want.sites != got.sites) {
				t.Errorf("%d: %s: %d documents on %d sites, want %d on %d", seed, text, got.urls, got.sites, want.urls, want.sites)
			}
			wantGrouped, best := want.end()
			gotGrouped, shown := got.end()
			shown = shown[:min(len(shown), most)]
			if diff := cmp.Diff(groupsOf(best, !skipped), groupsOf(shown, !skipped)); diff != "" || wantGrouped != gotGrouped {
				t.Fatalf("%d: %s, %d of %d, grouped %v: (-all looked at +some):\n%s", seed, text, most, got.urls, grouped, diff)
			}
			spared += max(got.urls-most, 0)
		}
	}
	if skips < 20 {
		t.Errorf("%d times documents were not counted", skips)
	}
	if spared < 100_000 {
		t.Errorf("%d documents could have been spared", spared)
	}
}

// mostlyInTheBody returns positions as in typical texts: some words also occur in a title.
func (s *randomIndex) mostlyInTheBody() []uint16 {
	var list []uint16
	for range 1 + s.IntN(4) {
		list = append(list, uint16(s.IntN(12)))
	}
	if s.IntN(5) == 0 {
		list = append(list, uint16(1+s.IntN(3))<<14|uint16(s.IntN(3)))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// BenchmarkAnd finds the ten best of 100,000 documents with two words.
func BenchmarkAnd(b *testing.B) {
	s := &randomIndex{Rand: rand.New(rand.NewPCG(1, 11))}
	words := map[string]*stored{}
	one, two := map[place][]uint16{}, map[place][]uint16{}
	for url := int32(1); url <= 100_000; url++ {
		one[placeOf(1, url)], two[placeOf(1, url)] = s.mostlyInTheBody(), s.mostlyInTheBody()
	}
	words["a"], words["b"] = inline(one), inline(two)
	query, err := query.Parse("a b", query.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p := &plan{req: &Request{Query: query}, tree: query.Root, load: &loader{}, words: words, goneAll: true}
		c := &collector{most: 10}
		if err := p.evaluate(b.Context(), &docValues{}, c, false); err != nil || c.urls != 100_000 {
			b.Fatal(err, c.urls)
		}
	}
}

// groupsOf returns what is shown of groups.
func groupsOf(all []group, counted bool) (list []string) {
	for _, g := range all {
		text := fmt.Sprint(g.all)
		if counted {
			text += fmt.Sprint(" of ", g.n)
		}
		for _, f := range g.best {
			text += fmt.Sprintf(" %x %d %v", uint64(f.at), f.rank, f.score)
		}
		list = append(list, text)
	}
	return list
}

func flat(q *query.Query) query.Node { return query.Flat(q.Root) }
