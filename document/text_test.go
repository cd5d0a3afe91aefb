package document

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wordsOf returns the words of a text as Parse would report them: positions by word, and the number of stored
// words.
func wordsOf(t *Text, r *Rules) (positions map[string][]uint16, total int) {
	positions = map[string][]uint16{}
	for section, text := range [][]byte{t.Body, t.Description, t.Keywords, t.Title} {
		ordinal, last := 0, 0
		Scan(text, func(word []byte, start, end int) bool {
			ordinal += bytes.Count(text[min(last, start):start], []byte{Gap})
			last = end
			if w := string(word); w != "" && r.Stored(w) {
				total++
				at := uint16(section<<14 | min(ordinal, lastOrdinal))
				if p := positions[w]; len(p) == 0 || p[len(p)-1] != at {
					positions[w] = append(p, at)
				}
			}
			ordinal++
			return true
		})
	}
	return positions, total
}

// sameWords compares a Text with the Document of the same body.
func sameWords(tb testing.TB, name string, body []byte, contentType string, r *Rules) {
	tb.Helper()
	d, err := Parse(body, contentType, r)
	if err != nil {
		return
	}
	text, err := ReadText(body, contentType, d.Charset, r)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	want := map[string][]uint16{}
	for _, w := range d.Words {
		want[w.Text] = w.Positions
	}
	got, total := wordsOf(text, r)
	for word, p := range got {
		if len(p) > maxPositions {
			delete(got, word) // Parse keeps some of them
			delete(want, word)
		}
	}
	if d.NoIndex {
		got, total = map[string][]uint16{}, 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("%s (-Parse +ReadText):\n%s", name, diff)
	}
	type facts struct {
		Charset                       string
		Total                         int
		NoIndex, NoArchive, NoSnippet bool
		Base                          string
	}
	if diff := cmp.Diff(facts{d.Charset, d.TotalCount, d.NoIndex, d.NoArchive, d.NoSnippet, d.Base},
		facts{text.Charset, total, text.NoIndex, text.NoArchive, text.NoSnippet, text.Base}); diff != "" {
		tb.Errorf("%s (-Parse +ReadText):\n%s", name, diff)
	}
}

// TestReadTextHasTheWordsOfTheIndex: every word of a text has the ordinal that Parse gave it.
func TestReadTextHasTheWordsOfTheIndex(t *testing.T) {
	r := newRules(t, Rules{MinWordLength: 2, Stopwords: map[string]string{"the": "en", "of": ""}})
	main := r.LeavingOut(LeaveOut{Navigation: true, Selectors: "ul li.x p [id] b"})
	for _, page := range samplePages(t) {
		sameWords(t, page.name, []byte(page.text), "text/html; charset=utf-8", r)
		sameWords(t, page.name+" as XHTML", []byte(page.text), "application/xhtml+xml", r)
		sameWords(t, page.name+" as text", []byte(page.text), "text/plain", r)
		sameWords(t, page.name+", main text", []byte(page.text), "text/html; charset=utf-8", main)
	}
	for i, page := range manual(t) {
		if i%8 == 0 {
			sameWords(t, "postgresql manual", page, "text/html", r)
			sameWords(t, "postgresql manual, main text", page, "text/html", main)
		}
	}
	long := strings.Repeat("<p>wörter und noch mehr, 日本語 wor<b>ds</b> ", 20_000) // pieces of more than flushSize
	sameWords(t, "a long page", []byte(long), "text/html; charset=utf-8", r)
	sameWords(t, "a cut page", []byte(long), "text/html", newRules(t, Rules{IndexLimit: 100_001}))
}

