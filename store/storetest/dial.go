package storetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Dial opens a connection for pgx. What ends properly leaves its session of the server to the next one that begins with
// the same words: the same database, role and settings. A new session costs the server 10 to 20 ms of CPU time, mostly for
// reading the catalogs, and the tests open thousands. DISCARD ALL makes a session as new: no locks, settings, prepared
// statements or temporary tables stay. A connection that breaks, or whose owner gave up waiting for an answer, leaves none.
//
// A session that is handed on does not know of ALTER ROLE and ALTER DATABASE since it began.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	c := &handedConn{network: network, address: address, begun: make(chan struct{})}
	if idle.of(address) > 0 { // one of them may fit
		return c, nil
	}
	return c, c.open(ctx)
}

// handedConn is one connection of a program, on a session of its own or on one that was handed on.
type handedConn struct {
	network, address string
	begun            chan struct{} // closed once there is a session to read from, or never will be

	mu       sync.Mutex
	s        *session
	greeting []byte // of the server, still to be read by the program
	hearing  bool   // the session is new: what the server says at its beginning is kept
	ended    bool   // the program said that it ends
	hurried  bool   // a deadline is set: the program does not wait for what it asked
	closed   bool
	reading  int // pgx reads beside a write that takes long
}

// open connects to the server.
func (c *handedConn) open(ctx context.Context) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, c.network, c.address)
	if err != nil {
		return err
	}
	c.s = &session{conn: conn, address: c.address}
	return nil
}

var terminate = []byte{'X', 0, 0, 0, 4}

// protocol3 is the number in the first message of a connection, which names database, role and settings. The others ask for
// encryption, or cancel a query of another connection.
const protocol3 = 3 << 16

func (c *handedConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	if bytes.Equal(b, terminate) && c.s != nil && c.s.whole && !c.hurried {
		c.ended = true
		c.mu.Unlock()
		return len(b), nil
	}
	if c.s == nil || c.s.first == "" {
		if c.closed {
			c.mu.Unlock()
			return 0, net.ErrClosed
		}
		err := c.begin(b)
		select {
		case <-c.begun:
		default:
			close(c.begun)
		}
		if err != nil {
			c.mu.Unlock()
			return 0, err
		}
		if c.greeting != nil {
			c.mu.Unlock()
			return len(b), nil
		}
	}
	s := c.s
	c.mu.Unlock()
	return s.conn.Write(b)
}

// begin finds a session for the first message of a connection.
func (c *handedConn) begin(first []byte) error {
	opens := len(first) > 8 && binary.BigEndian.Uint32(first) == uint32(len(first)) && binary.BigEndian.Uint32(first[4:])>>16 == protocol3>>16
	words := wordsOf(first)
	if opens && c.s == nil {
		if s := idle.take(c.address, words); s != nil {
			c.s, c.greeting = s, s.greeting
			return nil
		}
	}
	if c.s == nil {
		if err := c.open(context.Background()); err != nil {
			return err
		}
	}
	c.s.first, c.hearing = words, opens
	return nil
}

// wordsOf returns the first message of a connection with its settings in order: pgx writes them in any.
func wordsOf(first []byte) string {
	settings := strings.Split(string(first[min(8, len(first)):]), "\x00")
	pairs := make([]string, 0, len(settings)/2)
	for pair := range slices.Chunk(settings, 2) {
		pairs = append(pairs, strings.Join(pair, "\x00"))
	}
	slices.Sort(pairs)
	return string(first[:min(8, len(first))]) + "\x00" + strings.Join(pairs, "\x00") + "\x00"
}

func (c *handedConn) Read(b []byte) (int, error) {
	<-c.begun
	c.mu.Lock()
	if len(c.greeting) > 0 {
		n := copy(b, c.greeting)
		c.greeting = c.greeting[n:]
		c.mu.Unlock()
		return n, nil
	}
	s := c.s
	if c.ended || c.closed || s == nil {
		c.mu.Unlock()
		return 0, io.EOF
	}
	c.reading++
	c.mu.Unlock()
	n, err := s.conn.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading--
	if c.hearing && n > 0 {
		c.hearing = s.hear(b[:n])
	}
	return n, err
}

func (c *handedConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	if c.s == nil || c.s.first == "" {
		select {
		case <-c.begun:
		default:
			close(c.begun)
		}
	}
	if c.s == nil {
		return nil
	}
	if c.ended && !c.hurried && c.reading == 0 && c.s.reset() {
		idle.put(c.s)
		return nil
	}
	return c.s.conn.Close()
}

func (c *handedConn) LocalAddr() net.Addr { return &net.UnixAddr{Name: "", Net: c.network} }

func (c *handedConn) RemoteAddr() net.Addr { return handedAddr{c.network, c.address} }

type handedAddr struct{ network, address string }

func (a handedAddr) Network() string { return a.network }
func (a handedAddr) String() string  { return a.address }

func (c *handedConn) SetDeadline(t time.Time) error { return c.deadline(t, net.Conn.SetDeadline) }
func (c *handedConn) SetReadDeadline(t time.Time) error {
	return c.deadline(t, net.Conn.SetReadDeadline)
}

func (c *handedConn) SetWriteDeadline(t time.Time) error {
	return c.deadline(t, net.Conn.SetWriteDeadline)
}

func (c *handedConn) deadline(t time.Time, set func(net.Conn, time.Time) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hurried = !t.IsZero()
	if c.s == nil {
		return nil
	}
	return set(c.s.conn, t)
}
