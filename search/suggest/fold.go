package suggest

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Limits of a text, in bytes and in places at which it is found.
const (
	MaxText   = 200
	maxStarts = 24
)

// Fold returns a text as it is compared: lower case, without accents, with one blank for all between two words.
// A blank stays behind the last word if anything stands there, so that a prefix ends with a whole word then.
func Fold(text string) string {
	var b strings.Builder
	blank := false
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		switch {
		case unicode.Is(unicode.M, r) || unicode.Is(unicode.Cf, r):
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			if blank && b.Len() > 0 {
				b.WriteByte(' ')
			}
			blank = false
			b.WriteRune(unicode.ToLower(r))
		default:
			blank = true
		}
	}
	if blank && b.Len() > 0 {
		b.WriteByte(' ')
	}
	return b.String()
}

// Clean returns a text for people: on one line, without what a reader does not see, at most MaxText bytes.
func Clean(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, " "), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
	}), " ")
	if len(text) <= MaxText {
		return text
	}
	end := 0
	for i, r := range text {
		if i > MaxText-len("…") {
			break
		}
		if r == ' ' {
			end = i
		}
	}
	if end < MaxText/2 { // without blanks
		end = MaxText - len("…")
		for end > 0 && text[end]&0xC0 == 0x80 {
			end--
		}
	}
	return text[:end] + "…"
}

// noBlanks are the scripts that are written without blanks: their words begin anywhere.
var noBlanks = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// starts returns the places of a folded text at which words begin.
func starts(folded string) (at []int) {
	before := ' '
	for i, r := range folded {
		if r != ' ' && (before == ' ' || r > unicode.MaxLatin1 && unicode.In(r, noBlanks...)) && len(at) < maxStarts {
			at = append(at, i)
		}
		before = r
	}
	return at
}
