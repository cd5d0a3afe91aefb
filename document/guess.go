package document

import (
	"bytes"
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/saintfish/chardet"
)

const (
	// guessReach is the number of bytes of a body that are searched for text beyond ASCII, and guessSample the number
	// of bytes of that text that are used: more does not change the result.
	guessReach  = 1 << 17
	guessSample = 2048
	// guessFloor is the confidence (0 to 100) from which a charset of several bytes a character is accepted. Right
	// answers have 85 and more, on 40 characters; Cyrillic and Thai texts are taken for Chinese with up to 78.
	guessFloor = 80
	// turkishFloor is the same for Turkish, whose letters are letters in windows-1252, too; see isTurkish.
	turkishFloor = 30
	// guessErrors: a charset of several bytes is wrong when more than one character of so many cannot be decoded.
	guessErrors = 50
	// guessOdd: a charset of one byte is wrong when more than one character beyond ASCII of so many is odd.
	guessOdd = 12
)

// alphabets are groups of charsets that the detector confuses or has no statistics for, by the name that the detector
// reports. The first of a group is preferred when all fit equally well.
var alphabets = map[string][]string{
	"ISO-8859-5":   {"iso-8859-5"},
	"KOI8-R":       {"koi8-r", "koi8-u"},
	"windows-1251": {"windows-1251", "x-mac-cyrillic"},
	"ISO-8859-6":   {"iso-8859-6", "windows-1256"},
	"windows-1256": {"windows-1256", "iso-8859-6"},
	"ISO-8859-7":   {"iso-8859-7", "windows-1253"},
	"windows-1253": {"windows-1253", "iso-8859-7"},
	"ISO-8859-8":   {"windows-1255"},
	"ISO-8859-8-I": {"windows-1255"},
	"windows-1255": {"windows-1255"},
}

// cyrillic are the charsets to try when none that the detector proposes fits. It has no statistics for ibm866.
var cyrillic = []string{"ibm866", "windows-1251", "koi8-r", "koi8-u", "iso-8859-5"}

// latin are the charsets of Latin letters. Only odd characters distinguish them: the statistics of the detector cover
// few languages, and their letters are the same bytes in several of these charsets.
var latin = []string{defaultName, "iso-8859-2", "windows-1250", "windows-1257", "macintosh"}

// multibyte are the charsets of several bytes a character, as the detector and as the Web call them.
var multibyte = map[string]string{
	"Shift_JIS": "shift_jis", "EUC-JP": "euc-jp", "EUC-KR": "euc-kr", "Big5": "big5", "GB-18030": "gb18030",
}

// guessCharset returns a label for bytes that are not UTF-8 and whose charset is not declared, or an empty string.
//
// The statistics of ICU propose charsets. Two rules of ours cover what they miss: the spelling of Thai, and characters
// that do not occur in words (see isOdd), for which a charset is rejected or a related one preferred.
func guessCharset(body []byte) string {
	sample := wordsBeyondASCII(body)
	if len(sample) == 0 {
		return ""
	}
	guesses := detect(sample)
	for _, guess := range guesses {
		if label := multibyte[guess.Charset]; label != "" && guess.Confidence >= guessFloor && decodes(sample, label) {
			return label
		}
	}
	if isThai(sample) {
		return "windows-874"
	}
	if label := foreignAlphabet(sample, guesses); label != "" {
		return label
	}
	if label := shortEastAsian(sample); label != "" {
		return label
	}
	// A single odd character may be a slip of the author.
	if r, usual := leastOdd(sample, latin), read(sample, defaultName); usual.odd > 1 && r.odd*guessOdd <= r.beyond && r.odd*4 <= usual.odd {
		return r.label
	}
	return ""
}

// foreignAlphabet finds a charset of another alphabet than Latin, or Turkish. Of the proposals that fit it takes the one with
// the fewest odd characters, of equal ones the most probable: in a line or two the detector takes Cyrillic for Hebrew, Arabic
// or Greek, whose letters are the same bytes.
func foreignAlphabet(sample []byte, guesses []chardet.Result) string {
	var best reading
	for _, guess := range guesses {
		switch {
		case guess.Charset == "ISO-8859-9" || guess.Charset == "windows-1254":
			if best.label == "" && guess.Confidence >= turkishFloor && isTurkish(sample) {
				return "windows-1254"
			}
		case alphabets[guess.Charset] != nil:
			r := leastOdd(sample, alphabets[guess.Charset])
			greek := guess.Charset == "ISO-8859-7" || guess.Charset == "windows-1253"
			better := best.label == "" || r.odd < best.odd && r.label != "x-mac-cyrillic" // which hardly any page is in
			if r.foreign() && better && !(greek && isHebrew(sample)) {
				best = r
			}
		}
	}
	if best.label != "" {
		return best.label
	}
	if r := leastOdd(sample, cyrillic); r.foreign() {
		return r.label
	}
	return ""
}

