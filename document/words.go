package document

import (
	"unicode/utf8"
)

// WordRules numbers the rules of Tokens, with which an index and the queries of it must agree (wordrules.version). 2: Han and
// kana are one script, characters that are not seen are passed over, ² and ₂ are digits, Lao, Burmese and Khmer become pairs.
const WordRules = 2

// longestRun is the number of characters beyond which a run is not folded but counts as too long a word: NFKC
// makes one character of at most four (ᾂ), so such a run cannot become 32 or fewer. This limit keeps ten
// megabytes without a blank from being normalized (B16).
const longestRun = 256

// Tokens calls yield for each word of text in order, stored or not, until it returns false. It cuts both
// documents and queries. A word is a run of letters, marks and digits that begins with a letter or digit, in
// NFKC and lower case. So foo_bar and don't are two words. Soft hyphens, joiners and other characters that are not seen
// are passed over (Wirt\u00ADschaft is one word). Runs of Han and kana, and of Thai, Lao, Burmese and Khmer, end where
// these scripts do and become overlapping pairs of characters; a single character is a word of its own.
//
// Each call is one ordinal. word is empty when it has more than 32 characters, which no index stores.
// text[start:end] is the place of the word; for a pair of characters in a run that NFKC changes, the place of
// the run.
func Tokens(text string, yield func(word string, start, end int) bool) {
	Scan([]byte(text), func(word []byte, start, end int) bool { return yield(string(word), start, end) })
}

// Scan is Tokens without a string for each word: word is valid until yield returns. Scan makes one
// allocation.
func Scan(text []byte, yield func(word []byte, start, end int) bool) {
	s := scanner{text: text}
	for s.next() {
		if !yield(s.word, s.start, s.end) {
			return
		}
	}
}

// Paired reports whether a word that Tokens yielded is of a script without blanks: a pair of characters cut from a
// run, or the single character of a run of one. Such words do not show where a word of the language begins or
// ends.
func Paired(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	if r < utf8.RuneSelf {
		return false
	}
	switch classOf(bmp(), r) & classMask {
	case classHan, classUnspaced, classMark: // a mark begins no other word
		return true
	}
	return false
}

// words is Tokens without the places.
func words(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		Tokens(text, func(word string, _, _ int) bool { return yield(word) })
	}
}

// A scanner cuts UTF-8 text into words. The caller sets text and calls next until it returns false; all other
// fields belong to the scanner. reset prepares it for another text.
type scanner struct {
	text []byte
	pos  int // where the search for the next run begins

	// The current word: nil when it is longer than MaxWordLength characters. Valid until the next call.
	word       []byte
	chars      int // characters of word
	start, end int // its place in text

	class *[1 << 16]uint8 // nil until a character beyond ASCII appears

	// The rest of a run that holds several words: bigrams, or a run that NFKC has cut.
	rest     []byte
	pairs    bool // rest is split into pairs
	inText   bool // rest is a part of text, so that places are known
	runStart int
	runEnd   int
	began    bool // a pair of the current piece of rest has been returned

	ascii  [MaxWordLength]byte
	folded []byte
}

// reset sets another text.
func (s *scanner) reset(text []byte) {
	s.text, s.pos, s.rest = text, 0, nil
}

// next finds the next word. It handles ASCII itself, which is nearly all of most documents, and leaves the
// rest to run.
func (s *scanner) next() bool {
	if len(s.rest) > 0 && s.nextOfRest() {
		return true
	}
	text := s.text
	i := s.pos
	for {
		for i < len(text) && asciiClass[text[i]] == classNone {
			i++
		}
		if i == len(text) {
			s.pos = i
			return false
		}
		if text[i] >= utf8.RuneSelf {
			r, size := s.decode(i)
			switch classOf(s.class, r) & classMask {
			case classNone, classMark, classIgnorable: // a mark needs a letter before it
				i += size
				continue
			}
			if s.run(i) {
				return true
			}
			i = s.pos
			continue
		}
		start := i
		for i < len(text) && asciiClass[text[i]]&classMask != classNone {
			i++
		}
		if i < len(text) && text[i] >= utf8.RuneSelf {
			r, _ := s.decode(i)
			if c := classOf(s.class, r) & classMask; c == classLetter || c == classMark || c == classIgnorable {
				if s.run(start) {
					return true
				}
				i = s.pos
				continue
			}
		}
		s.pos, s.start, s.end = i, start, i
		s.set(lowerASCII(&s.ascii, text[start:i]), i-start)
		return true
	}
}

