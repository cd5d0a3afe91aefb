package document

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"
)

// The reference reads a document in the simplest way: a tree by golang.org/x/net/html, plain loops and maps,
// the tables of package unicode. It shares no code with Parse.
type reference struct {
	description, keywords string
	body                  strings.Builder
	titles                strings.Builder
	links                 []string
	noIndex, noFollow     bool
}

// referenceInline are the elements whose tags do not separate words. All others do.
var referenceInline = strings.Fields(`a abbr acronym b base bdi bdo big blink cite code data del dfn em font i ins kbd
	label link mark meta nobr noscript rb ruby s samp script small span strike strong style sub sup template time tt u
	var wbr`)

func (r *reference) walk(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		r.body.WriteString(n.Data)
	case html.ElementNode:
		attr := func(name string) (string, bool) {
			for _, a := range n.Attr {
				if a.Key == name {
					return a.Val, true
				}
			}
			return "", false
		}
		if !slices.Contains(referenceInline, n.Data) {
			r.body.WriteString("\n")
			defer r.body.WriteString("\n")
		}
		switch n.Data {
		case "script", "style", "template", "iframe", "noembed":
			return
		case "title":
			if n.FirstChild != nil {
				r.titles.WriteString(n.FirstChild.Data + "\n")
			}
			return
		case "a":
			href, ok := attr("href")
			rel, _ := attr("rel")
			href, _, _ = strings.Cut(href, "#")
			href = strings.Trim(href, " \t\r\n\f")
			if ok && !slices.Contains(strings.Fields(strings.ToLower(rel)), "nofollow") && !slices.Contains(r.links, href) {
				r.links = append(r.links, href)
			}
		case "meta":
			name, _ := attr("name")
			equiv, _ := attr("http-equiv")
			content, _ := attr("content")
			switch strings.ToLower(name + equiv) {
			case "description":
				r.description += content + "\n"
			case "keywords":
				r.keywords += content + "\n"
			case "robots":
				content = strings.ToLower(content)
				r.noIndex = r.noIndex || strings.Contains(content, "noindex") || strings.Contains(content, "none")
				r.noFollow = r.noFollow || strings.Contains(content, "nofollow") || strings.Contains(content, "none")
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.walk(c)
	}
}

// asLetters reports whether the compatibility form of a number is of letters and digits alone.
func asLetters(c rune) bool {
	form := norm.NFKC.String(string(c))
	return form != string(c) && !strings.ContainsFunc(form, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) || unicode.Is(unicode.Han, c) })
}

// referenceWords cuts text into words; words that are too long are "".
func referenceWords(text string) []string {
	kind := func(c rune) string {
		numeral := unicode.In(c, unicode.No, unicode.Nl) && (unicode.Is(unicode.Han, c) || asLetters(c))
		switch {
		case unicode.In(c, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) &&
			!unicode.Is(unicode.Prepended_Concatenation_Mark, c) && !strings.ContainsRune("\u200B\uFFF9\uFFFA\uFFFB", c) &&
			(c < 0x13430 || c > 0x13440):
			return "unseen"
		case unicode.IsMark(c):
			return "mark"
		case !unicode.IsLetter(c) && !unicode.IsDigit(c) && !numeral:
			return ""
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) || c == 'ー':
			return "pairs of Han and kana"
		case unicode.In(c, unicode.Thai, unicode.Lao, unicode.Myanmar, unicode.Khmer):
			return "pairs of a script without blanks"
		}
		return "word"
	}
	var out []string
	run, of := "", ""
	end := func() {
		run = strings.ToLower(norm.NFKC.String(run))
		if letters := []rune(run); strings.HasPrefix(of, "pairs") && len(letters) > 1 {
			for i := 1; i < len(letters); i++ {
				out = append(out, string(letters[i-1:i+1]))
			}
		} else if len(letters) > 32 {
			out = append(out, "")
		} else if len(letters) > 0 {
			out = append(out, run)
		}
		run, of = "", ""
	}
	for _, c := range text {
		k := kind(c)
		if k == "unseen" || c == '\u200B' && strings.HasPrefix(of, "pairs") {
			continue
		}
		if k == "" || k != "mark" && k != of {
			end()
		}
		if k == "mark" && run == "" || k == "" {
			continue
		}
		if run += string(c); k != "mark" {
			of = k
		}
	}
	end()
	return out
}

