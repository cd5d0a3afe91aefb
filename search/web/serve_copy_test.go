package web

import (
	"strings"
	"testing"

	"github.com/pgseek/pgseek/search/snippet"
)

// TestCopyLook: a cached copy has the colors and the logo of the site, and its policy allows no more than these.
func TestCopyLook(t *testing.T) {
	logo := File{Path: "a.svg", Body: []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)}
	for _, c := range []struct {
		look         Look
		name, images string
	}{
		{Look{Name: `A <b>"`}, `A &lt;b&gt;&#34;</a>`, ""},
		{Look{Logo: logo}, `<img class="logo" src="data:image/svg+xml;base64,PHN2ZyB4`, "; img-src data:"},
		{Look{Logo: File{Path: "a.png", Body: make([]byte, maxCopyLogo+1)}}, `pgseek</a>`, ""},
		{Look{LogoURL: `https://a.example/x"y.png`}, `src="https://a.example/x&#34;y.png"`, "; img-src https://a.example"},
		{Look{LogoURL: `https://a.example;script-src */x.png`}, `pgseek</a>`, ""},
	} {
		c.look.Colors = []Color{{"link", "#123456", ""}}
		x := &fakeIndex{}
		s, err := NewServer(ServerOptions{Look: c.look})
		if err != nil {
			t.Fatal(err)
		}
		s.Connect(x.backend())
		r := get(t, s, "/cache?id=1&q=cat")
		policy := r.Header.Get("Content-Security-Policy")
		if _, images, found := strings.Cut(policy, "; img-src"); found != (c.images != "") || found && "; img-src"+images != c.images || !strings.HasPrefix(policy, "sandbox; ") {
			t.Errorf("policy %s, want %s", policy, c.images)
		}
		if len(x.copies) != 1 || !strings.Contains(x.copies[0].Style, "--link: #123456;") {
			t.Fatalf("asked for %+v", x.copies)
		}
		if _, _, about, _ := x.copies[0].Head(&snippet.CopySource{}, "", ""); !strings.Contains(about, c.name) {
			t.Errorf("the head is %s, want %s", about, c.name)
		}
	}
}
