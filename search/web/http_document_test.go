package web

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/search"
)

// TestDocumentOfHTTP: docs/http.md names every parameter, every name of the answers, every code and every
// metric.
func TestDocumentOfHTTP(t *testing.T) {
	b, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	named := func(what, name string) {
		t.Helper()
		if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`"+name+"=") && !strings.Contains(text, `"`+name+`"`) {
			t.Errorf("docs/http.md does not name the %s %s", what, name)
		}
	}
	parameters := map[string]bool{"cs": true, "page": true, "site": true, "ch": true}
	for _, c := range formCases {
		for _, p := range formOf(t, c.query).Pairs() {
			parameters[p.Name] = true
		}
	}
	if len(parameters) < 35 {
		t.Errorf("only %d parameters are known to the tests", len(parameters))
	}
	for name := range parameters {
		named("parameter", name)
	}
	for _, x := range []any{answerJSON{}, hitJSON{}, span{}, wordJSON{}, noteJSON{}, keyMatchJSON{}, suggestionJSON{}, errorJSON{}, facetJSON{}, facetValueJSON{}, search.Parts{}, search.RelevanceParts{}, search.ASPseekParts{}, search.TermPart{}, statusJSON{}, siteRowJSON{}, mergeJSON{}, crawlJSON{}, statusRowJSON{}, databaseJSON{}, recordsJSON{}, operatorJSON{}, holdJSON{}, failureJSON{}, slowJSON{}, siteErrorsJSON{}} {
		typ := reflect.TypeOf(x)
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			named("name", name)
		}
	}
	for _, code := range queryCodes {
		named("code", code)
	}
	for _, outcome := range outcomes {
		named("outcome", outcome)
	}
	figures, err := os.ReadFile(filepath.Join("..", "..", "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	text += string(figures)
	s, _ := newTestServer(&fakeIndex{}, ServerOptions{})
	get(t, s, "/")
	for line := range strings.Lines(get(t, s, "/metrics").text) {
		if name, ok := strings.CutPrefix(line, "# TYPE pgseek_"); ok {
			name, _, _ = strings.Cut(name, " ")
			if !strings.Contains(text, "`pgseek_"+name+"`") && !strings.Contains(text, "`pgseek_"+name+"{") {
				t.Errorf("docs/http.md does not name the metric pgseek_%s", name)
			}
		}
	}
}