// detect returns the proposals of the detector, the most probable first, always in the same order.
func detect(sample []byte) []chardet.Result {
	guesses, err := chardet.NewTextDetector().DetectAll(sample)
	if err != nil {
		return nil // no proposal
	}
	slices.SortFunc(guesses, func(a, b chardet.Result) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.Charset, b.Charset))
	})
	return guesses
}

// wordsBeyondASCII returns the words of a body that have bytes beyond ASCII, separated by spaces, without tags, at most
// guessSample bytes. Words in ASCII, most of them markup and scripts, say nothing about the charset, and would hide the
// others. None of the charsets has <, > or a space as a part of a character.
func wordsBeyondASCII(body []byte) []byte {
	var sample []byte
	rest := body[:min(len(body), guessReach)]
	for len(sample) < guessSample {
		first := bytes.IndexFunc(rest, func(r rune) bool { return r >= utf8.RuneSelf })
		if first < 0 {
			break
		}
		isEdge := func(r rune) bool { return r <= ' ' || r == '<' || r == '>' || r == '"' || r == '\'' }
		begin := bytes.LastIndexFunc(rest[:first], isEdge) + 1
		length := bytes.IndexFunc(rest[first:], isEdge)
		if length < 0 {
			length = len(rest) - first
		}
		sample = append(append(sample, rest[begin:first+length]...), ' ')
		rest = rest[first+length:]
	}
	return sample[:min(len(sample), guessSample)]
}

// decodes reports whether nearly all of a sample is text in a charset.
func decodes(sample []byte, label string) bool {
	enc, _ := lookup(label)
	decoded, err := enc.NewDecoder().Bytes(sample)
	return err == nil && bytes.Count(decoded, []byte("\uFFFD"))*guessErrors <= utf8.RuneCount(decoded)
}

// shortEastAsian finds the charset of a few characters of two bytes each, to which the detector gives the same low
// confidence in every charset: Hangul only, some kana, or Han only. Both bytes are beyond ASCII; in words of other
// alphabets they rarely come in pairs.
func shortEastAsian(sample []byte) string {
	const (
		fewest  = 4   // characters
		longest = 256 // bytes
	)
	beyond := 0
	for _, run := range bytes.FieldsFunc(sample, func(r rune) bool { return r < utf8.RuneSelf }) {
		if len(run)%2 != 0 {
			return ""
		}
		beyond += len(run)
	}
	if beyond < 2*fewest || len(sample) > longest {
		return ""
	}
	for _, label := range []string{"euc-kr", "euc-jp", "gb18030"} {
		enc, _ := lookup(label)
		text, err := enc.NewDecoder().Bytes(sample)
		if err != nil {
			continue
		}
		var hangul, kana, han, other int
		for _, r := range string(text) {
			switch {
			case r < utf8.RuneSelf, unicode.IsPunct(r):
			case unicode.Is(unicode.Hangul, r):
				hangul++
			case unicode.In(r, unicode.Hiragana, unicode.Katakana):
				kana++
			case unicode.Is(unicode.Han, r):
				han++
			default:
				other++
			}
		}
		if other == 0 && (label == "euc-kr" && kana+han == 0 || label == "euc-jp" && hangul == 0 && kana > han/4 ||
			label == "gb18030" && hangul+kana == 0) {
			return label
		}
	}
	return ""
}

// reading counts the characters of a sample decoded by a charset of one byte a character.
type reading struct {
	label  string
	beyond int // characters beyond ASCII
	odd    int // those that occur in no word: see isOdd
	joined int // letters beyond ASCII next to another one
}

// foreign reports whether a reading is of words in another alphabet than Latin.
func (r reading) foreign() bool { return r.odd*guessOdd <= r.beyond && r.joined*2 >= r.beyond }

// leastOdd reads a sample in several charsets and returns the reading with the fewest odd characters, of equal ones the
// first.
func leastOdd(sample []byte, labels []string) reading {
	best := read(sample, labels[0])
	for _, label := range labels[1:] {
		if r := read(sample, label); r.odd < best.odd {
			best = r
		}
	}
	return best
}

// read reads a sample in a charset of one byte a character.
func read(sample []byte, label string) reading {
	enc, _ := lookup(label)
	r := reading{label: label}
	text, err := enc.NewDecoder().Bytes(sample)
	if err != nil {
		r.odd = len(sample)
		return r
	}
	before, at := ' ', ' '
	for _, after := range string(text) + " " {
		if at >= utf8.RuneSelf {
			r.beyond++
			if isOdd(before, at, after) {
				r.odd++
			}
			if isLetterBeyondASCII(at) && (isLetterBeyondASCII(before) || isLetterBeyondASCII(after)) {
				r.joined++
			}
		}
		before, at = at, after
	}
	return r
}

