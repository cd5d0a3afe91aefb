package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of the wire.
const (
	maxHeaderBytes  = 64 << 10 // all headers of an answer (B32)
	firstByteTime   = 15 * time.Second
	idleConns       = 100
	idleConnsOfHost = 8

	slowestRate  = 256 // bytes a second, once slowPatience has passed
	slowPatience = 10 * time.Second

	drainBytes = 4 << 10 // read of a body that is not wanted, to keep its connection
	drainTime  = time.Second

	robotsLimit = 512_000 // bytes of a robots.txt that count (B35)
)

// recordKey finds the record of a fetch in its context.
type recordKey struct{}

// record holds the state of one fetch. The transport finds it in the context of the request; colly's
// callbacks fill the answer.
type record struct {
	request   *Request
	answer    *Answer
	err       error // of the network; the answer's status is its, then
	cancel    context.CancelCauseFunc
	done      <-chan struct{}             // the fetch was cancelled, or is over time
	back      chan struct{}               // closed once the head of the answer is here, or none will come
	once      sync.Once                   // closes back
	conn      atomic.Pointer[watchedConn] // nil until there is a connection
	before    int64                       // bytes that others wrote to it
	waited    bool                        // it was kept: its other side may have ended it unseen
	wire      atomic.Int64                // bytes of the body that came
	withheld  http.Header                 // headers that colly does not see, as sent
	length    int64                       // announced Content-Length, -1 for none
	whole     bool                        // the body was read to its end, or to its limit
	delivered bool                        // colly came to its end
	deadline  time.Time                   // of the fetch
	overTime  *time.Timer                 // ends it then
	throttle  *throttle                   // of all fetches; nil = none
	held      atomic.Int64                // nanoseconds that the throttle took
}

// answered records that the head of the answer is here, or that none will come.
func (r *record) answered() { r.once.Do(func() { close(r.back) }) }

// fail keeps the first error: the later ones are its wrappers.
func (r *record) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// transport is the round tripper under colly. It sends the request and returns the answer with a body that is
// decoded, digested and limited while colly reads it.
type transport struct {
	o        Options
	wire     *http.Transport
	fresh    *http.Transport // a connection for each request
	patience time.Duration   // slowPatience, shorter in tests
	idle     time.Duration   // idleTime, shorter in tests
	throttle *throttle       // nil without MaxBandwidth
}

func newTransport(o Options) *transport {
	t := &transport{o: o, patience: slowPatience, idle: idleTime}
	t.wire, t.fresh = t.connections(), t.connections()
	t.fresh.DisableKeepAlives = true
	if o.Bandwidth != nil {
		t.throttle = &throttle{rate: o.Bandwidth}
	}
	return t
}

// connections returns a transport of net/http with the settings of this package.
func (t *transport) connections() *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // the environment's must not decide where we connect
		DialContext:            t.dial,
		TLSHandshakeTimeout:    connectTimeOut,
		ResponseHeaderTimeout:  min(firstByteTime, t.o.ReadTimeOut),
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           idleConns,
		MaxIdleConnsPerHost:    idleConnsOfHost,
		IdleConnTimeout:        poolTime,
		DisableCompression:     true, // decoded here, under limits
		ForceAttemptHTTP2:      true,
	}
}

// dial connects through the guard, and marks what goes wrong as an error of connecting.
func (t *transport) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := t.o.Guard.DialContext(ctx, network, address)
	if err != nil {
		return nil, &dialError{err}
	}
	return &watchedConn{Conn: conn, patience: t.idle}, nil
}

// RoundTrip implements http.RoundTripper. A request without a record passes unchanged.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	r, _ := req.Context().Value(recordKey{}).(*record)
	if r == nil {
		return t.wire.RoundTrip(req)
	}
	if s := r.request.Stored; s != nil {
		resp, err := s.response(req)
		r.answered()
		if err != nil {
			r.fail(err)
			return nil, err
		}
		return t.shown(r, resp), nil
	}
	r.throttle = t.throttle
	asStored(req, r.request.URL)
	wire := t.wire
	if r.request.Fresh {
		wire = t.fresh
	}
	resp, err := wire.RoundTrip(req)
	r.answered()
	if err != nil {
		if c := r.conn.Load(); c != nil && c.ended.Load() && isMalformed(errorStatus(err)) {
			err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
		}
		r.fail(err)
		return nil, err
	}
	return t.shown(r, resp), nil
}

