package document

import (
	"unicode"
	"unicode/utf8"
)

// A field collects the text of a column: white space and control characters become single blanks, none at the
// ends, and the text is cut at a number of characters (B27). A full field costs nothing.
type field struct {
	limit int // characters
	text  []byte
	chars int
	blank bool // a blank belongs before the next character
}

func (f *field) reset(limit int) { *f = field{limit: limit, text: f.text[:0]} }

func (f *field) empty() bool { return len(f.text) == 0 }

func (f *field) full() bool { return f.chars >= f.limit }

// append adds text, which must be valid UTF-8.
func (f *field) append(text []byte) {
	for i := 0; i < len(text) && !f.full(); {
		c := text[i]
		if ' ' < c && c < 0x7F { // nearly all characters
			f.put()
			if f.full() {
				return
			}
			f.text = append(f.text, c)
			f.chars++
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		i += size
		if r <= ' ' || unicode.IsSpace(r) || unicode.IsControl(r) {
			f.blank = len(f.text) > 0
			continue
		}
		f.put()
		if f.full() {
			return
		}
		f.text = utf8.AppendRune(f.text, r)
		f.chars++
	}
}

// put writes the pending blank, unless it would be the last character.
func (f *field) put() {
	if !f.blank {
		return
	}
	f.blank = false
	if f.chars+1 >= f.limit {
		f.chars = f.limit
		return
	}
	f.text = append(f.text, ' ')
	f.chars++
}
