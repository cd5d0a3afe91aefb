package merge

import (
	"flag"
	"os"
	"testing"

	"github.com/pgseek/pgseek/store/storetest"
)

// concurrentTests are the tests in which goroutines share memory: a rebuild and a check read documents on all processors, and
// two merges meet. make test runs these with the race detector, and the others without.
const concurrentTests = "^(TestConcurrentTestsExist|TestRebuild|TestRebuildWithAWaitingJournal|TestRebuildBesideAnotherRebuild|" +
	"TestCheckInPasses|TestSecondMergeIsRefused|TestSiteThatComesWhileASubsetIsBuilt|TestCanceledMergeKeepsWholeBatches)$"

// TestMain splits the tests when make test runs them.
func TestMain(m *testing.M) {
	if err := storetest.Split(concurrentTests, flag.Set); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestConcurrentTestsExist: no name in concurrentTests is out of date.
func TestConcurrentTestsExist(t *testing.T) { storetest.CheckSplit(t, concurrentTests) }
