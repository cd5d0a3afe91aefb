package document

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// check verifies everything that the comments of Document say.
func check(tb testing.TB, d *Document, r *Rules) {
	tb.Helper()
	total := 0
	for i, w := range d.Words {
		if i > 0 && w.Text <= d.Words[i-1].Text {
			tb.Errorf("%q after %q", w.Text, d.Words[i-1].Text)
		}
		if n := utf8.RuneCountInString(w.Text); !utf8.ValidString(w.Text) || n < r.MinWordLength || n > r.MaxWordLength {
			tb.Errorf("word %q", w.Text)
		}
		if strings.ContainsAny(w.Text, "\x00\uFFFD ") {
			tb.Errorf("word %q", w.Text)
		}
		if n := len(w.Positions); n < 1 || n > maxPositions {
			tb.Errorf("%q has %d positions", w.Text, n)
		}
		for j := 1; j < len(w.Positions); j++ {
			if w.Positions[j] <= w.Positions[j-1] {
				tb.Errorf("%q: positions %v", w.Text, w.Positions)
			}
		}
		total += len(w.Positions)
	}
	if d.WordCount != len(d.Words) || d.TotalCount < total {
		tb.Errorf("counts %d, %d for %d words, %d positions", d.WordCount, d.TotalCount, len(d.Words), total)
	}
	for _, f := range []struct {
		text  string
		limit int
	}{{d.Title, TitleLimit}, {d.Text, TextLimit}, {d.Keywords, KeywordsLimit}, {d.Description, DescriptionLimit}, {d.Lang, 2}} {
		if utf8.RuneCountInString(f.text) > f.limit || !utf8.ValidString(f.text) || strings.TrimSpace(f.text) != f.text ||
			strings.Contains(f.text, "\x00") {
			tb.Errorf("field %q", f.text)
		}
	}
	seen := map[string]bool{}
	for _, l := range d.Links {
		if seen[l.Href] || !utf8.ValidString(l.Href) || strings.ContainsAny(l.Href, "#\x00") || l.Tag == "" {
			tb.Errorf("link %q of %q", l.Href, l.Tag)
		}
		seen[l.Href] = true
	}
	if r.MaxLinks > 0 && len(d.Links) > r.MaxLinks {
		tb.Errorf("%d links", len(d.Links))
	}
	for _, s := range []string{d.Base, d.Refresh} {
		if !utf8.ValidString(s) {
			tb.Errorf("%q", s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, page := range samplePages(f) {
		f.Add([]byte(page.text), "text/html")
	}
	f.Add([]byte("\xff\xfea\x00b\x00"), "text/plain")
	f.Add([]byte("\xcf\xf0\xe8\xe2\xe5\xf2"), "text/html; charset=windows-1251")
	f.Add([]byte("<svg><title/><![CDATA[x]]>"), "application/xhtml+xml")
	r := newRules(f, Rules{MaxLinks: 5, LinkTags: []string{"a", "img"}, Stopwords: map[string]string{"the": "en"}})
	leaving := r.LeavingOut(LeaveOut{Navigation: true, Selectors: "p.x ul [id] #a"})
	f.Add([]byte("<nav>a<li hidden>b<li>c</nav><div role=main aria-hidden=true>d</div><p data-nosnippet>e"), "text/html")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		before := slices.Clone(body)
		d, err := Parse(body, contentType, r)
		if err != nil {
			if Readable(contentType) {
				t.Fatal(err)
			}
			return
		}
		check(t, d, r)
		again, err := Parse(body, contentType, r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Errorf("parsed twice: %s", diff)
		}
		if !slices.Equal(body, before) {
			t.Error("the body was changed")
		}
		main, err := Parse(body, contentType, leaving)
		if err != nil {
			t.Fatal(err)
		}
		check(t, main, leaving)
		if diff := cmp.Diff(d.Links, main.Links); diff != "" {
			t.Errorf("links of the main text: %s", diff)
		}
		sameWords(t, "main text", body, contentType, leaving)
	})
}

// FuzzTokens: folding words again changes nothing, places ascend, and a query finds the words that a document
// stored.
func FuzzTokens(f *testing.F) {
	for _, c := range tokenCases {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		last := 0
		Tokens(text, func(word string, start, end int) bool {
			if start < last || end <= start || end > len(text) {
				t.Errorf("place %d:%d after %d in %d bytes", start, end, last, len(text))
			}
			last = start
			if n := utf8.RuneCountInString(word); n > MaxWordLength {
				t.Errorf("%q has %d characters", word, n)
			}
			var again []string
			for w := range words(word) {
				again = append(again, w)
			}
			// A pair may begin with the mark of its second letter, which is no word alone.
			if mark := classOf(bmp(), firstRune(word))&classMask == classMark; word != "" && !mark &&
				(len(again) != 1 || again[0] != word) {
				t.Errorf("%q is cut again into %q", word, again)
			}
			return true
		})

		d, err := Parse([]byte(text), "text/plain; charset=utf-8", newRules(t, Rules{}))
		if err != nil {
			t.Fatal(err)
		}
		ordinal := 0
		Tokens(strings.TrimPrefix(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFEFF"), func(word string, _, _ int) bool {
			if word != "" && !slices.Contains(find(d, word).Positions, uint16(min(ordinal, lastOrdinal))) {
				t.Errorf("%q is not at %d", word, ordinal)
			}
			ordinal++
			return true
		})
	})
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
