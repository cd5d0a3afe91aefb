package search

import (
	"flag"
	"os"
	"testing"

	"github.com/pgseek/pgseek/store/storetest"
)

// concurrentTests are the tests in which goroutines share memory: an engine reads the index while it answers, and the results of
// a page are read at the same time. make test runs these with the race detector, and the others without.
const concurrentTests = "^(TestConcurrentTestsExist|TestShownDocumentsAreThoseOfTheIndex|TestEngineBoundsMemory|TestKeptWordsAreThoseOfTheIndex)$"

// TestMain splits the tests when make test runs them.
func TestMain(m *testing.M) {
	if err := storetest.Split(concurrentTests, flag.Set); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestConcurrentTestsExist: no name in concurrentTests is out of date.
func TestConcurrentTestsExist(t *testing.T) { storetest.CheckSplit(t, concurrentTests) }
