package printable

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestString(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, want string
		limit          int
	}{
		{"plain text", `http://a.example/ "ä" \ 漢字 😀 e` + "\u0301", `http://a.example/ "ä" \ 漢字 😀 e` + "\u0301", 0},
		{"spaces", "a b\u00a0c\u3000d", "a b\u00a0c\u3000d", 0},
		{"the replacement character itself", "\ufffd", "\ufffd", 0},
		{"escape sequence", "\x1b[31mred", `\x1b[31mred`, 0},
		{"C1 control", "a\u009bb", `a\u009bb`, 0},
		{"delete", "a\x7fb", `a\x7fb`, 0},
		{"NUL", "a\x00b", `a\x00b`, 0},
		{"line breaks", "a\nb\r\nc\u0085d\u2028e\u2029f\vg\fh", `a\nb\r\nc\u0085d\u2028e\u2029f\vg\fh`, 0},
		{"tab", "a\tb", `a\tb`, 0},
		{"bidi embeddings and overrides", "\u202a\u202b\u202c\u202d\u202e", `\u202a\u202b\u202c\u202d\u202e`, 0},
		{"bidi isolates", "\u2066\u2067\u2068\u2069", `\u2066\u2067\u2068\u2069`, 0},
		{"bidi marks", "\u200e\u200f\u061c", `\u200e\u200f\u061c`, 0},
		{"invisible", "a\u200bb\u2060c\ufeffd\u00ade", `a\u200bb\u2060c\ufeffd\u00ade`, 0},
		{"private use", "\ue000", `\ue000`, 0},
		{"invalid UTF-8", "a\xff\xc3", `a\xff\xc3`, 0},
		{"an encoded surrogate", "\xed\xa0\x80", `\xed\xa0\x80`, 0},
		{"as long as the limit", "abcdef", "abcdef", 6},
		{"longer than the limit", "abcdefg", "abc...", 6},
		{"cut between characters", "ääää", "ä...", 6},
		{"cut between escapes", "a\x1b\x1b\x1b", `a\x1b...`, 10},
		{"nothing fits", "äää", "...", 4},
		{"empty", "", "", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := String(c.in, c.limit); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzString: the result is visible text of one line within the limit, and a second call changes nothing.
func FuzzString(f *testing.F) {
	f.Add("a\x1b[31m\n\u202e\xff", 8)
	f.Add(strings.Repeat("ä", 100), 50)
	f.Fuzz(func(t *testing.T, in string, limit int) {
		if limit != 0 {
			limit = max(limit, 3)
		}
		got := String(in, limit)
		if limit > 0 && len(got) > limit {
			t.Errorf("%q: got %d bytes, want at most %d", in, len(got), limit)
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Errorf("%q: got %q", in, got)
		}
		if again := String(got, limit); again != got {
			t.Errorf("%q: a second call made %q of %q", in, again, got)
		}
	})
}
