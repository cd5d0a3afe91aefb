package web

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search"
)

// ownLook writes files to a directory of templates and returns a Look with them, and with a header and a footer.
func ownLook(t *testing.T, files map[string]string) (Look, error) {
	t.Helper()
	dir := t.TempDir()
	look := Look{}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if strings.HasPrefix(name, "part-") {
			path = filepath.Join(t.TempDir(), name)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if part, ok := strings.CutPrefix(name, "part-"); ok {
			if err := look.ReadPart(strings.TrimSuffix(part, ".html"), path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return look, look.ReadTemplates(dir)
}

// TestOwnFace: name, logo, colors, header and footer are on every page, which stays valid.
func TestOwnFace(t *testing.T) {
	look, err := ownLook(t, map[string]string{
		"part-header.html": `<header class="ours"><a href="/intranet">Kitchen {{.Name}}</a></header>` + "\n",
		"part-footer.html": `<footer class="ours">{{t "base.help"}} in {{.Lang}}, {{.Root}}</footer>` + "\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	look.Name = hostileText[:30] + "\u202e Küche"
	look.Logo = File{Path: "x.SVG", Body: []byte("<svg/>")}
	look.Colors = []Color{{"link", "#112233", ""}, {"paper", "#ffffff", "#000000"}, {"x;}", "#ffffff", ""}, {"ink", "red", ""}}
	p, err := NewPages(look)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samplePages() {
		page := s.html(t, p)
		for _, want := range []string{`<header class="ours">`, `>Kitchen `, `<footer class="ours">Help in en, /</footer>`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s", s.name, want)
			}
		}
		if strings.Contains(page, "pgseek") && !strings.Contains(s.name, "hostile") {
			t.Errorf("%s has the name pgseek", s.name)
		}
		if strings.Contains(page, "<script") {
			t.Errorf("%s: the name is markup", s.name)
		}
		if s.name == "results" && !strings.Contains(page, `<a class="name" href="/"><img class="logo" src="/logo" alt="`) {
			t.Errorf("%s has no logo", s.name)
		}
	}
	css, _, _ := p.Static("style.css", "")
	if want := "@media not (prefers-color-scheme: dark) {\n  :root { --link: #112233; --paper: #ffffff; }\n}\n@media (prefers-color-scheme: dark) {\n  :root { --paper: #000000; }\n}\n"; !strings.HasSuffix(string(css), want) {
		t.Errorf("style.css ends with %q", css[max(0, len(css)-200):])
	}
	if body, kind, ok := p.Static("logo", ""); string(body) != "<svg/>" || kind != "image/svg+xml" || !ok {
		t.Errorf("the logo is %q, %s, %v", body, kind, ok)
	}
	var description struct{ ShortName, LongName, Description string }
	if body, _, _ := p.Static("opensearch.xml", "http://h/"); xml.Unmarshal(body, &description) != nil || len([]rune(description.ShortName)) > 16 ||
		description.LongName == "" || strings.Contains(description.LongName, "\u202e") {
		t.Errorf("opensearch.xml: %+v", description)
	}
	if _, _, ok := testPages(t).Static("logo", ""); ok {
		t.Error("there is a logo without Logo")
	}
}

// TestValidWithOwnName: a name, a logo and an address of a logo leave the pages valid.
func TestValidWithOwnName(t *testing.T) {
	for _, look := range []Look{{Name: `A "name" & <more>`}, {LogoURL: "https://www.example.org/l.png"}} {
		p, err := NewPages(look)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range samplePages()[:4] {
			page := strings.ReplaceAll(s.html(t, p), `<img class="logo" src="https://www.example.org/l.png" alt="pgseek">`, "pgseek")
			for _, wrong := range invalid(page) {
				t.Errorf("%s: %s", s.name, wrong)
			}
		}
	}
}

func TestPolicyAllowsTheLogoOnly(t *testing.T) {
	for address, want := range map[string]string{
		"":                              "img-src 'self';",
		"https://www.example.org/a.png": "img-src 'self' https://www.example.org;",
		"https://a;script-src *;/":      "img-src 'self';",
		"javascript:alert(1)":           "img-src 'self';",
	} {
		p := &Pages{look: Look{LogoURL: address}}
		if got := p.Policy(); !strings.Contains(got, want) || strings.Count(got, ";") != strings.Count(PagePolicy, ";") {
			t.Errorf("%q: %s", address, got)
		}
	}
}

// TestOwnTemplates: a file of the operator replaces that of the program, in every language; the others stay.
func TestOwnTemplates(t *testing.T) {
	look, err := ownLook(t, map[string]string{
		"hit.html":  `{{define "hit"}}<p class="mine">{{.Heading}} {{t "hit.cached"}}</p>{{end}}`,
		"style.css": "body { color: red }\n", ".swp": "", "home.html~": "{{",
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPages(look)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	v := sampleResults(0)
	v.Lang = "de"
	if err := p.Results(&b, v); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `<p class="mine">VACUUM: garbage-collect and optionally analyze a database Gespeicherte Kopie</p>`) || !strings.Contains(b.String(), "<footer>") {
		t.Errorf("the page is not that of the template: %s", b.String())
	}
	if css, _, _ := p.Static("style.css", ""); string(css) != "body { color: red }\n" {
		t.Errorf("style.css is %q", css)
	}
}

// TestErrorsInOwnTemplates: what is wrong with a file is said before anybody sees a page.
func TestErrorsInOwnTemplates(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             TemplateError
	}{
		{"no end", "hit.html", "{{define \"hit\"}}\n\n{{if .Link}}\n{{end}}", TemplateError{Line: 4, Text: "unexpected EOF"}},
		{"an unknown function", "home.html", "{{define \"content\"}}\n{{shout .Name}}{{end}}", TemplateError{Line: 2, Text: `function "shout" not defined`}},
		{"an unknown value", "hit.html", "{{define \"hit\"}}\n{{.Titel}}{{end}}", TemplateError{Line: 2, Text: "can't evaluate field Titel"}},
		{"a missing part", "home.html", "{{define \"content\"}}\n{{template \"no\"}}{{end}}", TemplateError{Line: 2, Text: "no such template"}},
		{"an open attribute", "fail.html", "{{define \"content\"}}\n<p {{if .Fail.Title}}title=\"{{end}}x\">{{end}}", TemplateError{Line: 2, Text: "branches"}},
		{"in the header", "part-header.html", "\n\n{{.Nothing}}", TemplateError{Line: 3, Text: "can't evaluate field Nothing"}},
		{"of a name that no page has", "hits.html", "", TemplateError{Text: "no page has a file of this name; those are advanced.html base.html"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			look, err := ownLook(t, map[string]string{c.file: c.text})
			if err == nil {
				_, err = NewPages(look)
			}
			var got *TemplateError
			if !errors.As(err, &got) {
				t.Fatalf("the error is %v", err)
			}
			if filepath.Base(got.File) != c.file || got.Line != c.want.Line || !strings.Contains(got.Text, c.want.Text) {
				t.Errorf("%v, want line %d and %q", got, c.want.Line, c.want.Text)
			}
		})
	}
}

// TestFailingTemplateShowsThePageOfTheProgram: an error that only some values cause is logged, and nobody sees it.
func TestFailingTemplateShowsThePageOfTheProgram(t *testing.T) {
	look, err := ownLook(t, map[string]string{"results.html": "{{define \"content\"}}\n{{if eq .Query \"bad\"}}{{index .Groups 7}}{{end}}mine{{end}}"})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	look.Log = slog.New(slog.NewTextHandler(&log, nil))
	p, err := NewPages(look)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]bool{"good": true, "bad": false} {
		var b bytes.Buffer
		if err := p.Results(&b, ResultsView{Query: query, Result: &search.Result{}}); err != nil {
			t.Fatal(err)
		}
		if mine := strings.Contains(b.String(), "mine"); mine != want || !strings.HasSuffix(b.String(), "</html>\n") {
			t.Errorf("%s: the page of the template %v, want %v", query, mine, want)
		}
	}
	if !strings.Contains(log.String(), "results.html:2: ") {
		t.Errorf("the log has %s", log.String())
	}
}

// TestTrialsHaveEveryValue: the pages that try out templates have all parts of the pages.
func TestTrialsHaveEveryValue(t *testing.T) {
	p := testPages(t)
	var all bytes.Buffer
	for _, write := range trials() {
		if err := write(p, &all); err != nil {
			t.Fatal(err)
		}
	}
	var missing []string
	for _, class := range []string{"second", "also", "why", "more", "lost", "kind", "limits", "notes", "spelling", "pager", "words", "fault", "place", "tries", "row", "facts", "wide", "code", "ways", "note", "facets", "keys"} {
		if !strings.Contains(all.String(), `class="`+class) {
			missing = append(missing, class)
		}
	}
	if diff := cmp.Diff([]string(nil), missing); diff != "" {
		t.Error(diff)
	}
	if err := p.Home(io.Discard, HomeView{}); err != nil {
		t.Error(err)
	}
}
