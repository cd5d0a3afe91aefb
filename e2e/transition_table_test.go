package e2e

import (
	"fmt"
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

	"github.com/google/go-cmp/cmp"
)

// transitionTests names the tests of each transition. Those named TestT.. let index visit a scripted site.
// They compare, for every URL of the database and not only for the visited one, every column of urlword,
// urlwordsNN and urlstate, the rows of crawl_history, journal and markdel of the run, and the requests that
// the site received; after the merge, where the words are found and which URLs cite which.
var transitionTests = map[string][]string{
	"T-01":  {"TestT01NewDocument"},
	"T-01c": {"TestT01cClone", "TestCloneGroupsUnderConcurrency"},
	"T-01o": {"TestT01oOriginal", "TestT04Promotion", "TestCloneGroupsUnderConcurrency"},
	"T-02":  {"TestT02NotModified", "TestHeadFirst", "TestSecondCrawlOfUnchangedSite"},
	"T-03":  {"TestT03SameBody", "TestHeadFirst"},
	"T-04":  {"TestT04Changed", "TestT04Promotion"},
	"T-05":  {"TestT05Redirect", "TestT05OldRedirects", "TestMovedPages", "TestRedirectsTakeEffect"},
	"T-06":  {"TestT06NotIndexed", "TestT06Ladder", "TestT06CheckOnly", "TestT06IndexNo"},
	"T-07":  {"TestT07Lost", "TestSoft404OfDocuments"},
	"T-08":  {"TestT08Error", "TestSoft404", "TestSoft404OfDocuments"},
	"T-09":  {"TestT09HeaderError", "TestT07Lost"},
	"T-10":  {"TestT10NoAnswer", "TestGateShare", "TestGateOfStartURLs", "TestDeadHostIsAskedOnce", "TestRobotsBan", "TestEndlessSite", "TestLoginRedirect"},
	"T-10n": {"TestT10nNeverAnswered", "TestDeadHostIsRemoved"},
	"T-11":  {"TestT11ProcessingError", "TestT07Lost"},
	"T-12": {
		"TestT12Forbidden", "TestT12Robots", "TestSweepOfConfiguration", "TestSweepOfRobots", "TestRobotsPolicyGSA",
	},
	"T-13":  {"TestT13DeleteBad", "TestGateOfAnyLoss"},
	"T-14":  {"TestT14Duplicate", "TestInfiniteSpaceEnds"},
	"T-15":  {"TestT15AllowedAgain", "TestMistakesAreUndone", "TestT13DeleteBad", "TestSweepOfConfiguration", "TestSweepOfRobots"},
	"T-16":  {"TestT16IndexMode"},
	"T-17":  {"TestT17Forced"},
	"T-19":  {"TestT19Canonical", "TestCanonicalAccident", "TestCanonicalShare"},
	"T-20":  {"TestKeptContentsGo"},
	"T-21":  {"TestRemovedPage", "TestClearedURLs"},
	"T-18":  {"TestPurgeOfLostDocuments", "TestPurgeOfClones", "TestPurgeLostByCount", "TestPurgeObeysHolds"},
	"SR-09": {"TestPurgeOfOrphans", "TestPurgedOrphanAsStartURL"},
	"promotion": {
		"TestT04Promotion", "TestT05Redirect", "TestT06NotIndexed", "TestT12Forbidden", "TestT13DeleteBad", "TestT16IndexMode",
		"TestPurgeOfClones", "TestCloneTakesThePlaceOfItsOriginal",
	},
	"safety gate": {
		"TestGateShare", "TestGateCountsWhatTurnsLost", "TestGateOfAnyLoss", "TestGateOfSmallSites", "TestGateOfStartURLs",
		"TestGateEnds", "TestLoginRedirect", "TestRedirectsTakeEffect", "TestMovedPages", "TestKillBeforeRedirectsAreCounted",
	},
	"next visit": {
		"TestNextTimeOfSuccess", "TestNextTimeAdaptive", "TestNextTimeFromTheEnvironment", "TestT07Lost", "TestT08Error",
		"TestT06Ladder", "TestT10NoAnswer", "TestT10nNeverAnswered",
	},
	"random histories": {"TestHistories"},
}

const (
	transitionDoc  = "../docs/transitions.md"
	transitionCode = "../spider/transition.go"
)

// TestTransitionTable compares docs/transitions.md with spider/transition.go row by row, and verifies that
// each transition has tests and that they exist.
func TestTransitionTable(t *testing.T) {
	text, err := os.ReadFile(transitionDoc)
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	row := regexp.MustCompile(`(?m)^\| ([A-Z]+-[0-9a-z]+) \|(?:[^|]*\|){3} ([^|]*) \|$`)
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, m[1]+": "+m[2])
	}
	rows := transitionRows(t)
	if diff := cmp.Diff(rows, documented); diff != "" {
		t.Errorf("docs/transitions.md is not the table of spider/transition.go (-code +docs):\n%s", diff)
	}

	tests := testNames(t)
	ids := map[string]bool{"promotion": true, "safety gate": true, "next visit": true, "random histories": true}
	for _, r := range rows {
		id, _, _ := strings.Cut(r, ":")
		ids[id] = true
		if len(transitionTests[id]) == 0 {
			t.Errorf("%s has no test", id)
		}
	}
	for id, named := range transitionTests {
		if !ids[id] {
			t.Errorf("transitionTests has %s, which is no transition", id)
		}
		for _, name := range named {
			if !slices.Contains(tests, name) {
				t.Errorf("%s: there is no %s", id, name)
			}
		}
	}
}

// testNames returns the names of the tests of this package.
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

// transitionRows returns the rows of spider/transition.go in their order, as docs/transitions.md writes them.
func transitionRows(t *testing.T) (rows []string) {
	t.Helper()
	source, err := os.ReadFile(transitionCode)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, transitionCode, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := func(e ast.Expr) string {
		return string(source[files.Position(e.Pos()).Offset:files.Position(e.End()).Offset])
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR || g.Specs[0].(*ast.ValueSpec).Names[0].Name != "transitions" {
			continue
		}
		for _, row := range g.Specs[0].(*ast.ValueSpec).Values[0].(*ast.CompositeLit).Elts {
			cells := row.(*ast.CompositeLit).Elts
			id, err := strconv.Unquote(text(cells[0]))
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, fmt.Sprintf("%s: `%s` · `%s` · `%s`",
				id, text(cells[1]), text(cells[2]), cells[3].(*ast.SelectorExpr).Sel.Name))
		}
	}
	if len(rows) == 0 {
		t.Fatal("spider/transition.go has no transitions")
	}
	return rows
}
