package web

import (
	"regexp"
	"strings"
	"testing"
)

// TestLanguageOfThePages: hl, else Accept-Language, else Language decides. Links keep hl and nothing else. JSON is
// English.
func TestLanguageOfThePages(t *testing.T) {
	s, err := NewServer(ServerOptions{Look: Look{Language: "fr"}})
	if err != nil {
		t.Fatal(err)
	}
	x := &fakeIndex{}
	s.Connect(x.backend())
	for _, c := range []struct{ target, accept, want string }{
		{"/", "", "fr"},
		{"/", "nl", "fr"},
		{"/help", "de, en;q=0.5", "de"},
		{"/search?q=cat", "ja", "ja"},
		{"/search?q=cat&hl=ru", "ja", "ru"},
		{"/search?q=cat&hl=nl", "ja", "ja"},
		{"/search?q=cat+OR&hl=es", "", "es"},
		{"/advanced?hl=zh-CN", "ja", "zh"},
		{"/none?hl=de", "", "de"},
	} {
		r := get(t, s, c.target, "Accept-Language", c.accept)
		if !strings.Contains(r.text, `<html lang="`+c.want+`">`) || r.Header.Get("Content-Language") != c.want {
			t.Errorf("%s with Accept-Language %q is in %s, want %s", c.target, c.accept, r.Header.Get("Content-Language"), c.want)
		}
		if vary := strings.Join(r.Header.Values("Vary"), ","); !strings.Contains(vary, "Accept-Language") {
			t.Errorf("%s: Vary is %q", c.target, vary)
		}
		asked := strings.Contains(c.target, "hl="+c.want) || strings.Contains(c.target, "hl="+c.want+"-")
		for _, m := range regexp.MustCompile(`(?:href|action)="(/[^"]*)"`).FindAllStringSubmatch(r.text, -1) {
			link := m[1]
			if strings.Contains(link, ".") || strings.HasPrefix(link, "/cache") || strings.HasPrefix(m[0], "action") {
				continue
			}
			if kept := strings.Contains(link, "hl="); kept != asked && !strings.Contains(c.target, "hl=nl") {
				t.Errorf("%s: the link %s keeps the language: %v, want %v", c.target, link, kept, asked)
			}
		}
		if forms, fields := strings.Count(r.text, "<form"), strings.Count(r.text, `name="hl"`); asked && forms != fields {
			t.Errorf("%s: %d forms, of which %d keep the language", c.target, forms, fields)
		}
	}
	if r := get(t, s, "/search?q=cat+OR&hl=de&format=json"); !strings.Contains(r.text, "needs something to search for") {
		t.Errorf("JSON is not in English: %s", r.text)
	}
	if r := get(t, s, "/cache?hl=de", "Accept-Language", "de"); !strings.Contains(r.text, "Der Parameter id oder url fehlt.") {
		t.Errorf("the error is not in German: %s", r.text)
	}
}
