package filetree

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/weburl"
)

// head is the head of an answer.
type head struct {
	StatusCode int
	Header     http.Header
}

// ask answers for a path below the root of a tree.
func ask(t *testing.T, tree *Tree, path, etag string) (head, string, error) {
	t.Helper()
	name, part, ok := strings.Cut(path, "?part=")
	text := weburl.File(name).Text
	if ok {
		text += "?part=" + part
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", etag)
	resp, err := tree.RoundTrip(req)
	if err != nil {
		return head{}, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return head{resp.StatusCode, resp.Header}, string(body), err
}

// makeTree makes a root that everybody may read, with files whose names end in their content.
func makeTree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		at := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("the text of "+name), 0o644); err != nil {
			t.Fatal(err)
		}
		age(t, at)
	}
	age(t, root)
	return root
}

// age makes a file or directory older than racy.
func age(t *testing.T, at string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(at, old, old); err != nil {
		t.Fatal(err)
	}
}

var hrefs = regexp.MustCompile(`href="([^"]*)"`)

func TestFilesAndListings(t *testing.T) {
	names := []string{"a.txt", "a#b?c%d.txt", "a\xffb.txt", "a\nb<&\".txt", "sub/x.txt", ".hidden"}
	root := makeTree(t, names...)
	tree := New(Options{Roots: []string{root}})
	resp, body, err := ask(t, tree, root+"/", "")
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%v, %v", resp, err)
	}
	var got []string
	for _, m := range hrefs.FindAllStringSubmatch(body, -1) {
		got = append(got, m[1])
	}
	want := []string{"./a%0Ab%3C&amp;%22.txt", "./a%23b%3Fc%25d.txt", "./a.txt", "./a%FFb.txt", "./sub/"}
	if !slices.Equal(got, want) {
		t.Errorf("listing %q\nwant %q", got, want)
	}
	age(t, filepath.Join(root, "sub"))
	for _, name := range append(names[:5:5], "", "sub/") {
		resp, body, err := ask(t, tree, filepath.Join(root, name)+tail(name), "")
		if err != nil || resp.StatusCode != 200 || resp.Header.Get("Last-Modified") == "" {
			t.Fatalf("%q: %v, %v", name, resp, err)
		}
		if tail(name) == "" && body != "the text of "+name {
			t.Errorf("%q: %q", name, body)
		}
		again, body, err := ask(t, tree, filepath.Join(root, name)+tail(name), resp.Header.Get("ETag"))
		if err != nil || again.StatusCode != 304 || body != "" {
			t.Errorf("%q again: %v, %q, %v", name, again, body, err)
		}
	}
	for path, want := range map[string]int{
		"/none": 404, "/none/": 404, "/a.txt/": 404, "/a.txt/b": 404, "/sub": 302, "/" + strings.Repeat("n", 300): 404, "/?part=2": 404,
	} {
		if resp, _, err := ask(t, tree, root+path, ""); err != nil || resp.StatusCode != want {
			t.Errorf("%s: %v, %v; want %d", path, resp, err, want)
		}
	}
}

// tail is the slash that the URL of a directory ends with.
func tail(name string) string {
	if name == "" || strings.HasSuffix(name, "/") {
		return "/"
	}
	return ""
}

