package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/posting"
)

// A randomIndex makes random postings of documents on four sites.
type randomIndex struct {
	*rand.Rand
	docs []place // ascending
}

func newRandomIndex(seed uint64, n int) *randomIndex {
	s := &randomIndex{Rand: rand.New(rand.NewPCG(seed, 11))}
	for i := range n {
		s.docs = append(s.docs, placeOf([]int32{1, 2, 7, 1<<24 - 1}[s.IntN(4)], int32(1+3*i)))
	}
	slices.Sort(s.docs)
	return s
}

// some returns random documents, each with probability 1/n.
func (s *randomIndex) some(n int) (list []place) {
	for _, d := range s.docs {
		if s.IntN(n) == 0 {
			list = append(list, d)
		}
	}
	return list
}

// positions returns random positions of one word in a document, from a small range, so that words are often
// neighbors.
func (s *randomIndex) positions() []uint16 {
	var list []uint16
	for range 1 + s.IntN(6) {
		at := uint16(s.IntN(4))<<14 | uint16(s.IntN(8))
		if s.IntN(20) == 0 {
			at |= 1<<14 - 8 // the last ordinals of a section
		}
		list = append(list, at)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func entriesOf(places map[place][]uint16) (list []posting.Entry) {
	for p, positions := range places {
		list = append(list, posting.Entry{Site: p.site(), URL: p.url(), Positions: positions})
	}
	slices.SortFunc(list, func(a, b posting.Entry) int {
		if placeOf(a.Site, a.URL) < placeOf(b.Site, b.URL) {
			return -1
		}
		return 1
	})
	return list
}

// inline returns a word whose postings are all in its row of wordurl.
func inline(places map[place][]uint16) *stored {
	if len(places) == 0 {
		return nil
	}
	return &stored{urls: int64(len(places)), inline: posting.AppendBlob(nil, entriesOf(places))}
}

// stored returns a word with several segments, removals and a real-time blob, and its valid postings.
func (s *randomIndex) stored(load *loader, live *urlSet) (w *stored, counts map[place][]uint16) {
	w, counts = &stored{urls: 1}, map[place][]uint16{}
	n := s.IntN(5)
	for i := range n { // the oldest first
		run := map[place][]uint16{}
		for _, d := range s.some(1 + s.IntN(4)) {
			if i > 0 && s.IntN(4) == 0 {
				run[d] = nil
				delete(counts, d)
			} else {
				run[d] = s.positions()
				counts[d] = run[d]
			}
		}
		level, seq := int16(n-i)/2, int64(i+1)
		var rows []lookup.SearchRow
		entries := entriesOf(run)
		for len(entries) > 0 {
			k := 1 + s.IntN(len(entries))
			blob := posting.AppendBlob(nil, entries[:k])
			r := lookup.SearchRow{
				Key: lookup.RowKey{Word: 5, Level: level, Seq: seq, FirstSite: entries[0].Site, FirstURL: entries[0].URL}, Bytes: 5000,
			}
			if s.IntN(3) == 0 {
				r.Bytes, r.Blob = len(blob), blob // small, comes with its row
			} else {
				load.cache.put(rowKey(r.Key), blob, len(blob))
			}
			rows = append(rows, r)
			entries = entries[k:]
		}
		if len(rows) > 0 {
			w.segments = append([][]lookup.SearchRow{rows}, w.segments...)
		}
	}
	rt := map[place][]uint16{}
	for d := range counts {
		if live.has(d.url()) {
			delete(counts, d)
		}
	}
	for _, d := range s.docs {
		if live.has(d.url()) && s.IntN(2) == 0 {
			rt[d] = s.positions()
			counts[d] = rt[d]
		}
	}
	if len(rt) > 0 {
		w.realtime = posting.AppendBlob(nil, entriesOf(rt))
	}
	return w, counts
}

// checkSeeks verifies the contract of a cursor: it visits exactly the wanted documents, never goes back, and
// does not move when it is asked again. at is called at each document.
func checkSeeks(t *testing.T, r *rand.Rand, make func() cursor, want []place, at func(cursor, place)) {
	t.Helper()
	c := make()
	for range r.IntN(2) {
		c.scan()
	}
	var got []place
	for p := c.seek(1); p != noPlace; p = c.seek(p + 1) {
		got = append(got, p)
		at(c, p)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("read from the beginning (-want +got):\n%s", diff)
	}
	c = make()
	stands := place(0)
	for range 40 {
		p := place(1)
		switch {
		case len(want) > 0 && r.IntN(2) == 0:
			p = want[r.IntN(len(want))] + place(r.IntN(3)) - 1
		case stands != noPlace:
			p = stands + place(r.IntN(20))
		}
		if r.IntN(4) == 0 {
			p = placeOf(int32(r.IntN(9)), int32(r.IntN(400)))
		}
		if p = max(p, 1); p < stands && r.IntN(2) == 0 {
			continue // usually go on
		}
		expected := noPlace
		if i, _ := slices.BinarySearch(want, max(p, stands)); i < len(want) {
			expected = want[i]
		}
		for range 1 + r.IntN(2) {
			if got := c.seek(p); got != expected {
				t.Fatalf("at %x seek %x: %x, want %x of %x", uint64(stands), uint64(p), uint64(got), uint64(expected), want)
			}
		}
		if stands = expected; stands == noPlace {
			break
		}
		at(c, stands)
	}
	if c.seek(noPlace) != noPlace || c.seek(1) != noPlace {
		t.Fatal("goes on behind the end")
	}
}

func keysOf[T any](m map[place]T) (list []place) {
	for p := range m {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

// offsetsIn returns the offsets of positions in sections.
func offsetsIn(positions []uint16, sections query.Sections) (list []offset) {
	for _, p := range positions {
		if sections.Has(int(p >> 14)) {
			list = append(list, offset(p>>14)<<16|offset(p&(1<<14-1)))
		}
	}
	return list
}

// TestReaderUnitesRuns: the newest segment of a document wins, a removal hides older postings, and the
// real-time index comes before all segments.
func TestReaderUnitesRuns(t *testing.T) {
	for seed := range uint64(300) {
		s := newRandomIndex(seed, 1+int(seed)%60)
		live := &urlSet{}
		for _, d := range s.some(1 + s.IntN(6)) {
			live.add(d.url())
		}
		if s.IntN(3) == 0 {
			live.clear()
		}
		load := &loader{cache: newBlobCache(1 << 20)}
		w, counts := s.stored(load, live)
		sections := query.Sections(s.IntN(15))
		want := map[place][]offset{}
		for p, positions := range counts {
			if offsets := offsetsIn(positions, sections); len(offsets) > 0 {
				want[p] = offsets
			}
		}
		newCursor := func() cursor { return &wordCursor{reader: newReader(w, live, load), sections: sections} }
		checkSeeks(t, s.Rand, newCursor, keysOf(want), func(c cursor, p place) {
			got := c.appendOffsets(nil)
			if diff := cmp.Diff(want[p], got); diff != "" {
				t.Fatalf("seed %d, %x (-want +got):\n%s", seed, uint64(p), diff)
			}
			best := got[len(got)-1].section()
			i := slices.IndexFunc(got, func(s offset) bool { return s.section() == best })
			expected := score{section: best, ordinal: got[i].ordinal()}
			if best == 0 { // in the body occurrences count, not the ordinal
				expected.ordinal, expected.count = 0, int32(len(got))
			}
			if diff := cmp.Diff(expected, scoreOf(c), cmp.AllowUnexported(score{})); diff != "" {
				t.Fatalf("seed %d, %x, score (-want +got):\n%s", seed, uint64(p), diff)
			}
		})
		if load.err != nil {
			t.Fatal(load.err)
		}
		for _, rows := range w.segments {
			for _, r := range rows {
				if r.Bytes == 5000 && r.Blob != nil {
					t.Fatal("a reader kept a big row in what several share")
				}
			}
		}
	}
}

// TestReaderReportsDamage: a blob that cannot be read ends the search with an error.
func TestReaderReportsDamage(t *testing.T) {
	whole := posting.AppendBlob(nil, []posting.Entry{{Site: 1, URL: 1, Positions: []uint16{1}}, {Site: 2, URL: 2, Positions: []uint16{1, 2}}})
	for cut := range len(whole) {
		if cut == 0 {
			continue // a word without postings
		}
		load := &loader{cache: newBlobCache(1 << 20)}
		r := newReader(&stored{inline: whole[:cut]}, nil, load)
		for p := r.seek(1); p != noPlace; p = r.seek(p + 1) {
			if p > placeOf(2, 2) {
				t.Fatalf("%d bytes: %x", cut, uint64(p))
			}
		}
		if load.err == nil {
			t.Errorf("%d of %d bytes: no error", cut, len(whole))
		}
	}
}

// words returns n random words with few positions in few documents.
func (s *randomIndex) words(n int) []map[place][]uint16 {
	all := make([]map[place][]uint16, n)
	for i := range all {
		all[i] = map[place][]uint16{}
		for _, d := range s.some(1 + s.IntN(5)) {
			all[i][d] = s.positions()
		}
	}
	return all
}

func cursorOf(places map[place][]uint16) cursor {
	return &wordCursor{reader: newReader(inline(places), nil, &loader{}), exact: true}
}

func cursorsOf(words []map[place][]uint16) []cursor {
	list := make([]cursor, len(words))
	for i, w := range words {
		list[i] = cursorOf(w)
	}
	return list
}

// TestAnyHasWhatOneHas compares unions of zero to a thousand cursors with their parts.
func TestAnyHasWhatOneHas(t *testing.T) {
	for i, n := range []int{0, 1, 2, 3, 4, 5, 9, 17, 33, 100, 1000} {
		for seed := range uint64(max(2, 40/(n+1))) {
			s := newRandomIndex(seed+uint64(100*i), 40)
			words := s.words(n)
			want := map[place][]offset{}
			for _, w := range words {
				for p, positions := range w {
					want[p] = append(want[p], offsetsIn(positions, 0)...)
				}
			}
			for p, list := range want {
				slices.Sort(list)
				want[p] = slices.Compact(list)
			}
			checkSeeks(t, s.Rand, func() cursor { return newAny(cursorsOf(words)) }, keysOf(want), func(c cursor, p place) {
				got := c.appendOffsets([]offset{77})
				if got[0] != 77 {
					t.Fatal("appendOffsets changes earlier elements")
				}
				if diff := cmp.Diff(want[p], got[1:]); diff != "" {
					t.Fatalf("%d cursors, %x (-want +got):\n%s", n, uint64(p), diff)
				}
				var best uint16
				var count int32
				for _, w := range words {
					if w[p] != nil {
						one := cursorOf(map[place][]uint16{p: w[p]})
						one.seek(p)
						best = max(best, scoreOf(one).bits())
						count += scoreOf(one).count
					}
				}
				if got := scoreOf(c); got.bits() != best || got.count != count {
					t.Fatalf("%d cursors, %x: bits %x, %d times; want %x, %d", n, uint64(p), got.bits(), got.count, best, count)
				}
			})
		}
	}
}

// TestAnyShowsTheSameScoreInAnyOrder: of scores of equal value the union chooses the same one in any order of
// its words.
func TestAnyShowsTheSameScoreInAnyOrder(t *testing.T) {
	all := []score{
		{kind: byPhrase}, // a phrase in the body has the same value as
		{section: 1, ordinal: placeBits - bodyPhrase&placeBits}, // this place of a description
		{section: 1, ordinal: placeBits - bodyPhrase&placeBits, exact: true},
	}
	if all[0].bits() != all[1].bits() {
		t.Fatalf("%x and %x", all[0].bits(), all[1].bits())
	}
	want := all[2]
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		var of []cursor
		for _, i := range order {
			of = append(of, &scored{listCursor{places: []place{9}}, all[i]})
		}
		c := newAny(of)
		c.seek(1)
		if diff := cmp.Diff(want, scoreOf(c), cmp.AllowUnexported(score{})); diff != "" {
			t.Errorf("%v (-want +got):\n%s", order, diff)
		}
	}
}

// A scored is a cursor over documents with the same score.
type scored struct {
	listCursor
	s score
}

func (c *scored) score(s *score) { *s = c.s }

// TestAllHasWhatAllHave verifies terms, exclusions and sites of an And, and the phrase bits and the ordinal
// of several terms.
func TestAllHasWhatAllHave(t *testing.T) {
	for seed := range uint64(400) {
		s := newRandomIndex(seed, 60)
		terms, not := s.words(1+s.IntN(4)), s.words(s.IntN(3))
		for i := range not {
			for p := range not[i] {
				if s.IntN(2) == 0 {
					delete(not[i], p)
				}
			}
		}
		places, at := make([]int, len(terms)), 0
		for i := range terms {
			places[i] = at
			at += 1 + s.IntN(3)
		}
		var sites []filter
		for range s.IntN(3) {
			sites = append(sites, newSiteSet([]int32{1, []int32{2, 7, 1<<24 - 1}[s.IntN(3)], int32(s.IntN(9))}, s.IntN(3) == 0))
		}
		var want []place
		for _, d := range s.docs {
			has := func(w map[place][]uint16) bool { return w[d] != nil }
			lacks := func(w map[place][]uint16) bool { return w[d] == nil }
			shut := func(f filter) bool { set := f.(*siteSet); return slices.Contains(set.ids, d.site()) == set.not }
			if !slices.ContainsFunc(terms, lacks) && !slices.ContainsFunc(not, has) && !slices.ContainsFunc(sites, shut) {
				want = append(want, d)
			}
		}
		newCursor := func() cursor { return newAll(cursorsOf(terms), places, cursorsOf(not), sites) }
		checkSeeks(t, s.Rand, newCursor, want, func(c cursor, p place) {
			if len(terms) == 1 {
				return // as the word's own
			}
			if diff := cmp.Diff(together(terms, places, p), scoreOf(c), cmp.AllowUnexported(score{})); diff != "" {
				t.Fatalf("seed %d, %x (-want +got):\n%s", seed, uint64(p), diff)
			}
		})
	}
}

// together computes the score of several terms from all combinations of their positions.
func together(terms []map[place][]uint16, places []int, p place) score {
	all := score{exact: true, kind: byTerms, section: 3, ordinal: nearBits}
	rarest, phrases := int32(math.MaxInt32), int32(0)
	for _, w := range terms {
		best := int8(w[p][len(w[p])-1] >> 14)
		all.section = min(all.section, best)
		if best == 0 {
			rarest = min(rarest, int32(len(w[p])))
		} else {
			rarest = 1
		}
	}
	has := func(i int, section uint16, ordinal int) bool {
		return ordinal < 1<<14 && slices.Contains(terms[i][p], section<<14|uint16(ordinal))
	}
	pairs := 0
	for i, w := range terms {
		for _, at := range w[p] {
			if int8(at>>14) == all.section {
				all.ordinal = min(all.ordinal, int32(at&(1<<14-1)))
			}
		}
		if i > 0 && slices.ContainsFunc(terms[i-1][p], func(at uint16) bool {
			return has(i, at>>14, int(at&(1<<14-1))+places[i]-places[i-1])
		}) {
			pairs++
		}
	}
	all.phrase = int8(min(pairs, 2))
	for _, at := range terms[0][p] {
		whole := true
		for i := range terms {
			whole = whole && has(i, at>>14, int(at&(1<<14-1))+places[i])
		}
		if whole {
			all.phrase = 3
			phrases++
		}
	}
	if all.count = rarest; phrases > 0 {
		all.count = phrases
	}
	return all
}

// TestListStaysInOrder verifies the cursor of link: queries.
func TestListStaysInOrder(t *testing.T) {
	for seed := range uint64(50) {
		s := newRandomIndex(seed, 30)
		want := s.some(1 + s.IntN(5))
		checkSeeks(t, s.Rand, func() cursor { return &listCursor{places: want} }, want, func(cursor, place) {})
	}
}

// TestAWordOfSeveralTermsIsReadOnce: a word that is typed and also matches a pattern gets its rows once.
func TestAWordOfSeveralTermsIsReadOnce(t *testing.T) {
	p := &plan{byID: map[store.WordID]*stored{}}
	for range 2 {
		fresh := map[store.WordID]bool{}
		w := p.stored(lookup.SearchWord{ID: 5}, fresh)
		row := p.rows(fresh)
		for url := range int32(3) {
			row(lookup.SearchRow{Key: lookup.RowKey{Word: 5, FirstURL: url}})
			row(lookup.SearchRow{Key: lookup.RowKey{Word: 6, FirstURL: url}}) // of a word that was not requested
		}
		if len(w.segments) != 1 || len(w.segments[0]) != 3 {
			t.Errorf("%v", w.segments)
		}
	}
}

// scoreOf returns the score of the cursor's current document. It starts from a score with other values.
func scoreOf(c cursor) score {
	s := score{exact: true, section: 2, kind: byPhrase, phrase: 3, ordinal: 77, count: 99}
	c.score(&s)
	return s
}
