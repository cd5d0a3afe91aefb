package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pgseek/pgseek/config/foreign"
)

// maxImported is the largest file of an old configuration.
const maxImported = 16 << 20

// importConfig is --import-config: it writes sets.cnf and spider.cnf from the configuration of an older program. Files that exist are
// never overwritten.
func (p *program) importConfig(context.Context) error {
	dir := p.o.place
	if dir == "" {
		dir = "."
	}
	sets, spider := filepath.Join(dir, "sets.cnf"), filepath.Join(dir, "spider.cnf")
	for _, name := range []string{sets, spider} {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return importError(clean(name) + " exists, or is hidden from this account; name another directory: index --import-config FILE DIR")
		}
	}
	from, err := filepath.Abs(p.o.importFile)
	if err != nil {
		return err
	}
	r, err := foreign.Import(from, dir, readOld)
	if err != nil {
		return importError("--import-config " + clean(p.o.importFile) + ": " + clean(err.Error()))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if r.Secret {
		mode = 0o600
	}
	if err := writeNew(sets, r.Sets, mode); err != nil {
		return err
	}
	if err := writeNew(spider, r.Spider, mode); err != nil {
		return errors.Join(err, os.Remove(sets))
	}
	p.imported(r, dir, sets, spider)
	return nil
}

// importError says why a configuration is not imported.
type importError string

func (e importError) Error() string { return string(e) }

// readOld reads a file of the old configuration. Its errors do not repeat the name.
func readOld(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err == nil {
		switch {
		case !info.Mode().IsRegular():
			return nil, errors.New("not a regular file")
		case info.Size() > maxImported:
			return nil, fmt.Errorf("larger than %d MB", maxImported>>20)
		}
		var b []byte
		if b, err = os.ReadFile(name); err == nil {
			return b, nil
		}
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return nil, err
}

// writeNew writes a file that must not exist.
func writeNew(name string, b []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// imported says what was written, and what to do next.
func (p *program) imported(r *foreign.Result, dir, sets, spider string) {
	fmt.Fprintf(p.out, "%s is for %s: %d directives: %d carried over, %d changed, %d left out, %d unknown\n", clean(p.o.importFile), r.Program,
		len(r.Directives), r.Count(foreign.Carried), r.Count(foreign.Changed), r.Count(foreign.LeftOut), r.Count(foreign.Unknown))
	fmt.Fprintf(p.out, "comments: %d, of which %d stay with their directives\n", r.Comments, r.CommentsKept)
	fmt.Fprintf(p.out, "written: %s, %s\n", clean(sets), clean(spider))
	for _, name := range r.NotRead {
		fmt.Fprintf(p.errOut, "index: not read: %s; if it matters, import it with --import-config as well\n", clean(name))
	}
	if r.OpenWeb {
		fmt.Fprintf(p.errOut, "index: links to all sites are followed, but a line about URLs was left out; look at %s before the first crawl\n", clean(sets))
	}
	if r.Secret {
		fmt.Fprintln(p.errOut, "index: the files contain passwords; only their owner can read them")
	}
	if r.Servers == 0 {
		fmt.Fprintf(p.errOut, "index: no start URL; write into %s a line such as: Server https://www.example.org/\n", clean(sets))
		return
	}
	fmt.Fprintf(p.out, "next: read what is CHANGED and LEFT OUT in both files, then: index %s\n", clean(strings.TrimSuffix(dir, "/")))
}
