// Package packaging has the tests of what packaging/deb and packaging/archive build, with stand-ins for the programs. packaging/trial
// tries the real package on a Debian of its own.
package packaging

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// need skips a test where a program of Debian is missing.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}

// call runs a program and returns its output.
func call(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000", "DEB_COMPRESSION=gzip")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}

// programs returns a directory with stand-ins for the programs, their manual pages and their completions.
func programs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"man/sets.cnf.5": ""}
	for _, name := range []string{"index", "searchd"} {
		files[name] = "#!/bin/sh\n"
		files["man/"+name+".1"] = ""
		files["completion/"+name+".bash"] = "complete -F _pgseek_" + name + " " + name + "\n"
		files["completion/"+name+".zsh"] = "#compdef " + name + "\n"
		files["completion/"+name+".fish"] = "complete -c " + name + " -l log\n"
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDeb: the package has the programs, the units, the examples and the documentation; its files belong to root, the account and the
// database are no part of it, and the same input gives the same bytes.
func TestDeb(t *testing.T) {
	t.Parallel()
	need(t, "dpkg-deb", "tar", "git")
	bin := programs(t)
	var built [][]byte
	var deb string
	for range 2 {
		into := t.TempDir()
		call(t, "./deb", "0.1~git1", "arm64", bin, into)
		deb = filepath.Join(into, "pgseek_0.1~git1_arm64.deb")
		content, err := os.ReadFile(deb)
		if err != nil {
			t.Fatal(err)
		}
		built = append(built, content)
	}
	if !bytes.Equal(built[0], built[1]) {
		t.Error("two builds differ")
	}

	files := map[string]string{} // mode and owner by path
	for line := range strings.Lines(call(t, "dpkg-deb", "--contents", deb)) {
		fields := strings.Fields(line)
		files[fields[5]] = fields[0] + " " + fields[1]
		if fields[1] != "root/root" || fields[3] != "2023-11-14" && !strings.HasPrefix(fields[0], "l") {
			t.Errorf("owner or time: %s", line)
		}
	}
	for path, mode := range map[string]string{
		"./usr/lib/pgseek/bin/index": "-rwxr-xr-x", "./usr/lib/pgseek/bin/searchd": "-rwxr-xr-x",
		"./usr/bin/pgseek-index": "lrwxrwxrwx", "./usr/bin/pgseek-searchd": "lrwxrwxrwx",
		"./etc/pgseek/sets.cnf": "-rw-r--r--", "./etc/pgseek/spider.cnf": "-rw-r--r--", "./etc/pgseek/searchd.conf": "-rw-r--r--",
		"./usr/lib/systemd/system/pgseek-db.service": "-rw-r--r--", "./usr/lib/systemd/system/pgseek-index.service": "-rw-r--r--",
		"./usr/lib/systemd/system/pgseek-searchd.service": "-rw-r--r--",
		"./usr/share/doc/pgseek/copyright":                "-rw-r--r--", "./usr/share/doc/pgseek/installing.md": "-rw-r--r--",
		"./usr/share/man/man1/pgseek-index.1.gz": "-rw-r--r--", "./usr/share/man/man5/sets.cnf.5.gz": "-rw-r--r--",
		"./usr/share/doc/pgseek/THIRD_PARTY_LICENSES.gz": "-rw-r--r--", "./usr/share/doc/pgseek/examples/sets.cnf.example": "-rw-r--r--",
	} {
		if files[path] != mode+" root/root" {
			t.Errorf("%s: %q, want %q", path, files[path], mode)
		}
	}
	for path := range files {
		if strings.HasPrefix(path, "./var") || strings.HasPrefix(path, "./usr/local") || strings.HasPrefix(path, "./home") {
			t.Errorf("%s is in the package", path)
		}
	}

	unpacked := t.TempDir()
	call(t, "dpkg-deb", "--extract", deb, unpacked)
	for path, want := range map[string]string{
		"bash-completion/completions/pgseek-index":      "complete -F _pgseek_index pgseek-index\n",
		"zsh/vendor-completions/_pgseek-searchd":        "#compdef pgseek-searchd\n",
		"fish/vendor_completions.d/pgseek-searchd.fish": "complete -c pgseek-searchd -l log\n",
	} {
		if got, err := os.ReadFile(filepath.Join(unpacked, "usr/share", path)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}

	var etc []string
	for path := range files {
		if strings.HasPrefix(path, "./etc/") && !strings.HasSuffix(path, "/") {
			etc = append(etc, strings.TrimPrefix(path, "."))
		}
	}
	slices.Sort(etc)
	if got := strings.Fields(call(t, "dpkg-deb", "--info", deb, "conffiles")); !slices.Equal(got, etc) {
		t.Errorf("conffiles %q, files in /etc %q", got, etc)
	}
	control := call(t, "dpkg-deb", "--info", deb, "control")
	for _, want := range []string{"Package: pgseek\n", "Version: 0.1~git1\n", "Architecture: arm64\n", "Depends: adduser\n", "poppler-utils", "postgresql (>= 15)"} {
		if !strings.Contains(control, want) {
			t.Errorf("control has no %q:\n%s", want, control)
		}
	}
}

// TestArchive: the archive unpacks into one directory, which has the licenses; the same input gives the same bytes.
func TestArchive(t *testing.T) {
	t.Parallel()
	need(t, "tar", "gzip", "git")
	bin := programs(t)
	var built [][]byte
	for range 2 {
		into := t.TempDir()
		call(t, "./archive", "0.1", "amd64", bin, into)
		path := filepath.Join(into, "pgseek-0.1-linux-amd64.tar.gz")
		names := strings.Fields(call(t, "tar", "--list", "--file", path))
		for _, want := range []string{"bin/index", "bin/searchd", "LICENSE", "THIRD_PARTY_LICENSES", "README.md", "man/index.1", "completion/index.bash", "sets.cnf.example", "spider.cnf.example", "searchd.conf.example", "systemd/pgseek-db.service"} {
			if !slices.Contains(names, "pgseek-0.1-linux-amd64/"+want) {
				t.Errorf("no %s among %q", want, names)
			}
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		built = append(built, content)
	}
	if !bytes.Equal(built[0], built[1]) {
		t.Error("two builds differ")
	}
}

// TestMaintainerScripts: dash can read them, they refuse what dpkg does not say, and a removal keeps what only a purge removes.
func TestMaintainerScripts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"postinst", "prerm", "postrm"} {
		path := filepath.Join("debian", name)
		call(t, "sh", "-n", path)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		script := string(content)
		if !strings.HasPrefix(script, "#!/bin/sh\n") || !strings.Contains(script, "\nset -e\n") {
			t.Errorf("%s does not end at the first failure", name)
		}
		if err := exec.CommandContext(t.Context(), "sh", path, "nonsense").Run(); err == nil {
			t.Errorf("%s accepts an unknown argument", name)
		}
		purge := strings.Index(script, "\npurge)")
		for _, remover := range []string{"rm -rf", "deluser", "userdel"} {
			if at := strings.Index(script, remover); at >= 0 && (name != "postrm" || at < purge) {
				t.Errorf("%s: %s outside of purge", name, remover)
			}
		}
	}
}

// TestShellScripts: bash can read the scripts of this directory.
func TestShellScripts(t *testing.T) {
	t.Parallel()
	need(t, "bash")
	for _, name := range []string{"dist", "deb", "archive", "manuals", "version", "trial"} {
		call(t, "bash", "-n", name)
	}
}

// TestUnits: each unit is hardened, restarts after a failure but not after a wrong configuration, and ends in time.
func TestUnits(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("systemd/*.service")
	if err != nil || len(paths) != 3 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"User=pgseek", "NoNewPrivileges=yes", "CapabilityBoundingSet=", "ProtectSystem=strict", "PrivateTmp=yes", "PrivateDevices=yes",
			"StateDirectory=pgseek", "StateDirectoryMode=0700", "SystemCallFilter=@system-service", "Restart=on-failure", "RestartPreventExitStatus=2",
			"StartLimitIntervalSec=0", "WantedBy=multi-user.target",
		} {
			if !strings.Contains(string(content), "\n"+line+"\n") {
				t.Errorf("%s has no %s", path, line)
			}
		}
		var stops string
		if strings.Contains(path, "-db") {
			stops = "TimeoutStopSec=5min"
		} else {
			stops = "TimeoutStopSec=10s"
			for _, line := range []string{"Environment=PGSEEK_DB_START=no", "JoinsNamespaceOf=pgseek-db.service"} {
				if !strings.Contains(string(content), "\n"+line+"\n") {
					t.Errorf("%s has no %s", path, line)
				}
			}
		}
		if !strings.Contains(string(content), "\n"+stops+"\n") {
			t.Errorf("%s has no %s", path, stops)
		}
		unit := filepath.Base(path)
		for _, script := range []string{"debian/postinst", "debian/postrm"} {
			if content, err := os.ReadFile(script); err != nil || !strings.Contains(string(content), unit) {
				t.Errorf("%s does not name %s: %v", script, unit, err)
			}
		}
	}
}

// TestUnitsForSystemd: systemd finds nothing wrong with the units.
func TestUnitsForSystemd(t *testing.T) {
	t.Parallel()
	need(t, "systemd-analyze")
	dir := t.TempDir()
	paths, err := filepath.Glob("systemd/*.service")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"verify"}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// The programs are not installed here.
		text := strings.NewReplacer("/usr/bin/pgseek-index", "/bin/true", "/usr/bin/pgseek-searchd", "/bin/true").Replace(string(content))
		to := filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, to)
	}
	cmd := exec.CommandContext(t.Context(), "systemd-analyze", args...)
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "Failed to") && !strings.Contains(string(out), ".service:") {
		t.Skipf("systemd-analyze does not work here: %s", out)
	}
	if err != nil || strings.Contains(string(out), "pgseek-") {
		t.Error(fmt.Errorf("%w\n%s", err, out))
	}
}