func isLetterBeyondASCII(r rune) bool {
	return r >= utf8.RuneSelf && unicode.In(r, unicode.L, unicode.M)
}

// isOdd reports whether a character does not belong between its neighbors: a control character, a letter of another
// alphabet than the letter beside it, a capital letter after a small one, a point without a letter, or a symbol beside letters.
func isOdd(before, r, after rune) bool {
	switch {
	case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Co):
		return true
	case unicode.IsLetter(r):
		return isForeign(before, r) || isForeign(after, r) || unicode.IsLower(before) && unicode.IsUpper(r) ||
			unicode.IsLower(r) && unicode.IsUpper(after)
	case unicode.Is(unicode.M, r):
		return !unicode.In(before, unicode.L, unicode.M) // a point or an accent belongs to a letter before it
	case r == '\u00A0' || r == '\u00AD' || r == '\u00B7' || unicode.In(r, unicode.Pi, unicode.Pf, unicode.Pd):
		return false // spaces, hyphens, dashes and quotation marks stand beside letters
	case r == '©' || r == '®' || r == '™' || r == '°' || r == '…':
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	}
	return unicode.IsLetter(before) && unicode.IsLetter(after) || isLetterBeyondASCII(before) || isLetterBeyondASCII(after)
}

// isForeign reports whether one of two letters is Latin and the other is not.
func isForeign(a, b rune) bool {
	return unicode.IsLetter(a) && unicode.IsLetter(b) && unicode.Is(unicode.Latin, a) != unicode.Is(unicode.Latin, b)
}

// isTurkish reports whether nearly all letters beyond ASCII are Turkish ones in windows-1254, and more than a few: in a
// word or two, those of Icelandic are the same bytes.
func isTurkish(sample []byte) bool {
	turkish, other := 0, 0
	for _, c := range sample {
		switch c {
		case 0xC2, 0xC7, 0xCE, 0xD0, 0xD6, 0xDB, 0xDC, 0xDD, 0xDE, 0xE2, 0xE7, 0xEE, 0xF0, 0xF6, 0xFB, 0xFC, 0xFD, 0xFE: // âçîğöûüış
			turkish++
		default:
			if c >= 0xC0 {
				other++
			}
		}
	}
	return turkish >= 4 && other*guessOdd <= turkish
}

// isHebrew reports whether all letters of a sample are Hebrew ones. Read as Greek they would be small letters, of which
// none has an accent; a few words of Hebrew are taken for that.
func isHebrew(sample []byte) bool {
	return !slices.ContainsFunc(sample, func(c byte) bool { return c >= 0xC0 && c < 0xE0 || c > 0xFA })
}

// isThai reports whether a sample is spelled as Thai is in windows-874: tone marks and vowels above, below and behind
// belong to a consonant before them, vowels in front to one after them. A tenth of the characters are such marks.
func isThai(sample []byte) bool {
	var thai, marks, wrong int // thai counts the bytes that would be Thai, marks and wrong some of these
	for i, c := range sample {
		before, after := byte(' '), byte(' ')
		if i > 0 {
			before = sample[i-1]
		}
		if i+1 < len(sample) {
			after = sample[i+1]
		}
		consonant := before >= 0xA1 && before <= 0xCF
		tone := before >= 0xE7 && before <= 0xEE
		vowel := before == 0xD1 || before >= 0xD4 && before <= 0xDA
		switch {
		case c < 0x80 || c == 0x85 || c >= 0x91 && c <= 0x97 || c == 0xA0: // punctuation of windows-874
			continue
		case c >= 0xA1 && c <= 0xCF || c == 0xDF || c == 0xE5 || c == 0xE6: // consonants and signs
		case c >= 0xD0 && c <= 0xDA: // vowels of the consonant before
			marks++
			if !consonant && !(tone && (c == 0xD0 || c == 0xD2 || c == 0xD3)) && !(c == 0xD0 && before == 0xD2) {
				wrong++
			}
		case c >= 0xE0 && c <= 0xE4: // vowels in front
			if after < 0xA1 || after > 0xCF {
				wrong++
			}
		case c >= 0xE7 && c <= 0xEE: // tones
			marks++
			if !consonant && !vowel {
				wrong++
			}
		case c >= 0xF0 && c <= 0xF9: // digits
			if before >= 0xA1 && (before < 0xF0 || before > 0xF9) {
				wrong++
			}
		default: // nothing, or rare signs
			wrong++
		}
		thai++
	}
	return thai >= 4 && marks*10 >= thai && wrong*33 <= thai
}
