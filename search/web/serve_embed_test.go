package web

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var embedded = regexp.MustCompile(`(?s)<pre class="snippet"[^>]*><code>(.*?)</code></pre>`)

// TestEmbed: /embed shows a form whose request is the search that the request of the page describes, at the address that the
// client sees, also below a prefix.
func TestEmbed(t *testing.T) {
	for _, c := range []struct{ root, target, action, query string }{
		{"", "/embed", "http://example.com/search", ""},
		{"/find/", "/find/embed?site=docs.example.org&type=pdf&q=a&np=3&format=html", "http://example.com/find/search", "site=docs.example.org&type=pdf"},
		{"/find/", `/find/embed?site=&path=/a%22%3E%3Cscript%3E&hl=de`, "http://example.com/find/search", "hl=de&path=%2Fa%22%3E%3Cscript%3E"},
	} {
		s, err := NewServer(ServerOptions{Defaults: Defaults{Root: c.root}})
		if err != nil {
			t.Fatal(err)
		}
		r := get(t, s, c.target)
		m := embedded.FindStringSubmatch(r.text)
		if r.StatusCode != 200 || m == nil {
			t.Fatalf("%s: %d %s", c.target, r.StatusCode, r.text)
		}
		box := html.UnescapeString(m[1])
		if !strings.HasPrefix(box, `<form action="`+c.action+`" accept-charset="utf-8">`+"\n") || !strings.HasSuffix(box, "\n</form>") || strings.Contains(box, "<script") {
			t.Errorf("%s: %s", c.target, box)
		}
		sent := url.Values{}
		for _, f := range regexp.MustCompile(`type="hidden" name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(box, -1) {
			sent.Add(html.UnescapeString(f[1]), html.UnescapeString(f[2]))
		}
		if sent.Encode() != c.query {
			t.Errorf("%s: the box sends %s, want %s", c.target, sent.Encode(), c.query)
		}
		sent.Set("q", "word")
		if _, err := ReadForm(sent); err != nil {
			t.Errorf("%s: %v", c.target, err)
		}
	}
	s, err := NewServer(ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r := get(t, s, "/embed?dp=soon"); r.StatusCode != 400 || !strings.Contains(r.text, "soon") {
		t.Errorf("a bad parameter: %d", r.StatusCode)
	}
}
