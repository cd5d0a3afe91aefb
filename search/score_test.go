package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
)

// A formula computes scores from the positions that documents have, document by document: the formula at the head of rank.go,
// without any cursors, bounds and skipping. Its numbers are written out.
type formula struct {
	words   map[string]map[place][]uint16
	forms   map[string][]string
	all     float64 // documents
	average float64 // length
	values  *docValues
}

// An asked query has words of which any is enough, those that must be there, and those that must not. A unit is "a-b" among
// the words.
type asked struct{ any, must, not string }

func (q asked) String() string {
	text := q.any
	for _, w := range strings.Fields(q.must) {
		text += " +" + w
	}
	for _, w := range strings.Fields(q.not) {
		text += " -" + w
	}
	return text
}

// formsOf returns a word and its other forms, unless it is of a unit.
func (f *formula) formsOf(word string, unit bool) []string {
	if unit {
		return []string{word}
	}
	return append([]string{word}, f.forms[word]...)
}

func (f *formula) has(word string, unit bool, at place) bool {
	return slices.ContainsFunc(f.formsOf(word, unit), func(w string) bool { return len(f.words[w][at]) > 0 })
}

func (f *formula) idf(texts []string) float64 {
	sum, largest := 0, 0
	for _, w := range texts {
		sum, largest = sum+len(f.words[w]), max(largest, len(f.words[w]))
	}
	n := min(float64((sum+largest)/2), f.all)
	return math.Log(1 + (f.all-n+0.5)/(n+0.5))
}

// x returns weighted occurrences.
func (f *formula) x(positions []uint16, at place) (x float64) {
	norm := 1.0
	if code := f.values.length(at.url()); code > 0 {
		norm = 0.25 + 0.75*math.Expm1(float64(code)/16)/f.average
	}
	for _, p := range positions {
		x += []float64{1 / norm, 2, 2, 3}[p>>14]
	}
	return x
}

// matches reports whether a document meets the conditions and, without any, has a word.
func (f *formula) matches(q asked, at place) bool {
	found := q.must != ""
	for _, w := range strings.Fields(q.any) {
		unit := strings.Split(w, "-")
		for _, part := range unit {
			found = found || f.has(part, len(unit) > 1, at)
		}
	}
	for _, w := range strings.Fields(q.must) {
		found = found && f.has(w, false, at)
	}
	for _, w := range strings.Fields(q.not) {
		found = found && len(f.words[w][at]) == 0
	}
	return found
}

// score returns the score of a document, and what the places of its words add.
func (f *formula) score(q asked, at place) (score, places float64) {
	type near struct {
		word      string
		positions []uint16
		idf       float64
	}
	var words []near
	times := map[string]int{}
	term := func(word string, unit bool) {
		texts := f.formsOf(word, unit)
		x := 0.0
		var positions []uint16
		for i, w := range texts {
			x += []float64{1, 0.6}[min(i, 1)] * f.x(f.words[w][at], at)
			positions = append(positions, f.words[w][at]...)
		}
		weight := 1.0
		if times[word]++; times[word] > 1 {
			weight = 0.7
		}
		score += weight * f.idf(texts) * 2.2 * x / (1.2 + x)
		if !slices.ContainsFunc(words, func(n near) bool { return n.word == word }) {
			slices.Sort(positions)
			words = append(words, near{word, slices.Compact(positions), f.idf(texts)})
		}
	}
	for _, w := range strings.Fields(q.any + " " + q.must) {
		unit := strings.Split(w, "-")
		for _, part := range unit {
			term(part, len(unit) > 1)
		}
		if len(unit) == 1 {
			continue
		}
		var starts []uint16
		for _, p := range f.words[unit[0]][at] {
			if slices.Contains(f.words[unit[1]][at], p+1) {
				starts = append(starts, p)
			}
		}
		x := f.x(starts, at)
		score += 0.3 * (f.idf(unit[:1]) + f.idf(unit[1:])) * 2.2 * x / (1.2 + x)
	}
	score += 0.1 * float64(f.values.link(at.url())) / 2000
	last, idf := 0, 0.0
	for i, a := range words {
		for _, b := range words[:i] {
			v := 0.0
			for _, p := range a.positions {
				for _, r := range b.positions {
					if d := math.Abs(float64(p) - float64(r)); d > 0 && d <= 8 && p>>14 == r>>14 {
						v += 1 / (d * d)
					}
				}
			}
			places += min(a.idf, b.idf) * v / (v + 1)
		}
		title := slices.IndexFunc(a.positions, func(p uint16) bool { return p>>14 == 3 })
		if title < 0 {
			last = math.MinInt32
			continue
		}
		last, idf = max(last, int(a.positions[title]&(1<<14-1))+1), idf+a.idf
		if last < 0 {
			last = math.MinInt32
		}
	}
	if last > 0 && !slices.ContainsFunc(words, func(n near) bool { return len(n.positions) == 0 || n.positions[len(n.positions)-1]>>14 != 3 }) {
		places += 0.3 * idf * min(1, float64(len(words))/float64(last))
	}
	return score, places
}

