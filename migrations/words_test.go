package migrations_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/document"
)

// wordsOf returns the tokens of document.Tokens for a text, words that are too long as empty ones.
func wordsOf(text string) []string {
	list := []string{}
	document.Tokens(text, func(word string, _, _ int) bool {
		list = append(list, word)
		return true
	})
	return list
}

// textWords returns the results of text_words for some texts.
func textWords(t *testing.T, ask func(query string, args ...any) []string, texts []string) (list [][]string) {
	t.Helper()
	// \x01 stands between words: it is in none.
	for _, joined := range ask(`
		SELECT coalesce((SELECT string_agg(w.word || E'\x01', '' ORDER BY w.place) FROM text_words(x.txt) w), '')
		FROM unnest($1::text[]) WITH ORDINALITY x (txt, n) ORDER BY x.n`, texts) {
		words := strings.Split(joined, "\x01")
		list = append(list, words[:len(words)-1])
	}
	return list
}

// A query in SQL is cut into the same words as documents.
func TestTextWords(t *testing.T) {
	_, conn := connect(t)
	texts := []string{
		"", " .,;!? ", "Hello, World 2003 x1y2", "foo_bar don't e-mail C++ 3.14", "pg_stat_activity", "l’été", "Ünïcödé",
		"Стокгольм ЁЖ Ѐѝ", "e\u0301te\u0301", "ﬁn Ａｂｃ１２ ﬀﬃ ǆ Ǆ", "x² ½ Ⅷ ①", "\uFDFA", "\uFDFB a", "coŀlecció col·lecció",
		"İSTANBUL istanbul ISPARTA ısparta", "I\u0307\u0300", "ΟΔΟΣ οδος Σ ΣΑΣ ΑΣ1 ὈΔΥΣΣΕΎΣ ᾼ ᾂ", "STRAẞE Straße", "日本語", "日", "日 x",
		"日本ABC語", "東京タワーへ", "のテスト", "ｶﾞｷﾞ ﾊﾟ", "か\u3099く", "ไทย กข", "๑๒๓", "2003年", "안녕하세요 여러분", "𠀀𠀁𠀂", "人々 〆切 〱",
		"日本。中国、", "❤\uFE0F x \u0301 a\u0301", "हिन्दी में", "العربية ١٢٣", "ㅎㅏㄴ 한", "日\u0301本", "タ\u0301", "ไม้ เที่ยว", "๐ก็ ็",
		"ͺ ͺa aͺ", "㍿ ㌀ カ㌀", "ﷲ", "ǅ ǈ ǋ ǲ", "KÅΩ", "ȺȾ Ⅎↄ Ꭰꭰ Ა", "𐐀𐐨 𞤀𞤢 𞤀", "a\u200Db a\u00ADb", "Wirt\u00ADschaft \u00ADa\u00AD b", "a\u200Bb 日\u200B本 កម្ពុ\u200Bជា", "CO₂ m² x¹⁰", "二〇二四年",
		"書き込みを", "ລາວ မြန်မာ ខ្មែរ", "葛\U000E0100飾", strings.Repeat("a\u00AD", 200), strings.Repeat("ab\u00AD", 16), "ＡＢ日本ｱ",
		"q\u0323\u0307 q\u0307\u0323", "\U0001D400\U0001D7D8", "ﾞﾟ", "x\u0300\u0301\u0302y",
		strings.Repeat("x", 32), strings.Repeat("x", 33) + " y", strings.Repeat("é", 257) + " y", strings.Repeat("É", 256), strings.Repeat("ﬁ", 16),
		strings.Repeat("ﬁ", 17), strings.Repeat("e\u0301", 32), strings.Repeat("日", 300), "a\nb\tc\rd\vе",
	}
	got := textWords(t, func(q string, args ...any) []string { return column[string](t, conn, q, args...) }, texts)
	for i, text := range texts {
		if diff := cmp.Diff(wordsOf(text), got[i]); diff != "" {
			t.Errorf("%q (-document +SQL):\n%s", text, diff)
		}
	}
}

