package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary run as the program searchd when it is started under that name.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil { // before the command line is read
		panic(err)
	}
	// A program built with the race detector sleeps a second before it ends.
	if os.Getenv("GORACE") == "" {
		if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
			panic(err)
		}
	}
	testscript.Main(cleaning{m}, map[string]func(){"searchd": main})
}

// cleaning runs all tests and removes what they shared afterwards.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	defer func() { _ = os.RemoveAll(indexFolder) }()
	return c.M.Run()
}

// indexFolder is the folder of the program index, or empty while no test has asked for it.
var indexFolder string

// buildIndex builds the program that fills the tables once for all tests, and returns its folder. It is built without cgo,
// as the tests of index build it, so that nothing is compiled again.
func buildIndex(t *testing.T) string {
	t.Helper()
	if err := indexBuilt(); err != nil {
		t.Fatal(err)
	}
	return indexFolder
}

var indexBuilt = sync.OnceValue(func() error {
	var err error
	if indexFolder, err = os.MkdirTemp("", "pgseek-index-"); err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), "go", "build", "-o", filepath.Join(indexFolder, "index"), "../index")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build index: %w\n%s", err, out)
	}
	return nil
})
