package web

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentOfTemplates: docs/templates.md names every value of the views, every function and every file.
func TestDocumentOfTemplates(t *testing.T) {
	b, err := os.ReadFile("../../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, view := range []any{
		frame{}, ask{}, HomeView{}, resultsPage{}, hitGroup{}, hitLines{}, pager{}, pagerItem{}, emptyResult{}, Limit{}, fault{}, spelling{}, FormChoice{}, helpPart{}, helpLine{},
	} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(view)) {
			switch {
			case field.Anonymous || !field.IsExported() || field.Type.Kind() == reflect.Func && field.Name != "OrderURL",
				strings.Contains(" Chosen Kept InSite NoCopy All Terms ErrText LastModified ", " "+field.Name+" "): // for the program
			case !regexp.MustCompile(`\.` + field.Name + `\b`).MatchString(text):
				t.Errorf("docs/templates.md does not name .%s of %T", field.Name, view)
			}
		}
	}
	for name := range testPages(t).languages.usual().funcs() {
		if !regexp.MustCompile("[`(]" + name + "[ `]").MatchString(text) {
			t.Errorf("docs/templates.md does not name the function %s", name)
		}
	}
	for page, files := range pageFileNames {
		for _, file := range append(files, page) {
			if !strings.Contains(text, "`"+file+".html`") {
				t.Errorf("docs/templates.md does not name %s.html", file)
			}
		}
	}
}
