package document

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// plainMarks are what Plain leaves out of words: accents, the points of Hebrew and Arabic, and the Arabic tatweel, which only
// makes a word longer. Marks of other scripts, such as the vowel signs of Hindi, are as important as letters.
var plainMarks = &unicode.RangeTable{R16: []unicode.Range16{
	{0x0300, 0x036F, 1},
	{0x0483, 0x0489, 1},
	{0x0591, 0x05BD, 1},
	{0x05BF, 0x05BF, 1},
	{0x05C1, 0x05C2, 1},
	{0x05C4, 0x05C5, 1},
	{0x05C7, 0x05C7, 1},
	{0x0610, 0x061A, 1},
	{0x0640, 0x0640, 1},
	{0x064B, 0x065F, 1},
	{0x0670, 0x0670, 1},
	{0x06D6, 0x06DC, 1},
	{0x06DF, 0x06E4, 1},
	{0x06E7, 0x06E8, 1},
	{0x06EA, 0x06ED, 1},
	{0x08D3, 0x08E1, 1},
	{0x08E3, 0x08FF, 1},
	{0x1AB0, 0x1AFF, 1},
	{0x1DC0, 0x1DFF, 1},
	{0x20D0, 0x20FF, 1},
	{0xFE20, 0xFE2F, 1},
}}

// wholeLetters are letters of Cyrillic alphabets that Unicode decomposes into another letter and a mark. ё is not among them:
// most texts write е.
const wholeLetters = "йїѓќўӂӑӓӗӛӝӟӣӥӧӫӭӯӱӳӵӹѷЙЇЃЌЎӁӐӒӖӚӜӞӢӤӦӪӬӮӰӲӴӸѶ"

// plainLetters replaces letters that Unicode does not decompose, by what people type who do not have them, and letters of
// Arabic and Persian keyboards that look alike.
var plainLetters = strings.NewReplacer("ø", "o", "ł", "l", "đ", "d", "ð", "d", "ħ", "h", "ŧ", "t", "ı", "i",
	"ى", "ي", "ة", "ه", "ی", "ي", "ک", "ك", "ß", "ss", "æ", "ae", "œ", "oe", "þ", "th")

// Plain returns a word without accents, points and the like, as people type it who leave them out. Words with the same plain
// form are spellings of one word: Résumé and resume, ещё and еще. plain_word is the same in SQL.
func Plain(word string) string {
	ascii := true
	for i := range len(word) {
		ascii = ascii && word[i] < utf8.RuneSelf
	}
	if ascii {
		return word
	}
	var b strings.Builder
	for _, r := range word {
		if strings.ContainsRune(wholeLetters, r) {
			b.WriteRune(r)
			continue
		}
		for _, d := range norm.NFD.String(string(r)) {
			if !unicode.Is(plainMarks, d) {
				b.WriteRune(d)
			}
		}
	}
	if plain := norm.NFC.String(plainLetters.Replace(b.String())); plain != "" {
		return plain
	}
	return word
}
