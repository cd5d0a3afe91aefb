package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The tests of this file are rows of docs/reference/promises.md, Bad input, by their number; B2 to B5 are in
// charset_test.go, B27 is TestFieldLimits.

func TestB01NulAndInvalidUTF8(t *testing.T) {
	d := parseHTML(t, "<title>a\x00b</title>foo\x00bar b\xffz \xed\xa0\x80 x&#0;y &#xD800;")
	if d.Title != "a\uFFFDb" {
		t.Errorf("title %q", d.Title)
	}
	if got, want := list(d, sectionBody), "0:foo 1:bar 2:b 3:z 4:x 5:y"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := "foo\uFFFDbar b\uFFFDz \uFFFD\uFFFD\uFFFD x\uFFFDy \uFFFD"; d.Text != want {
		t.Errorf("text %q, want %q", d.Text, want)
	}
}

func TestB14ManyLinks(t *testing.T) {
	var page strings.Builder
	for i := range 100000 {
		fmt.Fprintf(&page, "<a href=%d>", i%50000)
	}
	d := parseWith(t, page.String(), "text/html", Rules{})
	if len(d.Links) != 50000 || d.LinksDropped != 0 {
		t.Errorf("%d links, %d dropped", len(d.Links), d.LinksDropped)
	}
	d = parseWith(t, page.String(), "text/html", Rules{MaxLinks: 3})
	if got := hrefs(d); got != "0 1 2" || d.LinksDropped != 49997 {
		t.Errorf("MaxLinks: %s, %d dropped", got, d.LinksDropped)
	}
}

func TestB15LongWord(t *testing.T) {
	for _, letter := range []string{"x", "é", "e\u0301"} { // 32 characters are counted in NFKC
		ok, long := strings.Repeat(letter, 32), strings.Repeat(letter, 33)
		d := parseHTML(t, "a "+ok+" "+long+" b")
		if got := len(d.Words); got != 3 {
			t.Errorf("%s: %d words", letter, got)
		}
		if got := fmt.Sprint(find(d, "b").Positions); got != "[3]" {
			t.Errorf("%s: the next word stands at %s", letter, got)
		}
	}
}

func TestB16NoSpace(t *testing.T) {
	for _, letter := range []string{"x", "ж"} {
		d := parseWith(t, strings.Repeat(letter, 10<<20/len(letter)), "text/html; charset=utf-8", Rules{IndexLimit: MaxIndexLimit})
		if len(d.Words) != 0 || d.WordCount != 0 || d.TotalCount != 0 {
			t.Errorf("%d words", len(d.Words))
		}
	}
}

// TestTokenAsLongAsTheLimit: nothing of a token is lost that fills the whole document.
func TestTokenAsLongAsTheLimit(t *testing.T) {
	r := Rules{IndexLimit: MaxIndexLimit}
	text := strings.Repeat("foo ", MaxIndexLimit/4)
	for _, c := range []struct {
		page         string
		total, links int
	}{
		{text, MaxIndexLimit / 4, 0},
		{"foo <!--" + text, 1, 0},
		{"<title>" + text, (MaxIndexLimit - 7 + 3) / 4, 0},
		{"<a href='" + text[:MaxIndexLimit-len("<a href=''>")] + "'>foo", 0, 1},
		{"<a href='" + text[:MaxIndexLimit-len("<a href=''>foo")] + "'>foo", 1, 1},
		{"<a href='" + text[:MaxIndexLimit-len("<a href=''")] + "'>foo", 0, 0},
	} {
		if d := parseWith(t, c.page, "text/html; charset=utf-8", r); d.TotalCount != c.total || len(d.Links) != c.links {
			t.Errorf("%.10s...: %d words, %d links, want %d, %d", c.page, d.TotalCount, len(d.Links), c.total, c.links)
		}
	}
}

func TestB17IndexLimit(t *testing.T) {
	for _, c := range []struct {
		body      string
		truncated bool
		want      string
	}{
		{"aa bb cc", false, "0:aa 1:bb 2:cc"},
		{"aa bb ccc", false, "0:aa 1:bb 2:ccc"},
		{"aa bb cccc", true, "0:aa 1:bb 2:ccc"},
		{"aa bb cцц", true, "0:aa 1:bb 2:cц"},
		{"aa bb ccцц", true, "0:aa 1:bb 2:cc"}, // a character cut in two ends the word, and the text stays UTF-8
	} {
		d := parseWith(t, c.body, "text/plain", Rules{IndexLimit: 9})
		if got := list(d, sectionBody); got != c.want || d.Truncated != c.truncated || d.Charset != "utf-8" {
			t.Errorf("%q: %s, truncated %v, %s", c.body, got, d.Truncated, d.Charset)
		}
	}
}

func TestB19Empty(t *testing.T) {
	for _, media := range []string{"text/html", "text/plain"} {
		d := parseWith(t, "", media, Rules{})
		if diff := cmp.Diff(&Document{Charset: "utf-8"}, d); diff != "" {
			t.Error(diff)
		}
	}
}

