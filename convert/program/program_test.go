package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// quick are limits under which a test ends soon.
var quick = Limits{Time: 2 * time.Minute, Memory: 1 << 30, Output: 1 << 20, Disk: 16 << 20}

// converted runs a chain of shell scripts on a text.
func converted(t *testing.T, limits Limits, text string, scripts ...string) (Result, error) {
	t.Helper()
	place := NewPlace(t.TempDir())
	var steps []Step
	for _, s := range scripts {
		steps = append(steps, Step{Args: []string{"sh", "-c", s, "$in", "$out", "$url"}, To: "text/plain"})
		if !strings.Contains(s, "$0") {
			steps[len(steps)-1].Args = []string{"sh", "-c", s}
		}
		if !strings.Contains(s, "$1") && strings.Contains(s, "$0") {
			steps[len(steps)-1].Args = []string{"sh", "-c", s, "$in"}
		}
	}
	res, err := NewRunner(place, limits).Run(t.Context(), steps, Input{
		ReaderAt: strings.NewReader(text), Size: int64(len(text)), URL: "http://www.example.org/a b';$(x)", Name: "-a báb.pdf",
	})
	if left, _ := filepath.Glob(filepath.Join(place.path, "*")); len(left) > 0 {
		t.Errorf("left in the directory: %q", left)
	}
	if err := place.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(place.parent, "*")); len(left) > 0 {
		t.Errorf("left beside the directory: %q", left)
	}
	return res, err
}

// TestWays runs commands with and without $in and $out, alone and in chains.
func TestWays(t *testing.T) {
	for _, test := range []struct {
		name    string
		scripts []string
		want    string
	}{
		{"standard input and output", []string{"tr a-z A-Z"}, "WORDS"},
		{"a file in", []string{`cat "$0"`}, "words"},
		{"a file in and one out", []string{`tr a-z A-Z <"$0" >"$1"`}, "WORDS"},
		{"a chain of three", []string{"tr a-z A-Z", `tr W w <"$0" >"$1"; echo ignored`, "tr O o"}, "woRDS"},
		{"names", []string{`: "$0"; echo "$0 $1 $2" >"$1"`}, "a-b--b.pdf _out1.txt http://www.example.org/a%20b%27;%24%28x%29\n"},
		{"the environment", []string{"env | sed 's/=.*//' | grep -v '^_$\\|^PWD$' | sort | tr '\\n' ' '; test $HOME = $PWD && echo $LANG"}, "HOME LANG PATH C.UTF-8\n"},
		{"descriptors", []string{"ls /proc/self/fd | tr '\\n' ' '"}, "0 1 2 3 "},
		{"white space", []string{"printf '\\f'"}, "\f"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res, err := converted(t, quick, "words", test.scripts...)
			if err != nil || string(res.Output) != test.want || res.Truncated {
				t.Errorf("got %q (%v) %v, want %q", res.Output, res.Truncated, err, test.want)
			}
		})
	}
}

// TestFailures runs commands that hang, die, fork and fill the disk. It checks the cause, and that no process and no file is left (B50, B51, B52).
func TestFailures(t *testing.T) {
	short := quick
	short.Time = time.Second
	small := quick
	small.Memory = 200 << 20
	for _, test := range []struct {
		name   string
		limits Limits
		script string
		cause  string
	}{
		{"status", quick, "echo some words; echo first >&2; echo the last one >&2; exit 3", "sh ended with status 3: the last one"},
		{"no output", quick, "echo why >&2", "sh wrote no text: why"},
		{"no file", quick, `test "$0" = "$1"; true`, "sh has not written its output"},
		{"a pipe as output", quick, `: "$0"; mkfifo "$1"`, "the output of sh is no regular file"},
		{"a link as output", quick, `: "$0"; ln -s /etc/passwd "$1"`, "sh has not written its output"},
		{"B50 sleeps", short, "sleep 1000", "sh took longer than 1s"},
		{"B50 sleeps in another session", short, "setsid sleep 1000 & setsid -f sh -c 'sleep 1001; :' ; sleep 1002", "sh took longer than 1s"},
		{"B51 dies", quick, "kill -SEGV $$", "sh died: segmentation fault"},
		// Not without end: a bomb that got away would stop the machine.
		{"B51 many processes", quick, "i=0; while [ $i -lt 160 ]; do sleep 15 & i=$((i+1)); done; wait", "sh started more than 128 processes"},
		{"B52 a large file", quick, "head -c 1000000000 /dev/zero >big", "sh "},
		{"B52 many files", quick, "i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero >f$i; done", "sh wrote more than 16 MB to its directory"},
		{"memory of one", small, "exec perl -e '$x = \"a\" x 1_000_000_000; print length $x'", "perl"},
		{"memory together", small, "for i in 1 2 3 4 5 6; do perl -e '$x = \"a\" x 50_000_000; sleep 15' & done; wait", "sh took more than 200 MB of memory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			res, err := converted(t, test.limits, "words", test.script)
			var failed *FailedError
			if !errors.As(err, &failed) || !strings.Contains(failed.Cause, test.cause) && test.cause != "perl" {
				t.Errorf("got %q %v after %v, want %q", res.Output, err, time.Since(began), test.cause)
			}
			if took := time.Since(began); took > 2*time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestLeavesBehind runs a command whose descendants go on after it, in sessions of their own and with its output open. The text counts, and
// the descendants are killed.
func TestLeavesBehind(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	res, err := converted(t, quick, "", `echo words; setsid sh -c "sleep 1003; touch `+mark+`" & setsid -f sh -c "sleep 1004; touch `+mark+`"; true`)
	if err != nil || string(res.Output) != "words\n" {
		t.Errorf("got %q %v", res.Output, err)
	}
	if found := commands(mark); len(found) > 0 {
		t.Errorf("still running: %q", found)
	}
}

// commands returns the command lines of processes that contain a text.
func commands(text string) (list []string) {
	for _, p := range processes() {
		b, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.id), "cmdline"))
		if line := strings.ReplaceAll(string(b), "\x00", " "); strings.Contains(line, text) {
			list = append(list, line)
		}
	}
	return list
}

