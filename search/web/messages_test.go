package web

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search/query"
	"golang.org/x/text/feature/plural"
)

// TestMessageFilesAgree: every file has every message, with the same placeholders, links and code, and for a
// number the plural forms that its language has.
func TestMessageFilesAgree(t *testing.T) {
	languages := testPages(t).languages
	english := languages.in(defaultLanguage)
	if got := languages.codes; len(got) < 7 {
		t.Errorf("there are messages in %v only", got)
	}
	for _, code := range languages.codes {
		x := languages.in(code)
		for key := range x.messages {
			if _, ok := english.messages[key]; !ok {
				t.Errorf("%s has %s, and English does not", code, key)
			}
		}
		forms := map[plural.Form]bool{plural.Other: true}
		for n := range 1001 {
			forms[plural.Cardinal.MatchPlural(x.tag, n, 0, 0, 0, 0)] = true
		}
		for key, want := range english.messages {
			got, ok := x.messages[key]
			switch {
			case !ok:
				t.Errorf("%s has no %s", code, key)
				continue
			case (got.forms == nil) != (want.forms == nil):
				t.Errorf("%s: %s has plural forms in one of English and %s only", code, key, code)
			case got.forms != nil && !maps.Equal(forms, boolsOf(got.forms)):
				t.Errorf("%s: %s has the plural forms %v, want %v", code, key, boolsOf(got.forms), forms)
			}
			for _, text := range textsOf(got) {
				if diff := cmp.Diff(markupOf(textsOf(want)...), markupOf(text)); diff != "" {
					t.Errorf("%s: %s has other placeholders, links or code than English (-English +%s):\n%s", code, key, code, diff)
				}
				if strings.TrimSpace(text) != text || text == "" {
					t.Errorf("%s: %s is empty or has blanks around it: %q", code, key, text)
				}
			}
		}
		for _, list := range []string{"date.months", "date.short_months"} {
			if n := len(strings.Fields(x.say(list))); n != 12 {
				t.Errorf("%s: %s has %d months", code, list, n)
			}
		}
	}
}

func boolsOf(forms map[plural.Form]string) map[plural.Form]bool {
	set := map[plural.Form]bool{}
	for f := range forms {
		set[f] = true
	}
	return set
}

func textsOf(m entry) []string {
	if m.forms == nil {
		return []string{m.text}
	}
	return slices.Collect(maps.Values(m.forms))
}

// markupOf returns the placeholders and tags of texts, each once. A plural form may leave out its number.
func markupOf(texts ...string) []string {
	var parts []string
	for _, text := range texts {
		parts = append(parts, placeholders.FindAllString(text, -1)...)
		parts = append(parts, tags.FindAllString(text, -1)...)
	}
	slices.Sort(parts)
	return slices.DeleteFunc(slices.Compact(parts), func(s string) bool { return s == "{n}" || s == "<code>" || s == "</code>" })
}

var placeholders = regexp.MustCompile(`\{@?[a-z_]+\}`)

// TestSentencesAreTranslated: the errors and notes of queries, and the failures of the server, are English
// formats in the code. Every file has a translation of each, with no more parts than the format.
func TestSentencesAreTranslated(t *testing.T) {
	formats := map[string]bool{}
	for _, dir := range []string{".", "..", filepath.Join("..", "query")} {
		for _, f := range formatsOf(t, dir) {
			formats[f] = true
		}
	}
	if len(formats) < 40 {
		t.Fatalf("only %d formats were found in the code", len(formats))
	}
	languages := testPages(t).languages
	for _, code := range languages.codes {
		sentences := languages.in(code).sentences
		for f := range formats {
			text, ok := sentences[f]
			if !ok {
				t.Errorf("messages/%s.toml, [sentences]: no %q", code, f)
			}
			for _, part := range regexp.MustCompile(`\{([0-9]+)\}`).FindAllStringSubmatch(text, -1) {
				if n, _ := strconv.Atoi(part[1]); n < 1 || n > strings.Count(f, "%") {
					t.Errorf("messages/%s.toml: %q has %s, and %q has %d parts", code, text, part[0], f, strings.Count(f, "%"))
				}
			}
		}
		for f := range sentences {
			if !formats[f] {
				t.Errorf("messages/%s.toml, [sentences]: %q is in no code", code, f)
			}
		}
	}
}

