package document

import (
	"unicode"
	"unicode/utf8"
)

// Scripts that one language of the web is written in, and scripts whose languages are told apart by letters that only some
// of them have.
var scripts = []struct {
	table *unicode.RangeTable
	lang  string
	of    []letters
}{
	{unicode.Hangul, "ko", nil},
	{unicode.Thai, "th", nil},
	{unicode.Lao, "lo", nil},
	{unicode.Khmer, "km", nil},
	{unicode.Myanmar, "my", nil},
	{unicode.Greek, "el", nil},
	{unicode.Hebrew, "he", nil},
	{unicode.Georgian, "ka", nil},
	{unicode.Armenian, "hy", nil},
	{unicode.Bengali, "bn", nil},
	{unicode.Gujarati, "gu", nil},
	{unicode.Gurmukhi, "pa", nil},
	{unicode.Tamil, "ta", nil},
	{unicode.Telugu, "te", nil},
	{unicode.Kannada, "kn", nil},
	{unicode.Malayalam, "ml", nil},
	{unicode.Sinhala, "si", nil},
	{unicode.Han, "zh", []letters{{"ja", "のにはをがでとたてい"}}},
	{unicode.Cyrillic, "", []letters{{"be", "ў"}, {"uk", "їєґ"}, {"sr", "ћђ"}, {"mk", "ѓќѕ"}, {"kk", "қңұ"}, {"ru", "ыэё"}, {"bg", "ъ"}}},
	{unicode.Arabic, "ar", []letters{{"ur", "ٹڈڑے"}, {"fa", "پچژگ"}}},
}

// letters are those by which a language is told from others of its script.
type letters struct{ lang, text string }

// A script decides when at least one word in scriptShare is in it, and letters do when at least one of its words in
// letterShare has one of them. Words of scripts without blanks are pairs of characters, so they weigh more.
const (
	scriptShare = 5
	letterShare = 50
	scriptLeast = 5
)

// scriptLanguage returns the language that the script of the document's words tells, empty when it tells none. unsure reports
// a script whose languages it cannot tell apart: words of other languages in the text say nothing then.
func (t *wordTable) scriptLanguage() (lang string, unsure bool) {
	var tokens int
	counts := make([]int, len(scripts))
	for i := range t.entries {
		e := &t.entries[i]
		n := int(e.count)
		tokens += n
		if t.text[e.offset] < utf8.RuneSelf {
			continue
		}
		if at := scriptOf(t.word(uint32(i))); at >= 0 {
			counts[at] += n
		}
	}
	best := -1
	for at, n := range counts {
		if n >= scriptLeast && n*scriptShare >= tokens && (best < 0 || n > counts[best]) {
			best = at
		}
	}
	if best < 0 {
		return "", false
	}
	s := &scripts[best]
	for _, of := range s.of {
		if t.with(best, of.text)*letterShare >= counts[best] {
			return of.lang, false
		}
	}
	return s.lang, s.lang == ""
}

// with counts the words of a script that have one of some letters.
func (t *wordTable) with(script int, letters string) (n int) {
	set := map[rune]bool{}
	for _, r := range letters {
		set[r] = true
	}
	for i := range t.entries {
		word := t.word(uint32(i))
		if word[0] < utf8.RuneSelf || scriptOf(word) != script {
			continue
		}
		for j := 0; j < len(word); {
			r, size := utf8.DecodeRune(word[j:])
			j += size
			if set[r] {
				n += int(t.entries[i].count)
				break
			}
		}
	}
	return n
}

// scriptOf returns the script of a word's first character as an index into scripts, -1 for any other. Kana counts as Han,
// with which Japanese mixes it.
func scriptOf(word []byte) int {
	r, _ := utf8.DecodeRune(word)
	if r < 0x370 { // Latin
		return -1
	}
	if unicode.In(r, unicode.Hiragana, unicode.Katakana) {
		r = '一'
	}
	for i := range scripts {
		if unicode.Is(scripts[i].table, r) {
			return i
		}
	}
	return -1
}
