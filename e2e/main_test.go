// Package e2e tests the program index from outside: arguments in, exit code, output and tables out.
package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pgseek/pgseek/cmd/index/program"
	"github.com/pgseek/pgseek/store/storetest"
)

// atOnce is the number of tests that run at the same time unless -parallel says otherwise. Most of them wait,
// for pauses between requests and for time-outs, so many more tests than processors can run.
const atOnce = "8"

// Exit codes of index, as listed in README.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitDatabase    = 3
	exitHeld        = 4
	exitOutage      = 5
	exitDamaged     = 6
	exitInterrupted = 130
)

// soak reports whether the long series run completely (make soak) or sampled.
func soak() bool { return os.Getenv("PGSEEK_SOAK") != "" }

// cleaning runs all tests and removes what they shared afterwards.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	defer removeFailPoints()
	return c.M.Run()
}

// gcPercent saves CPU time in the tests, which keep little memory and allocate much.
const gcPercent = 400

// TestMain makes the test binary run as the program index when it is started under that name.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atOnce); err != nil { // before the command line is read
		panic(err)
	}
	if err := storetest.Split(concurrentTests, flag.Set); err != nil {
		panic(err)
	}
	// A program built with the race detector sleeps a second before it ends, and the tests run hundreds of
	// them.
	if os.Getenv("GORACE") == "" {
		if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
			panic(err)
		}
	}
	// Calls of index in this process must not change the garbage collector. They leave it alone when GOGC is
	// set.
	if os.Getenv("GOGC") == "" && filepath.Base(os.Args[0]) != "index" {
		if err := os.Setenv("GOGC", strconv.Itoa(gcPercent)); err != nil {
			panic(err)
		}
		debug.SetGCPercent(gcPercent)
	}
	testscript.Main(cleaning{m}, map[string]func(){"index": func() { os.Exit(program.Main()) }, callsCommand: makeCalls})
}