func TestB23BinaryContent(t *testing.T) {
	junk := make([]byte, 1<<16)
	for i := range junk {
		junk[i] = byte(i * i >> 3)
	}
	for _, contentType := range []string{"text/html", "text/plain", "text/html; charset=utf-16", "text/html; charset=gb18030"} {
		d := parseWith(t, string(junk), contentType, Rules{})
		check(t, d, newRules(t, Rules{}))
	}
}

// TestB24HostileMarkup: as a browser would, and in linear time. The sizes are such that quadratic work would
// meet the parse limit.
func TestB24HostileMarkup(t *testing.T) {
	const mega = 2 << 20
	var attributes strings.Builder
	attributes.WriteString("<a")
	for i := range 100000 {
		fmt.Fprint(&attributes, " a", i)
	}
	for _, c := range []struct{ name, page, want string }{
		{"unclosed comment: what came before stays", "foo<!-- bar" + strings.Repeat(" baz", mega/4), "0:foo"},
		{"unclosed tag", "foo <a href=x" + strings.Repeat(" baz", mega/4), "0:foo"},
		{"unclosed quote", "foo <a href='x>" + strings.Repeat(" baz", mega/4), "0:foo"},
		{"unclosed title", "foo<title>bar", "0:foo"},
		{"unclosed script", "foo<script>bar" + strings.Repeat("</scrip", mega/7), "0:foo"},
		{"1 MB attribute", "foo<a title='" + strings.Repeat("x", 1<<20) + "' href=y>bar", "0:foobar"},
		{"1 MB href", "foo<a href='" + strings.Repeat("&x;", 1<<20/3) + "'>bar", "0:foobar"},
		{"1 MB of entities in a title", "<title>" + strings.Repeat("&eacute;<", 1<<20/9) + "</title>foo", "0:foo"},
		{"100,000 attributes, then many tags", attributes.String() + " href=x>foo" + strings.Repeat("<b c>", mega/6) + "bar", "0:foobar"},
		{"100,000 attributes again and again", strings.Repeat(attributes.String()+">", 3) + "foo", "0:foo"},
		{"100,000 attributes of a title", "<title" + attributes.String()[2:] + "><b></title>foo", "0:foo"},
		{"100,000 attributes of an end tag", "foo</b" + attributes.String()[2:] + ">bar", "0:foobar"},
		{"many dashes", "foo<!--" + strings.Repeat("-", mega) + ">bar", "0:foobar"},
		{"many comments open", "foo" + strings.Repeat("<!--", mega/4), "0:foo"},
		{"many scripts open", "foo<script>" + strings.Repeat("<!--<script>", mega/12), "0:foo"},
		{"many ampersands", strings.Repeat("&", mega) + "foo", "0:foo"},
		{"a long entity", "&" + strings.Repeat("x", mega) + "; foo", "1:foo"},
		{"many less-than signs", strings.Repeat("<", mega) + "!>foo", "0:foo"},
		{"deep nesting", strings.Repeat("<div>", mega/5) + "foo", "0:foo"},
		{"many marks", "foo " + strings.Repeat("\u0301", mega/2) + " bar", "0:foo 1:bar"},
		{"marks on a letter", "foo e" + strings.Repeat("\u0301", mega/2) + " bar", "0:foo 2:bar"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := list(parseHTML(t, c.page), sectionBody); got != c.want {
				t.Errorf("got %.100s, want %s", got, c.want)
			}
		})
	}
}

func TestB24ParseLimit(t *testing.T) {
	r := newRules(t, Rules{ParseLimit: time.Nanosecond})
	for _, page := range []string{strings.Repeat("<p>foo", 100000), "foo"} {
		if d, err := Parse([]byte(page), "text/html", r); !errors.Is(err, ErrTooSlow) || d != nil {
			t.Errorf("got %v, %v", d, err)
		}
	}
}

func TestB25DeepNesting(t *testing.T) {
	deep := strings.Repeat("<div>", 600)
	d := parseHTML(t, deep+"foo<a href=x>bar</a>"+strings.Repeat("</div>", 600))
	if !d.Nested || list(d, sectionBody) != "0:foobar" || hrefs(d) != "x" {
		t.Errorf("nested %v, words %s, links %s", d.Nested, list(d, sectionBody), hrefs(d))
	}
	for _, page := range []string{
		strings.Repeat("<div>x</div>", 600), strings.Repeat("<p>x<li>y<br><td>", 600), strings.Repeat("<div>", 500),
	} {
		if parseHTML(t, page).Nested {
			t.Errorf("%.30s... counts as nested", page)
		}
	}
}

func TestB26BadBase(t *testing.T) {
	d := parseHTML(t, `<base href="http://[bad"><a href=x>`)
	if d.Base != "http://[bad" || hrefs(d) != "x" {
		t.Errorf("base %q, links %q", d.Base, hrefs(d))
	}
}
