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
	"sync/atomic"
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

	deadUntil atomic.Int64 // Unix nanoseconds, see within
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

// Look returns nil when a path may be read or is a link to another, ErrNone when it is not there, else an *Error. No file is opened.
func (t *Tree) Look(ctx context.Context, full string) error {
	_, err := within(ctx, t, full, func() (struct{}, error) {
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
	if errors.As(err, new(linked)) {
		return nil
	}
	return err
}

// RoundTrip implements http.RoundTripper for GET and HEAD of file URLs. An error that is an *Error has an extended status.
func (t *Tree) RoundTrip(req *http.Request) (*http.Response, error) {
	u, err := weburl.Typed(req.URL.String(), 1<<20)
	if err != nil {
		return nil, err
	}
	ctx := req.Context()
	return within(ctx, t, u.FilePath(), func() (*http.Response, error) {
		resp, err := t.answer(ctx, req, u)
		if err == nil && ctx.Err() != nil { // nobody waits for it any more
			_ = resp.Body.Close()
			return nil, ctx.Err()
		}
		return resp, err
	})
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
	case errors.Is(err, ErrNone):
		return response(req, http.StatusNotFound, http.Header{}, nil, 0), nil
	case err != nil:
		return nil, err
	}
	defer func() { f.close() }() // not of a file whose body is to be read
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
	b := &body{t: t, ctx: ctx, full: full, found: f}
	f = &found{dir: -1}
	return response(req, http.StatusOK, h, b, b.found.stat.Size), nil
}

// body is the content of a file. It is opened when it is read first: not at all if its type is of no use. A read ends with the context,
// whatever the file system does. A file that grows or shrinks meanwhile is read as it comes: its ETag is the one from before.
type body struct {
	t     *Tree
	ctx   context.Context
	full  string
	found *found
	out   *io.PipeReader // nil until it is opened
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.out == nil {
		out, in := io.Pipe()
		b.out = out
		stop := context.AfterFunc(b.ctx, func() { _ = out.CloseWithError(context.Cause(b.ctx)) })
		go func() {
			defer stop()
			_ = in.CloseWithError(b.copy(in)) // it never fails
		}()
	}
	return b.out.Read(p)
}

// copy writes the content of the file.
func (b *body) copy(to io.Writer) error {
	defer b.found.close()
	select {
	case b.t.busy <- struct{}{}:
	case <-b.ctx.Done():
		return context.Cause(b.ctx)
	}
	defer func() { <-b.t.busy }()
	file, err := b.found.open(b.full)
	if errors.Is(err, ErrNone) {
		err = failed(statusIO, "%s: %w", b.full, err)
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // nothing was written
	if _, err = io.Copy(to, file); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return problem(b.full, err)
	}
	return err
}

// Close implements io.Closer.
func (b *body) Close() error {
	if b.out == nil {
		b.found.close()
		return nil
	}
	return b.out.Close()
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

// within calls the file system for a path and waits for it as long as the context and TimeOut last. After a call that took longer, a
// root is not asked for as long again, so that a dead share costs the wait once and not with each of its files.
func within[T any](ctx context.Context, t *Tree, full string, call func() (T, error)) (v T, err error) {
	r := t.root(full)
	if r == nil {
		r = &root{}
	}
	if time.Now().UnixNano() < r.deadUntil.Load() {
		return v, failed(statusIO, "the file system of %s did not answer a moment ago", r.path)
	}
	own, cancel := context.WithTimeout(ctx, t.o.TimeOut)
	defer cancel()
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	select {
	case t.busy <- struct{}{}:
		go func() {
			v, err := call()
			done <- result{v, err}
			<-t.busy
		}()
	case <-own.Done():
	}
	select {
	case r := <-done:
		return r.v, r.err
	case <-own.Done():
	}
	if ctx.Err() == nil {
		r.deadUntil.Store(time.Now().Add(t.o.TimeOut).UnixNano())
	}
	return v, failed(statusIO, "the file system does not answer: %w", context.Cause(own))
}