func TestReadText(t *testing.T) {
	for _, c := range []struct{ name, contentType, body, want string }{
		{"blocks are kept apart, inline elements are not", "text/html", "<h1>One</h1><p>t<b>w</b>o\nthree<td>four<td>five", "One\ntwo three\nfour\nfive"},
		{"what is not shown is not there", "text/html", "a<script>b</script><style>c</style><template>d</template><iframe>e</iframe> f", "a\n f"},
		{"what is not indexed is not there", "text/html", "a<!--noindex-->b<p>c<!--/noindex-->d", "a\nd"},
		{"line ends in plain text", "text/plain", "One\ntwo.\n\n \nThree\r\nfour\r\n\r\nfive", "One two.\n   Three  four \n  five"},
	} {
		text, err := ReadText([]byte(c.body), c.contentType, "", newRules(t, Rules{}))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(text.Body); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReadTextOfFields(t *testing.T) {
	body := `<html lang=de><base href=" /x/ "><title>T1</title><title>T2</title><meta name=description content="d1"><meta name=keywords content="k1, k2">` +
		`<meta name=description content=d2><meta name=robots content="noarchive, nosnippet">body`
	got, err := ReadText([]byte(body), "text/html", "", newRules(t, Rules{}))
	if err != nil {
		t.Fatal(err)
	}
	want := &Text{
		Charset: "utf-8", Title: []byte("T1\nT2\n"), Description: []byte("d1\nd2\n"), Keywords: []byte("k1, k2\n"), Body: []byte("body"),
		Lang: "de", Base: "/x/", NoArchive: true, NoSnippet: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestReadTextCharset: the stored charset decides; without one, or with an unknown one, it is detected.
func TestReadTextCharset(t *testing.T) {
	for _, c := range []struct{ charset, want, name string }{
		{"koi8-r", "жук", "koi8-r"}, {"windows-1251", "ЦХЛ", "windows-1251"}, {"", "ЦХЛ", "windows-1251"}, {"klingon", "ЦХЛ", "windows-1251"},
	} {
		text, err := ReadText([]byte("\xD6\xD5\xCB"), "text/plain; charset=windows-1251", c.charset, newRules(t, Rules{}))
		if err != nil {
			t.Fatal(err)
		}
		if string(text.Body) != c.want || text.Charset != c.name {
			t.Errorf("%q: %s in %s, want %s in %s", c.charset, text.Body, text.Charset, c.want, c.name)
		}
	}
	if _, err := ReadText(nil, "image/png", "", newRules(t, Rules{})); !errors.Is(err, ErrUnreadable) {
		t.Errorf("an image: %v", err)
	}
}

// callRecorder records the calls of a Visitor.
type callRecorder struct {
	bytes.Buffer
	texts [][2]int // at, length
}

func (v *callRecorder) StartTag(tag *Tag) {
	fmt.Fprintf(v, "<%s", tag.Name)
	for _, name := range []string{"href", "data-x"} {
		if value, ok := tag.Attr(name); ok {
			fmt.Fprintf(v, " %s=%q", name, value)
		}
	}
	v.WriteString(">")
}

func (v *callRecorder) EndTag(tag *Tag) { fmt.Fprintf(v, "</%s>", tag.Name) }

func (v *callRecorder) Text(text []byte, at int) {
	fmt.Fprintf(v, "%d:%s", at, text)
	if at >= 0 {
		v.texts = append(v.texts, [2]int{at, len(text)})
	}
}

func TestWalk(t *testing.T) {
	var v callRecorder
	text, err := Walk([]byte("<HTML><title>t</title><P Data-X='&lt;' data-x=2>a\nb<A HREF=x>c</a><script>no</script><template><b>no</b></template>"+
		"<!--noindex-->d<!--/noindex--><x-y/>e"), "text/html", "", newRules(t, Rules{}), &v)
	if err != nil {
		t.Fatal(err)
	}
	want := `<html><title></title><p data-x="<">0:a` + "\n" + `b<a href="x">3:c</a><script></script>-1:d<x-y>5:e`
	if got := v.String(); got != want {
		t.Errorf("told\n%s, want\n%s", got, want)
	}
	if got := string(text.Body); got != "a bc\ne" {
		t.Errorf("text %q", got)
	}
}

// FuzzWalk: the text has the words of the index, and a visitor receives all of it.
func FuzzWalk(f *testing.F) {
	for _, page := range samplePages(f) {
		f.Add([]byte(page.text), "text/html")
	}
	f.Add([]byte("a\n \n\nb\r\n\r\nc"), "text/plain")
	f.Add([]byte("<svg><title/><![CDATA[x]]>"), "application/xhtml+xml")
	r := newRules(f, Rules{Stopwords: map[string]string{"the": "en"}})
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		before := slices.Clone(body)
		sameWords(t, "fuzz", body, contentType, r)
		var v callRecorder
		text, err := Walk(body, contentType, "", r, &v)
		if err != nil {
			return
		}
		if !slices.Equal(body, before) {
			t.Error("the body was changed")
		}
		end := 0 // between the texts there are line ends only
		for _, told := range v.texts {
			if len(bytes.Trim(text.Body[end:told[0]], "\n")) > 0 {
				t.Errorf("not told of %q", text.Body[end:told[0]])
			}
			end = told[0] + told[1]
		}
		if len(bytes.Trim(text.Body[end:], "\n")) > 0 {
			t.Errorf("not told of %q", text.Body[end:])
		}
	})
}