// lowerASCII copies a run of letters and digits into buf in lower case, as much as fits.
func lowerASCII(buf *[MaxWordLength]byte, run []byte) []byte {
	run = run[:min(len(run), len(buf))]
	for i, c := range run {
		buf[i] = c | asciiClass[c]<<1&0x20 // upper is 16
	}
	return buf[:len(run)]
}

// decode returns the character beyond ASCII at i, and loads the class table when it is needed first.
func (s *scanner) decode(i int) (rune, int) {
	if s.class == nil {
		s.class = bmp()
	}
	return utf8.DecodeRune(s.text[i:])
}

// set makes word, with the given number of characters, the current one.
func (s *scanner) set(word []byte, chars int) {
	if s.word, s.chars = word, chars; chars > MaxWordLength {
		s.word = nil
	}
}

// run reads the run that begins at start and contains a character beyond ASCII. It returns false if NFKC left
// no word of it. Afterwards pos is behind the run.
func (s *scanner) run(start int) bool {
	r, size := s.decode(start)
	k := classOf(s.class, r)
	class, simple, small := k&classMask, k&inert != 0, k&upper == 0
	chars, i := 1, start+size
	for i < len(s.text) {
		r, size = s.decode(i)
		k = classOf(s.class, r)
		c := k & classMask
		if c == classIgnorable || r == zeroWidthSpace && class != classLetter {
			simple = false
			i += size
			continue
		}
		if c != class && c != classMark {
			break
		}
		simple = simple && k&inert != 0
		small = small && k&upper == 0
		chars++
		i += size
	}
	s.pos, s.runStart, s.runEnd = i, start, i
	s.start, s.end = start, i

	run := s.text[start:i]
	if class == classLetter {
		switch {
		case chars > longestRun:
			s.set(nil, chars)
			return true
		case simple && (small || chars > MaxWordLength):
			s.set(run, chars)
			return true
		}
	}
	s.inText = simple && small
	switch {
	case s.inText:
		s.rest = run
	case simple:
		s.folded = appendLower(s.folded[:0], run)
		s.rest = s.folded
	default:
		s.folded = fold(s.folded[:0], run)
		s.rest = s.folded
	}
	s.pairs, s.began = class != classLetter, false
	return s.nextOfRest()
}

// nextOfRest returns the next word of a run that contains several. Characters that NFKC made of a letter and
// that are no letters (the blanks of U+FDFA, the dot of ŀ) end a word here too, so that texts with one normal
// form have the same words.
func (s *scanner) nextOfRest() bool {
	for len(s.rest) > 0 {
		first, n, chars := 0, 0, 0
		for n < len(s.rest) && (!s.pairs || chars < 2) {
			r, size := s.decodeRest(n)
			c := classOf(s.class, r) & classMask
			if c == classNone || chars == 0 && c == classMark && !s.began {
				break
			}
			if chars == 0 {
				first = size
			}
			chars++
			n += size
		}
		switch {
		case chars == 0: // no word begins here
			_, size := s.decodeRest(0)
			s.rest, s.began = s.rest[size:], false
			continue
		case !s.pairs:
			s.set(s.rest[:n], chars)
			s.rest = s.rest[n:]
			return true
		case chars == 1 && s.began: // the last character: it was the second of a pair
			s.rest, s.began = s.rest[first:], false
			continue
		}
		s.set(s.rest[:n], chars)
		if s.inText {
			s.start = s.runEnd - len(s.rest)
			s.end = s.start + n
		}
		s.rest, s.began = s.rest[first:], true
		return true
	}
	return false
}

func (s *scanner) decodeRest(i int) (rune, int) {
	return utf8.DecodeRune(s.rest[i:])
}
