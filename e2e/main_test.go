// Package e2e tests the program index from outside: arguments in, exit code, output and tables out.
package e2e

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pgseek/pgseek/cmd/index/program"
)

// atOnce is how many tests run at the same time when -parallel does not say otherwise. Most of them wait, for pauses between
// requests and for time-outs, so that many more than there are processors have work to do.
const atOnce = "8"

// Exit codes of index, as README lists them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitHeld        = 4
	exitDamaged     = 6
	exitInterrupted = 130
)

// TestMain lets the test binary be the program: a command named index runs main.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atOnce); err != nil { // before the command line is read
		panic(err)
	}
	// A program that is built with the race detector sleeps a second before it ends, and the tests run hundreds.
	if os.Getenv("GORACE") == "" {
		if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
			panic(err)
		}
	}
	testscript.Main(m, map[string]func(){"index": func() { os.Exit(program.Main()) }})
}
