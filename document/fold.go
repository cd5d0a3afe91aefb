package document

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The properties of a character for the word rules. The first three bits are a class; the others are flags.
const (
	classNone      = iota // ends a word
	classLetter           // a letter or digit of a script written with blanks
	classMark             // continues a run of any class, begins none
	classHan              // Han and kana, which Japanese mixes within words
	classUnspaced         // Thai, Lao, Burmese, Khmer: written without blanks
	classIgnorable        // not seen by a reader (soft hyphen, joiner): left out of words, ends none
	classMask      = 7

	// inert: NFKC leaves the character unchanged in every context. A run of inert characters needs no
	// normalization.
	inert = 8
	// upper: the character has another lower case.
	upper = 16
)

// asciiClass is the class of each byte: classLetter with upper for capitals, or classNone. Bytes beyond ASCII
// are nonASCII: the character that they begin must be decoded.
var asciiClass = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = nonASCII
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			t[c] = classLetter | inert
		case 'A' <= c && c <= 'Z':
			t[c] = classLetter | inert | upper
		}
	}
	return t
}()

const nonASCII = 128

// bmp returns the class of each character of the basic plane. A look-up in the tables of package unicode for
// each character would cost more than all other work together. The table takes a millisecond to build and is
// built when the first character beyond ASCII appears.
var bmp = sync.OnceValue(func() *[1 << 16]uint8 {
	t := new([1 << 16]uint8)
	fill := func(class uint8, tables ...*unicode.RangeTable) {
		for _, table := range tables {
			for _, rng := range table.R16 {
				for r := rune(rng.Lo); r <= rune(rng.Hi); r += rune(rng.Stride) {
					t[r] = class
				}
			}
		}
	}
	fill(classLetter, unicode.L, unicode.Nd)
	fill(classMark, unicode.M)
	fill(classIgnorable, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
	fill(classNone, visibleFormats, unicode.Prepended_Concatenation_Mark)
	for _, table := range []*unicode.RangeTable{unicode.No, unicode.Nl} {
		for _, rng := range table.R16 {
			for r := rune(rng.Lo); r <= rune(rng.Hi); r += rune(rng.Stride) {
				t[r] = numberClass(r)
			}
		}
	}
	for r := range t {
		if t[r] != classNone {
			t[r] = describe(rune(r), t[r])
		}
	}
	return t
})

// visibleFormats are the characters of category Cf that are seen: annotations, and the signs between hieroglyphs. The
// blank without width is among them: it shows where a line may end, which in scripts without blanks is no end of a run (run).
var visibleFormats = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: zeroWidthSpace, Hi: zeroWidthSpace, Stride: 1}, {Lo: 0xFFF9, Hi: 0xFFFB, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x13430, Hi: 0x13440, Stride: 1}},
}

const zeroWidthSpace = 0x200B

// numberClass returns the class of a number that is no decimal digit. One that NFKC makes letters or digits of is such:
// the ₂ of CO₂, Ⅻ. So are the numbers of Han (〇). Others (½, ⑴, ㊀) are signs.
func numberClass(r rune) uint8 {
	if unicode.Is(unicode.Han, r) {
		return classLetter
	}
	s := string(r)
	normal := norm.NFKC.String(s)
	for _, c := range normal {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) || scriptClass(c) != classLetter || normal == s {
			return classNone
		}
	}
	return classLetter
}

// ignorable reports whether a character beyond the basic plane is one that a reader does not see.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.In(r, visibleFormats, unicode.Prepended_Concatenation_Mark)
}

// classOf returns the class and flags of one character.
func classOf(table *[1 << 16]uint8, r rune) uint8 {
	if r < 1<<16 {
		return table[r]
	}
	switch {
	case ignorable(r):
		return classIgnorable
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.In(r, unicode.No, unicode.Nl) && numberClass(r) == classLetter:
		return describe(r, classLetter)
	case unicode.IsMark(r):
		return describe(r, classMark)
	}
	return classNone
}

// describe refines the class of a letter, digit or mark by its script and adds the flags.
func describe(r rune, class uint8) uint8 {
	switch class {
	case classIgnorable:
		return class
	case classLetter:
		class = scriptClass(r)
	}
	var b [utf8.UTFMax]byte
	s := b[:utf8.EncodeRune(b[:], r)]
	if p := norm.NFKC.Properties(s); p.BoundaryBefore() && p.CCC() == 0 && norm.NFKC.IsNormal(s) {
		class |= inert
	}
	if lowerOf(r) != r {
		class |= upper
	}
	return class
}

// scriptClass distinguishes the scripts that are cut into bigrams from all others. Unicode counts some signs
// that are only used with kana or Han as common to several scripts; they are listed here.
func scriptClass(r rune) uint8 {
	switch {
	case r < 0x0E00:
		return classLetter
	case r == 'ー' || r == 'ｰ' || r == 'ﾞ' || r == 'ﾟ' || 0x3031 <= r && r <= 0x3035 || r == '〆',
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return classHan
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Myanmar, unicode.Khmer):
		return classUnspaced
	}
	return classLetter
}

// lowerOf returns the lower case of one character. The Turkish İ becomes i, as in the word's lower-case
// spelling, and ı is unchanged, so a word with either keeps its length and is found.
func lowerOf(r rune) rune { return unicode.ToLower(r) }

// fold appends the NFKC form of a run in lower case to dst, without what a reader does not see. Folding the result again
// changes nothing: lower case can undo the normal form (İ with a grave), so both steps are repeated until they agree.
func fold(dst, run []byte) []byte {
	start := len(dst)
	dst = norm.NFKC.Append(dst, seen(run)...)
	for range 4 {
		if !hasUpper(dst[start:]) {
			break
		}
		low := appendLower(nil, dst[start:])
		dst = norm.NFKC.Append(dst[:start], low...)
	}
	return dst
}

// seen returns a run without its ignorable characters: run itself when there are none.
func seen(run []byte) []byte {
	hidden := func(r rune) bool { return r == zeroWidthSpace || classOf(bmp(), r) == classIgnorable }
	if !bytes.ContainsFunc(run, hidden) {
		return run
	}
	return bytes.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, run)
}

func hasUpper(run []byte) bool {
	for i := 0; i < len(run); {
		r, size := utf8.DecodeRune(run[i:])
		if lowerOf(r) != r {
			return true
		}
		i += size
	}
	return false
}

// appendLower appends a run in lower case. A capital sigma at the end of a run of several letters becomes the
// final sigma, as in written Greek.
func appendLower(dst, run []byte) []byte {
	for i := 0; i < len(run); {
		r, size := utf8.DecodeRune(run[i:])
		if r == 'Σ' && i+size == len(run) && i > 0 {
			r = 'ς'
		}
		i += size
		dst = utf8.AppendRune(dst, lowerOf(r))
	}
	return dst
}
