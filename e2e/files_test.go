package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/weburl"
)

// fileTree makes a directory that everybody may read, with these files.
func fileTree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, filepath.Join(root, name), text)
	}
	aged(t, root)
	return root
}

// put writes a file.
func put(t testing.TB, at, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// aged makes all files and directories older than a change that counts as new.
func aged(t testing.TB, root string) {
	t.Helper()
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	err := filepath.Walk(root, func(at string, info os.FileInfo, err error) error {
		if err != nil || info.Mode()&os.ModeSymlink != 0 {
			return err
		}
		return os.Chtimes(at, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fileURL is the URL of a path.
func fileURL(path string) string { return weburl.File(path).Text }

// fileStatus returns the status of a file, its rule and its result at the last visit.
func (w *world) fileStatus(path string) (s string) {
	w.t.Helper()
	err := w.pool.QueryRow(w.t.Context(), `
		SELECT format('%s %s %s deleted %s', w.status, h.rule, h.result, w.deleted)
		FROM urlword w JOIN urlstate t USING (url_id) JOIN crawl_history h ON h.url_id = w.url_id AND h.slot = (t.events - 1) % 10
		WHERE w.url = $1`, fileURL(path)).Scan(&s)
	if err != nil {
		return err.Error()
	}
	return s
}

// TestFileTree crawls a tree of files: odd names, links, FIFOs, private files; a second run opens nothing.
func TestFileTree(t *testing.T) {
	root := fileTree(t, map[string]string{
		"a.txt": "walrus one", "sub/page.html": `<title>Page</title>seahorse <a href="../a.txt">a</a> <a href="http://127.0.0.1:1/x">web</a> <a href="/etc/passwd">p</a>`,
		"odd #?%41\xff.txt": "narwhal", "README": "manatee", "private.txt": "dugong", "secret/deep.txt": "beluga", strings.Repeat("n", 250) + ".txt": "grampus",
	})
	for name, mode := range map[string]os.FileMode{"private.txt": 0o600, "secret": 0o700} {
		if err := os.Chmod(filepath.Join(root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(root+"/fifo.txt", 0o666); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"out.txt": "/etc/passwd", "up": "..", "twin.txt": "a.txt"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	aged(t, root)
	w := newWorld(t, "Server "+fileURL(root+"/")+"\n")
	w.spider("FileRoot " + root)
	w.crawl()
	for word, want := range map[string]int{"walrus": 1, "seahorse": 1, "narwhal": 1, "manatee": 1, "grampus": 1, "dugong": 0, "beluga": 0, "root": 0} {
		if n := strings.Count(w.index("--search", word, "--format", "json"), `"url":`); (n > 0) != (want > 0) {
			t.Errorf("%s: found %d times, want %d", word, n, want)
		}
	}
	for path, want := range map[string]string{
		"/a.txt": "200 T-01 200 deleted 0", "/": "406 T-06 406 deleted 0", "/sub/": "406 T-06 406 deleted 0", "/private.txt": "0 T-12 908 deleted 1",
		"/secret/": "0 T-12 908 deleted 1", "/out.txt": "0 T-12 909 deleted 1", "/up": "0 T-12 909 deleted 1", "/twin.txt": "302 T-05 302 deleted 0",
		"/fifo.txt": "no rows in result set", "/odd #?%41\xff.txt": "200 T-01 200 deleted 0",
	} {
		if got := w.fileStatus(root + path); got != want {
			t.Errorf("%s: %s; want %s", path, got, want)
		}
	}
	if got := w.fileStatus("/etc/passwd"); got != "no rows in result set" {
		t.Errorf("/etc/passwd: %s", got)
	}

	w.crawl("-a")
	if got := w.fileStatus(root + "/a.txt"); got != "200 T-02 304 deleted 0" {
		t.Errorf("the second run: %s", got)
	}
	if n := w.one(`SELECT sum(bytes)::text FROM crawl_history WHERE run_id = (SELECT max(run_id) FROM crawl_history)`); n != "0" {
		t.Errorf("the second run read %s bytes", n)
	}

	put(t, root+"/a.txt", "walrus two octopus")
	if err := os.Chmod(root+"/private.txt", 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root+"/README", 0o640); err != nil {
		t.Fatal(err)
	}
	w.crawl("-a")
	for path, want := range map[string]string{
		"/a.txt": "200 T-04 200 deleted 0", "/private.txt": "200 T-01 200 deleted 0", "/README": "200 T-12 908 deleted 1", "/sub/page.html": "200 T-02 304 deleted 0",
	} {
		if got := w.fileStatus(root + path); got != want {
			t.Errorf("third run: %s: %s; want %s", path, got, want)
		}
	}
	w.index("--check")

	w.spider("FilePrivate yes\nFileListing index\nFileRoot " + root)
	w.crawl("-a")
	if n := w.one(`SELECT count(*)::text FROM protected_files`); n != "3" { // README, secret/, secret/deep.txt
		t.Errorf("%s protected documents, want 3", n)
	}
	if got := w.fileStatus(root + "/"); got != "200 T-16 304 deleted 0" && got != "200 T-16 200 deleted 0" {
		t.Errorf("FileListing index: %s", got)
	}
	if err := os.Chmod(root+"/secret", 0o755); err != nil {
		t.Fatal(err)
	}
	w.crawl("-a")
	if n := w.one(`SELECT count(*)::text FROM protected_files`); n != "1" {
		t.Errorf("%s protected documents, want 1", n)
	}
	w.index("--check")
}

// TestFilesTyped: index -T, --explain, -S and -i with file URLs (B42: those outside every FileRoot).
func TestFilesTyped(t *testing.T) {
	root := fileTree(t, map[string]string{"a.txt": "walrus", "b.html": "seahorse"})
	w := newWorld(t, "Server "+fileURL(root+"/")+"\n")
	w.spider("FileRoot " + root)
	out := w.index("-T", "file://"+root+"/a.txt")
	if !strings.Contains(out, "T-01") && !strings.Contains(out, "200") {
		t.Errorf("-T: %s", out)
	}
	if out := w.index("--search", "walrus"); !strings.Contains(out, "a.txt") {
		t.Errorf("--search: %s", out)
	}
	if out := w.index("--explain", fileURL(root+"/a.txt")); !strings.Contains(out, root) {
		t.Errorf("--explain: %s", out)
	}
	code, out, errOut := w.try("-T", "file:///etc/passwd")
	if code == exitDone || !strings.Contains(out+errOut, "outside every FileRoot") {
		t.Errorf("B42: -T outside: %d, %s%s", code, out, errOut)
	}
	if _, out, _ := w.try("--explain", "file:///etc/passwd"); !strings.Contains(out, "outside every FileRoot") {
		t.Errorf("B42: --explain outside: %s", out)
	}
	w.crawl()
	w.index("-S")
	w.sets("Server file:///etc/\n")
	if code, _, errOut := w.try(); code != exitUsage || !strings.Contains(errOut, "sets.cnf:1: Server: file:///etc/ is outside every FileRoot; write in spider.cnf: FileRoot /etc") {
		t.Errorf("B42: a Server line outside: %d, %s", code, errOut)
	}
}