// TestMuchOutput cuts the text of a command that prints without end, and ends the command (B52).
func TestMuchOutput(t *testing.T) {
	t.Parallel()
	res, err := converted(t, quick, "", "yes words")
	if err != nil || len(res.Output) != 1<<20 || !res.Truncated {
		t.Errorf("got %d bytes (%v) %v", len(res.Output), res.Truncated, err)
	}
}

// TestMissingProgram tells a missing program from a document that cannot be converted.
func TestMissingProgram(t *testing.T) {
	t.Parallel()
	_, err := NewRunner(NewPlace(t.TempDir()), quick).Run(t.Context(), []Step{{Args: []string{"no-such-program-of-ours"}}}, Input{ReaderAt: strings.NewReader("")})
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Program != "no-such-program-of-ours" {
		t.Error(err)
	}
	if Installed("no-such-program-of-ours") || !Installed("sh") || !Installed("/bin/sh") {
		t.Error("Installed is wrong")
	}
}

// TestCanceled ends the wait for a slot and a running command with the context's cause.
func TestCanceled(t *testing.T) {
	t.Parallel()
	limits := quick
	limits.AtOnce = 1
	r := NewRunner(NewPlace(t.TempDir()), limits)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	done := make(chan error)
	for range 2 {
		go func() {
			_, err := r.Run(ctx, []Step{{Args: []string{"sleep", "1005"}}}, Input{ReaderAt: strings.NewReader("")})
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	}
	if found := commands("sleep 1005"); len(found) > 0 {
		t.Errorf("still running: %q", found)
	}
}

// TestPlace keeps the directory of a living process and removes that of a dead one.
func TestPlace(t *testing.T) {
	parent := t.TempDir()
	alive := NewPlace(parent)
	f, err := alive.File()
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	dead := filepath.Join(parent, placePrefix+"1")
	if err := os.MkdirAll(filepath.Join(dead, "run-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dead, "run-1", "in"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(parent, "other"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", filepath.Join(parent, placePrefix+"2")); err != nil {
		t.Fatal(err)
	}
	NewPlace(parent)
	var left []string
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"other", filepath.Base(alive.path), placePrefix + "2"}; len(left) != 3 {
		t.Errorf("left %q, want %q", left, want)
	}
	if info, err := os.Stat(alive.path); err != nil || info.Mode().Perm()&^0o011 != 0o700 {
		t.Errorf("%v %v", info, err)
	}
}

// TestFileName makes the name of a document one of a file.
func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		"report.pdf": "report.pdf", "": "in", "..": "in", "-rf": "rf", "a/../b c.PDF": "a-..-b-c.PDF", "日本": "in", "_out1.html": "out1.html",
		strings.Repeat("x", 100) + ".docx": strings.Repeat("x", 56) + ".docx", strings.Repeat("x", 100): strings.Repeat("x", 64),
	} {
		if got := fileName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// TestSafeURL makes a URL an argument that is nothing else.
func TestSafeURL(t *testing.T) {
	for url, want := range map[string]string{
		"http://www.example.org/a?b=c&d=%20": "http://www.example.org/a?b=c&d=%20",
		"-oProxyCommand=x:":                  "about:blank", "": "about:blank", ":x": "about:blank",
		"file:///srv/a b\n`'\"\\": "file:///srv/a%20b%0A%60%27%22%5C",
	} {
		if got := safeURL(url); got != want {
			t.Errorf("%q: got %q, want %q", url, got, want)
		}
	}
}
