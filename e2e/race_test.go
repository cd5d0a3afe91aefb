package e2e

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// splitVariable is set when the tests run in two builds.
const splitVariable = "PGSEEK_TEST_SPLIT"

// concurrentTests are the tests in which several programs, or several calls in one process, are at the same tables, sites
// or memory at the same time. make test runs these with the race detector, and the others without.
const concurrentTests = "^(TestConcurrentTestsExist|TestHistories|TestMixed|TestThreeProcesses|TestLateWriter|TestMergeWaitsForTheLowestOpenSchedule|" +
	"TestOneOfTwoLeaves|TestOnlyTheSameCrawlIsJoined|TestMinDelayOverProcesses|TestCloneGroupsUnderConcurrency|" +
	"TestRealtimeBesideCrawlAndMerge|TestRealtimeBesideMending|TestCheckBesideACrawlAndRebuild|TestOrphanPurgeWaitsForNoCrawl|" +
	"TestServerRestartUnderACrawl|TestSignalEndsCrawl|TestKillCrawl|TestKillRealtime|TestDamagedContentStopsNobodyElse)$"

// splitTests chooses the tests of this build when splitVariable is set, as scripts/test does. It is called before the
// command line is read, which may choose others.
func splitTests() error {
	if os.Getenv(splitVariable) == "" {
		return nil
	}
	if raceDetector {
		return flag.Set("test.run", concurrentTests)
	}
	return flag.Set("test.skip", concurrentTests)
}

// TestConcurrentTestsExist: no name in concurrentTests is out of date.
func TestConcurrentTestsExist(t *testing.T) {
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
	for _, name := range regexp.MustCompile(`\w+`).FindAllString(concurrentTests, -1) {
		if !tests[name] {
			t.Errorf("there is no %s", name)
		}
	}
}
