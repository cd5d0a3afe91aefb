package manual

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/config"
)

// TestPagesHaveEveryDirective: the page of each file names each of its directives, has each line of the example, and man finds no fault.
func TestPagesHaveEveryDirective(t *testing.T) {
	t.Parallel()
	files, err := Files(func(name string) (string, error) {
		b, err := os.ReadFile(filepath.Join("..", "..", name))
		return string(b), err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		f := &files[i]
		var b bytes.Buffer
		if err := f.Page(&b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		for _, name := range config.Supported(f.Name) {
			if !slices.ContainsFunc(lines, func(l string) bool {
				term, bold := strings.CutPrefix(l, `\fB`)
				return bold && slices.Contains(strings.Split(strings.TrimSuffix(term, `\fR`), ", "), name)
			}) {
				t.Errorf("no %s in the page of %s", name, f.Name)
			}
		}
		for line := range strings.Lines(f.Example) {
			if line = strings.TrimSuffix(line, "\n"); directive.MatchString(line) && !slices.Contains(lines, roff(strings.TrimPrefix(line, "#"))) {
				t.Errorf("%s: the line %q is not in the page", f.Name, line)
			}
		}
		if _, err := exec.LookPath("mandoc"); err != nil {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "mandoc", "-Tlint", "-Wwarning")
		cmd.Stdin = &b
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: mandoc: %v\n%s", f.Name, err, out)
		}
	}
}
