package fetch

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/pgseek/pgseek/internal/printable"
	"golang.org/x/net/http/httpguts"
)

// defaultReadTimeOut bounds a whole fetch when nothing else does.
const defaultReadTimeOut = 90 * time.Second

// accept asks for what can be indexed best.
const accept = "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5"

// Fetcher requests pages from sites, one request at a time for each caller. It is safe for concurrent use.
// The rules of the crawl are elsewhere: redirects are not followed, cookies are not kept, robots.txt is not
// requested.
type Fetcher struct {
	o         Options
	base      *colly.Collector
	transport *transport
}

// New returns a Fetcher with connections of its own.
func New(o Options) *Fetcher {
	if o.ReadTimeOut <= 0 {
		o.ReadTimeOut = defaultReadTimeOut
	}
	if o.Readable == nil {
		o.Readable = func(string) bool { return true }
	}
	f := &Fetcher{o: o, transport: newTransport(o)}
	f.base = newCollector(o.UserAgent, f.transport)
	return f
}

// newCollector returns the collector that every fetch clones. The fields are set after construction because
// NewCollector lets COLLY_* environment variables override its options.
func newCollector(agent string, t http.RoundTripper) *colly.Collector {
	c := colly.NewCollector()
	c.UserAgent = agent
	c.Headers = nil
	c.MaxDepth, c.MaxRequests, c.MaxBodySize = 0, 0, 0
	c.AllowedDomains, c.DisallowedDomains = nil, nil
	c.URLFilters, c.DisallowedURLFilters = nil, nil
	c.AllowURLRevisit = true
	c.IgnoreRobotsTxt = true
	c.ParseHTTPErrorResponse = true
	c.CacheDir, c.CacheExpiration = "", 0
	c.Async, c.DetectCharset, c.CheckHead, c.TraceHTTP = false, false, false, false
	last := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.SetRedirectHandler(last)
	// No timeout: the context has one. No Jar: a session will be a collector whose client has one of its own.
	c.SetClient(&http.Client{Transport: t, CheckRedirect: last})
	return c
}

// Fetch sends a request and reads the answer. It never returns nil and never panics: a panic on the way is
// an 805 (F21). A canceled context is a 704 at once.
func (f *Fetcher) Fetch(ctx context.Context, r Request) *Answer {
	r.Method = cmp.Or(r.Method, http.MethodGet)
	// A value that is not valid in a header cannot come from one: it is not sent.
	if !httpguts.ValidHeaderFieldValue(r.ETag) {
		r.ETag = ""
	}
	if !httpguts.ValidHeaderFieldValue(r.LastModified) {
		r.LastModified = ""
	}
	began := time.Now()
	rec := &record{request: &r, answer: &Answer{}, back: make(chan struct{})}
	f.visit(ctx, rec)
	a := rec.answer
	if rec.err != nil {
		a.Status, a.Cause = failure(rec.err)
		a.Discard()
		a.Unheard = a.Status == statusConnectionLost && a.Header == nil && rec.waited
	}
	a.Cause = ValidText(a.Cause, maxCause)
	a.Elapsed, a.WireBytes = time.Since(began), rec.wire.Load()
	return a
}

// visit fills the record.
func (f *Fetcher) visit(ctx context.Context, rec *record) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "fetch panicked", "url", printable.Log(rec.request.URL), "cause", p, "stack", string(debug.Stack()))
			rec.answer.Discard()
			*rec.answer = Answer{Status: StatusParserFailed, Cause: fmt.Sprintf("fetch panicked: %v", p)}
			rec.err = nil
		}
	}()
	own, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	rec.deadline = time.Now().Add(f.o.ReadTimeOut)
	rec.overTime = time.AfterFunc(f.o.ReadTimeOut, func() { cancel(errOverTime) })
	defer rec.overTime.Stop()
	rec.cancel, rec.done = cancel, own.Done()
	defer rec.answered() // whatever happened
	if strings.HasPrefix(rec.request.URL, "file:") {
		if rec.fail(f.visitFile(own, rec)); rec.err != nil && own.Err() != nil {
			rec.err = f.ended(ctx, own, rec)
		}
		return
	}

	c := f.base.Clone()
	c.Context = httptrace.WithClientTrace(context.WithValue(own, recordKey{}, rec), rec.trace())
	c.OnResponseHeaders(func(r *colly.Response) { rec.takeHead(r.StatusCode, *r.Headers) })
	c.OnResponse(func(r *colly.Response) { rec.takeBody(r.Body) })
	c.OnError(func(_ *colly.Response, err error) { rec.fail(err) })
	if err := c.Request(rec.request.Method, rec.request.URL, nil, nil, f.headers(rec.request)); err != nil {
		rec.fail(err)
	}
	if rec.err == nil && !rec.delivered {
		rec.err = fmt.Errorf("no answer to %s", rec.request.Method)
	}
	if rec.err != nil && own.Err() != nil {
		rec.err = f.ended(ctx, own, rec)
	}
}

// ended returns the reason why the context of a fetch ended: the caller, ReadTimeOut, or a slow body. The
// transport's own error says less.
func (f *Fetcher) ended(ctx, own context.Context, rec *record) error {
	cause := context.Cause(own)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", context.Canceled, context.Cause(ctx))
	case errors.Is(cause, errOverTime) && rec.conn.Load() == nil:
		return &dialError{fmt.Errorf("%w after %v", context.DeadlineExceeded, f.o.ReadTimeOut)}
	case errors.Is(cause, errOverTime):
		return fmt.Errorf("%w: %v", errOverTime, f.o.ReadTimeOut)
	case errors.Is(cause, errTooSlow):
		return fmt.Errorf("%w: under %d bytes/s after %v", errTooSlow, slowestRate, f.transport.patience)
	}
	return rec.err
}

// headers returns all headers of a request: no cookies, no Referer. A nil map would make colly add its own.
func (f *Fetcher) headers(r *Request) http.Header {
	h := http.Header{
		"User-Agent":      {f.o.UserAgent},
		"Accept":          {accept},
		"Accept-Encoding": {"gzip, deflate"},
	}
	if r.Method == http.MethodHead {
		h.Set("Accept-Encoding", "identity") // its Content-Length is compared with a stored size (HeadFirst)
	}
	if r.ETag != "" {
		h.Set("If-None-Match", r.ETag)
	}
	if r.LastModified != "" {
		h.Set("If-Modified-Since", r.LastModified)
	}
	for _, extra := range f.o.Headers {
		h.Set(extra.Name, extra.Value)
	}
	if r.Auth != "" {
		h.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(r.Auth)))
	}
	return h
}