// TestChangedFile: a change of a moment ago is seen even when size and time are the same afterwards.
func TestChangedFile(t *testing.T) {
	root := makeTree(t, "a.txt")
	tree := New(Options{Roots: []string{root}})
	if err := os.WriteFile(root+"/a.txt", []byte("new text"), 0o644); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	first, _, err := ask(t, tree, root+"/a.txt", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(root+"/a.txt", now, now.Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	if again, _, err := ask(t, tree, root+"/a.txt", first.Header.Get("ETag")); err != nil || again.StatusCode != 200 {
		t.Errorf("%v, %v; want 200", again, err)
	}
}

func code(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// TestNeverOpened: FIFOs, sockets, links out of the root; links inside are redirects.
func TestNeverOpened(t *testing.T) {
	root := makeTree(t, "a.txt", "sub/x.txt")
	if err := syscall.Mkfifo(root+"/fifo", 0o666); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"out": "/etc/passwd", "up": "../../../../../../../../etc/passwd", "etc": "/etc", "loop": ".", "twin": "a.txt", "self": "self",
		"dir": root + "/sub", "dev": "/dev/zero", "gone": "nothing",
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	tree := New(Options{Roots: []string{root}})
	for path, want := range map[string]int{"/fifo": 909, "/out": 909, "/up": 909, "/etc/passwd": 909, "/etc/": 909, "/dev": 909, "/fifo/x": 0} {
		_, _, err := ask(t, tree, root+path, "")
		if code(err) != want {
			t.Errorf("%s: %v, want %d", path, err, want)
		}
		if refused := tree.Look(t.Context(), root+path); code(refused) != want {
			t.Errorf("%s: refused by %v, want %d", path, refused, want)
		}
	}
	for path, want := range map[string]string{
		"/loop/loop/a.txt": root + "/loop/a.txt", "/twin": root + "/a.txt", "/dir/x.txt": root + "/sub/x.txt", "/dir/": root + "/sub/", "/dir": root + "/sub",
		"/gone": root + "/nothing", "/self": root + "/self",
	} {
		resp, _, err := ask(t, tree, root+path, "")
		if err != nil || resp.StatusCode != 302 || resp.Header.Get("Location") != weburl.File(want).Text {
			t.Errorf("%s: %v, %v; want %s", path, resp, err, want)
		}
	}
	if _, body, _ := ask(t, tree, root+"/", ""); strings.Contains(body, "fifo") {
		t.Error("the listing names a FIFO")
	}
	if _, _, err := ask(t, tree, "/etc/passwd", ""); code(err) != 909 {
		t.Errorf("outside: %v", err)
	}
	if _, _, err := ask(t, New(Options{Roots: []string{root + "/none"}}), root+"/none/a", ""); code(err) != 707 {
		t.Errorf("a root that is not there: %v, want 707", err)
	}
}

// TestPrivate: what others may not read is left out, or with Private marked. It holds for root as for others.
func TestPrivate(t *testing.T) {
	root := makeTree(t, "a.txt", "p.txt", "sub/x.txt", "list/y.txt")
	for name, mode := range map[string]os.FileMode{"p.txt": 0o640, "sub": 0o750, "list": 0o751} {
		if err := os.Chmod(filepath.Join(root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	tree, all := New(Options{Roots: []string{root}}), New(Options{Roots: []string{root}, Private: true})
	for path, want := range map[string]bool{"/a.txt": false, "/p.txt": true, "/sub/x.txt": true, "/sub/": true, "/list/": true, "/list/y.txt": false} {
		_, _, err := ask(t, tree, root+path, "")
		if refused := tree.Look(t.Context(), root+path); (code(err) == 908) != want || (code(refused) == 908) != want {
			t.Errorf("%s: %v, refused by %v; want private %v", path, err, refused, want)
		}
		resp, _, err := ask(t, all, root+path, "")
		if err != nil || (resp.Header.Get(ProtectedHeader) != "") != want {
			t.Errorf("%s with Private: %v, %v; want protected %v", path, resp, err, want)
		}
	}
}

// TestLongListing: a directory with many names has parts, which name all of them once; memory is bounded by the names.
// TestDeadShare: a call that does not end costs the wait once, and one root only.
func TestDeadShare(t *testing.T) {
	tree := New(Options{Roots: []string{"/srv/dead", "/srv/alive"}, TimeOut: 200 * time.Millisecond})
	hangs := make(chan struct{})
	defer close(hangs)
	call := func(path string, wait bool) error {
		_, err := within(t.Context(), tree, path, func() (bool, error) {
			if wait {
				<-hangs
			}
			return true, nil
		})
		return err
	}
	var e *Error
	for range 2 {
		if err := call("/srv/dead/a", true); !errors.As(err, &e) || e.Code != statusIO {
			t.Errorf("dead: %v", err)
		}
	}
	if n := len(tree.busy); n != 1 {
		t.Errorf("%d calls hang, want 1", n)
	}
	if err := call("/srv/alive/a", false); err != nil {
		t.Errorf("alive: %v", err)
	}
}

func TestLongListing(t *testing.T) {
	var names []string
	for i := range 300 {
		names = append(names, strings.Repeat("n", i%50)+string(rune('a'+i%26))+strings.Repeat("x", i/26)+".txt")
	}
	root := makeTree(t, names...)
	tree := New(Options{Roots: []string{root}, Part: 2000})
	_, first, err := ask(t, tree, root+"/", "")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	pages := []string{first}
	for _, m := range hrefs.FindAllStringSubmatch(first, -1) {
		if strings.HasPrefix(m[1], "?part=") {
			_, page, err := ask(t, tree, root+"/"+m[1], "")
			if err != nil || len(page) > 2500 {
				t.Errorf("%s: %d bytes, %v", m[1], len(page), err)
			}
			pages = append(pages, page)
		}
	}
	for _, page := range pages {
		for _, m := range hrefs.FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(m[1], "?") {
				seen[m[1]]++
			}
		}
	}
	for _, name := range names {
		if seen["./"+name] != 1 {
			t.Errorf("%s is listed %d times", name, seen["./"+name])
		}
	}
	if len(pages) < 10 {
		t.Errorf("%d parts", len(pages))
	}
}
