package search

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search/query"
)

// TestFormsAreAnyOfThem compares a formsCursor with an anyCursor of the same words, with segments, removals and real-time
// postings, in all sections and in some.
func TestFormsAreAnyOfThem(t *testing.T) {
	documents, several := 0, 0
	for seed := range uint64(100) {
		s := newRandomIndex(seed, 1+int(seed)%80)
		live := &urlSet{}
		for _, d := range s.some(1 + s.IntN(6)) {
			live.add(d.url())
		}
		words := make([]*stored, 2+s.IntN(formsAtOnce-1))
		loads := make([]*loader, len(words)) // the words have the same keys
		has := map[place]int{}
		sections := query.Sections(s.IntN(3) * s.IntN(15))
		for i := range words {
			var counts map[place][]uint16
			loads[i] = &loader{cache: newBlobCache(1 << 20)}
			words[i], counts = s.stored(loads[i], live)
			if s.IntN(8) == 0 {
				words[i], counts = nil, nil // the word is not in the index
			}
			for p, positions := range counts {
				if len(offsetsIn(positions, sections)) > 0 {
					has[p]++
				}
			}
		}
		cursors := func() (all []*wordCursor) {
			for i, w := range words {
				c := &wordCursor{reader: newReader(w, live, loads[i]), sections: sections, exact: i == 0, weight: formWeight}
				if i%3 == 1 {
					c.weight = spellingWeight
				}
				all = append(all, c)
			}
			return all
		}
		var other cursor // an anyCursor that follows
		newForms := func() cursor {
			var of []cursor
			for _, c := range cursors() {
				of = append(of, c)
			}
			other = newAny(of)
			forms, ok := anyOf(cursors()).(*formsCursor)
			if !ok {
				t.Fatalf("%d words have no formsCursor", len(words))
			}
			if forms.size() != other.size() {
				t.Fatalf("seed %d: size %d, want %d", seed, forms.size(), other.size())
			}
			return forms
		}
		checkSeeks(t, s.Rand, newForms, keysOf(has), func(c cursor, p place) {
			if got := other.seek(p); got != p {
				t.Fatalf("seed %d: the anyCursor is at %x, want %x", seed, uint64(got), uint64(p))
			}
			documents++
			if has[p] > 1 {
				several++
			}
			before := []offset{99, 77}
			got, want := c.appendOffsets(slices.Clone(before)), other.appendOffsets(slices.Clone(before))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %x, offsets (-want +got):\n%s", seed, uint64(p), diff)
			}
			if diff := cmp.Diff(scoreOf(other), scoreOf(c), cmp.AllowUnexported(score{})); diff != "" {
				t.Fatalf("seed %d, %x, score (-want +got):\n%s", seed, uint64(p), diff)
			}
			for _, norm := range []float64{1, 0.3} {
				if got, want := c.weighted(norm), other.weighted(norm); math.Abs(got-want) > 1e-9 {
					t.Fatalf("seed %d, %x: %f occurrences, want %f", seed, uint64(p), got, want)
				}
			}
		})
		for _, load := range loads {
			if load.err != nil {
				t.Fatal(load.err)
			}
		}
	}
	if several < 300 || several == documents {
		t.Errorf("%d of %d documents have several of the words", several, documents)
	}
}

// TestManyFormsHaveAHeap: from some number of words on the places of all of them are not compared for each document.
func TestManyFormsHaveAHeap(t *testing.T) {
	s := newRandomIndex(1, 40)
	for _, n := range []int{formsAtOnce, formsAtOnce + 1} {
		var of []*wordCursor
		for _, w := range s.words(n) {
			of = append(of, cursorOf(w).(*wordCursor))
		}
		if _, heap := anyOf(of).(*anyCursor); heap != (n > formsAtOnce) {
			t.Errorf("%d words have a %T", n, anyOf(of))
		}
	}
}