// asStored sets the request target to that of the stored URL. The parsers on the way would escape a lone
// percent sign and some other characters again, and so request another page (B8).
func asStored(req *http.Request, stored string) {
	_, rest, _ := strings.Cut(stored, "://")
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		return
	}
	if target := rest[slash:]; target != req.URL.RequestURI() && !strings.HasPrefix(target, "//") {
		path, query, asks := strings.Cut(target, "?")
		req.URL.Opaque, req.URL.RawQuery, req.URL.ForceQuery = path, query, asks && query == ""
	}
}

// shown returns the answer as colly gets it: with all headers but Location and the charset of Content-Type,
// and with a body that is decoded already. The package comment says why.
func (t *transport) shown(r *record, resp *http.Response) *http.Response {
	shown := *resp
	shown.Header = maps.Clone(resp.Header)
	r.length, r.withheld = resp.ContentLength, make(http.Header, 2)
	for _, name := range []string{"Location", "Content-Type"} {
		if values, ok := resp.Header[name]; ok {
			r.withheld[name] = values
			delete(shown.Header, name)
		}
	}
	if name := mediaType(resp.Header.Get("Content-Type")); name != "" && !strings.Contains(name, "charset") {
		shown.Header.Set("Content-Type", name)
	}
	shown.Trailer, shown.TransferEncoding = nil, nil
	shown.ContentLength, shown.Uncompressed = -1, true // the body is decoded
	shown.Body = &body{t: t, r: r, raw: resp.Body, wire: &wireReader{r: resp.Body, record: r}}
	return &shown
}

// takeHead fills the answer from the headers that colly got and those that were withheld from it, and sets
// its status.
func (r *record) takeHead(status int, shown http.Header) {
	h := maps.Clone(shown)
	maps.Copy(h, r.withheld)
	a := r.answer
	a.Header = h
	a.Size = max(0, r.length)
	a.Location = escaped(h.Get("Location"))
	a.ETag, a.LastModified = validator(h.Get("ETag")), validator(h.Get("Last-Modified"))
	a.Expires = httpDate(h.Get("Expires"))
	a.RetryAfter = retryAfter(h.Get("Retry-After"), time.Now())
	a.ContentType = announcedType(h.Get("Content-Type"), r.request.URL)
	conditional := r.request.ETag != "" || r.request.LastModified != ""
	a.Status, a.Cause = headStatus(status, a.Location, conditional)
}

// takeBody stores the body that colly read. A body that is not wanted, or broken, is dropped.
func (r *record) takeBody(decoded []byte) {
	r.delivered = true
	if r.whole {
		r.answer.Body = decoded
	}
}

// drain reads the small rest of a body, so that the next request can use the connection.
func drain(r *record, body io.Reader) {
	timer := time.AfterFunc(drainTime, func() { r.cancel(nil) })
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, body, drainBytes) // an error does not matter
}

// wireReader counts the bytes of a body and records the errors of the network: they are not those of a
// decoder that reads from it.
type wireReader struct {
	r      io.Reader
	record *record
	limit  int64 // bytes; 0 is none
	err    error // anything but io.EOF
}

func (w *wireReader) Read(p []byte) (int, error) {
	if t := w.record.throttle; t != nil {
		p = p[:t.part(len(p))]
	}
	n, err := w.r.Read(p)
	if t := w.record.throttle; t != nil {
		w.record.hold(t.take(n, time.Now()))
	}
	total := w.record.wire.Add(int64(n))
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	} else if w.limit > 0 && total > w.limit {
		return n, fmt.Errorf("more than %d compressed bytes", w.limit)
	}
	return n, err
}

// watcher ends a fetch whose body comes too slowly.
type watcher struct {
	record *record
	began  time.Time

	mu    sync.Mutex
	timer *time.Timer // nil once stopped
}

// watch checks a body's speed after patience has passed, then every second.
func watch(r *record, patience time.Duration) *watcher {
	w := &watcher{record: r, began: time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(patience, w.look)
	return w
}

func (w *watcher) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		return
	}
	took := time.Since(w.began) - time.Duration(w.record.held.Load())
	if float64(w.record.wire.Load()) < slowestRate*took.Seconds() {
		w.record.cancel(errTooSlow)
		return
	}
	w.timer.Reset(time.Second)
}

func (w *watcher) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.timer = nil
}
