package document

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

// TestUsualCharset: a charset of Rules is that of pages that say nothing and are not UTF-8, of no others. Each has a number.
func TestUsualCharset(t *testing.T) {
	const cyrillic = "\xcf\xf0\xe8\xe2\xe5\xf2" // Привет in windows-1251
	for _, c := range []struct{ what, contentType, body, usual, charset, title string }{
		{"no label", "text/html", "<title>" + cyrillic + "</title>", "windows-1251", "windows-1251", "Привет"},
		{"another one", "text/html", "<title>" + cyrillic + "</title>", "iso-8859-5", "iso-8859-5", ""},
		{"a header", "text/html; charset=koi8-r", "<title>\xf0\xd2\xc9\xd7\xc5\xd4</title>", "windows-1251", "koi8-r", "Привет"},
		{"META", "text/html", "<meta charset=koi8-r><title>\xf0\xd2\xc9\xd7\xc5\xd4</title>", "windows-1251", "koi8-r", "Привет"},
		{"UTF-8", "text/html", "<title>Привет</title>", "windows-1251", "utf-8", "Привет"},
	} {
		rules, err := NewRules(Rules{})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := Parse([]byte(c.body), c.contentType, rules.WithCharset(CharsetNumber(c.usual)))
		if err != nil {
			t.Fatal(err)
		}
		if doc.Charset != c.charset || c.title != "" && doc.Title != c.title {
			t.Errorf("%s: %s %q, want %s %q", c.what, doc.Charset, doc.Title, c.charset, c.title)
		}
	}
	seen := map[int]bool{}
	for _, name := range usualCharsets {
		n := CharsetNumber(name)
		if _, known := charset.Lookup(name); known != name || charsetOf(n) != name || n < 1 || n > 63 || seen[n] {
			t.Errorf("%s has number %d, is %q, its number is of %q", name, n, known, charsetOf(n))
		}
		seen[n] = true
	}
	for _, label := range strings.Fields("latin1 cp1252 iso-8859-1 iso-8859-9 iso-8859-11 cp1251 sjis gb2312 ks_c_5601-1987 tis-620 ascii") {
		if _, name := charset.Lookup(label); CharsetNumber(name) == 0 {
			t.Errorf("%s is %s, which has no number", label, name)
		}
	}
	if CharsetNumber("") != 0 || CharsetNumber("utf-16le") != 0 || charsetOf(0) != "" || charsetOf(63) != "" {
		t.Error("what is no charset of pages has a number")
	}
}
