package program

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnits: the command lines of the packaged units and containers are ones that this program has.
func TestUnits(t *testing.T) {
	found := 0
	for _, pattern := range []string{"systemd/*.service", "container/compose.yaml"} {
		paths, err := filepath.Glob("../../../packaging/" + pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(content)) {
				_, words, ok := strings.Cut(line, "/usr/bin/pgseek-index ")
				if !ok {
					if _, words, ok = strings.Cut(line, "command: index "); !ok {
						continue
					}
				}
				found++
				if _, err := parseArgs(strings.Fields(words), io.Discard); err != nil {
					t.Errorf("%s: %s%v", path, line, err)
				}
			}
		}
	}
	if found < 4 {
		t.Errorf("%d command lines", found)
	}
}