// result has the properties by which the reference and Parse are compared.
type result struct {
	Words             map[string][]uint16
	Total             int
	Links             []string
	NoIndex, NoFollow bool
	Title, Text       string
}

func referenceParse(t *testing.T, page string) result {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	r.walk(root)
	out := result{Words: map[string][]uint16{}, Links: r.links, NoIndex: r.noIndex, NoFollow: r.noFollow}
	title, _, _ := strings.Cut(r.titles.String(), "\n")
	out.Title = strings.Join(strings.Fields(title), " ")
	if r.noIndex {
		return out
	}
	out.Text = strings.Join(strings.Fields(r.body.String()), " ")
	for section, text := range []string{r.body.String(), r.description, r.keywords, r.titles.String()} {
		for i, word := range referenceWords(text) {
			if word == "" {
				continue
			}
			out.Total++
			p := uint16(section<<14 + min(i, 16383))
			if !slices.Contains(out.Words[word], p) {
				out.Words[word] = append(out.Words[word], p)
			}
		}
	}
	return out
}

func resultOf(d *Document) result {
	out := result{Words: map[string][]uint16{}, Total: d.TotalCount, NoIndex: d.NoIndex, NoFollow: d.NoFollow}
	out.Title, out.Text = d.Title, d.Text
	for _, w := range d.Words {
		out.Words[w.Text] = w.Positions
	}
	for _, l := range d.Links {
		out.Links = append(out.Links, l.Href)
	}
	return out
}

// TestParseEqualsReference compares Parse with the reference, over pages of every kind and over the
// PostgreSQL manual where it is installed.
func TestParseEqualsReference(t *testing.T) {
	pages := samplePages(t)
	if len(pages) < 50 {
		t.Fatalf("%d sample pages", len(pages))
	}
	for i, text := range manual(t) {
		if i%4 == 0 { // they are much alike
			pages = append(pages, page{"postgresql manual", string(text)})
		}
	}
	r := newRules(t, Rules{})
	for _, page := range pages {
		d, err := Parse([]byte(page.text), "text/html; charset=utf-8", r)
		if err != nil {
			t.Fatal(err)
		}
		want, got := referenceParse(t, page.text), resultOf(d)
		// Columns are cut; the reference's text is not.
		if want.Title != got.Title && !strings.HasPrefix(want.Title, got.Title) {
			t.Errorf("%s: title %q, want %q", page.name, got.Title, want.Title)
		}
		if len([]rune(want.Text)) <= TextLimit && got.Text != want.Text || !strings.HasPrefix(want.Text, got.Text) {
			t.Errorf("%s: text %q, want %q", page.name, got.Text, want.Text)
		}
		want.Title, want.Text, got.Title, got.Text = "", "", "", ""
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-reference +Parse):\n%s", page.name, diff)
		}
		check(t, d, r)
		if t.Failed() && page.name == "postgresql manual" {
			return // one of a thousand alike is enough
		}
	}
}

type page struct{ name, text string }

// samplePages reads testdata/pages.txt: pages that begin with a line "-- name --".
func samplePages(tb testing.TB) []page {
	tb.Helper()
	text, err := os.ReadFile("testdata/pages.txt")
	if err != nil {
		tb.Fatal(err)
	}
	pages := map[string]page{}
	name := ""
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(rest, " --\n") {
			name = strings.TrimSuffix(rest, " --\n")
			if _, ok := pages[name]; ok {
				tb.Fatalf("two pages %s", name)
			}
			pages[name] = page{name: name}
			continue
		}
		p := pages[name]
		p.text += line
		pages[name] = p
	}
	out := slices.Collect(maps.Values(pages))
	slices.SortFunc(out, func(a, b page) int { return strings.Compare(a.name, b.name) })
	return out
}
