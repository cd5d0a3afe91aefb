package program

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/spider/weburl"
)

// listingPart is about how many bytes a part of the listing of a directory has at most.
const listingPart = 256 << 10

// outsideRoots returns an error for a file URL outside every FileRoot, with the line to write.
func (p *program) outsideRoots(u weburl.URL) error {
	if !u.IsFile() {
		return nil
	}
	full := path.Clean(u.FilePath())
	if slices.ContainsFunc(p.cfg.Spider.FileRoots, func(root string) bool { return full == root || strings.HasPrefix(full, root+"/") }) {
		return nil
	}
	return fmt.Errorf("%s is outside every FileRoot; write in spider.cnf: FileRoot %s", clean(u.Text), clean(strings.TrimSuffix(u.FilePath(), "/")))
}

// projectHost returns the host by which the database knows a configuration; of a file tree it is the URL.
func projectHost(u weburl.URL) string {
	if u.IsFile() {
		return u.Text
	}
	return u.Host
}
