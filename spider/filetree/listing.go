package filetree

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/weburl"
	"golang.org/x/sys/unix"
)

// maxEntries is how many names of a directory are listed.
const maxEntries = 1_000_000

// chunk is how many names are read from a directory at once.
const chunk = 4096

// listing answers with the names of a directory as HTML: files, directories with a slash, and links. Names that begin with a
// dot are left out, and so are FIFOs, devices and sockets. A long listing has parts of about Options.Part bytes; the first one
// links to all others.
func (t *Tree) listing(ctx context.Context, req *http.Request, f *found, u weburl.URL, h http.Header) (*http.Response, error) {
	full := u.FilePath()
	if !t.o.Private && f.stat.Mode&0o004 == 0 {
		return nil, private(full, f.stat.Mode, "list")
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("ETag", etag(&f.stat, time.Now().UnixNano(), fmt.Sprintf("-%x", t.o.Part)))
	if req.Header.Get("If-None-Match") == h.Get("ETag") {
		return response(req, http.StatusNotModified, h, nil, 0), nil
	}
	if req.Method == http.MethodHead {
		return response(req, http.StatusOK, h, nil, -1), nil
	}
	dir, err := f.open(full)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // nothing was written
	names, err := entries(ctx, dir)
	if err != nil {
		return nil, problem(full, err)
	}
	part := 1
	if _, n, ok := strings.Cut(u.Path, "?part="); ok {
		_, _ = fmt.Sscan(n, &part) // the normal form has digits only
	}
	body, ok := t.page(full, names, part)
	if !ok {
		return response(req, http.StatusNotFound, http.Header{}, nil, 0), nil
	}
	return response(req, http.StatusOK, h, io.NopCloser(strings.NewReader(body)), int64(len(body))), nil
}

// entries returns the names of a directory in order, those of directories with a slash.
func entries(ctx context.Context, dir *os.File) (names []string, err error) {
	for len(names) < maxEntries && ctx.Err() == nil {
		list, err := dir.ReadDir(chunk)
		for _, e := range list {
			name := e.Name()
			switch {
			case strings.HasPrefix(name, ".") || !isKnown(e.Type()):
			case e.IsDir():
				names = append(names, name+"/")
			default:
				names = append(names, name)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return names, ctx.Err()
}

// page returns a part of a listing, counted from 1; false when there is none.
func (t *Tree) page(full string, names []string, part int) (string, bool) {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"><title>%s</title></head>\n<body>\n", html.EscapeString(shown(full)))
	n, room := 1, t.o.Part
	for _, name := range names {
		href, text := weburl.EscapePath(name), html.EscapeString(shown(name))
		if room -= len(href) + len(text) + len("<a href=\"./\"></a><br>\n"); room < 0 {
			n, room = n+1, t.o.Part
		}
		if n == part {
			fmt.Fprintf(&b, "<a href=\"./%s\">%s</a><br>\n", html.EscapeString(href), text)
		}
	}
	for other := 2; part == 1 && other <= n; other++ {
		fmt.Fprintf(&b, "<a href=\"?part=%d\">%d</a>\n", other, other)
	}
	b.WriteString("</body>\n</html>\n")
	return b.String(), part <= n
}

// shown makes a name fit for a text.
func shown(name string) string { return printable.String(name, unix.PathMax) }
