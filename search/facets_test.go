package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// TestFacetsCountAll compares the counts of facets with those over all documents: exactly for documents with all words,
// also when documents with any word are skipped, and for these when none is skipped.
func TestFacetsCountAll(t *testing.T) {
	usual := fewPostings
	defer func() { fewPostings = usual }()
	skips := 0
	for seed := range uint64(100) {
		s := newRandomIndex(seed, 1500)
		words := map[string]*stored{}
		for _, text := range []string{"a", "b", "c"} {
			places := map[place][]uint16{}
			for _, d := range s.some(1 + s.IntN(3)) {
				places[d] = s.mostlyInTheBody()
			}
			words[text] = inline(places)
		}
		f := &docValues{kinds: newKinds(0)}
		for _, d := range s.docs {
			k := lookup.Kind{Language: []string{"de", "en", ""}[s.IntN(3)], Type: []string{"html", "text"}[s.IntN(2)], Tag: s.Int32N(2)}
			f.kinds.set(store.URLID(d.url()), newKind(k, []float64{1, 2, 0.5}[s.IntN(3)]))
			f.dates = put(f.dates, store.URLID(d.url()), uint32(1_000_000+s.IntN(500*86400)))
		}
		run := func(text string, r Request) (*plan, *collector) {
			parsed, err := query.Parse(text, query.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r.Query = parsed
			p := &plan{req: &r, tree: flat(parsed), load: &loader{cache: newBlobCache(1 << 20)}, words: words, goneAll: true, weigh: func(string) float64 { return 1 }}
			p.state.Documents, p.state.Positions = int64(len(s.docs)), int64(len(s.docs))*20
			c := &collector{most: 100}
			if !r.Facets {
				c.most = len(s.docs)
			}
			if err := p.evaluate(t.Context(), f, c, p.anyWord()); err != nil {
				t.Fatal(err)
			}
			return p, c
		}
		for _, text := range []string{"a", "a b", "a b c", "+a b", "a OR b", `"a b"`} {
			r := Request{Facets: true, All: s.IntN(4) == 0}
			if s.IntN(2) == 0 {
				r.Languages = []string{"de"}
			}
			if s.IntN(2) == 0 {
				r.Types = []string{"text"}
			}
			if s.IntN(3) == 0 {
				r.SiteIDs = []int32{2, 5}
			}
			fewPostings = []int64{0, usual}[s.IntN(2)]
			p, c := run(text, r)
			c.end()
			p.facets.endSite()
			got := fmt.Sprint(c.all, " ")
			skipped := p.some != nil && p.some.skipped
			if skipped {
				skips++
			} else {
				got += fmt.Sprint(c.urls, " ")
			}
			got += counted(p.facets, skipped)

			fewPostings = usual
			open := r
			open.Languages, open.Types, open.SiteIDs = nil, nil, nil
			everything := &facetCounter{plan: p, values: f, since: p.facets.since, plain: make([]tally, len(p.kindsOf)), spans: make([]tally, len(Spans)), chosen: map[int32]tally{}}
			for i := range everything.but {
				everything.but[i] = make([]tally, len(p.kindsOf))
			}
			all := 0
			urls := 0
			for _, h := range allMatches(run, text, open) {
				k := f.kinds.all[f.kinds.of(h.at.url())]
				if len(r.Languages) > 0 && k.language != "de" {
					h.miss |= 1 << facetLang
				}
				if len(r.Types) > 0 && k.docType != "text" {
					h.miss |= 1 << facetType
				}
				if len(r.SiteIDs) > 0 && !slices.Contains(r.SiteIDs, h.at.site()) {
					h.miss |= 1 << facetSite
				}
				if h.miss == 0 {
					urls++
					if h.all {
						all++
					}
				}
				if h.miss&(h.miss-1) == 0 {
					everything.add(&h)
				}
			}
			everything.endSite()
			want := fmt.Sprint(all, " ")
			if !skipped {
				want += fmt.Sprint(urls, " ")
			}
			want += counted(everything, skipped)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %s, %+v, skipped %v (-want +got):\n%s", seed, text, r, skipped, diff)
			}
		}
	}
	if skips < 20 {
		t.Errorf("only %d queries skipped documents", skips)
	}
}

// allMatches returns the documents that match a query, in the order of the index.
func allMatches(run func(string, Request) (*plan, *collector), text string, r Request) []found {
	r.Facets = false
	_, c := run(text, r)
	list := slices.Clone(c.one)
	slices.SortFunc(list, func(a, b found) int { return int(int64(a.at) - int64(b.at)) })
	return list
}

// counted returns the counts as text; those of documents with any word are left out if documents were skipped.
func counted(c *facetCounter, skipped bool) string {
	plain := slices.Clone(c.plain)
	var but [3][]tally
	for i := range c.but {
		but[i] = slices.Clone(c.but[i])
	}
	spans, sites, several := slices.Clone(c.spans), c.sites, c.several
	if skipped {
		for _, list := range append(but[:], plain, spans) {
			for i := range list {
				list[i][0] = 0
			}
		}
		sites[0], several[0] = nil, 0
	}
	return fmt.Sprint(plain, but, spans, sites, several)
}

// TestTopSites: the ten sites with the most documents, the lower id first among equals.
func TestTopSites(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		var all []siteTotal
		var top topSites
		for site := range int32(r.IntN(30)) {
			s := siteTotal{site + 1, r.IntN(8)}
			all = append(all, s)
			top.add(s)
		}
		slices.SortStableFunc(all, func(a, b siteTotal) int { return b.n - a.n })
		if diff := gocmp.Diff(fmt.Sprint(all[:min(len(all), facetSites)]), fmt.Sprint([]siteTotal(top))); diff != "" {
			t.Fatal(diff)
		}
	}
}

// BenchmarkFacets finds the best of 1,000,000 documents with a word, without facets and with them.
func BenchmarkFacets(b *testing.B) {
	const documents = 1_000_000
	s := &randomIndex{Rand: rand.New(rand.NewPCG(1, 11))}
	places := map[place][]uint16{}
	f := &docValues{kinds: newKinds(documents)}
	for url := int32(1); url <= documents; url++ {
		places[placeOf(1+url/50_000, url)] = s.mostlyInTheBody()
		f.kinds.set(store.URLID(url), kind{language: []string{"de", "en", "fr"}[s.IntN(3)], docType: []string{"html", "pdf"}[s.IntN(2)], weight: 1})
		f.dates = put(f.dates, store.URLID(url), uint32(s.IntN(1_700_000_000)))
		f.sizes = put(f.sizes, store.URLID(url), byte(50+s.IntN(50)))
	}
	words := map[string]*stored{"a": inline(places)}
	parsed, err := query.Parse("a", query.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range []Request{{}, {Facets: true}, {Languages: []string{"de"}}, {Languages: []string{"de"}, Facets: true}} {
		b.Run(fmt.Sprintf("facets=%v languages=%v", r.Facets, r.Languages), func(b *testing.B) {
			r.Query = parsed
			for b.Loop() {
				p := &plan{req: &r, tree: parsed.Root, load: &loader{}, words: words, goneAll: true}
				p.state.Documents, p.state.Positions = documents, documents*20
				c := &collector{most: mixBest, mixes: true}
				if err := p.evaluate(b.Context(), f, c, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
