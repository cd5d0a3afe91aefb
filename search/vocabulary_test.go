package search

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/search/query"
)

func parsed(t testing.TB, text string) *query.Query {
	t.Helper()
	q, err := query.Parse(text, query.Options{MinFixedPatternLength: 1})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// found returns the synonyms that a query has.
func synonymsOf(t testing.TB, v *Vocabulary, r Request) map[string][]string {
	t.Helper()
	p := &plan{req: &r, tree: query.Flat(r.Query.Root), languages: []string{"en"}}
	p.withSynonyms(v)
	all := map[string][]string{}
	for word := range p.synonyms {
		all[word] = p.synonymTexts(word)
	}
	return all
}

func TestSynonymsOfQueries(t *testing.T) {
	v := NewVocabulary(nil)
	for _, g := range [][2]string{{"car|automobile|motor car", ""}, {"db", "database"}, {"Straße|Weg", ""}, {"e-mail|email", ""}, {"car|wagon", ""}, {"日本語|japanese", ""}} {
		var instead []string
		if g[1] != "" {
			instead = strings.Split(g[1], "|")
		}
		if err := v.AddSynonyms("", strings.Split(g[0], "|"), instead); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.AddSynonyms("de", []string{"Auto", "car"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text  string
		forms bool
		want  map[string][]string
	}{
		{"car", true, map[string][]string{"car": {"automobile", "motor car", "wagon"}}},
		{"CARS", true, map[string][]string{"cars": {"automobile", "motor car", "wagon"}}},
		{"cars", false, map[string][]string{}},
		{"motor cars", true, map[string][]string{
			"motor": {"car", "automobile"}, "cars": {"car", "automobile", "motor car", "wagon"},
		}},
		{"car motor", true, map[string][]string{"car": {"automobile", "motor car", "wagon"}}},
		{"motor * car", true, map[string][]string{"car": {"automobile", "motor car", "wagon"}}},
		{`"car"`, true, map[string][]string{}},
		{"wheel -car", true, map[string][]string{}},
		{"database", true, map[string][]string{}},
		{"the db", true, map[string][]string{"db": {"database"}}},
		{"title:db OR weg", true, map[string][]string{"db": {"database"}, "weg": {"straße"}}},
		{"auto", true, map[string][]string{}},
		{"japanese", true, map[string][]string{"japanese": {"日本 本語"}}},
	} {
		r := Request{Query: parsed(t, c.text)}
		if c.forms {
			r.Forms = []string{DocumentLanguages}
		}
		if diff := cmp.Diff(c.want, synonymsOf(t, v, r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
	if got := synonymsOf(t, v, Request{Query: parsed(t, "auto"), Forms: []string{"de"}}); len(got["auto"]) != 1 {
		t.Errorf("a group in German: %v", got)
	}
	if got := synonymsOf(t, v, Request{Query: parsed(t, "car"), NoSynonyms: true}); len(got) != 0 {
		t.Errorf("NoSynonyms: %v", got)
	}
	if err := v.AddSynonyms("", []string{"--", "a"}, nil); err == nil {
		t.Error("a text without a word is taken")
	}
}

// What is written without a blank becomes its words, or alternatives if all words must be there.
func TestSynonymsOfUnits(t *testing.T) {
	v := NewVocabulary(nil)
	if err := v.AddSynonyms("", []string{"e-mail", "email", "electronic post"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		all  bool
		want string
	}{
		{"e-mail", false, "e mail"},
		{"my e-mail address", false, "my e mail address"},
		{"my e-mail address", true, `my (e-mail OR email OR "electronic post") address`},
		{"+e-mail address", false, `+(e-mail OR email OR "electronic post") address`},
		{"wi-fi", false, "wi-fi"},
	} {
		r := Request{Query: parsed(t, c.text), All: c.all}
		p := &plan{req: &r, tree: query.Flat(r.Query.Root), languages: []string{"en"}}
		p.withSynonyms(v)
		got := (&query.Query{Root: p.tree}).String()
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestKeyMatches(t *testing.T) {
	v := NewVocabulary(nil)
	for i, text := range []string{"opening hours", "opening hours", "hours opening", "Öffnungszeiten"} {
		if err := v.AddKeyMatch([]KeyMatchKind{ExactMatch, PhraseMatch, KeywordMatch, ExactMatch}[i], text, KeyMatch{URL: string(rune('a' + i))}); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"opening hours": "abc", "OPENING hour": "abc", `"opening hours"`: "abc", "our opening hours": "bc", "hours of opening": "c", "hours today": "",
		"opening -hours": "", "opening hours -today": "bc", "title:opening title:hours": "", "opening OR hours": "", "öffnungszeiten": "d", "ÖFFNUNGSZEITEN": "d",
		"opening hours site:a.example": "bc", "opening hours extra*": "bc", "link:http://a.example/": "",
	} {
		got := ""
		for _, k := range v.keyMatches(parsed(t, text), []string{"en", "de"}) {
			got += k.URL
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if (*Vocabulary)(nil).keyMatches(parsed(t, "a"), nil) != nil {
		t.Error("nothing has key matches")
	}
}

func TestOwnStopWords(t *testing.T) {
	v := NewVocabulary(nil)
	v.AddStopWords("en", []string{"Vacuum"})
	for _, c := range []struct{ text, want string }{{"the vacuum", "the"}, {"vacuum", "vacuum"}} {
		got := (&query.Query{Root: v.withoutStopWords(parsed(t, c.text).Root, []string{"en"})}).String()
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// FuzzVocabulary: whatever texts an operator writes and people type, nothing panics, and a text is found by itself.
func FuzzVocabulary(f *testing.F) {
	f.Add("car", "motor car", "my motor cars")
	f.Add("e-mail", "日本語", "日本語 e-mail")
	f.Add("<b>", "\u202e'", "title:x -y (z OR \"a b\")")
	f.Fuzz(func(t *testing.T, a, b, text string) {
		v := NewVocabulary(nil)
		err := v.AddSynonyms("", []string{a, b}, nil)
		_ = v.AddKeyMatch(KeywordMatch, a, KeyMatch{URL: "u"})
		q, wrong := query.Parse(text, query.Options{MinFixedPatternLength: 1})
		if wrong != nil || q.Root == nil {
			return
		}
		for _, all := range []bool{false, true} {
			r := Request{Query: q, All: all, Forms: []string{"en", "de"}}
			p := &plan{req: &r, tree: query.Flat(q.Root), languages: []string{"en"}}
			p.withSynonyms(v)
			for leaf := range query.Leaves(p.tree) {
				if w, ok := leaf.(query.Word); ok && err == nil && len(p.wordsOf(w.Text)) == 0 {
					t.Errorf("%q has no words", w.Text)
				}
			}
		}
		v.keyMatches(q, []string{"en"})
	})
}
