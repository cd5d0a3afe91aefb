package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the program: a command named index runs main.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"index": main})
}
