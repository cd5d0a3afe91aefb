package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository is the folder of the module under test. This module does not import its packages; a test of
// search/web serves the pages.
const repository = "../.."

// serve starts a server of TestServeBrowser in search/web, and returns its URL. The server ends with the
// test.
func serve(t *testing.T, what string) string { return serveOf(t, "search/web", what) }

// serveOf is serve for a package.
func serveOf(t *testing.T, room, what string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "web.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", program, "./"+room)
	build.Dir = repository
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the tests of %s: %v\n%s", room, err, out)
	}
	server := exec.CommandContext(context.WithoutCancel(t.Context()), program, "-test.run=^TestServeBrowser$", "-test.timeout=1h")
	server.Dir = filepath.Join(repository, filepath.FromSlash(room))
	server.Env = append(os.Environ(), "PGSEEK_SERVE_BROWSER="+what)
	var stderr bytes.Buffer
	server.Stderr = &stderr
	stop, err := server.StdinPipe() // the server ends with its input, also if this process is killed
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	var said strings.Builder
	t.Cleanup(func() {
		_ = stop.Close()
		_, _ = io.Copy(&said, lines)
		if err := server.Wait(); err != nil || t.Failed() {
			t.Logf("the server of %s ended: %v\n%s%s", what, err, &said, &stderr)
		}
	})
	for {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		if base, ok := strings.CutPrefix(line, "serving "); ok {
			return strings.TrimSpace(base)
		}
		if err != nil {
			t.Fatalf("the server of %s: %v", what, err)
		}
	}
}
