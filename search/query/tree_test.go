package query

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A maker makes random trees in normal form, of at most MaxTerms terms.
type maker struct {
	*rand.Rand
	terms int
}

// someWords share characters, so that pairs meet; "or" and "site" must remain words.
var someWords = []string{
	"cat", "dog", "é", "ж1", "or", "and", "site", "link", "title", "日本", "本語", "語", "日", "タワ", "ワー", "ab", "bc",
	"αναγνωσ", "αναγνως", "हिन्दी", strings.Repeat("x", 32),
}

var somePatterns = []string{"vacuum*", "vacuum?s", "vacuum??*x*", "αναγνωσ*", "éééééé*éé?e", "abcdef*σ"}

func (m *maker) sections() Sections {
	if m.IntN(3) > 0 {
		return 0
	}
	return Sections(m.IntN(15))
}

func (m *maker) leaf(s Sections) Item {
	m.terms++
	if m.IntN(5) == 0 {
		return Pattern{somePatterns[m.IntN(len(somePatterns))], s}
	}
	return Word{someWords[m.IntN(len(someWords))], s}
}

func (m *maker) skip() int { return max(0, m.IntN(6)-3) }

// full reports whether the next step or term may exceed the limit.
func (m *maker) full() bool { return m.terms >= MaxTerms-6 }

func (m *maker) sequence(s Sections, depth int) Sequence {
	var out Sequence
	for i := range 1 + m.IntN(3) {
		step := PhraseStep{Skip: m.skip()}
		if i == 0 && depth == 0 {
			step.Skip = 0
		}
		if depth < 3 && m.IntN(4) == 0 && !m.full() {
			step.Item = m.choice(s, depth)
		} else if m.terms < MaxTerms {
			step.Item = m.leaf(s)
		} else {
			break
		}
		out.Steps = append(out.Steps, step)
	}
	if depth > 0 {
		out.Tail = m.skip()
	}
	return out
}

// choice returns a choice without nested choices and without empty alternatives.
func (m *maker) choice(s Sections, depth int) Choice {
	var c Choice
	for range 2 + m.IntN(2) {
		a := m.sequence(s, depth+1)
		if len(a.Steps) == 1 && a.Steps[0].Skip == 0 {
			if _, ok := a.Steps[0].Item.(Choice); ok {
				a.Tail++
			}
		}
		if len(c.Any) > 0 && m.IntN(8) == 0 || len(a.Steps) == 0 {
			a = Sequence{Tail: 1 + m.IntN(2)}
		}
		c.Any = append(c.Any, a)
	}
	if slices.IndexFunc(c.Any, func(a Sequence) bool { return len(a.Steps) > 0 }) < 0 {
		c.Any[0] = Sequence{Steps: []PhraseStep{{Item: m.leaf(s)}}}
	}
	return c
}

func (m *maker) phrase() Node {
	s := m.sections()
	seq := m.sequence(s, 0)
	if !needsWord(seq.Steps) {
		seq.Steps = append(seq.Steps, PhraseStep{Skip: m.skip(), Item: m.leaf(s)})
	}
	return Phrase{Steps: seq.Steps, Sections: s}
}

// unit returns words as they are written without a blank.
func (m *maker) unit() Node {
	s := m.sections()
	u := Phrase{Sections: s, Unit: true}
	for i := range 2 + m.IntN(2) {
		u.Steps = append(u.Steps, PhraseStep{Item: m.leaf(s)})
		if i > 0 {
			u.Steps[i].Skip = m.skip()
		}
	}
	return u
}

func (m *maker) node(depth int) Node {
	kind := m.IntN(10)
	switch {
	case depth < 4 && kind < 3 && !m.full():
		return m.and(depth)
	case depth < 4 && kind < 5 && !m.full():
		or := Or{}
		for range 2 + m.IntN(2) {
			n := m.node(depth + 1)
			if inner, ok := n.(Or); ok {
				n = And{Terms: []Term{{Node: inner}}, Sites: m.sites(1)}
			}
			or.Any = append(or.Any, n)
		}
		return or
	case kind < 7 && !m.full():
		if m.IntN(3) == 0 {
			return m.unit()
		}
		return m.phrase()
	}
	return m.leaf(m.sections()).(Node)
}

func (m *maker) and(depth int) Node {
	var and And
	for i := range 1 + m.IntN(3) {
		t := Term{Node: m.node(depth + 1)}
		if i > 0 {
			t.Skip = m.skip()
		}
		t.Must = m.IntN(3) == 0 && free(t.Node)
		and.Terms = append(and.Terms, t)
	}
	for range m.IntN(2) {
		and.Not = append(and.Not, m.node(depth+1))
	}
	if m.IntN(3) == 0 {
		and.Sites = m.sites(1 + m.IntN(2))
	}
	if m.IntN(4) == 0 {
		and.Filters = m.filters(1 + m.IntN(2))
	}
	if len(and.Terms) == 1 {
		if _, ok := and.Terms[0].Node.(And); ok || len(and.Not)+len(and.Sites)+len(and.Filters) == 0 {
			and.Terms = append(and.Terms, Term{Node: m.leaf(0).(Node)})
		}
	}
	if len(and.Terms) == 1 {
		and.Terms[0].Must = false
	}
	return and
}

