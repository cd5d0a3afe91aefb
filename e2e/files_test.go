package e2e

import (
	"net"
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

// same fails the test where a status is another one.
func (w *world) same(when string, want map[string]string) {
	w.t.Helper()
	for path, status := range want {
		if got := w.fileStatus(path); got != status {
			w.t.Errorf("%s: %q: %s; want %s", when, path, got, status)
		}
	}
}

// TestFileTree crawls a tree of files: odd names, links, FIFOs, private files. A second run opens nothing.
func TestFileTree(t *testing.T) {
	odd := "odd #?%41\xff\n;=&+<é>.txt"
	root := fileTree(t, map[string]string{
		"a.txt": "walrus one", "sub/page.html": `<title>Page</title>seahorse <a href="../a.txt">a</a> <a href="http://127.0.0.1:1/x">web</a> <a href="/etc/passwd">p</a>`,
		odd: "narwhal", "README": "manatee", "private.txt": "dugong", "secret/deep.txt": "beluga", strings.Repeat("n", 250) + ".txt": "grampus",
		".hidden": "porpoise", "zero.txt": "",
	})
	for name, mode := range map[string]os.FileMode{"private.txt": 0o600, "secret": 0o700} {
		if err := os.Chmod(filepath.Join(root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(root+"/fifo.txt", 0o666); err != nil {
		t.Fatal(err)
	}
	socket, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", root+"/s.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for name, to := range map[string]string{
		"out.txt": "/etc/passwd", "up": "..", "top": ".", "twin.txt": "a.txt", "x": "y", "y": "x", "dangling": "none.txt",
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	aged(t, root)
	w := newWorld(t, "Server "+fileURL(root+"/")+"\n")
	w.spider("FileRoot " + root)
	w.crawl()
	for word, want := range map[string]bool{
		"walrus": true, "seahorse": true, "narwhal": true, "manatee": true, "grampus": true, "dugong": false, "beluga": false, "root": false, "porpoise": false,
	} {
		if found := strings.Contains(w.index("--search", word, "--format", "json"), `"url":`); found != want {
			t.Errorf("%s: found %v, want %v", word, found, want)
		}
	}
	const listed, private, none, gone, link = "406 T-06 406 deleted 0", "0 T-12 908 deleted 1", "0 T-12 909 deleted 1", "404 T-08 404 deleted 0", "302 T-05 302 deleted 0"
	const unknown, fresh, same = "no rows in result set", "200 T-01 200 deleted 0", "200 T-02 304 deleted 0"
	w.same("first run", map[string]string{
		root + "/a.txt": fresh, root + "/": listed, root + "/sub/": listed, "/etc/passwd": unknown, root + "/.hidden": unknown, root + "/zero.txt": fresh,
	})
	w.same("B55: FIFO and socket", map[string]string{root + "/fifo.txt": unknown, root + "/s.txt": unknown})
	w.same("B56: links", map[string]string{
		root + "/out.txt": none, root + "/up": none, root + "/top": link, root + "/twin.txt": link, root + "/x": link, root + "/y": link,
		root + "/dangling": link, root + "/none.txt": gone, root + "/top/": unknown,
	})
	if out := w.index("-S"); !strings.Contains(out, "908                   2 Others may not read it") {
		t.Errorf("B58: -S: %s", out)
	}
	if out := w.index("-S", "-u", "%/private.txt"); !strings.Contains(out, "908                   1 Others may not read it") {
		t.Errorf("B58: -S of one file: %s", out)
	}
	w.same("B57: names", map[string]string{root + "/" + odd: fresh})
	w.same("B58: private", map[string]string{root + "/private.txt": private, root + "/secret/": private, root + "/secret/deep.txt": unknown})

	for _, name := range []string{"/fifo.txt", "/s.txt"} {
		w.try("-T", fileURL(root+name))
	}
	w.same("B55: FIFO and socket typed", map[string]string{root + "/fifo.txt": none, root + "/s.txt": none})

	w.crawl("--respider")
	w.same("second run", map[string]string{root + "/a.txt": same, root + "/sub/page.html": same, root + "/" + odd: same})
	if n := w.one(`SELECT sum(bytes)::text FROM crawl_history WHERE run_id = (SELECT max(run_id) FROM crawl_history)`); n != "0" {
		t.Errorf("the second run read %s bytes", n)
	}
	if n := w.one(`SELECT count(*)::text FROM orphans`); n != "0" {
		t.Errorf("%s orphans", n)
	}

	put(t, root+"/a.txt", "walrus two octopus")
	for name, mode := range map[string]os.FileMode{"private.txt": 0o644, "README": 0o640} {
		if err := os.Chmod(filepath.Join(root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	w.crawl("-a")
	w.same("third run", map[string]string{
		root + "/a.txt": "200 T-04 200 deleted 0", root + "/private.txt": fresh, root + "/README": "200 T-12 908 deleted 1", root + "/sub/page.html": same,
	})
	w.index("--check")

	w.spider("FilePrivate yes\nFileListing index\nFileRoot " + root)
	w.crawl("-a")
	if n := w.one(`SELECT count(*)::text FROM protected_files`); n != "3" { // README, secret/, secret/deep.txt
		t.Errorf("B58: %s protected documents, want 3", n)
	}
	if got := w.fileStatus(root + "/"); got != "200 T-16 304 deleted 0" && got != "200 T-16 200 deleted 0" {
		t.Errorf("FileListing index: %s", got)
	}
	w.spider("FileRoot " + root) // the sweep takes out what is private, before any visit
	w.crawl("-n", "1")
	if n := w.one(`SELECT count(*)::text FROM protected_files`); n != "0" {
		t.Errorf("B58: %s protected documents after FilePrivate no", n)
	}
	if out := w.index("--search", "beluga", "--format", "json"); strings.Contains(out, `"url":`) {
		t.Errorf("B58: found after FilePrivate no: %s", out)
	}
	w.index("--check")
}

// TestFilesUnmounted (B59): where a share is not mounted nothing is lost: an empty or missing FileRoot, and a directory that was a
// mount point. A directory that has become one is told by its row: mounting needs root.
func TestFilesUnmounted(t *testing.T) {
	root := fileTree(t, map[string]string{"share/a.txt": "walrus", "share/b.txt": "seahorse", "share/sub/c.txt": "manatee", "share/p.txt": "dugong"})
	w := newWorld(t, "Server "+fileURL(root+"/")+"\n")
	w.spider("FileRoot " + root)
	w.crawl()
	if err := os.Chmod(root+"/share/p.txt", 0o600); err != nil {
		t.Fatal(err)
	}
	w.crawl("-a")
	w.same("private", map[string]string{root + "/share/p.txt": "200 T-12 908 deleted 1"})
	away := t.TempDir() + "/away"
	found := func(when string) {
		t.Helper()
		w.crawl("-a")
		if n := w.one(`SELECT count(*)::text FROM urlword WHERE status = 200 AND deleted = 0`); n != "3" {
			t.Errorf("%s: %s documents, want 3", when, n)
		}
		w.same(when, map[string]string{root + "/share/a.txt": "200 T-10 707 deleted 0", root + "/share/p.txt": "200 T-10 707 deleted 1"})
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(root+"/share", away)
	found("an empty FileRoot")
	move(root, root+".away")
	found("a missing FileRoot")
	move(root+".away", root)
	move(away, root+"/share")
	w.crawl("-a")
	w.same("mounted again", map[string]string{root + "/share/a.txt": "200 T-02 304 deleted 0"})

	if _, err := w.pool.Exec(t.Context(), `INSERT INTO file_mount (path) VALUES ($1)`, []byte(root+"/share")); err != nil {
		t.Fatal(err)
	}
	put(t, root+"/other.txt", "octopus")
	move(root+"/share", away)
	if err := os.Mkdir(root+"/share", 0o700); err != nil { // as mount points are
		t.Fatal(err)
	}
	w.crawl("-a")
	w.same("not mounted", map[string]string{
		root + "/share/": "406 T-10 707 deleted 0", root + "/share/a.txt": "200 T-10 707 deleted 0", root + "/share/sub/c.txt": "200 T-10 707 deleted 0",
		root + "/share/p.txt": "200 T-10 707 deleted 1", root + "/other.txt": "200 T-01 200 deleted 0",
	})
	if out := w.index("--explain", fileURL(root+"/share/a.txt")); !strings.Contains(out, root+"/share is not mounted") {
		t.Errorf("--explain: %s", out)
	}
	if out := w.index("--release", "file:///"); !strings.Contains(out, "forgot") {
		t.Errorf("--release: %s", out)
	}
	w.crawl("-a")
	w.same("released", map[string]string{root + "/share/a.txt": "200 T-12 908 deleted 1"})
	if err := os.Chmod(root+"/share", 0o755); err != nil {
		t.Fatal(err)
	}
	w.crawl("-a") // what was private or below something private, and is gone, does not come back to be lost
	w.same("gone", map[string]string{root + "/share/a.txt": "200 T-12 909 deleted 1", root + "/share/p.txt": "200 T-12 909 deleted 1"})
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
