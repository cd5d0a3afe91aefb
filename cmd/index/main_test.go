package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the program: a command named index runs main.
func TestMain(m *testing.M) {
	// A program that is built with the race detector sleeps a second before it ends, and the tests run hundreds.
	if os.Getenv("GORACE") == "" {
		if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
			panic(err)
		}
	}
	testscript.Main(m, map[string]func(){"index": main})
}
