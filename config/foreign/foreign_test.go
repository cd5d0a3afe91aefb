package foreign

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/config"
)

var update = flag.Bool("update", false, "write what the tests compare")

// imported imports a text as the file called name. files are what it includes.
func imported(t *testing.T, name, text string, files map[string]string) *Result {
	t.Helper()
	r, err := Import("/old/"+name, t.TempDir(), reader(name, text, files))
	if err != nil {
		t.Fatal(err)
	}
	sound(t, r)
	return r
}

func reader(name, text string, files map[string]string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if path == "/old/"+name {
			return []byte(text), nil
		}
		if s, ok := files[strings.TrimPrefix(path, "/old/")]; ok {
			return []byte(s), nil
		}
		return nil, errors.New("no such file or directory")
	}
}

// sound fails unless package config reads the files, and each directive that is not the same is in a comment with its place.
func sound(t *testing.T, r *Result) {
	t.Helper()
	if problems := config.Check(t.TempDir(), r.Sets, r.Spider); len(problems) > 0 {
		t.Errorf("config refuses what was imported:\n%v\n%s\n%s", problems, r.Sets, r.Spider)
	}
	both := string(r.Sets) + string(r.Spider)
	for _, d := range r.Directives {
		line := line{file: d.File, number: d.Line}
		if shown := "#   " + line.place() + ": " + d.Text + "\n"; d.Outcome != Carried && !strings.Contains(both, shown) {
			t.Errorf("%s: %s: %s: no comment says what became of it", line.place(), d.Text, both)
		}
	}
}

// TestRealFiles imports all files of the folder that PGSEEK_OLD_CONFIGURATIONS names, and prints what became of their lines.
func TestRealFiles(t *testing.T) {
	dir := os.Getenv("PGSEEK_OLD_CONFIGURATIONS")
	if dir == "" {
		t.Skip("PGSEEK_OLD_CONFIGURATIONS names no folder with old configurations")
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) == 0 {
		t.Fatal(err, "no files")
	}
	for _, name := range names {
		r, err := Import(name, t.TempDir(), os.ReadFile)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(name), err)
			continue
		}
		sound(t, r)
		t.Logf("%s: %s: %d directives: %d carried over, %d changed, %d left out, %d unknown; %d comments; not read: %q", filepath.Base(name), r.Program,
			len(r.Directives), r.Count(Carried), r.Count(Changed), r.Count(LeftOut), r.Count(Unknown), r.Comments, r.NotRead)
		for _, d := range r.Directives {
			if d.Outcome == Unknown {
				t.Logf("unknown: %s", d.Text)
			}
		}
		if testing.Verbose() && len(names) == 1 {
			t.Logf("%s\n----\n%s", r.Sets, r.Spider)
		}
	}
}
