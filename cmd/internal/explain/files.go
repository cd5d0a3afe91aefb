package explain

import (
	"context"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/convert/archive"
	"github.com/pgseek/pgseek/spider/weburl"
)

// barredFile returns why a file or directory cannot be read, or found by the listings of directories; empty when nothing bars it.
func barredFile(ctx context.Context, cfg *config.Spider, u weburl.URL) string {
	tree := settings.FileTree(cfg)
	full := u.FilePath()
	root := tree.Root(full)
	if !u.IsFile() || root == "" {
		return ""
	}
	if in, _, ok := strings.Cut(full, "!/"); ok && archive.KindOf(in) != archive.None {
		full = in
	}
	if err := tree.Look(ctx, full); err != nil {
		return err.Error()
	}
	if strings.Contains(strings.TrimPrefix(full, strings.TrimSuffix(root, "/")), "/.") {
		return "listings leave out names that begin with a dot; only a link of a page in the tree would lead to it"
	}
	return ""
}

// listOf says that a document only lists others, which its own status 406 means; empty for any other.
func listOf(cfg *config.Config, u weburl.URL) string {
	name, _, _ := strings.Cut(u.Path, "?")
	switch {
	case cfg.Sets.Archives && archive.KindOf(name) != archive.None:
		return "it is an archive, a list of its members; they are indexed"
	case u.IsDirectory() && !cfg.Spider.ListingIndex:
		return "it is a directory, a list of its files (FileListing follow); they are indexed"
	}
	return ""
}