func (m *maker) sites(n int) []SiteFilter {
	var out []SiteFilter
	for range n {
		f := SiteFilter{Not: m.IntN(2) == 0}
		for range 1 + m.IntN(2) {
			m.terms++
			f.Any = append(f.Any, []Site{"a", "b.example", "1.2:80", "xn--bcher-kva", "a_b-c.d"}[m.IntN(5)])
		}
		out = append(out, f)
	}
	return out
}

func (m *maker) filters(n int) []Filter {
	var out []Filter
	for range n {
		f := Filter{Not: m.IntN(2) == 0, Kind: FilterKind(1 + m.IntN(3))}
		for range 1 + m.IntN(2) {
			m.terms++
			f.Any = append(f.Any, map[FilterKind][]string{
				ByLanguage: {"de", "zh", "fil"}, ByType: {"html", "text", "word", "c++"}, ByURL: {"/docs/", "a?b=c*d", "-", "%c3%bc"},
			}[f.Kind][m.IntN(3)])
		}
		out = append(out, f)
	}
	return out
}

// tree returns a random tree within the limits.
func (m *maker) tree() Node {
	for {
		m.terms = 0
		if n := m.node(0); m.terms <= MaxTerms {
			return n
		}
	}
}

// wide has the limits for canonical spellings.
var wide = limits{1 << 16, 1 << 10}

// TestStringParsesToTheSameTree verifies with random trees that Parse is the inverse of String.
func TestStringParsesToTheSameTree(t *testing.T) {
	o := options(t)
	kinds := map[string]int{}
	for seed := range uint64(5000) {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, 1))}
		want := &Query{Root: m.tree()}
		text := want.String()
		got, err := parse(text, o, wide)
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		if !reflect.DeepEqual(want, got) { // cmp.Diff takes milliseconds
			t.Fatalf("seed %d: %s (-want +got):\n%s", seed, text, cmp.Diff(want, got))
		}
		Walk(want.Root, func(n Node, positive bool) bool {
			kinds[fmt.Sprintf("%T %v", n, positive)]++
			return true
		})
	}
	for _, n := range []Node{Word{}, Pattern{}, Phrase{}, And{}, Or{}} {
		for _, positive := range []bool{true, false} {
			if kind := fmt.Sprintf("%T %v", n, positive); kinds[kind] < 100 {
				t.Errorf("%s was made %d times", kind, kinds[kind])
			}
		}
	}
}

func TestTermsAreThePositiveWordsInOrder(t *testing.T) {
	q, err := Parse(`cat "a (b OR vacuum*) c" -dog (d OR -(e) f) a -(g -h) title:a site:x cat`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Item{
		Word{Text: "cat"},
		Word{Text: "a"},
		Word{Text: "b"},
		Pattern{Text: "vacuum*"},
		Word{Text: "c"},
		Word{Text: "d"},
		Word{Text: "f"},
		Word{Text: "a", Sections: Title},
	}
	if diff := cmp.Diff(want, q.Terms()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var excluded []string
	for leaf, positive := range Leaves(q.Root) {
		if !positive {
			excluded = append(excluded, leaf.(Word).Text)
		}
	}
	if got := strings.Join(excluded, " "); got != "e dog g h" {
		t.Errorf("excluded: %s", got)
	}
	n := 0
	for range Leaves(q.Root) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d leaves", n)
	}
	if terms := (&Query{Link: "http://a/"}).Terms(); terms != nil {
		t.Errorf("terms of link: %v", terms)
	}
}

func TestWalkLeavesOutWhatItIsTold(t *testing.T) {
	q, err := Parse(`a (b OR c) -(d e) f`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	Walk(q.Root, func(n Node, positive bool) bool {
		got = append(got, fmt.Sprintf("%T %v", n, positive))
		_, isOr := n.(Or)
		return !isOr && positive
	})
	want := []string{"query.And true", "query.Word true", "query.Or true", "query.Word true", "query.And false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPlaces verifies the expected distances of the terms of an And.
func TestPlaces(t *testing.T) {
	for text, want := range map[string][]int{
		"a b c":                             {0, 1, 2},
		"a of the b":                        {0, 3},
		`"a b" c`:                           {0, 2},
		`pg_stat_activity "x * y" z`:        {0, 3, 6},
		`(a OR "b c d") e`:                  {0, 3},
		`"a (b OR c d) e" f`:                {0, 4},
		"(a of b) c -d e":                   {0, 3, 4},
		`the a "of b the" c`:                {0, 2, 4},
		"日本語 a":                             {0, 2},
		"vacuum* (the OR of) b site:x () c": {0, 2, 3},
	} {
		q, err := Parse(text, options(t))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, q.Root.(And).Places()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestSections(t *testing.T) {
	for s, want := range map[Sections]string{0: "0123", Body: "0", Desc: "1", Keywords: "2", Title: "3", Body | Title: "03"} {
		got := ""
		for section := range 4 {
			if s.Has(section) {
				got += fmt.Sprint(section)
			}
		}
		if got != want {
			t.Errorf("%d: %s, want %s", s, got, want)
		}
	}
}

func TestSiteLabels(t *testing.T) {
	q, err := Parse("a site:www.Example.org:8080", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"www", "example", "org:8080"}, q.Root.(And).Sites[0].Any[0].Labels()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
