package spider

import (
	"context"
	"errors"
	"net/http"
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
// that was taken out comes back, which only a file does that may be read: it may be that its share is not mounted.
func (v *visit) refusesFile(ctx context.Context, o *outcome) (bool, error) {
	status, cause, err := v.c.fileState(ctx, v.page)
	switch {
	case err != nil || status == 0 || !v.due.Deleted && !refusedFile(status):
		return false, err
	case status == http.StatusNotFound || status == filetree.StatusNoRead:
		status = statusNoFile
	}
	o.status, o.cause = status, cause
	return true, nil
}

// refusedFile reports whether a status says that the rules forbid to read a file.
func refusedFile(status int) bool { return status == statusPrivate || status == statusNoFile }

// fileState returns the status of a file without opening it, and why: 0 when it may be read, and for what is no file; 404 for none.
func (c *crawler) fileState(ctx context.Context, page weburl.URL) (status int, cause string, err error) {
	if !page.IsFile() || c.o.Files == nil {
		return 0, "", nil
	}
	full := c.fileOf(page)
	var problem *filetree.Error
	switch found := c.o.Files.Look(ctx, full); {
	case errors.As(found, &problem):
		status, cause = problem.Code, problem.Error()
	case errors.Is(found, filetree.ErrNone):
		status, cause = http.StatusNotFound, found.Error()
	default:
		return 0, "", ctx.Err()
	}
	if !doubted(status) {
		return status, cause, ctx.Err()
	}
	why, err := c.notThere(ctx, full)
	if why != "" {
		status, cause = fetch.StatusUnreachable, why
	}
	return status, cause, err
}

// fileOf returns the path of a file, that of its archive for a member.
func (c *crawler) fileOf(page weburl.URL) string {
	if in, ok := c.o.archiveOf(page.Text); ok {
		if u, err := weburl.ParseNormalized(in); err == nil {
			return u.FilePath()
		}
	}
	return page.FilePath()
}

// doubted reports whether a status may come from a directory where a share is not mounted.
func doubted(status int) bool {
	return refusedFile(status) || status == http.StatusNotFound || status == filetree.StatusNoRead
}

// checkMounts makes an answer out of a directory where a share is not mounted one of a host that is out of reach: 707. Only an answer
// by which something would be lost, or a listing would lose entries, is doubted. What a directory answers tells the mount points.
func (v *visit) checkMounts(ctx context.Context, o *outcome) (err error) {
	listed := v.page.IsDirectory() && (o.status == http.StatusOK || o.status == http.StatusNotModified)
	if !v.page.IsFile() || v.c.o.Files == nil || !listed && !doubted(o.status) {
		return nil
	}
	full, why := v.c.fileOf(v.page), ""
	if root := v.c.o.Files.Root(full); listed && strings.TrimSuffix(full, "/") != strings.TrimSuffix(root, "/") {
		why, err = v.c.mounts.missing(ctx, v.c, full)
	} else {
		why, err = v.c.notThere(ctx, full)
	}
	switch {
	case err != nil:
		return err
	case why != "":
		o.status, o.cause = fetch.StatusUnreachable, why
		return nil
	case listed:
		return v.c.mounts.note(ctx, v.c, full)
	}
	return nil
}

// notThere returns why nothing can be said of a path: a share is not mounted on the way to it, or its FileRoot is empty although documents
// of it are in the index. It is empty when something can.
func (c *crawler) notThere(ctx context.Context, full string) (why string, err error) {
	if why, err = c.mounts.missing(ctx, c, full); why != "" || err != nil {
		return why, err
	}
	root := c.o.Files.Root(full)
	if root == "" {
		return "", nil
	}
	empty, err := c.o.Files.IsEmpty(ctx, root)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return err.Error(), nil
	case !empty:
		return "", nil
	}
	live, err := c.store.HasLiveFiles(ctx, weburl.File(strings.TrimSuffix(root, "/")+"/").Text)
	if live {
		why = "FileRoot " + root + " is empty, and documents of it are in the index"
	}
	return why, err
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
	case ctx.Err() != nil:
		return "", ctx.Err()
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
