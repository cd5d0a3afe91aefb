package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseVersion(t *testing.T) {
	for out, want := range map[string]int{
		"postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18beta1":                          18,
		"postgres (PostgreSQL) 9.6.24":                           9,
		"postgres (PostgreSQL) 17":                               17,
		"postgres (EnterpriseDB) 15.1":                           0,
		"postgres (PostgreSQL) devel":                            0,
		"":                                                       0,
	} {
		if got := parseVersion(out); got != want {
			t.Errorf("parseVersion(%q) = %d, want %d", out, got, want)
		}
	}
}

func TestFindNamesThePackage(t *testing.T) {
	if _, _, err := Find(99); !errors.Is(err, ErrNoPrograms) || !strings.Contains(err.Error(), "apt-get install postgresql-99") {
		t.Errorf("Find(99): %v", err)
	}
	saved := programFolders
	defer func() { programFolders = saved }()
	programFolders = nil
	t.Setenv("PATH", t.TempDir()+":relative")
	if _, _, err := Find(0); !errors.Is(err, ErrNoPrograms) || !strings.Contains(err.Error(), "apt-get install postgresql)") {
		t.Errorf("Find(0) without programs: %v", err)
	}
}

func TestFindTakesTheNewest(t *testing.T) {
	saved := programFolders
	defer func() { programFolders = saved }()
	top := t.TempDir()
	for _, version := range []string{"9.6.1", "14.3", "15.2", "17.1"} {
		bin := filepath.Join(top, version, "bin")
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
		for _, program := range []string{"initdb", "postgres"} {
			if err := os.WriteFile(filepath.Join(bin, program), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	programFolders = []string{filepath.Join(top, "*", "bin")}
	t.Setenv("PATH", "/nonexistent")
	for _, c := range []struct {
		ask, want int
		folder    string
	}{{0, 17, "17.1"}, {15, 15, "15.2"}, {14, 14, "14.3"}} {
		bin, major, err := Find(c.ask)
		if err != nil || major != c.want || bin != filepath.Join(top, c.folder, "bin") {
			t.Errorf("Find(%d) = %s, %d, %v", c.ask, bin, major, err)
		}
	}

	// A cluster whose version was removed by an upgrade of the distribution.
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "pg"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(filepath.Join(dir, "pg"), 65534, -1); err != nil && os.Geteuid() == 0 { // no cluster of root's
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pg", "PG_VERSION"), []byte("16\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"created by version 16", "apt-get install postgresql-16", "index --db upgrade moves the database to version 17"} {
		if _, err := Open(dir); !errors.Is(err, ErrNoPrograms) || !strings.Contains(err.Error(), want) {
			t.Errorf("Open: %v, want %q", err, want)
		}
	}
	c, err := Open(dir, WithoutPrograms())
	if err != nil {
		t.Fatal(err)
	}
	if s, err := c.Status(t.Context()); err != nil || s.Major != 16 || !strings.Contains(s.String(), "\nmissing  the programs of PostgreSQL 16") {
		t.Errorf("status %v, %v", s, err)
	}
}

func TestSocketFolder(t *testing.T) {
	t.Setenv("TMPDIR", "/tmp")
	long := "/srv/" + strings.Repeat("x", 90)
	for _, c := range []struct{ dir, want string }{
		{"/var/lib/pgseek", "/var/lib/pgseek/run"},
		{long, "/tmp/pgseek-"},
		{"/srv/a,b", "/tmp/pgseek-"},
		{"/srv/my data", "/tmp/pgseek-"},
		{"/srv/données", "/tmp/pgseek-"},
	} {
		got := socketFolder(c.dir)
		if !strings.HasPrefix(got, c.want) || len(got)+1+len(socketName) > maxSocketPath {
			t.Errorf("socketFolder(%q) = %q", c.dir, got)
		}
		if got != socketFolder(c.dir) {
			t.Errorf("socketFolder(%q) differs from call to call", c.dir)
		}
	}
	if socketFolder(long) == socketFolder(long+"x") {
		t.Error("two data directories share a socket folder")
	}
	t.Setenv("TMPDIR", long)
	if got := socketFolder(long); !strings.HasPrefix(got, "/tmp/pgseek-") {
		t.Errorf("with a long temporary directory: %q", got)
	}
}

func TestLongPathServesThroughTheTemporaryDirectory(t *testing.T) {
	dir := filepath.Join(folder(t), strings.Repeat("long", 25), "a, b")
	guard(t, dir)
	c := open(t, dir)
	socket := socketFolder(c.dir)
	t.Cleanup(func() { os.RemoveAll(socket) })
	start(t, c)
	query(t, c, "SELECT 1")

	// Another program with another temporary directory still finds the running server.
	t.Setenv("TMPDIR", t.TempDir())
	query(t, open(t, dir), "SELECT 1")
}

func TestSquattedSocketFolderIsRefused(t *testing.T) {
	a := open(t, folder(t)).account
	for name, squat := range map[string]func(path string) error{
		"a link":             func(p string) error { return os.Symlink(t.TempDir(), p) },
		"open to others":     func(p string) error { return errors.Join(os.Mkdir(p, 0o777), os.Chmod(p, 0o777)) },
		"no folder":          func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"a link to nowhere":  func(p string) error { return os.Symlink("/nonexistent/x", p) },
		"readable by others": func(p string) error { return errors.Join(os.Mkdir(p, 0o755), os.Chmod(p, 0o755)) },
	} {
		path := filepath.Join(t.TempDir(), "pgseek-0")
		if err := squat(path); err != nil {
			t.Fatal(err)
		}
		if err := a.makeSocketFolder(path); err == nil {
			t.Errorf("%s: taken for a socket folder", name)
		}
	}
	path := filepath.Join(t.TempDir(), "pgseek-0")
	for range 2 { // made, then found
		if err := a.makeSocketFolder(path); err != nil {
			t.Error(err)
		}
	}
}

// As root the server runs under another account, which cannot enter a folder of mode 0700. Any other user
// runs it under the same account, with the same access.
func TestFolderOutOfReach(t *testing.T) {
	locked := filepath.Join(folder(t), "locked")
	if err := os.Mkdir(locked, 0o700); err != nil {
		t.Fatal(err)
	}
	c := open(t, filepath.Join(locked, "clone", "var"))
	guard(t, c.dir)
	err := c.Start(t.Context())
	if os.Geteuid() != 0 {
		if err != nil {
			t.Errorf("own folder of mode 0700: %v", err)
		}
		return
	}
	if !errors.Is(err, ErrUnreachable) {
		t.Fatalf("error is %v", err)
	}
	for _, word := range []string{c.account.name, "cannot enter " + locked + " ", "DataDir", "/var/lib/pgseek"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not name %q", err, word)
		}
	}
}

func TestServerEnvironment(t *testing.T) {
	got := strings.Join(serverEnvironment([]string{"PATH=/bin", "PGHOST=db1", "PGDATA=/x", "LC_ALL=de_DE", "LANG=x", "NOTIFY_SOCKET=/x", "TZ=UTC"}), " ")
	if want := "PATH=/bin TZ=UTC LC_ALL=C.UTF-8"; got != want {
		t.Errorf("environment %q, want %q", got, want)
	}
}

func TestFindFollowsLinks(t *testing.T) {
	bin, major, err := Find(0)
	if err != nil {
		t.Fatal(err)
	}
	links := t.TempDir()
	for _, program := range []string{"initdb", "postgres"} {
		if err := os.Symlink(filepath.Join(bin, program), filepath.Join(links, program)); err != nil {
			t.Fatal(err)
		}
	}
	saved := programFolders
	defer func() { programFolders = saved }()
	programFolders = nil
	t.Setenv("PATH", links)
	if got, _, err := Find(major); err != nil || got != bin {
		t.Errorf("Find(%d) by links = %s, %v; want %s", major, got, err, bin)
	}
}
