package search

import (
	"math/rand/v2"
	"testing"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
)

// BenchmarkAny finds the ten best of 6,000 documents that have any of some words, as many as a manual has.
func BenchmarkAny(b *testing.B) {
	s := &randomIndex{Rand: rand.New(rand.NewPCG(1, 11))}
	words := map[string]*stored{}
	for text, share := range map[string]int{"one": 10, "two": 8, "three": 30, "four": 3, "five": 100} {
		places := map[place][]uint16{}
		for url := int32(1); url <= 6000; url++ {
			if s.IntN(share) == 0 {
				places[placeOf(1, url)] = s.mostlyInTheBody()
			}
		}
		words[text] = inline(places)
	}
	f := &docValues{}
	for url := range store.URLID(6001) {
		f.setLink(url, uint16(s.IntN(1<<13)))
		f.sizes = put(f.sizes, url, byte(20+s.IntN(60)))
	}
	for _, text := range []string{"one", "one two", "one two three four five", `"one two"`} {
		query, err := query.Parse(text, query.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := &plan{req: &Request{Query: query}, tree: query.Root, load: &loader{}, words: words, goneAll: true}
				p.state.Documents, p.state.Positions = 6000, 6000*20
				c := &collector{most: 10}
				if err := p.evaluate(b.Context(), f, c, p.anyWord()); err != nil || c.urls == 0 {
					b.Fatal(err, c.urls)
				}
				c.end()
			}
		})
	}
}
