package settings

import (
	"fmt"
	"path"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider/filetree"
	"github.com/pgseek/pgseek/spider/weburl"
)

// listingPart is about how many bytes a part of the listing of a directory has at most.
const listingPart = 256 << 10

// FileTree returns the source of files.
func FileTree(cfg *config.Spider) *filetree.Tree {
	return filetree.New(filetree.Options{Roots: cfg.FileRoots, Private: cfg.FilePrivate, Part: int(min(cfg.IndexLimit/2, listingPart)), TimeOut: cfg.ReadTimeOut})
}

// OutsideRoots returns an error for a file URL outside every FileRoot, with the line to write.
func OutsideRoots(cfg *config.Spider, u weburl.URL) error {
	if !u.IsFile() {
		return nil
	}
	if FileTree(cfg).Opens(u.FilePath()) {
		return nil
	}
	dir, _ := path.Split(u.FilePath())
	return fmt.Errorf("%s is outside every FileRoot; write in spider.cnf: FileRoot %s", wording.Clean(u.Text), wording.Clean(path.Clean(dir)))
}
