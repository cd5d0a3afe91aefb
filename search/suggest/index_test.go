package suggest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func texts(list []Text) (all []string) {
	for _, t := range list {
		all = append(all, t.Text)
	}
	return all
}

func TestFind(t *testing.T) {
	b := NewBuilder(1 << 20)
	for _, text := range []string{
		"PostgreSQL: Documentation: VACUUM", "Routine Vacuuming", "Vacuum and Analyze", "routine vacuuming", "Résumé", "日本語の検索", "pg_stat_activity", "\x00\u202eВсё\u2028о",
		"  ", "vacuum vacuum",
	} {
		if !b.Add(Text{text, "u:" + text}) {
			t.Fatal("no room")
		}
	}
	x := b.Index()
	for prefix, want := range map[string][]string{
		"vac":          {"Vacuum and Analyze", "vacuum vacuum", "PostgreSQL: Documentation: VACUUM", "Routine Vacuuming"},
		"VACUUM ":      {"Vacuum and Analyze", "vacuum vacuum"},
		"routine-vacu": {"Routine Vacuuming"},
		"resum":        {"Résumé"}, "résu": {"Résumé"},
		"検索": {"日本語の検索"}, "pg_st": {"pg_stat_activity"}, "activ": {"pg_stat_activity"}, "все": {"Всё о"}, "": nil, "x": nil, "zz": nil, "!": nil,
	} {
		if diff := cmp.Diff(want, texts(x.Find(Fold(prefix), 4))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", prefix, diff)
		}
	}
	if got := x.Find("routine", 1); got[0].URL != "u:Routine Vacuuming" {
		t.Errorf("%+v", got)
	}
}

// The memory of an index is bounded, and the best texts are in it.
func TestMemoryIsBounded(t *testing.T) {
	b := NewBuilder(10000)
	n := 0
	for b.Add(Text{fmt.Sprintf("the title of document %d", n), "https://www.example.org/"}) {
		n++
	}
	x := b.Index()
	if n < 50 || n > 150 || x.Len() != n || len(x.Find("the", 10)) != 10 || x.Find("the", 10)[0].Text != "the title of document 0" {
		t.Errorf("%d texts, %v", n, x.Find("the", 10))
	}
}

// Find agrees with a search through all texts.
func TestFindAgreesWithASearchThroughAll(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	b := NewBuilder(1 << 20)
	var all []string
	for range 3000 {
		words := make([]string, 1+random.IntN(4))
		for i := range words {
			words[i] = string(rune('a'+random.IntN(4))) + string(rune('a'+random.IntN(6))) + string(rune('a'+random.IntN(6)))
		}
		text := strings.Join(words, " ")
		if !slices.Contains(all, text) {
			all = append(all, text)
			b.Add(Text{Text: text})
		}
	}
	x := b.Index()
	for _, prefix := range []string{"a", "b", "ab", "abc", "abc d", "abc ", "z", "dff"} {
		var begin, inside []string
		n := 0
		for _, text := range all {
			if strings.HasPrefix(text, prefix) || strings.Contains(text, " "+prefix) {
				if n++; n > 30 {
					break
				}
				if strings.HasPrefix(text, prefix) {
					begin = append(begin, text)
				} else {
					inside = append(inside, text)
				}
			}
		}
		want := append(begin, inside...)
		want = want[:min(len(want), 10)]
		if diff := cmp.Diff(want, texts(x.Find(prefix, 10))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", prefix, diff)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("Routine Vacuuming", "vacu")
	f.Add("日本語\u202e<script>", "本")
	f.Add(strings.Repeat("ﷺ", 100), "ص")
	f.Fuzz(func(t *testing.T, text, prefix string) {
		b := NewBuilder(1 << 16)
		b.Add(Text{Text: text})
		x := b.Index()
		for _, found := range x.Find(Fold(prefix), 3) {
			if found.Text != Clean(text) || !utf8.ValidString(found.Text) || len(found.Text) > MaxText {
				t.Errorf("%q for %q", found.Text, text)
			}
		}
		if folded := Fold(text); Fold(folded) != folded {
			t.Errorf("%q folds to %q, which folds to %q", text, folded, Fold(folded))
		}
		if folded := strings.TrimSpace(Fold(Clean(text))); folded != "" && len(x.Find(folded, 1)) != 1 {
			t.Errorf("%q is not found by itself, %q", text, folded)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	builder := NewBuilder(64 << 20)
	for i := 0; ; i++ {
		words := make([]string, 6)
		for i := range words {
			words[i] = fmt.Sprintf("%c%cword%d", 'a'+random.IntN(26), 'a'+random.IntN(26), random.IntN(1000))
		}
		if !builder.Add(Text{strings.Join(words, " "), fmt.Sprintf("https://www.example.org/some/path/%d", i)}) {
			break
		}
	}
	x := builder.Index()
	b.Logf("%d texts", x.Len())
	for _, prefix := range []string{"a", "ab", "abword12", "w"} {
		b.Run(prefix, func(b *testing.B) {
			for b.Loop() {
				x.Find(prefix, 10)
			}
		})
	}
}
