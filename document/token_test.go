package document

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// tokensOf lists the tokens of a page and returns how many html.Tokenizers were needed.
func tokensOf(text string, longTag int) (out []string, fresh int) {
	z := newTokenizer([]byte(text), false)
	z.longTag = longTag
	net := z.net
	for {
		kind := z.next()
		if z.net != net {
			net = z.net
			fresh++
		}
		switch kind {
		case html.ErrorToken:
			return out, fresh
		case html.TextToken:
			out = append(out, fmt.Sprintf("%d=%s", z.textOf, z.text()))
		case html.StartTagToken:
			z.foreign = z.foreign || z.tag == tagSvg
			z.readAttributes()
			href, ok := z.attr(attrHref)
			out = append(out, fmt.Sprintf("<%d %v %v %s", z.tag, z.closed, ok, href))
		case html.EndTagToken:
			z.foreign = z.foreign && z.tag != tagSvg
			out = append(out, fmt.Sprintf("/%d", z.tag))
		default:
			out = append(out, fmt.Sprintf("!%s", z.net.Text()))
		}
	}
}

// TestFreshTokenizerGoesOn: a new html.Tokenizer after each start tag reads the same tokens as a single one,
// over the sample pages and over broken copies of them.
func TestFreshTokenizerGoesOn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	restarts := 0
	for _, page := range samplePages(t) {
		for round := range 100 {
			text := page.text
			if round > 0 {
				text = damage(random, text)
			}
			want, none := tokensOf(text, len(text))
			got, fresh := tokensOf(text, 0)
			if diff := cmp.Diff(want, got); diff != "" || none != 0 {
				t.Fatalf("%s, round %d: %q, %d fresh without need\n%s", page.name, round, text, none, diff)
			}
			restarts += fresh
		}
	}
	if restarts < 10000 {
		t.Errorf("only %d fresh tokenizers", restarts)
	}
}

// TestLongTagsAreFollowedByAFreshTokenizer: the attributes of one tag must not slow down all later ones
// (B24).
func TestLongTagsAreFollowedByAFreshTokenizer(t *testing.T) {
	long := strings.Repeat(" x", tagLimit/2)
	for page, want := range map[string]int{
		"<a><b>":                             0,
		"<a" + long[:tagLimit-3] + "><b>":    0,
		"<a" + long + "><b><b>":              1,
		"<a" + long + "><a" + long + "><b>":  2,
		"<title" + long + "><b></title>x<b>": 1,
		"</a" + long + "><b>":                0, // nobody reads the attributes of an end tag, and none are kept
	} {
		if _, got := tokensOf(page, tagLimit); got != want {
			t.Errorf("%.10s... of %d bytes: %d fresh tokenizers, want %d", page, len(page), got, want)
		}
	}
}

// damage removes, repeats or inserts a few bytes.
func damage(random *rand.Rand, text string) string {
	signs := []string{
		"<", ">", "/", "\"", "'", "=", "&", ";", "!", "-", "--", " ", "<a href=", "</", "<!--", "<p>", "#", "x",
		"<svg>", "</svg>", "<![CDATA[", "]]>", "<title>", "</title>", "<script>", "</script>", "<noscript>", "<plaintext>",
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
