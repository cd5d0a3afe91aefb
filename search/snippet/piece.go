package snippet

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
)

// A cutter cuts a piece of about length characters out of text[lo:hi], whose white space is single blanks and
// line ends.
type cutter struct {
	text   []byte
	lo, hi int
	length int
}

// cut returns the piece around text[start:end], which begins and ends at word boundaries. Up to half of its
// length is before that place, or more at the end of the text. It begins with the sentence of the place if
// that is near enough, and ends with a sentence if one ends in its last third.
func (c cutter) cut(start, end int) (from, to int) {
	room := c.length - utf8.RuneCount(c.text[start:end])
	if room <= 0 {
		return start, end
	}
	from = c.begin(start, min(room, c.length/2), true)
	to = c.end(from, end)
	if short := c.length - utf8.RuneCount(c.text[from:to]); to == c.hi && short > c.length/4 {
		from = c.begin(start, c.length-utf8.RuneCount(c.text[start:to]), false)
	}
	return c.trim(from, to, start, end)
}

// longWord is the distance within which a blank is looked for, in bytes. Longer runs belong to scripts
// without blanks.
const longWord = 48

// begin returns the beginning of a piece that may have a number of characters before start: the last sentence
// that begins there, or the first one, or else the first word.
func (c cutter) begin(start, characters int, last bool) int {
	p := back(c.text, start, characters, c.lo)
	sentence := -1
	for i := start; i >= p; i-- {
		if c.sentenceBegins(i) {
			if sentence = i; last {
				break
			}
		}
	}
	if sentence >= 0 {
		return sentence
	}
	near := max(p-1, c.lo)
	if i := bytes.IndexAny(c.text[near:min(start, near+longWord)], " \n\v"); i >= 0 {
		return near + i + 1
	}
	for p < start && !wordBoundary(c.text, p) {
		p++
	}
	return p
}

// end returns the end of a piece that begins at from and contains at least the text before least.
func (c cutter) end(from, least int) int {
	q := forth(c.text, from, c.length, c.hi)
	if q == c.hi {
		return q
	}
	third := max(least, forth(c.text, from, c.length*2/3, c.hi))
	for i := q; i >= third; i-- {
		if c.sentenceBegins(i) {
			return i
		}
	}
	near := max(least, q-longWord)
	if i := bytes.LastIndexAny(c.text[near:min(q+1, c.hi)], " \n\v"); i >= 0 {
		return near + i
	}
	for q > least && !wordBoundary(c.text, q) {
		q--
	}
	return q
}

// trim removes blanks at the ends of a piece, but nothing of the place that it shows.
func (c cutter) trim(from, to, start, end int) (int, int) {
	for from < start && isBlankByte(c.text[from]) {
		from++
	}
	for to > end && isBlankByte(c.text[to-1]) {
		to--
	}
	return from, to
}

func isBlankByte(b byte) bool { return b == ' ' || b == '\n' || b == document.Gap }

// sentenceBegins reports whether a sentence begins at a place: at the beginning of the text or of a block, or
// after a full stop and a blank unless a lower-case letter follows.
func (c cutter) sentenceBegins(i int) bool {
	switch {
	case i == 0 || c.text[i-1] == '\n' || c.text[i-1] == document.Gap:
		return true
	case i == len(c.text) || !utf8.RuneStart(c.text[i]):
		return false
	case c.text[i-1] != ' ':
		r, _ := utf8.DecodeLastRune(c.text[:i])
		return r == '。' || r == '！' || r == '？'
	}
	if next, _ := utf8.DecodeRune(c.text[i:]); unicode.IsLower(next) {
		return false
	}
	i--
	for range 4 { // quotation marks and parentheses may be between
		r, size := utf8.DecodeLastRune(c.text[:i])
		switch r {
		case '.', '!', '?', '…', '。', '！', '？':
			return true
		case '"', '\'', ')', ']', '”', '’', '»', '«', '“':
			i -= size
		default:
			return false
		}
	}
	return false
}

// back returns the place a number of characters before i, but not before lo; forth returns the one behind i.
func back(text []byte, i, characters, lo int) int {
	for ; characters > 0 && i > lo; characters-- {
		_, size := utf8.DecodeLastRune(text[:i])
		i -= size
	}
	return max(i, lo)
}

func forth(text []byte, i, characters, hi int) int {
	for ; characters > 0 && i < hi; characters-- {
		_, size := utf8.DecodeRune(text[i:])
		i += size
	}
	return min(i, hi)
}

// wordBoundary reports whether a cut at a place divides no word. In scripts without blanks that is anywhere
// but before a mark.
func wordBoundary(text []byte, i int) bool {
	if i == 0 || i == len(text) {
		return true
	}
	if !utf8.RuneStart(text[i]) {
		return false
	}
	before, _ := utf8.DecodeLastRune(text[:i])
	after, _ := utf8.DecodeRune(text[i:])
	switch {
	case unicode.IsMark(after):
		return false
	case !ofWord(before) || !ofWord(after):
		return true
	}
	return document.Paired(string(before)) || document.Paired(string(after))
}

func ofWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }
