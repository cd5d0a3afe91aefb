package storetest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// session is a session of the server, which connections of this test binary hand on (Dial).
type session struct {
	conn     net.Conn
	address  string
	first    string // the message with which it began: database, role, settings
	greeting []byte // what the server answered
	whole    bool   // it answered all
}

// hear keeps what the server says at the beginning, and reports whether there is more to come. A server that asks for a
// password, or refuses, has no session to hand on.
func (s *session) hear(b []byte) (more bool) {
	s.greeting = append(s.greeting, b...)
	for at := 0; at+5 <= len(s.greeting); {
		kind, size := s.greeting[at], int(binary.BigEndian.Uint32(s.greeting[at+1:]))
		next := at + 1 + size
		switch {
		case next > len(s.greeting):
			return true
		case kind == 'Z':
			s.whole = next == len(s.greeting)
			return false
		case kind == 'E', kind == 'R' && (size != 8 || binary.BigEndian.Uint32(s.greeting[at+5:]) != 0):
			return false
		}
		at = next
	}
	return true
}

var discardAll = append([]byte{'Q', 0, 0, 0, byte(4 + len("DISCARD ALL") + 1)}, "DISCARD ALL\x00"...)

// reset makes the session as new. It reports whether it is: whoever held it may have left a transaction or an answer.
func (s *session) reset() bool {
	_ = s.conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := s.conn.Write(discardAll); err != nil {
		return false
	}
	var head [5]byte
	for done := false; ; {
		if _, err := io.ReadFull(s.conn, head[:]); err != nil {
			return false
		}
		body := make([]byte, max(4, binary.BigEndian.Uint32(head[1:]))-4)
		if _, err := io.ReadFull(s.conn, body); err != nil {
			return false
		}
		switch head[0] {
		case 'A', 'N', 'S': // notifications, notices, settings
		case 'C':
			if done = bytes.Equal(body, []byte("DISCARD ALL\x00")); !done {
				return false
			}
		case 'Z':
			return done && body[0] == 'I' && s.conn.SetDeadline(time.Time{}) == nil
		default:
			return false
		}
	}
}

// alive reports whether the server has kept the session.
func (s *session) alive() bool {
	raw, err := s.conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return false
	}
	waits := false
	err = raw.Read(func(fd uintptr) bool {
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		waits = err == syscall.EAGAIN // neither its end nor a message
		return true
	})
	return err == nil && waits
}

// idleSessions are the sessions that wait for a connection.
type idleSessions struct {
	mu   sync.Mutex
	list []*session
}

var idle idleSessions

// of counts the sessions of a server.
func (i *idleSessions) of(address string) (n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, s := range i.list {
		if s.address == address {
			n++
		}
	}
	return n
}

func (i *idleSessions) put(s *session) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.list = append(i.list, s)
}

// take returns the session that was left last among those that began with a message; nil when there is none.
func (i *idleSessions) take(address, first string) *session {
	i.mu.Lock()
	defer i.mu.Unlock()
	for at := len(i.list) - 1; at >= 0; at-- {
		s := i.list[at]
		if s.address != address || s.first != first {
			continue
		}
		i.list = slices.Delete(i.list, at, at+1)
		if s.alive() {
			return s
		}
		_ = s.conn.Close()
	}
	return nil
}

// forget ends the sessions of a database.
func (i *idleSessions) forget(database string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.list = slices.DeleteFunc(i.list, func(s *session) bool {
		if !strings.Contains(s.first, "\x00database\x00"+database+"\x00") {
			return false
		}
		_ = s.conn.Close()
		return true
	})
}
