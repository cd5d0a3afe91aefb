package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestExplainFiles verifies what is said of files that nobody can find: why, and the line that helps. Nothing is asked of robots.txt for them.
func TestExplainFiles(t *testing.T) {
	t.Parallel()
	root := fileTree(t, map[string]string{
		"plain.txt": "gunwale", "secret.txt": "x", ".hid/a.txt": "x", "locked/b.txt": "x", "d.zip": zipOf(t, "in.txt", "spinnaker"), "sub/c.txt": "keel",
	})
	for name, mode := range map[string]os.FileMode{"secret.txt": 0o600, "locked": 0o700} {
		if err := os.Chmod(root+"/"+name, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(root+"/fifo.txt", 0o666); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "Archives yes\nServer "+fileURL(root+"/")+"\nServer "+fileURL(root+"/secret.txt")+"\n")
	w.spider("FileRoot " + root)
	_, _, said := w.try()
	if strings.Contains(said, "Allow ^") || !strings.Contains(said, "FilePrivate yes") || strings.Count(said, "FilePrivate") != 1 {
		t.Errorf("of a private start file is said:\n%s", said)
	}
	for path, want := range map[string]string{
		"/.hid/a.txt": "Admitted      no: listings leave out names that begin with a dot", "/fifo.txt": "is neither file nor directory",
		"/locked/b.txt": "Admitted      no: others may not enter", "/none.txt": "Admitted      no: there is no such file",
		"/d.zip": "it is an archive, a list of its members", "/sub/": "it is a directory, a list of its files",
		"/d.zip!/in.txt": "found by a search: yes",
	} {
		_, out, _ := w.try("--explain", fileURL(root+path)) // it fails for what is not registered
		if !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(want), " ")) || strings.Contains(out, "not known yet") {
			t.Errorf("--explain %s does not say %q, or speaks of robots.txt:\n%s", path, want, out)
		}
	}
	if out := w.index("-S"); !strings.Contains(out, "406") || strings.Contains(out, "Not Acceptable") {
		t.Errorf("-S calls lists not acceptable:\n%s", out)
	}
	for _, mode := range []string{"--explain", "-T"} {
		if _, out, errOut := w.try(mode, root+"/plain.txt"); !strings.Contains(out+errOut, "write "+fileURL(root+"/plain.txt")) || strings.Contains(out+errOut, "ASCII") {
			t.Errorf("%s of a path says:\n%s%s", mode, out, errOut)
		}
	}
}
