package spider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/filetree"
	"github.com/pgseek/pgseek/spider/weburl"
)

// File trees (docs/reference/behavior.md, File trees). A file is a URL like any other; this file has what is special: which ones the
// rules refuse, listings of directories, and shares that are not mounted.

// fileTag returns the bit of the indexing mode that says that others may not read the file. The answer of a file always says it, a 304,
// too.
func (o *outcome) fileTag() int {
	if o.answer.Header.Get(filetree.ProtectedHeader) != "" {
		return modeProtected
	}
	return 0
}

// opensFile reports whether a file is below a FileRoot.
func (s *Scope) opensFile(u weburl.URL) bool {
	return s.InFileRoot != nil && s.InFileRoot(strings.TrimSuffix(u.FilePath(), "/"))
}

// noFileRoot is why a file is refused.
const noFileRoot = "outside every FileRoot of spider.cnf"

// asListing gives a visit of a directory the Server under which only its links count, unless FileListing is index.
func (v *visit) asListing() {
	if v.server == nil || !v.page.IsDirectory() || v.c.o.ListingIndex {
		return
	}
	server := *v.server
	server.Index = false
	v.server = &server
}

// refusesFile sets the outcome of a file that may not be read: others may not, or it is no file. It is asked before anything
// that was taken out comes back.
func (v *visit) refusesFile(ctx context.Context, o *outcome) (bool, error) {
	refused := v.c.refusesFile(ctx, v.page)
	if refused == nil {
		return false, ctx.Err()
	}
	o.status, o.cause = refused.Code, refused.Error()
	return true, v.checkMounts(ctx, o)
}

// refusesFile returns why a file may not be read, nil for none.
func (c *crawler) refusesFile(ctx context.Context, page weburl.URL) (refused *filetree.Error) {
	if page.IsFile() && c.o.Files != nil {
		errors.As(c.o.Files.Refuses(ctx, page.FilePath()), &refused)
	}
	return refused
}

// refusedFile returns the status of a file that may not be read, 0 for none and where a share is not mounted.
func (c *crawler) refusedFile(ctx context.Context, page weburl.URL) (status int, err error) {
	refused := c.refusesFile(ctx, page)
	if refused == nil {
		return 0, ctx.Err()
	}
	why, err := c.mounts.missing(ctx, c, page.FilePath())
	if err != nil || why != "" {
		return 0, err
	}
	return refused.Code, nil
}

// checkMounts makes an answer out of a directory where a share is not mounted one of a host that is out of reach: 707. Only an answer
// by which something would be lost, or a listing would lose entries, is doubted.
func (v *visit) checkMounts(ctx context.Context, o *outcome) error {
	files := v.c.o.Files
	if !v.page.IsFile() || files == nil {
		return nil
	}
	full, there := v.page.FilePath(), o.status == 200 || o.status == 304
	switch {
	case there && v.page.IsDirectory():
	case o.status == 404, o.status == filetree.StatusNoRead, o.status == filetree.StatusPrivate, o.status == filetree.StatusNoFile:
	default:
		return nil
	}
	why, err := v.c.mounts.missing(ctx, v.c, full)
	if err != nil {
		return err
	}
	if root := files.Root(full); why == "" && root != "" && (!there || strings.TrimSuffix(full, "/") == strings.TrimSuffix(root, "/")) {
		if empty, err := files.IsEmpty(ctx, root); err != nil {
			why = err.Error()
		} else if empty {
			live, err := v.c.store.HasLiveBelow(ctx, v.due.Site, weburl.File(strings.TrimSuffix(root, "/")+"/").Text)
			if err != nil {
				return err
			}
			if live {
				why = "FileRoot " + root + " is empty, and documents of it are in the index"
			}
		}
	}
	if why != "" {
		o.status, o.cause = fetch.StatusUnreachable, why
		return ctx.Err()
	}
	if there {
		err = v.c.mounts.note(ctx, v.c, full)
	}
	return errors.Join(err, ctx.Err())
}

// fileMounts knows the mount points below which files were found (table file_mount).
type fileMounts struct {
	mu    sync.Mutex
	known []string // nil until they are read
}

// load returns the mount points.
func (m *fileMounts) load(ctx context.Context, c *crawler) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		list, err := c.store.FileMounts(ctx)
		if err != nil {
			return nil, err
		}
		m.known = append([]string{}, list...)
	}
	return slices.Clone(m.known), nil
}

// missing returns why a path cannot be judged: the mount point on its way that is none at present. It is empty when all are.
func (m *fileMounts) missing(ctx context.Context, c *crawler, full string) (string, error) {
	known, err := m.load(ctx, c)
	if err != nil {
		return "", err
	}
	dir, err := c.o.Files.Unmounted(ctx, full, known)
	switch {
	case err != nil:
		return err.Error(), nil
	case dir != "":
		return dir + " is not mounted", nil
	}
	return "", nil
}

// note remembers the mount points on the way to a directory.
func (m *fileMounts) note(ctx context.Context, c *crawler, full string) error {
	found, err := c.o.Files.Mounts(ctx, full)
	if err != nil { // the file system has just answered: the next visit sees
		return ctx.Err()
	}
	known, err := m.load(ctx, c)
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(dir string) bool { return slices.Contains(known, dir) })
	if len(found) == 0 {
		return nil
	}
	if err := c.store.AddFileMounts(ctx, found); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = append(m.known, found...)
	return nil
}
