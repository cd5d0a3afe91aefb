package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store/posting"
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

func TestTextForToTsvectorKeepsTheOrder(t *testing.T) {
	rules, err := document.NewRules(document.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	packed := posting.PackContent(nil, []byte(`<title>The Title</title><body><p>b a <b>c</b> a</p></body>`))
	got, err := textOf(packed, "text/html", rules)
	if err != nil || got != "The Title b a c a" {
		t.Errorf("text %q, %v; want %q", got, err, "The Title b a c a")
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
