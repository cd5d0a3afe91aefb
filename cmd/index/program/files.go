package program

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/convert/archive"
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

// barredFile returns why a file or directory cannot be read, or found by the listings of directories; empty when nothing bars it.
func (p *program) barredFile(ctx context.Context, u weburl.URL) string {
	full := u.FilePath()
	root := p.fileTree().Root(full)
	if !u.IsFile() || root == "" {
		return ""
	}
	if in, _, ok := strings.Cut(full, "!/"); ok && archive.KindOf(in) != archive.None {
		full = in
	}
	if err := p.fileTree().Look(ctx, full); err != nil {
		return err.Error()
	}
	if strings.Contains(strings.TrimPrefix(full, strings.TrimSuffix(root, "/")), "/.") {
		return "listings leave out names that begin with a dot; only a link of a page in the tree would lead to it"
	}
	return ""
}

// listOf says that a document only lists others, which its own status 406 means; empty for any other.
func (p *program) listOf(u weburl.URL) string {
	name, _, _ := strings.Cut(u.Path, "?")
	switch {
	case p.cfg.Sets.Archives && archive.KindOf(name) != archive.None:
		return "it is an archive, a list of its members; they are indexed"
	case u.IsDirectory() && !p.cfg.Spider.ListingIndex:
		return "it is a directory, a list of its files (FileListing follow); they are indexed"
	}
	return ""
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
