package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	testscript.Main(m, map[string]func(){"searchd": main})
}

// buildIndex builds the program that fills the tables, and returns its folder.
func buildIndex(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(context.Background(), "go", "build", "-o", filepath.Join(dir, "index"), "../index")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("build index: %w\n%s", err, out))
	}
	return dir
}
