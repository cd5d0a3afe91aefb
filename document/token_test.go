package document

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// foreignDepth follows SVG in both lists of tokens: there CDATA is text, and raw elements hold tags.
func foreignDepth(foreign bool, name string, begins bool) bool {
	if name == "svg" {
		return begins
	}
	return foreign
}

// joined unites texts that follow each other: html.Tokenizer cuts "a</" at the end of a page into two.
func joined(tokens []string) (out []string) {
	for _, token := range tokens {
		if n := len(out); n > 0 && strings.HasPrefix(token, "text:") && strings.HasPrefix(out[n-1], "text:") {
			out[n-1] += strings.TrimPrefix(token, "text:")
			continue
		}
		out = append(out, token)
	}
	return out
}

// attributeList writes attributes, the first of each name.
func attributeList(list []attribute) string {
	var out strings.Builder
	seen := map[string]bool{}
	for _, a := range list {
		if !seen[string(a.name)] {
			fmt.Fprintf(&out, " %q=%q", a.name, a.value)
		}
		seen[string(a.name)] = true
	}
	return out.String()
}

// tokensOf lists the tokens of a page.
func tokensOf(t testing.TB, text string, xml bool) (out []string) {
	z := newTokenizer([]byte(text), xml)
	z.keepAll = true
	read := 0
	for {
		kind := z.next()
		if kind == endOfText {
			return joined(out)
		}
		if at := strings.Index(text[read:], string(z.raw)); at != 0 {
			t.Fatalf("token %q is not at %d of %q", z.raw, read, text)
		}
		read += len(z.raw)
		switch kind {
		case textToken:
			out = append(out, fmt.Sprintf("text:%s", z.text()))
		case startTag:
			name := string(nameOf(z.raw[1:]))
			z.foreign = foreignDepth(z.foreign, name, true)
			z.readAttributes()
			for _, a := range z.all {
				id := attrNamed(a.name)
				value, ok := z.attr(id)
				if first, _ := (&Tag{attrs: z.all}).Attr(string(a.name)); id != attrNone && (!ok || string(value) != first) {
					t.Fatalf("%q: attribute %q is %q", z.raw, a.name, value)
				}
			}
			out = append(out, fmt.Sprintf("<%s %v%s", name, z.closed, attributeList(z.all)))
		case endTag:
			name := string(nameOf(z.raw[2:]))
			z.foreign = foreignDepth(z.foreign, name, false)
			out = append(out, "/"+name)
		case commentToken:
			out = append(out, comment(z.raw, z.commentText()))
		}
	}
}

// comment writes a comment. The text of a declaration counts for nothing.
func comment(raw, text []byte) string {
	if len(raw) > 9 && bytes.EqualFold(raw[:9], []byte("<!doctype")) {
		text = nil
	}
	return fmt.Sprintf("!%s:%s", raw, text)
}

// referenceTokens lists the tokens of a page as html.Tokenizer cuts it.
func referenceTokens(text string, xml bool) (out []string) {
	z := html.NewTokenizer(strings.NewReader(text))
	foreign := false
	of := "" // the element that the next token is the raw content of
	for {
		z.AllowCDATA(xml || foreign)
		kind := z.Next()
		raw := bytes.Clone(z.Raw())
		switch kind {
		case html.ErrorToken:
			return joined(out)
		case html.TextToken:
			text := raw
			switch after, ok := bytes.CutPrefix(raw, cdata); {
			case of == "" && ok:
				text = bytes.TrimSuffix(after, cdataEnd) // Text would decode entities
			case (of == "" || of == "title" || of == "textarea") && bytes.IndexByte(raw, '&') >= 0:
				text = z.Text()
			}
			out = append(out, fmt.Sprintf("text:%s", text))
		case html.StartTagToken, html.SelfClosingTagToken:
			name := string(lowerName(nameOf(raw[1:])))
			foreign = foreignDepth(foreign, name, true)
			closed := kind == html.SelfClosingTagToken
			switch {
			case name == "noscript" || name == "noframes", closed && (xml || foreign), foreign && name != "script" && name != "style":
				z.NextIsNotRawText()
				of = ""
			default:
				if of = ""; slices.Contains(rawNames[:], name) || name == "plaintext" {
					of = name
				}
			}
			var list []attribute
			for more := true; more; {
				var key, value []byte
				if key, value, more = z.TagAttr(); len(key) > 0 {
					list = append(list, attribute{bytes.Clone(key), bytes.Clone(value)})
				}
			}
			out = append(out, fmt.Sprintf("<%s %v%s", name, closed, attributeList(list)))
			continue
		case html.EndTagToken:
			name := string(nameOf(raw[2:]))
			foreign = foreignDepth(foreign, name, false)
			out = append(out, "/"+name)
		default:
			text := z.Text()
			if bytes.IndexByte(raw, '&') >= 0 || bytes.IndexByte(raw, '\r') >= 0 { // Text decodes entities, which HTML does not
				text = (&tokenizer{raw: raw}).commentText()
			}
			out = append(out, comment(raw, text))
		}
		of = ""
	}
}

