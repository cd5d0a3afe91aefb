package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

// TestUnit: the command lines of the packaged unit and container are ones that this program has.
func TestUnit(t *testing.T) {
	for path, before := range map[string]string{"pgseek-searchd.service": "ExecStart=/usr/bin/pgseek-searchd ", "compose.yaml": "command: searchd "} {
		folder := "systemd/"
		if path == "compose.yaml" {
			folder = "container/"
		}
		content, err := os.ReadFile("../../packaging/" + folder + path)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut(string(content), before)
		line, _, _ := strings.Cut(rest, "\n")
		if _, err := parseArgs(strings.Fields(line), io.Discard); !found || err != nil {
			t.Errorf("%s: %q: %v", path, line, err)
		}
	}
}
