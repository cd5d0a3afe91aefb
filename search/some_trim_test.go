package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
)

// trimmed returns the words of a query that count, and their weights in units of their idf · (k1 + 1).
func trimmed(t *testing.T, documents map[string]int, text string) (texts []string, times map[string]float64, p *plan) {
	t.Helper()
	parsed, err := query.Parse(text, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]*stored{}
	for word, n := range documents {
		places := map[place][]uint16{}
		for url := range n {
			places[placeOf(1, int32(url+1))] = []uint16{uint16(len(words) % 100)}
		}
		words[word] = inline(places)
	}
	p = &plan{req: &Request{Query: parsed}, tree: flat(parsed), load: &loader{}, words: words, goneAll: true}
	p.state.Documents, p.state.Positions = 1000, 20000
	f := &docValues{}
	for url := range store.URLID(1001) {
		f.sizes = put(f.sizes, url, 40)
	}
	if err := p.evaluate(t.Context(), f, &collector{most: 10}, p.anyWord()); err != nil {
		t.Fatal(err)
	}
	times = map[string]float64{}
	for _, term := range p.some.free {
		texts = append(texts, term.text)
		times[term.text] = math.Round(100*term.most/term.idf/(k1+1)) / 100
	}
	slices.Sort(texts)
	return texts, times, p
}

// TestLongQueriesKeepWhatTheyRepeat: of many words those count that add most to a score. A word that is written five times is
// one of them though it is frequent; a word that no document has is not.
func TestLongQueriesKeepWhatTheyRepeat(t *testing.T) {
	documents := map[string]int{"topic": 300, "usual": 300}
	text, want := "topic usual", []string{"topic"}
	for i := range query.MaxTerms - 1 {
		word := fmt.Sprintf("rare%c%c", 'a'+i/26, 'a'+i%26)
		documents[word] = 100
		text += " " + word
		want = append(want, word)
	}
	slices.Sort(want)
	for i := range 10 {
		text += fmt.Sprintf(" absent%c", 'a'+i)
	}
	texts, times, p := trimmed(t, documents, text+strings.Repeat(" topic", 4))
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("words that count (-want +got):\n%s", diff)
	}
	if times["topic"] != 1+4*againWeight || times["rareaa"] != 1 {
		t.Errorf("topic counts %f times, rareaa %f times", times["topic"], times["rareaa"])
	}
	if len(p.scoring.terms) != query.MaxTerms || len(p.scoring.near) != query.MaxTerms {
		t.Errorf("%d terms in the sum, %d whose places count", len(p.scoring.terms), len(p.scoring.near))
	}
	if len(p.notes) != 1 || p.notes[0].Kind != query.ManyWords {
		t.Errorf("notes: %v", p.notes)
	}
}

// TestLongQueriesRepeatUnits: what is written without a blank, and repeated, has one cursor for each of its words and one for
// its phrase. A word that also stands alone keeps its place among the words whose nearness counts.
func TestLongQueriesRepeatUnits(t *testing.T) {
	documents := map[string]int{"pg": 10, "stat": 20, "full": 400}
	texts, times, p := trimmed(t, documents, strings.Repeat("pg-stat ", 12)+strings.Repeat("stat full ", 12))
	if diff := cmp.Diff([]string{"full", "pg", "stat", "stat"}, texts); diff != "" {
		t.Errorf("words that count (-want +got):\n%s", diff)
	}
	if want := 1 + 11*againWeight; times["pg"] != want || times["full"] != want {
		t.Errorf("pg counts %f times, full %f times, want %f", times["pg"], times["full"], want)
	}
	if len(p.some.units) != 1 || p.some.units[0].most < 11*unitWeight*p.some.units[0].idf {
		t.Errorf("units: %d", len(p.some.units))
	}
	var near []string
	for _, w := range p.scoring.near {
		near = append(near, w.Text)
	}
	if diff := cmp.Diff([]string{"pg", "stat", "full"}, near); diff != "" {
		t.Errorf("words whose nearness counts (-want +got):\n%s", diff)
	}
}

// TestPastedTextHasNoConditions: a phrase in quotation marks is a condition in a query that was typed, and none in one of so many
// words that not all of them count.
func TestPastedTextHasNoConditions(t *testing.T) {
	text := `"full table"`
	for i := range query.MaxTerms + 1 {
		if got := (&plan{tree: flat(parse(t, text))}).wordy(); got {
			t.Errorf("%d words are many", i)
		}
		text += fmt.Sprintf(" word%c", 'a'+i%26)
	}
	tree := flat(parse(t, text))
	if !(&plan{tree: tree}).wordy() {
		t.Errorf("%s: not many words", text)
	}
	if loose, phrases := Relaxed(tree); len(phrases) != 1 || slices.ContainsFunc(asAnd(loose).Terms, query.Term.Condition) {
		t.Errorf("%s: %d phrases are loosened", text, len(phrases))
	}
	if (&plan{tree: flat(parse(t, `"full table" `+strings.Repeat("+word ", query.MaxTerms-2)))}).wordy() {
		t.Error("conditions are counted")
	}
}

func parse(t *testing.T, text string) *query.Query {
	t.Helper()
	parsed, err := query.Parse(text, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