// TestRanksFollowTheFormula compares the best documents, and their ranks, of queries with other forms of words, units, conditions
// and words that MaxScore skips with those of the formula.
func TestRanksFollowTheFormula(t *testing.T) {
	usual := fewPostings
	defer func() { fewPostings = usual }()
	fewPostings = 0
	skipped := 0
	for seed := range uint64(24) {
		s := newRandomIndex(seed, 1200)
		f := &formula{words: map[string]map[place][]uint16{}, forms: map[string][]string{"bake": {"baking", "bakes"}, "index": {"indexes"}}, values: &docValues{}}
		words := map[string]*stored{}
		for text, share := range map[string]int{"bake": 40, "baking": 20, "bakes": 60, "index": 6, "indexes": 9, "full": 3, "table": 1, "rare": 90, "pg": 12, "stat": 5} {
			f.words[text] = map[place][]uint16{}
			for _, d := range s.some(share) {
				f.words[text][d] = s.mostlyInTheBody()
			}
			words[text] = inline(f.words[text])
		}
		for url := range store.URLID(4000) {
			f.values.setLink(url, uint16(s.IntN(1<<13)))
			f.values.sizes = put(f.values.sizes, url, byte(20+s.IntN(60)))
		}
		f.all, f.average = float64(len(s.docs)), 20
		for _, q := range []asked{
			{any: "bake"},
			{any: "bake table"},
			{any: "table rare index"},
			{any: "full table bake index rare"},
			{any: "index index full"},
			{any: "pg-stat bake"},
			{any: "table pg-stat"},
			{any: "bake table", not: "full"},
			{any: "table rare", must: "index"},
			{any: "full table rare", not: "pg"},
		} {
			parsed, err := query.Parse(q.String(), query.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p := &plan{req: &Request{Query: parsed}, tree: flat(parsed), load: &loader{}, words: words, forms: f.forms, goneAll: true}
			p.state.Documents, p.state.Positions = int64(f.all), int64(f.all*f.average)
			c := &collector{most: []int{1 + s.IntN(12), 110}[s.IntN(2)]}
			most := c.most
			if err := p.evaluate(t.Context(), f.values, c, p.anyWord()); err != nil {
				t.Fatal(err)
			}
			if p.some != nil && p.some.skipped {
				skipped++
			}
			_, groups := c.end()
			var got []found
			for _, g := range groups[:min(most, len(groups))] {
				got = append(got, g.best...)
			}
			f.compare(t, fmt.Sprintf("seed %d: %s", seed, q), q, s.docs, got, most)
		}
	}
	if skipped < 20 {
		t.Errorf("documents were skipped in %d queries", skipped)
	}
}

// compare compares what was found with the best documents of the formula.
func (f *formula) compare(t *testing.T, name string, q asked, docs []place, got []found, most int) {
	t.Helper()
	type scored struct {
		at            place
		score, places float64
	}
	var want []scored
	for _, at := range docs {
		if f.matches(q, at) {
			score, places := f.score(q, at)
			want = append(want, scored{at, score, places})
		}
	}
	best := func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at.url(), b.at.url()))
	}
	slices.SortFunc(want, best)
	for i := range want[:min(len(want), 100)] {
		want[i].score += want[i].places
	}
	slices.SortFunc(want, best)
	if len(got) != min(most, len(want)) {
		t.Fatalf("%s: %d documents, want %d", name, len(got), min(most, len(want)))
	}
	ranks := map[place]float64{}
	for _, w := range want {
		ranks[w.at] = w.score
	}
	for i, g := range got {
		if r := float64(g.rank) / (1 << 20); math.Abs(r-ranks[g.at]) > 1e-5 || math.Abs(r-want[i].score) > 1e-5 {
			t.Fatalf("%s: the document at place %d has rank %f, by the formula %f; the formula has one of rank %f there", name, i, r, ranks[g.at], want[i].score)
		}
	}
}
