package document

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// tokenCases: each word, with its place where that is not obvious.
var tokenCases = []struct{ name, text, want string }{
	{"letters and digits", "Hello, World 2003 x1y2", "hello world 2003 x1y2"},
	{"foo_bar and don't are two words", "foo_bar don't e-mail C++ 3.14", "foo bar don t e mail c 3 14"},
	{"typographic apostrophe", "l’été", "l été"},
	{"Cyrillic is folded", "Стокгольм ЁЖ", "стокгольм ёж"},
	{"NFKC composes", "e\u0301te\u0301", "été"},
	{"NFKC of compatibility letters", "ﬁn Ａｂｃ１２", "fin abc12"},
	{"raised and lowered digits are digits", "x² CO₂ H₂O m²", "x2 co2 h2o m2"},
	{"numbers that are letters or digits", "½ Ⅷ ⑴ ① 二〇二四年", "viii 1 二〇 〇二 二四 四年"},
	{"soft hyphen", "Wirt\u00ADschaft a\u00AD b \u00ADc", "wirtschaft a b c"},
	{"joiners and marks of direction", "می\u200Cخواهم x\u200E\u2060y\uFEFFz ක්\u200Dය", "میخواهم xyz ක්ය"},
	{"variation selectors", "a\uFE0F葛\U000E0100飾", "a 葛飾"},
	{"the blank without width ends words", "a\u200Bb", "a b"},
	{"but no run of a script without blanks", "日\u200B本 កម្ពុ\u200Bជា", "日本 កម ម្ ្ព ពុ ុជ ជា"},
	{"ligature that holds blanks", "\uFDFA", "صلى الله عليه وسلم"},
	{"the dot of ŀ separates as it does alone", "coŀlecció col·lecció", "col lecció col lecció"},
	{"Turkish dotted I survives", "İSTANBUL istanbul ISPARTA ısparta", "istanbul istanbul isparta ısparta"},
	{"dotted I with another accent", "I\u0307\u0300", "ì"},
	{"final sigma", "ΟΔΟΣ οδος Σ ΣΑΣ", "οδος οδος σ σας"},
	{"sharp s", "STRAẞE Straße", "straße straße"},
	{"Han becomes pairs", "日本語", "日本 本語"},
	{"a single character stands for itself", "日 x", "日 x"},
	{"runs end where the script does", "日本ABC語", "日本 abc 語"},
	{"Han and kana are one", "東京タワーへ", "東京 京タ タワ ワー ーへ"},
	{"hiragana and katakana are one", "のテスト", "のテ テス スト"},
	{"halfwidth kana compose", "ｶﾞｷﾞ", "ガギ"},
	{"kana with a separate mark", "か\u3099く", "がく"},
	{"Thai", "ไทย กข", "ไท ทย กข"},
	{"words of Han and kana", "書き込みを", "書き き込 込み みを"},
	{"Lao, Burmese and Khmer", "ລາວ မြန်မာ ខ្មែរ", "ລາ າວ မြ ြန န် ်မ မာ ខ្ ្ម មែ ែរ"},
	{"Thai digits belong to the script", "๑๒๓", "๑๒ ๒๓"},
	{"digits are a word of their own", "2003年", "2003 年"},
	{"Hangul is written with blanks", "안녕하세요 여러분", "안녕하세요 여러분"},
	{"Han beyond the basic plane", "𠀀𠀁𠀂", "𠀀𠀁 𠀁𠀂"},
	{"iteration mark", "人々", "人々"},
	{"punctuation of CJK", "日本。中国、", "日本 中国"},
	{"a mark needs a letter", "❤\uFE0F x \u0301 a\u0301", "x á"},
	{"Devanagari keeps its marks", "हिन्दी", "हिन्दी"},
	{"Arabic", "العربية ١٢٣", "العربية ١٢٣"},
	{"nothing", " .,;!? ", ""},
}

func TestTokens(t *testing.T) {
	for _, c := range tokenCases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for word := range words(c.text) {
				got = append(got, word)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("%q:\ngot  %q\nwant %q", c.text, s, c.want)
			}
		})
	}
}

func TestTokensPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"Ab, çA":                       "0:2 4:7",
		"x日本語y":                        "0:1 1:7 4:10 10:11",
		"ｶﾞｷﾞ ﾊﾟ":                      "0:12 13:19",
		"日":                            "0:3",
		strings.Repeat("x", 33) + " y": "0:33 34:35",
	} {
		var got []string
		Tokens(text, func(word string, start, end int) bool {
			got = append(got, fmt.Sprintf("%d:%d", start, end))
			return true
		})
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
	}
	n := 0
	Tokens("a b c", func(string, int, int) bool { n++; return n < 2 })
	if n != 2 {
		t.Errorf("%d calls after false", n)
	}
}

func TestPaired(t *testing.T) {
	for text, want := range map[string]bool{
		"日本語": true, "日": true, "タワー": true, "の": true, "ไทย": true, "หิน": true, "๑๒": true, "ｶﾞｷﾞ": true,
		"ខ្មែរ": true, "書き": true, "x": false, "é": false, "ж": false, "हिन्दी": false, "안녕": false, "2003": false, "١٢": false,
	} {
		n := 0
		for word := range words(text) {
			n++
			if Paired(word) != want {
				t.Errorf("%q of %q: %v", word, text, !want)
			}
		}
		if n == 0 {
			t.Errorf("%q has no words", text)
		}
	}
	if Paired("") { // a word that is too long
		t.Error("the empty word")
	}
}

func TestTokensOfLongWord(t *testing.T) {
	for _, letter := range []string{"x", "é", "e\u0301", "Ж"} {
		for n, want := range map[int]string{32: "1", 33: "0", 257: "0", 5000: "0"} {
			var got []string
			for word := range words(strings.Repeat(letter, n)) {
				got = append(got, fmt.Sprint(min(1, len(word))))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%d of %q: %v, want %s", n, letter, got, want)
			}
		}
	}
}

// TestClassTable compares the table of the basic plane with a slow computation, for every character.
func TestClassTable(t *testing.T) {
	table := bmp()
	for r := range rune(1 << 16) {
		want := uint8(classNone)
		switch {
		case ignorable(r):
			want = classIgnorable
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.In(r, unicode.No, unicode.Nl) && numberClass(r) == classLetter:
			want = describe(r, classLetter)
		case unicode.IsMark(r):
			want = describe(r, classMark)
		}
		if table[r] != want {
			t.Fatalf("U+%04X: %d, want %d", r, table[r], want)
		}
	}
}

// TestFoldingIsStable: every character, alone and between others, folds into words that fold into themselves.
func TestFoldingIsStable(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if !utf8.ValidRune(r) || r > 0x30000 && r < 0xE0000 {
			continue
		}
		for _, text := range []string{string(r), "I" + string(r), string(r) + "\u0307", "Σ" + string(r) + "\u0300"} {
			for word := range words(text) {
				again := ""
				for w := range words(word) {
					again += w + "|"
				}
				if class := classOf(bmp(), firstRune(word)) & classMask; again != word+"|" && class != classMark {
					t.Fatalf("U+%04X: %q becomes %q", r, word, again)
				}
			}
		}
	}
}
