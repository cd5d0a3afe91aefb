package fetch

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// How long idle connections are kept. idleTime is less than servers wait: a request must not meet their
// closing (see trace). This package enforces it. The timer of net/http runs on while a request is under way
// and closes the connection when it expires, even as an answer without a body arrives, which is then lost.
// So poolTime, which HTTP/2 uses, is more than idleTime and firstByteTime together: no answer comes that
// late.
const (
	idleTime = 4 * time.Second
	poolTime = 30 * time.Second
)

// trace records the connection of a request, and ends a fetch whose request is about to be sent again: when
// a used connection ends without an answer, net/http tries all idle ones and a new one, unseen by
// politeness (P11). A request of which nothing was sent may go on, and so may HTTP/2's, which the server
// has refused.
func (r *record) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			conn, shared := info.Conn, false
			if over, ok := conn.(*tls.Conn); ok {
				conn, shared = over.NetConn(), over.ConnectionState().NegotiatedProtocol == "h2"
			}
			c, ok := conn.(*watchedConn)
			if !ok {
				return
			}
			if !shared {
				c.await(r)
			}
			if last := r.conn.Load(); !shared && last != nil && last.written.Load() > r.before {
				r.fail(errNoAnswer)
				r.cancel(errNoAnswer)
				_ = c.Close() // or it would be written to before the cancellation is looked at
				return
			}
			c.take(r)
			r.before, r.waited = c.written.Load(), info.Reused || info.WasIdle // a request that waited for a connection gets one that was never idle
			r.conn.Store(c)
		},
		PutIdleConn: func(err error) { // not of HTTP/2
			if c := r.conn.Load(); c != nil && err == nil {
				c.rest(r)
			}
		},
	}
}

// watchedConn counts the bytes written to a connection, and records whether the other side has ended it and
// whether a request is under way on it. The parser of net/http reports half a header line at the end of a
// connection as malformed; with this, an answer that was cut on the way is a lost connection, and the old
// content is kept (B18).
type watchedConn struct {
	net.Conn
	patience time.Duration // idleTime
	ended    atomic.Bool
	written  atomic.Int64 // bytes

	mu   sync.Mutex
	last chan struct{} // back of the last request's record, which is not kept: it has a body
	busy bool          // that request is under way
	idle *time.Timer   // closes it; nil until it was idle first
}

// await waits until the caller of the last request has its answer. net/http hands a connection on before it
// returns an answer without a body; the next user may break the connection, and that answer would be lost.
func (c *watchedConn) await(r *record) {
	c.mu.Lock()
	last := c.last
	c.mu.Unlock()
	if last == nil || last == r.back {
		return
	}
	select {
	case <-last:
	case <-r.done:
	}
}

// take marks the connection as busy. When it was closed the moment before, nothing was written to it and
// net/http takes another one.
func (c *watchedConn) take(r *record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.busy = r.back, true
	if c.idle != nil {
		c.idle.Stop()
	}
}

// rest marks the connection as idle, and closes it after its time unless another request uses it, which may
// be the case already.
func (c *watchedConn) rest(r *record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != r.back {
		return
	}
	c.busy = false
	if c.idle == nil {
		c.idle = time.AfterFunc(c.patience, c.expire)
	} else {
		c.idle.Reset(c.patience)
	}
}

// expire closes a connection that is idle.
func (c *watchedConn) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.busy {
		_ = c.Close() // its error does not matter
	}
}

func (c *watchedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.EOF) {
		c.ended.Store(true)
	}
	return n, err
}
