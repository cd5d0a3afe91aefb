package filetree

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pgseek/pgseek/spider/weburl"
)

// Options are the settings of a Tree.
type Options struct {
	Roots   []string      // absolute, clean paths (FileRoot)
	Private bool          // what others may not read is answered, too, with ProtectedHeader
	Part    int           // bytes of a listing, about; a longer one has several parts. 0 = 256 KB
	TimeOut time.Duration // of a call to the file system, without the body of a file; 0 = 90 s
}

// ProtectedHeader is in the answer of what others may not read.
const ProtectedHeader = "X-Pgseek-Protected"

// racy is how long after a change another one may leave size and time as they are, on the coarsest of the usual file systems.
const racy = 2 * time.Second

// Tree answers requests for files below its roots. It is safe for concurrent use.
type Tree struct {
	o     Options
	roots []*root
	busy  chan struct{} // calls to the file system under way, which a dead server of a share may hold for hours
}

type root struct {
	path string // as in FileRoot

	once sync.Once
	to   string
}

// real returns the path without symbolic links, the same when it is not there. A dead share may hold the call.
func (r *root) real() string {
	r.once.Do(func() {
		r.to = r.path
		if to, err := filepath.EvalSymlinks(r.path); err == nil {
			r.to = to
		}
	})
	return r.to
}

// maxBusy is how many calls may hang. Beyond it nothing is asked, so that a dead share does not use up all threads.
const maxBusy = 64

// New returns a Tree.
func New(o Options) *Tree {
	t := &Tree{o: o, busy: make(chan struct{}, maxBusy)}
	if t.o.Part <= 0 {
		t.o.Part = 256 << 10
	}
	if t.o.TimeOut <= 0 {
		t.o.TimeOut = 90 * time.Second
	}
	for _, p := range o.Roots {
		t.roots = append(t.roots, &root{path: path.Clean(p)})
	}
	return t
}

// Root returns the root that a path is below, the longest of several; empty for none.
func (t *Tree) Root(full string) string {
	if r := t.root(full); r != nil {
		return r.path
	}
	return ""
}

// Opens reports whether a path is below a root.
func (t *Tree) Opens(full string) bool { return t.root(full) != nil }

func (t *Tree) root(full string) (best *root) {
	full = path.Clean(full)
	for _, r := range t.roots {
		if below(full, r.path) && (best == nil || len(r.path) > len(best.path)) {
			best = r
		}
	}
	return best
}

// Refuses returns an error with StatusPrivate or StatusNoFile when the rules forbid to read a path, nil else: also when it is
// not there, or cannot be looked at. Nothing is opened.
func (t *Tree) Refuses(ctx context.Context, full string) error {
	_, err := within(ctx, t, func() (struct{}, error) {
		r := t.root(full)
		if r == nil {
			return struct{}{}, outside(full)
		}
		f, err := t.walk(r, full)
		if err == nil {
			f.close()
			if !t.o.Private && f.isDir() && strings.HasSuffix(full, "/") && f.stat.Mode&0o004 == 0 {
				err = private(full, f.stat.Mode, "list")
			}
		}
		return struct{}{}, err
	})
	var e *Error
	if errors.As(err, &e) && (e.Code == StatusPrivate || e.Code == StatusNoFile) {
		return e
	}
	return nil
}

// RoundTrip implements http.RoundTripper for GET and HEAD of file URLs. An error that is an *Error has an extended status.
func (t *Tree) RoundTrip(req *http.Request) (*http.Response, error) {
	u, err := weburl.Typed(req.URL.String(), 1<<20)
	if err != nil {
		return nil, err
	}
	ctx := req.Context()
	return within(ctx, t, func() (*http.Response, error) { return t.answer(ctx, req, u) })
}

func (t *Tree) answer(ctx context.Context, req *http.Request, u weburl.URL) (*http.Response, error) {
	full := u.FilePath()
	r := t.root(full)
	if r == nil {
		return nil, outside(full)
	}
	f, err := t.walk(r, full)
	var link linked
	switch {
	case errors.As(err, &link):
		return redirect(req, link.to), nil
	case errors.Is(err, errNone):
		return response(req, http.StatusNotFound, http.Header{}, nil, 0), nil
	case err != nil:
		return nil, err
	}
	defer f.close()
	if f.isDir() && !strings.HasSuffix(full, "/") {
		return redirect(req, full+"/"), nil
	}
	h := http.Header{}
	if t.o.Private && t.isPrivate(r, full) {
		h.Set(ProtectedHeader, "yes")
	}
	h.Set("Last-Modified", time.Unix(f.stat.Mtim.Unix()).UTC().Format(http.TimeFormat))
	if f.isDir() {
		return t.listing(ctx, req, f, u, h)
	}
	h.Set("ETag", etag(&f.stat, time.Now().UnixNano(), ""))
	h.Set("Content-Length", strconv.FormatInt(f.stat.Size, 10))
	if req.Header.Get("If-None-Match") == h.Get("ETag") {
		return response(req, http.StatusNotModified, h, nil, 0), nil
	}
	if req.Method == http.MethodHead {
		return response(req, http.StatusOK, h, nil, f.stat.Size), nil
	}
	file, err := f.open(full)
	if err != nil {
		if errors.Is(err, errNone) {
			return response(req, http.StatusNotFound, http.Header{}, nil, 0), nil
		}
		return nil, err
	}
	return response(req, http.StatusOK, h, readable(ctx, full, file), -1), nil
}

// readable returns a body that ends with the context, whatever the file system does. A file that grows or shrinks meanwhile is read as
// it comes: its ETag is the one from before.
func readable(ctx context.Context, full string, file io.ReadCloser) io.ReadCloser {
	out, in := io.Pipe()
	stop := context.AfterFunc(ctx, func() { _ = out.CloseWithError(context.Cause(ctx)) })
	go func() {
		_, err := io.Copy(in, file)
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			err = problem(full, err)
		}
		_ = in.CloseWithError(err) // it never fails
		_ = file.Close()           // nothing was written
		stop()
	}()
	return out
}

func outside(full string) error {
	return failed(StatusNoFile, "%s is outside every FileRoot", full)
}

func redirect(req *http.Request, to string) *http.Response {
	return response(req, http.StatusFound, http.Header{"Location": {weburl.File(to).Text}}, nil, 0)
}

// response returns an answer; a nil body is an empty one.
func response(req *http.Request, status int, h http.Header, body io.ReadCloser, length int64) *http.Response {
	if body == nil {
		body = http.NoBody
	}
	return &http.Response{
		Status: strconv.Itoa(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: body, ContentLength: length, Request: req,
	}
}

// within calls the file system and waits for it as long as the context and TimeOut last.
func within[T any](ctx context.Context, t *Tree, call func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	var none T
	ctx, cancel := context.WithTimeout(ctx, t.o.TimeOut)
	defer cancel()
	select {
	case t.busy <- struct{}{}:
	case <-ctx.Done():
		return none, failed(statusIO, "the file system does not answer: %w", context.Cause(ctx))
	}
	done := make(chan result, 1)
	go func() {
		v, err := call()
		done <- result{v, err}
		<-t.busy
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		return none, failed(statusIO, "the file system does not answer: %w", context.Cause(ctx))
	}
}