// repeatsAttribute reports whether a tag has an attribute twice. html.Tokenizer takes a slash at the end of its second value for
// the end of an element.
func repeatsAttribute(text string) bool {
	z := newTokenizer([]byte(text), false)
	z.keepAll = true
	for kind := z.next(); kind != endOfText; kind = z.next() {
		if kind != startTag {
			continue
		}
		z.readAttributes()
		seen := map[string]bool{}
		for _, a := range z.all {
			if seen[string(a.name)] && strings.HasSuffix(string(a.value), "/") {
				return true
			}
			seen[string(a.name)] = true
		}
	}
	return false
}

// sameTokens compares the tokenizer with html.Tokenizer.
func sameTokens(t testing.TB, text string) {
	for _, xml := range []bool{false, true} {
		if diff := cmp.Diff(referenceTokens(text, xml), tokensOf(t, text, xml)); diff != "" && !repeatsAttribute(text) {
			t.Fatalf("%q, xml %v\n%s", text, xml, diff)
		}
	}
}

// TestTokenizer: the same tokens as golang.org/x/net/html, over the sample pages and over broken copies of them.
func TestTokenizer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, page := range samplePages(t) {
		for round := range 200 {
			text := page.text
			if round > 0 {
				text = damage(random, text)
			}
			sameTokens(t, text)
		}
	}
}

func FuzzTokenizer(f *testing.F) {
	for _, page := range samplePages(f) {
		f.Add(page.text)
	}
	for _, text := range []string{
		"<!-->a<!--->b<!---->c<!--d--!>e<!--f>g--", "<!a><?b></c d></><!DOCTYPE e></", "<a b=1 c='2' d=\"3\" e f=/ =g h = i/>", "<a b=&lt c=&lt; d=&ltx e='&lt=' f=&semi; g=&#x41 h='&#65;&notit;&notin;'>",
		"<script><!-- <script></script> --></script>a<script><!--<script </script/</script >-->", "<svg><![CDATA[a]]]>b<title><b></title><style><b></style></svg><title>&amp;</tit</TITLE\n>",
		"&amp;&ampx&#0;&#x80;&#xD800;&#1114112;&notit;&fjlig;&NotEqualTilde;&a&;&#&#x;\r\n\r&gt", "<textarea>&lt;</textarea><xmp>&lt;</xmp><plaintext>a</plaintext>",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sameTokens(t, strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?"))
	})
}

// damage removes, repeats or inserts a few bytes.
func damage(random *rand.Rand, text string) string {
	signs := []string{
		"<", ">", "/", "\"", "'", "=", "&", ";", "!", "-", "--", " ", "<a href=", "</", "<!--", "<p>", "#", "x",
		"\r", "&amp;", "&lt=", "&notit;", "<!-", "<a/b=c/>", "<svg>", "</svg>", "<![CDATA[", "]]>", "<title>", "</title>", "<script>", "</script>", "<noscript>", "<plaintext>",
	}
	for range 1 + random.IntN(4) {
		if text == "" {
			break
		}
		at := random.IntN(len(text))
		end := min(len(text), at+1+random.IntN(8))
		switch random.IntN(3) {
		case 0:
			text = text[:at] + text[end:]
		case 1:
			text = text[:end] + text[at:]
		case 2:
			text = text[:at] + signs[random.IntN(len(signs))] + text[at:]
		}
	}
	return strings.ToValidUTF8(text, "?")
}
