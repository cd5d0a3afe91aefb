package migrations_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/document"
)

// plain_word is document.Plain, for every character, alone and in words.
func TestPlainWord(t *testing.T) {
	_, conn := connect(t)
	texts := []string{"", "résumé", "Ещё й ї", "straße", "øre", "e\u0301\u0323x", "ἀνθρώπους", "שָׁלוֹם", "مُحَمَّدٌ", "ـ", "が日本", "한글", "हिन्दी", "Đà Nẵng"}
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if (unicode.IsLetter(r) || unicode.IsMark(r)) && !newer(string(r)) && (r < 0x4E00 || r > 0x9FFF) {
			texts = append(texts, "a"+string(r)+"b")
		}
	}
	var want []string
	for _, text := range texts {
		want = append(want, document.Plain(text))
	}
	got := column[string](t, conn, `SELECT plain_word(x.txt) FROM unnest($1::text[]) WITH ORDINALITY x (txt, n) ORDER BY x.n`, texts)
	for i := range want {
		if want[i] != got[i] {
			t.Errorf("%q %U: %q in document, %q in SQL", texts[i], []rune(texts[i]), want[i], got[i])
		}
	}
	// A plain word stays as it is.
	for i := range want {
		if again := document.Plain(want[i]); again != want[i] {
			t.Errorf("%q %U becomes %q and then %q", texts[i], []rune(texts[i]), want[i], again)
		}
	}
}

// Spellings of what people type, by indexes.
func TestWordSpellings(t *testing.T) {
	ctx, conn := connect(t)
	words := strings.Fields("resume résumé resumé resúme muller müller mueller ещё еще știință ştiinţă stiinta århus aarhus aktuell øl oel cafe straße strasse مدرسة مدرسه σοφός المدرسة المَدْرَسة")
	if _, err := conn.Exec(ctx, `INSERT INTO wordurl (word, urlcount) SELECT w, n FROM unnest($1::text[]) WITH ORDINALITY x (w, n)`, words); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"resume": "resúme resumé résumé", "résumé": "resume", "muller": "müller", "mueller": "müller", "müller": "mueller muller",
		"еще": "ещё", "ещё": "еще", "stiinta": "ştiinţă știință", "ştiinţă": "stiinta știință", "aarhus": "århus", "århus": "aarhus",
		"aktuell": "", "oel": "øl", "strasse": "straße", "straße": "strasse", "مدرسه": "مدرسة", "café": "cafe", "nothing": "", "σοφος": "σοφός", "المدرسة": "المَدْرَسة",
	} {
		got := column[string](t, conn, `SELECT word FROM word_spellings($1)`, typed)
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", typed, diff)
		}
	}
	if _, err := conn.Exec(ctx, `SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan; PREPARE spellings(text[]) AS
		SELECT t.typed, s.word FROM unnest($1) t (typed) CROSS JOIN LATERAL word_spellings(t.typed) s`); err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(column[string](t, conn, `EXPLAIN EXECUTE spellings('{a,b}')`), "\n")
	if !strings.Contains(plan, "wordurl_plain") || !strings.Contains(plan, "wordurl_word_key") || strings.Contains(plan, "Function Scan on word_spellings") {
		t.Errorf("the plan does not use the indexes:\n%s", plan)
	}
}
