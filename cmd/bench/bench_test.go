package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFloorCutsAPage(t *testing.T) {
	c := &cutter{words: map[string]*postings{}}
	const page = `<html><head><title>Two Words</title><script>var hidden</script></head>
		<body><a class=x href="a.html">one two</a> two&amp;3 <A HREF='b.html'></a></body></html>`
	title, hrefs := c.html(7, []byte(page))
	c.html(8, []byte("two"))
	if title != "Two Words" {
		t.Errorf("title %q, want %q", title, "Two Words")
	}
	if diff := cmp.Diff([]string{"a.html", "b.html"}, hrefs); diff != "" {
		t.Errorf("hrefs (-want +got):\n%s", diff)
	}
	got := map[string][]byte{}
	for word, p := range c.words {
		got[word] = p.blob
	}
	want := map[string][]byte{
		"two":   {7, 0, 0, 0, 3, 0, 1, 0, 4, 0, 5, 0, 8, 0, 0, 0, 1, 0, 1, 0},
		"words": {7, 0, 0, 0, 1, 0, 2, 0},
		"one":   {7, 0, 0, 0, 1, 0, 3, 0},
		"3":     {7, 0, 0, 0, 1, 0, 6, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("postings (-want +got):\n%s", diff)
	}
}

func TestTextIsWhatABrowserShows(t *testing.T) {
	for _, c := range []struct{ body, contentType, want string }{
		{`<title>The Title</title><body><p>b a <b>c</b>d</p><p>x`, "text/html", "The Title b a cd x"},
		{`a<script>var x</script><br>b &amp; c<style>d</style>`, "text/html; charset=utf-8", "a b & c"},
		{"a <b>\n c", "text/plain", "a <b> c"},
		{"a\x00b \xff", "text/plain", "a b"},
	} {
		if got := textOf([]byte(c.body), c.contentType); got != c.want {
			t.Errorf("text of %q: %q, want %q", c.body, got, c.want)
		}
	}
}

func TestStatOfOurselves(t *testing.T) {
	s, err := readStat("self")
	if err != nil || s.parent != os.Getppid() {
		t.Errorf("parent %d, %v; want %d", s.parent, err, os.Getppid())
	}
}

func TestWhatMissesItsBoundIsMarked(t *testing.T) {
	for _, c := range []struct {
		measured, bound float64
		want            string
	}{
		{2.4, 2.5, "x 2.4 2.5"},
		{2.6, 2.5, "x 2.6 2.5 MISSED"},
		{2.6, 0, "x 2.6 -"},
	} {
		var out bytes.Buffer
		verdict(&out, "x", c.measured, c.bound, "%.1f")
		if got := strings.Join(strings.Fields(out.String()), " "); got != c.want {
			t.Errorf("verdict of %v against %v: %q, want %q", c.measured, c.bound, got, c.want)
		}
	}
}

func TestEditorAddsAParagraph(t *testing.T) {
	e := newEditor(nil, nil, []byte("one <a> three"))
	const page = "<body><p>a</p><p>b</p></body>"
	for range 20 {
		got := string(e.edit([]byte(page)))
		before, rest, _ := strings.Cut(got, "<p>one &lt;a&gt; three new")
		_, after, found := strings.Cut(rest, "</p>")
		if before+after != page || !found || !strings.HasSuffix(before, "</p>") {
			t.Errorf("%q is not %q with a paragraph behind another one", got, page)
		}
	}
	if got := string(e.edit([]byte("a</body>"))); !strings.HasPrefix(got, "a<p>") || !strings.HasSuffix(got, " </p></body>") {
		t.Errorf("without paragraphs: %q", got)
	}
}
