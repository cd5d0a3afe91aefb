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

// soak reports whether the long series run whole (make soak) or sampled.
func soak() bool { return os.Getenv("PGSEEK_SOAK") != "" }

// cleaning is the run of all tests, after which what they shared is removed.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	defer removeFailPoints()
	return c.M.Run()
}

// gcPercent saves the tests a part of their CPU time: they hold little and make much garbage.
const gcPercent = 400

// TestMain lets the test binary be the program: a command named index runs main.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atOnce); err != nil { // before the command line is read
		panic(err)
	}
	if err := splitTests(); err != nil {
		panic(err)
	}
	// A program that is built with the race detector sleeps a second before it ends, and the tests run hundreds.
	if os.Getenv("GORACE") == "" {
		if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
			panic(err)
		}
	}
	// The calls of index in this process must leave the garbage collector alone, which they do when GOGC is set.
	if os.Getenv("GOGC") == "" && filepath.Base(os.Args[0]) != "index" {
		if err := os.Setenv("GOGC", strconv.Itoa(gcPercent)); err != nil {
			panic(err)
		}
		debug.SetGCPercent(gcPercent)
	}
	testscript.Main(cleaning{m}, map[string]func(){"index": func() { os.Exit(program.Main()) }})
}