// formatsOf returns the formats that the code of a package passes to the functions that make sentences.
func formatsOf(t *testing.T, dir string) (formats []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		add := func(x ast.Expr) {
			if text := constant(x); text != "" {
				formats = append(formats, text)
			}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if at, ok := map[string]int{"fault": 2, "note": 3, "wrong": 1, "NewNote": 1, "unknown": 0}[calledName(n)]; ok && at < len(n.Args) {
					add(n.Args[at])
				}
			case *ast.KeyValueExpr: // of a failure
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "text" && dir == "." {
					add(n.Value)
				}
			case *ast.AssignStmt:
				if to, ok := n.Lhs[0].(*ast.SelectorExpr); ok && to.Sel.Name == "text" && dir == "." {
					add(n.Rhs[0])
				}
			}
			return true
		})
	}
	return formats
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// constant returns the value of a string literal or a sum of them; empty for anything else.
func constant(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			text, _ := strconv.Unquote(x.Value)
			return text
		}
	case *ast.BinaryExpr:
		return constant(x.X) + constant(x.Y)
	}
	return ""
}

// TestMessagesAreUsed: the templates and the code name messages that there are, and no message is left over.
func TestMessagesAreUsed(t *testing.T) {
	var text strings.Builder
	for _, pattern := range []string{"*.go", filepath.Join("pages", "*")} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if body, err := os.ReadFile(f); err == nil && !strings.HasSuffix(f, "_test.go") {
				text.Write(body)
			}
		}
	}
	english := testPages(t).languages.in(defaultLanguage)
	used := map[string]bool{}
	sections := map[string]bool{}
	for key := range english.messages {
		section, _, _ := strings.Cut(key, ".")
		sections[section] = true
	}
	for _, m := range regexp.MustCompile(`"([a-z]+)\.([a-z_0-9]+)"`).FindAllStringSubmatch(text.String(), -1) {
		key := m[1] + "." + m[2]
		if !sections[m[1]] || slices.Contains([]string{"base.html", "help.html"}, key) {
			continue
		}
		used[key] = true
		if _, ok := english.messages[key]; !ok && key != "code.c" && !strings.HasSuffix(key, "_") {
			t.Errorf("there is no message %s", key)
		}
	}
	for _, m := range regexp.MustCompile(`line\([^\n]*, "([a-z_]+)"\)`).FindAllStringSubmatch(text.String(), -1) {
		used["help."+m[1]] = true
	}
	for key := range english.messages {
		family := slices.ContainsFunc([]string{"fail.code_", "fail.title_", "hit.section_", "facet.", "run.", "database.", "unit.", "count.", "code.c"}, func(p string) bool { return strings.HasPrefix(key, p) })
		if !used[key] && !family {
			t.Errorf("no page uses the message %s", key)
		}
	}
}

// TestPagesInEveryLanguage: all pages are valid in every language, name it, and leave no placeholder open.
func TestPagesInEveryLanguage(t *testing.T) {
	for _, code := range testPages(t).languages.codes {
		t.Run(code, func(t *testing.T) {
			p, err := NewPages(Look{Language: code})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range samplePages() {
				page := s.html(t, p)
				for _, wrong := range invalid(page) {
					t.Errorf("%s: %s", s.name, wrong)
				}
				if !strings.Contains(page, `<html lang="`+code+`">`) {
					t.Errorf("%s: the page does not say that it is in %s", s.name, code)
				}
				if left := placeholders.FindString(page); left != "" && !strings.HasPrefix(s.name, "hostile") {
					t.Errorf("%s: %s is shown as such", s.name, left)
				}
			}
		})
	}
}

