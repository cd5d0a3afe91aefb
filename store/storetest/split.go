package storetest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// splitVariable is set when a package's tests run in two builds (scripts/test).
const splitVariable = "PGSEEK_TEST_SPLIT"

// Split chooses the tests of this build when a package's tests run in two: those that concurrent matches with the race
// detector, and the others without. TestMain gives it flag.Set before the command line is read, which may choose others.
func Split(concurrent string, set func(name, value string) error) error {
	switch {
	case os.Getenv(splitVariable) == "":
		return nil
	case raceDetector:
		return set("test.run", concurrent)
	}
	return set("test.skip", concurrent)
}

// CheckSplit verifies that every name in concurrent is a test of the package in the current folder.
func CheckSplit(t *testing.T, concurrent string) {
	t.Helper()
	_ = os.Getenv(splitVariable) // read within a test, it is part of the key of a cached result
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				tests[f.Name.Name] = true
			}
		}
	}
	for _, name := range regexp.MustCompile(`\w+`).FindAllString(concurrent, -1) {
		if !tests[name] {
			t.Errorf("there is no %s", name)
		}
	}
}
