package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/search"
)

func TestSuggest(t *testing.T) {
	x := &fakeIndex{}
	s, _ := newTestServer(nil, ServerOptions{Suggest: true})
	if r := get(t, s, "/suggest?q=a"); r.StatusCode != 200 {
		t.Errorf("before the database has answered: %d", r.StatusCode)
	}
	b := x.backend()
	var asked []string
	b.Suggest = func(text string) []search.Completion {
		asked = append(asked, text)
		return []search.Completion{
			{Text: text + " <b>&", Kind: search.CompletedQuery},
			{Text: "A </script>", URL: "https://a.example/x/?id=1", Kind: search.CompletedTitle},
			{Text: "evil", URL: "javascript:alert(1)", Kind: search.CompletedTitle},
			{Text: "word", Kind: search.CompletedWord},
		}
	}
	s.Connect(b)
	r := get(t, s, "/suggest?q=ab%00%ff+c%0a")
	body := r.text
	want := `["ab   c ",["ab   c  \u003cb\u003e\u0026","A \u003c/script\u003e","word"],["","a.example/x",""],` +
		`["http://example.com/search?q=ab+++c++%3Cb%3E%26","https://a.example/x/?id=1","http://example.com/search?q=word"]]` + "\n"
	if body != want || r.Header.Get("Content-Type") != "application/x-suggestions+json; charset=utf-8" {
		t.Errorf("%s %s, want %s", r.Header.Get("Content-Type"), body, want)
	}
	if r := get(t, s, "/suggest?q="+strings.Repeat("a", 300)); r.StatusCode != 200 || len(asked) != 1 {
		t.Errorf("a long text: %d, %d asked", r.StatusCode, len(asked))
	}
	if len(x.rows) != 0 {
		t.Error("suggestions are recorded in stat")
	}
	s, _ = newTestServer(nil, ServerOptions{})
	if r := get(t, s, "/suggest?q=a"); r.StatusCode != 404 {
		t.Errorf("without suggestions: %d", r.StatusCode)
	}
}

// The script is in the pages only with Suggest, the policy allows exactly it, and it stays small.
func TestScriptOfSuggestions(t *testing.T) {
	if n := len(suggestScript); n > 2048 {
		t.Errorf("the script has %d bytes", n)
	}
	for _, yes := range []bool{false, true} {
		p, err := NewPages(Look{Suggest: yes})
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range samplePages() {
			var b strings.Builder
			if err := sample.write(p, &b); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(b.String(), "<script>"+suggestScript+"</script>"); got != map[bool]int{true: 1}[yes] || strings.Count(b.String(), "<script") != got {
				t.Errorf("%s with Suggest %v has %d scripts", sample.name, yes, got)
			}
		}
		if got := strings.Contains(p.Policy(), "; script-src 'sha256-"); got != yes || strings.Contains(p.Policy(), "unsafe") {
			t.Errorf("Suggest %v: %s", yes, p.Policy())
		}
	}
}

// JSON escapes what a reader of HTML would take for elements, whatever the texts are.
func FuzzSuggest(f *testing.F) {
	f.Add("a", "<script>")
	f.Add("\u2028", "\"],[")
	f.Fuzz(func(t *testing.T, typed, suggested string) {
		s, _ := newTestServer(nil, ServerOptions{Suggest: true})
		b := (&fakeIndex{}).backend()
		b.Suggest = func(string) []search.Completion { return []search.Completion{{Text: suggested}} }
		s.Connect(b)
		r := get(t, s, fmt.Sprintf("/suggest?q=%x", typed))
		body := r.text
		var list []any
		if r.StatusCode != 200 || json.Unmarshal([]byte(body), &list) != nil || len(list) != 4 || strings.ContainsAny(body, "<>&") {
			t.Errorf("%q: %d %s", suggested, r.StatusCode, body)
		}
	})
}
