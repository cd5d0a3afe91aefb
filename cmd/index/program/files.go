package program

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/pgseek/pgseek/spider/filetree"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/report"
)

// listingPart is about how many bytes a part of the listing of a directory has at most.
const listingPart = 256 << 10

// fileTree returns the source of files.
func (p *program) fileTree() *filetree.Tree {
	cfg := &p.cfg.Spider
	return filetree.New(filetree.Options{Roots: cfg.FileRoots, Private: cfg.FilePrivate, Part: int(min(cfg.IndexLimit/2, listingPart)), TimeOut: cfg.ReadTimeOut})
}

// outsideRoots returns an error for a file URL outside every FileRoot, with the line to write.
func (p *program) outsideRoots(u weburl.URL) error {
	if !u.IsFile() {
		return nil
	}
	if p.fileTree().Opens(u.FilePath()) {
		return nil
	}
	dir, _ := path.Split(u.FilePath())
	return fmt.Errorf("%s is outside every FileRoot; write in spider.cnf: FileRoot %s", clean(u.Text), clean(path.Clean(dir)))
}

// projectHost returns the host by which the database knows a configuration; of a file tree it is the URL.
func projectHost(u weburl.URL) string {
	if u.IsFile() {
		return u.Text
	}
	return u.Host
}

// leftOutFiles prints how many files are left out, if there are any.
func (p *program) leftOutFiles(ctx context.Context, s *store.DB, limits crawl.Limits) error {
	numbers, err := report.New(s).LeftOutFiles(ctx, limits)
	if err != nil || len(numbers) == 0 {
		return err
	}
	fmt.Fprintf(p.out, "          Files that are left out (index --explain URL says why)\n\n")
	for _, status := range slices.Sorted(maps.Keys(numbers)) {
		fmt.Fprintf(p.out, "%10d%20d %s\n", status, numbers[status], statusText(status))
	}
	fmt.Fprint(p.out, "\n\n")
	return nil
}
