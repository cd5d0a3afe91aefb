package program

import (
	"fmt"
	"path"

	"github.com/pgseek/pgseek/spider/filetree"
	"github.com/pgseek/pgseek/spider/weburl"
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
