package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A spelled is one way to write a phrase: words at distances from its beginning (none is -1), and its width.
type spelled struct {
	words  []int
	places []int
	width  int
}

// then appends another phrase.
func (a spelled) then(b spelled) spelled {
	out := spelled{words: slices.Concat(a.words, b.words), places: slices.Clone(a.places), width: a.width + b.width}
	for _, p := range b.places {
		out.places = append(out.places, a.width+p)
	}
	return out
}

// step returns a random step with all ways to write it.
func (s *randomIndex) step(words []map[place][]uint16, depth int) (phraseStep, []spelled) {
	skip := max(0, s.IntN(5)-3)
	if depth > 0 && s.IntN(3) == 0 {
		var step phraseStep
		var ways []spelled
		for range 2 + s.IntN(2) {
			sequence, list := s.sequence(words, s.IntN(3), depth-1)
			step.any = append(step.any, sequence)
			for _, w := range list {
				ways = append(ways, spelled{width: skip}.then(w))
			}
		}
		step.skip = skip
		return step, ways
	}
	i := s.IntN(len(words))
	return phraseStep{skip: skip, word: cursorOf(words[i])}, []spelled{{words: []int{i}, places: []int{skip}, width: skip + 1}}
}

func (s *randomIndex) sequence(words []map[place][]uint16, n, depth int) (phraseSequence, []spelled) {
	var out phraseSequence
	ways := []spelled{{}}
	for range n {
		step, list := s.step(words, depth)
		out.steps = append(out.steps, step)
		var longer []spelled
		for _, a := range ways {
			for _, b := range list {
				longer = append(longer, a.then(b))
			}
		}
		ways = longer
	}
	out.tail = max(0, s.IntN(4)-2)
	for i := range ways {
		ways[i] = ways[i].then(spelled{width: out.tail})
	}
	out.need = needOf(out.steps)
	return out, ways
}

// TestPhraseIsOneOfItsSpellings compares phrases with choices, wide and empty ones at any place, with all the
// phrases without choices that they stand for, each tried at every place.
func TestPhraseIsOneOfItsSpellings(t *testing.T) {
	found := 0
	for seed := range uint64(400) {
		var words []map[place][]uint16
		var ways []spelled
		var steps []phraseStep
		newCursor := func() cursor { // a cursor is read once, so each gets its own, from the same seed
			s := newRandomIndex(seed, 12)
			words = s.words(2 + s.IntN(3))
			for {
				var sequence phraseSequence
				sequence, ways = s.sequence(words, 1+s.IntN(4), 2)
				steps = sequence.steps
				if sequence.need != nil && len(ways) < 100 {
					return newPhrase(steps)
				}
			}
		}
		newCursor()
		s := newRandomIndex(seed, 12)
		want := map[place][]offset{}
		counts := map[place]map[int8]int32{}
		for _, d := range s.docs {
			if offsets, n := spellingsAt(words, ways, d); len(offsets) > 0 {
				want[d], counts[d] = offsets, n
			}
		}
		found += len(want)
		checkSeeks(t, s.Rand, newCursor, keysOf(want), func(c cursor, p place) {
			if diff := cmp.Diff(want[p], c.appendOffsets(nil)); diff != "" {
				t.Fatalf("seed %d, %x, where it begins (-want +got):\n%s\n%+v", seed, uint64(p), diff, ways)
			}
			last := want[p][len(want[p])-1].section()
			i := slices.IndexFunc(want[p], func(s offset) bool { return s.section() == last })
			expected := score{exact: true, kind: byPhrase, section: last, ordinal: want[p][i].ordinal(), count: counts[p][last]}
			if diff := cmp.Diff(expected, scoreOf(c), cmp.AllowUnexported(score{})); diff != "" {
				t.Fatalf("seed %d, %x, score (-want +got):\n%s", seed, uint64(p), diff)
			}
		})
	}
	if found < 200 {
		t.Errorf("%d matches in all", found)
	}
}

// spellingsAt returns where phrases begin in a document: of those that end at the same place, the one that
// begins last. counts has the number of ends in each section.
func spellingsAt(words []map[place][]uint16, ways []spelled, d place) (begins []offset, counts map[int8]int32) {
	ends := map[int]offset{} // the place after the last word and its trailing gap
	for section := range 4 {
		for at := range 80 {
			if at >= 40 {
				at += 1<<14 - 80 // there are words at the beginning and at the end of sections
			}
			for _, w := range ways {
				if len(w.words) == 0 {
					continue
				}
				fits := true
				for i, word := range w.words {
					ordinal := at + w.places[i]
					if fits = ordinal < 1<<14 && slices.Contains(words[word][d], uint16(section<<14|ordinal)); !fits {
						break
					}
				}
				if fits {
					end := section<<20 | at + w.width
					begin := offset(section<<16 | at + w.places[0])
					ends[end] = max(ends[end], begin)
				}
			}
		}
	}
	counts = map[int8]int32{}
	for _, b := range ends {
		begins = append(begins, b)
		counts[b.section()]++
	}
	slices.Sort(begins)
	return slices.Compact(begins), counts
}

// TestFollowAndAnyFollowsAgree compares follow and anyFollows with each other and with a test of all pairs.
func TestFollowAndAnyFollowsAgree(t *testing.T) {
	for seed := range uint64(500) {
		s := newRandomIndex(seed, 1)
		a, b, distance := offsetsIn(s.positions(), 0), offsetsIn(s.positions(), 0), offset(s.IntN(5))
		var want []offset
		for _, h := range b {
			if slices.Contains(a, h-distance) {
				want = append(want, h)
			}
		}
		if got := anyFollows(a, b, distance); got != (len(want) > 0) {
			t.Fatalf("meet %v %v %d: %v", a, b, distance, got)
		}
		if got := follow(nil, a, b, distance); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("follow %v %v %d: %v, want %v", a, b, distance, got, want)
		}
		same := slices.Clone(a)
		if got := follow(same[:0], same, b, distance); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("follow %v %v %d in place: %v, want %v", a, b, distance, got, want)
		}
	}
}
