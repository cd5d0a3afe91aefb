package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestMixedSites: on pages of any size each document comes once; of ten that follow each other among the best hundred a
// site has more than three only if nothing else of its weight is left; no document is before a better one of its site; and
// behind a document with a link to its site's results others were put back.
func TestMixedSites(t *testing.T) {
	mixed := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		var all []found
		sites := 1 + r.IntN(9)
		for site := range int32(sites) {
			weight := 0
			if r.IntN(6) == 0 {
				weight = 1
			}
			for url := range int32(1 + r.IntN(60)) {
				all = append(all, found{at: placeOf(site+1, 100*site+url+1), rank: uint32(r.IntN(300)) * uint32(1+site), weight: weight, all: r.IntN(2) == 0})
			}
		}
		collected := func(most int) ([]group, bool) {
			c := &collector{most: max(most, mixBest), mixes: true}
			for _, f := range all {
				c.add(&f)
			}
			grouped, groups := c.end()
			return groups, grouped
		}
		list, grouped := collected(MaxResults)
		sorted := slices.Clone(all)
		slices.SortFunc(sorted, compareFound)
		if len(list) != len(all) {
			t.Fatalf("seed %d: %d of %d documents", seed, len(list), len(all))
		}
		for most := 20; most < len(all); most += 35 {
			part, again := collected(most)
			if diff := gocmp.Diff(texts(list[:most]), texts(part[:most])); diff != "" || again != grouped {
				t.Fatalf("seed %d: the first %d are others, grouped %v and %v:\n%s", seed, most, grouped, again, diff)
			}
		}
		best := sorted[:min(len(sorted), mixBest)]
		in := map[int32]bool{}
		for _, f := range best {
			in[f.at.site()] = true
		}
		if grouped != (len(in) > mixSites) {
			t.Fatalf("seed %d: grouped %v with %d sites", seed, grouped, len(in))
		}
		if !grouped {
			continue
		}
		mixed++
		for i, g := range list {
			f := g.best[0]
			if i >= len(best) {
				if f.at != sorted[i].at {
					t.Fatalf("seed %d: place %d is not in the order of ranks", seed, i)
				}
				continue
			}
			same, others, lower := 0, false, false
			for k, o := range list[:len(best)] {
				o := o.best[0]
				switch {
				case o.weight != f.weight:
					lower = lower || k < i && o.weight < f.weight
				case o.at.site() == f.at.site():
					lower = lower || k < i && better(&f, &o) < 0
					if k <= i && k > i-mixWindow {
						same++
					}
				case k > i:
					others = others || allowed(list, k, i)
				}
			}
			if lower || same > mixMost && others {
				t.Fatalf("seed %d: place %d of %v", seed, i, texts(list[:len(best)]))
			}
			if g.n > 0 {
				n, complete := 0, 0
				for _, o := range all {
					if o.at.site() == f.at.site() {
						n++
						if o.all {
							complete++
						}
					}
				}
				if complete == 0 {
					complete = n
				}
				if g.n != n || g.all != complete {
					t.Fatalf("seed %d: %d, %d documents of a site, want %d, %d", seed, g.n, g.all, n, complete)
				}
			}
		}
	}
	if mixed < 100 {
		t.Errorf("only %d of the cases were mixed", mixed)
	}
}

// allowed reports whether the document at place k could stand at place i, where its site has not its share.
func allowed(list []group, k, i int) bool {
	n := 0
	for _, g := range list[max(0, i-mixWindow+1):i] {
		if g.best[0].at.site() == list[k].best[0].at.site() && g.best[0].weight == list[k].best[0].weight {
			n++
		}
	}
	return n < mixMost
}

func texts(list []group) (out []string) {
	for _, g := range list {
		out = append(out, fmt.Sprintf("%d:%d", g.best[0].at.site(), g.best[0].at.url()))
	}
	return out
}
