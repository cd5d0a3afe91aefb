package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTransitionTable: docs/transitions.md names for each row of spider/transition.go the tests that show it, and they exist.
func TestTransitionTable(t *testing.T) {
	text, err := os.ReadFile("../docs/transitions.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	tests := testNames(t)
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]+-[0-9a-z]+) \|[^|]*\|([^|]*)\|$`).FindAllStringSubmatch(string(text), -1) {
		id, named := row[1], regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(row[2], -1)
		told[id] = true
		if len(named) == 0 {
			t.Errorf("%s has no test", id)
		}
		for _, n := range named {
			if !slices.Contains(tests, n[1]) {
				t.Errorf("%s: there is no %s", id, n[1])
			}
		}
	}
	ids := transitionIDs(t)
	for _, id := range ids {
		if !told[id] {
			t.Errorf("docs/transitions.md does not tell of %s", id)
		}
		delete(told, id)
	}
	for id := range told {
		t.Errorf("docs/transitions.md tells of %s, which is no transition", id)
	}
}

// testNames are the tests of this package.
func testNames(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

// transitionIDs are the ids of the rows of spider/transition.go, each once.
func transitionIDs(t *testing.T) (ids []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../spider/transition.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR || g.Specs[0].(*ast.ValueSpec).Names[0].Name != "transitions" {
			continue
		}
		for _, row := range g.Specs[0].(*ast.ValueSpec).Values[0].(*ast.CompositeLit).Elts {
			id, err := strconv.Unquote(row.(*ast.CompositeLit).Elts[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		t.Fatal("spider/transition.go has no transitions")
	}
	return ids
}