// TestMissingMessageFallsBackToEnglish: a file that is not complete yet can be used.
func TestMissingMessageFallsBackToEnglish(t *testing.T) {
	languages := testPages(t).languages
	german := *languages.in("de")
	german.messages = map[string]entry{"count.on_sites": german.messages["count.on_sites"]}
	german.sentences = nil
	for key, want := range map[string]string{"base.help": "Help", "no.such": "no.such"} {
		if got := german.say(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if got := german.say("count.document", "n", 12345); got != "12.345 documents" {
		t.Errorf("got %q, want the English word with a German number", got)
	}
	if got := german.sentence("There is no word to search for.", nil, "There is no word to search for."); got != "There is no word to search for." {
		t.Errorf("got %q", got)
	}
}

// TestMessagesAreText: nothing in a message or a value is markup, but links, code and bold.
func TestMessagesAreText(t *testing.T) {
	x := *testPages(t).languages.in(defaultLanguage)
	x.messages = map[string]entry{
		"a": {text: markup("<script>alert(1)</script> **bold** `<code>` [link]({url}) {text} {n}")},
	}
	got, err := x.text("a", "url", "javascript:alert(1)", "text", "<b>**x** `y` [z]({url})", "n", 1234)
	if err != nil {
		t.Fatal(err)
	}
	want := `&lt;script&gt;alert(1)&lt;/script&gt; <strong>bold</strong> <code>&lt;code&gt;</code> <a href="#ZgotmplZ">link</a> ` +
		"&lt;b&gt;**x** `y` [z]({url}) 1,234"
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// TestNumbersInEveryLanguage checks plural forms, separators and dates.
func TestNumbersInEveryLanguage(t *testing.T) {
	languages := testPages(t).languages
	for code, want := range map[string][]string{
		"de": {"1 Dokument", "2 Dokumente", "12.345 Dokumente", "1,5", "21. November 2026"},
		"fr": {"1 document", "2 documents", "12\u00a0345 documents", "1,5", "21 novembre 2026"},
		"es": {"1 documento", "2 documentos", "12.345 documentos", "1,5", "21 de noviembre de 2026"},
		"ru": {"1 документ", "2 документа", "12\u00a0345 документов", "1,5", "21 ноября 2026 г."},
		"ja": {"1 件の文書", "2 件の文書", "12,345 件の文書", "1.5", "2026年11月21日"},
		"zh": {"1 个文档", "2 个文档", "12,345 个文档", "1.5", "2026年11月21日"},
	} {
		x := languages.in(code)
		got := []string{x.say("count.document", "n", 1), x.say("count.document", "n", 2), x.say("count.document", "n", 12345), x.decimal(1, 1.5), x.day(sampleNow)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", code, diff)
		}
	}
	for n, want := range map[int]string{0: "0 документов", 21: "21 документ", 104: "104 документа", 111: "111 документов", 10_000_001: "10\u00a0000\u00a0001 документ"} {
		if got := languages.in("ru").say("count.document", "n", n); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLanguageOfAReader(t *testing.T) {
	p := testPages(t)
	for _, c := range []struct {
		asked, header, want string
		chosen              bool
	}{
		{"", "", "en", false},
		{"", "de-AT,de;q=0.9,en;q=0.8", "de", false},
		{"", "nl,fr;q=0.5", "fr", false},
		{"", "zh-TW", "zh", false},
		{"", "xx;;;", "en", false},
		{"", "tlh", "en", false},
		{"ru", "de", "ru", true},
		{"pt-BR", "de", "de", false},
		{"es-419", "de", "es", true},
	} {
		if got, chosen := p.Language(c.asked, c.header); got != c.want || chosen != c.chosen {
			t.Errorf("hl=%s, Accept-Language %s: %s, chosen %v; want %s, %v", c.asked, c.header, got, chosen, c.want, c.chosen)
		}
	}
}

// TestErrorsInTheLanguageOfThePage: an error of a query is a sentence of the page's language; its position is
// shown and not counted in bytes.
func TestErrorsInTheLanguageOfThePage(t *testing.T) {
	_, err := query.Parse("vacuum OR", query.Options{})
	var e *query.Error
	if !errors.As(err, &e) {
		t.Fatalf("no error of a query: %v", err)
	}
	languages := testPages(t).languages
	seen := map[string]bool{}
	for _, code := range languages.codes {
		text := languages.in(code).fault(e)
		if seen[text] || strings.Contains(text, "byte") || strings.Contains(text, "{") || !strings.Contains(text, "OR") {
			t.Errorf("%s: %s", code, text)
		}
		seen[text] = true
	}
}
