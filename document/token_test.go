package document

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// tokensOf lists a page's tokens as our tokenizer sees them.
func tokensOf(text string) []string {
	var out []string
	z := tokenizer{b: []byte(text)}
	for {
		switch z.next() {
		case endOfInput:
			return out
		case textToken:
			out = addText(out, z.text, z.literal)
		case startTag:
			s := "<" + tagFamily(z.tag)
			if href, ok := z.attr(attrHref); ok && z.tag == tagA {
				s += " " + string(appendAttribute(nil, href))
			}
			out = append(out, s)
		case endTag:
			out = append(out, "/"+tagFamily(z.tag))
		case comment:
			out = append(out, "!")
		}
	}
}

func addText(out []string, text []byte, literal bool) []string {
	if len(text) == 0 {
		return out
	}
	if !literal {
		text = appendText(nil, text)
	}
	s := strings.ReplaceAll(string(text), "\r", "\n")
	if n := len(out); n > 0 && strings.HasPrefix(out[n-1], "=") {
		out[n-1] += s // how text is cut into tokens means nothing
		return out
	}
	return append(out, "="+s)
}

func tagFamily(id tagID) string { return fmt.Sprint(id) }

// netTokens lists them as golang.org/x/net/html sees them.
func netTokens(text string) []string {
	var out []string
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return out
		case html.TextToken:
			out = addText(out, z.Text(), true)
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			id := tagNamed(name)
			s := "<" + tagFamily(id)
			for more {
				var key, value []byte
				if key, value, more = z.TagAttr(); id == tagA && string(key) == "href" {
					s += " " + string(value)
				}
			}
			if id == tagNoscript || id == tagNoframes {
				z.NextIsNotRawText()
			}
			out = append(out, s)
		case html.EndTagToken:
			name, _ := z.TagName()
			out = append(out, "/"+tagFamily(tagNamed(name)))
		default:
			out = append(out, "!")
		}
	}
}

// TestTokenizerEqualsNet holds our tokenizer against that of golang.org/x/net/html, over the sample pages and
// over broken copies of them. Pages with <svg> are left out, where theirs needs help from a tree, and those
// with <!-- in a script, where they leave the escaped state at any < and the standard does not.
func TestTokenizerEqualsNet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for _, page := range samplePages(t) {
		for round := range 400 {
			text := page.text
			if round > 0 {
				text = damage(random, text)
			}
			if low := strings.ToLower(text); strings.Contains(low, "<svg") || strings.Contains(low, "<script") && strings.Contains(low, "<!--") {
				continue
			}
			compared++
			got, want := strings.Join(tokensOf(text), "\n"), strings.Join(netTokens(text), "\n")
			if got != want {
				t.Fatalf("%s, round %d: %q\ngot:\n%s\nwant:\n%s", page.name, round, text, got, want)
			}
		}
	}
	if compared < 10000 {
		t.Errorf("only %d pages compared", compared)
	}
}

// damage removes, repeats or inserts a few bytes.
func damage(random *rand.Rand, text string) string {
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
			signs := []string{"<", ">", "/", "\"", "'", "=", "&", ";", "!", "-", "--", " ", "<a href=", "</", "<!--", "<p>", "#", "x"}
			text = text[:at] + signs[random.IntN(len(signs))] + text[at:]
		}
	}
	return strings.ToValidUTF8(text, "?")
}

func TestScriptEnd(t *testing.T) {
	for script, want := range map[string]int{
		"a</script>":                           1,
		"a</SCRIPT >":                          1,
		"a</scripty></script>":                 11,
		"a":                                    1,
		"</script":                             8,
		"<!--</script>":                        4,
		"<!--<script></script></script>":       21,
		"<!--<script>--></script>":             15,
		"<!--><script></script>":               13,
		"<!--<scripts></script>":               13,
		"<!--<script></script>--><b></script>": 27,
		"<!--<script>":                         12,
	} {
		if got := scriptEnd([]byte(script)); got != want {
			t.Errorf("%s: %d, want %d", script, got, want)
		}
	}
}