// What a character is changes from one to the next at the same places as in package document, and to the same: the ranges are
// compared at both sides of each change, which is all of Unicode.
func TestTextWordsOfEveryRange(t *testing.T) {
	_, conn := connect(t)
	// What a character does alone, to letters around it, and to those of the other scripts before it.
	probe := func(r rune) []string {
		c := string(r)
		return []string{c, "a" + c + "b", "日" + c + "本", "タ" + c, "ก" + c + "ข", c + "\u0301"}
	}
	class := func(r rune) string {
		switch n := len(wordsOf(string(r))); {
		case n > 0 && len(wordsOf("日"+string(r))) == 1:
			return "h"
		case n > 0 && len(wordsOf("ก"+string(r))) == 1:
			return "t"
		case n > 0:
			return "l"
		case len(wordsOf("日"+string(r)+"本")) == 1 && len(wordsOf("a"+string(r)+"b")) == 2:
			return "z"
		case slices.Equal(wordsOf("a"+string(r)+"b"), []string{"ab"}):
			return "i"
		case len(wordsOf("a"+string(r)+"b")) == 1:
			return "m"
		}
		return "n"
	}
	var edges []int32
	last := class(1)
	for r := rune(2); r <= unicode.MaxRune; r++ {
		if r == 0xD800 {
			r = 0xE000
		}
		if c := class(r); c != last {
			edges = append(edges, r-1, r)
			last = c
		}
	}
	ofSQL := column[int32](t, conn, `
		SELECT e.edge FROM (
			SELECT unnest(ARRAY[lower(r), lower(r) - 1, upper(r), upper(r) - 1]) AS edge
			FROM pg_proc p, regexp_matches(p.prosrc, '''([{][^'']*[}])''::int4multirange', 'g') m, unnest(m[1]::int4multirange) r
			WHERE p.proname = 'character_classes') e
		WHERE e.edge BETWEEN 1 AND 1114111 AND e.edge NOT BETWEEN 55296 AND 57343`)
	if len(edges) < 2000 || len(ofSQL) < 2000 {
		t.Fatalf("%d edges of document, %d of SQL", len(edges), len(ofSQL))
	}
	edges = append(edges, ofSQL...) // mostly the same ones
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var texts []string
	for _, r := range edges {
		texts = append(texts, probe(r)...)
	}
	got := textWords(t, func(q string, args ...any) []string { return column[string](t, conn, q, args...) }, texts)
	for i, text := range texts {
		if diff := cmp.Diff(wordsOf(text), got[i]); diff != "" && !newer(text) {
			t.Errorf("%q %U (-document +SQL):\n%s", text, []rune(text), diff)
		}
	}
}

// newer reports characters whose normal form PostgreSQL 15 does not know: its tables are of Unicode 14.
func newer(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return 0x1E030 <= r && r <= 0x1E06D })
}

// Every capital letter has the lower case that it has in documents.
func TestFoldWord(t *testing.T) {
	_, conn := connect(t)
	var texts []string
	for r := range rune(unicode.MaxRune + 1) {
		if unicode.ToLower(r) != r || unicode.ToUpper(r) != r {
			texts = append(texts, "a"+string(r)+"a", "é"+string(r))
		}
	}
	got := textWords(t, func(q string, args ...any) []string { return column[string](t, conn, q, args...) }, texts)
	for i, text := range texts {
		if diff := cmp.Diff(wordsOf(text), got[i]); diff != "" {
			t.Errorf("%q %U (-document +SQL):\n%s", text, []rune(text), diff)
		}
	}
}

// Texts of all kinds of characters, put together by chance.
func TestTextWordsOfRandomTexts(t *testing.T) {
	_, conn := connect(t)
	random := rand.New(rand.NewPCG(5, 22))
	kinds := [][2]rune{
		{' ', '~'},
		{'a', 'z'},
		{0xA0, 0x24F},
		{0x300, 0x36F},
		{0x370, 0x52F},
		{0x590, 0x6FF},
		{0x900, 0x97F},
		{0xE00, 0xE5B},
		{0x1E00, 0x1FFF},
		{0x2000, 0x206F},
		{0x3000, 0x30FF},
		{0x4E00, 0x4E50},
		{0xAC00, 0xAC40},
		{0xF900, 0xFAFF},
		{0xFB00, 0xFDFF},
		{0xFF00, 0xFFEF},
		{0x1D400, 0x1D7FF},
		{0x20000, 0x20020},
	}
	var texts []string
	for range 3000 {
		var b strings.Builder
		for b.Len() < 40 {
			kind := kinds[random.IntN(len(kinds))]
			for range 1 + random.IntN(4) {
				b.WriteRune(kind[0] + random.Int32N(kind[1]-kind[0]+1))
			}
		}
		texts = append(texts, b.String())
	}
	got := textWords(t, func(q string, args ...any) []string { return column[string](t, conn, q, args...) }, texts)
	for i, text := range texts {
		if diff := cmp.Diff(wordsOf(text), got[i]); diff != "" {
			t.Errorf("%q %U (-document +SQL):\n%s", text, []rune(text), diff)
		}
	}
}

// Places are the characters that a word is.
func TestTextWordsPlaces(t *testing.T) {
	_, conn := connect(t)
	for text, want := range map[string]string{
		"Ab, çA":     "1:2 5:6",
		"x日本語y":      "1:1 2:3 3:4 5:5",
		"ｶﾞｷﾞ ﾊﾟ":    "1:4 6:7",
		"日":          "1:1",
		"foo_bar 日":  "1:3 5:7 9:9",
		"ＡＢ ab ＡＢ日本": "1:2 4:5 7:8 9:10",
	} {
		type place struct{ First, Last int32 }
		var got []string
		for _, p := range collect[place](t, conn, `SELECT first, last FROM text_words($1) ORDER BY place`, text) {
			got = append(got, fmt.Sprintf("%d:%d", p.First, p.Last))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
	}
}
