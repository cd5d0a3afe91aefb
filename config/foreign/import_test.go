package foreign

import (
	"os"
	"path/filepath"
	"testing"
)

// TestImport imports a configuration of each program and compares the two files.
func TestImport(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dir, file, program string }{
		{"aspseek", "aspseek.conf", "ASPseek"}, {"mnogosearch", "indexer.conf", "mnoGoSearch"}, {"datapark", "indexer.conf", "DataparkSearch"},
	} {
		t.Run(c.dir, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", c.dir)
			r, err := Import("/old/"+c.file, t.TempDir(), func(name string) ([]byte, error) {
				b, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
				if err != nil {
					return nil, os.ErrNotExist
				}
				return b, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			sound(t, r)
			if r.Program != c.program {
				t.Errorf("program %s, want %s", r.Program, c.program)
			}
			for name, got := range map[string][]byte{"sets.cnf": r.Sets, "spider.cnf": r.Spider} {
				golden := filepath.Join(dir, name)
				if *update {
					if err := os.WriteFile(golden, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if string(got) != string(want) {
					t.Errorf("%s is not as in %s (go test -update writes it):\n%s", name, golden, got)
				}
			}
		})
	}
}
