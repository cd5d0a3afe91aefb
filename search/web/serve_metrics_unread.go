package web

import (
	"context"
	"math"
	"sync"
	"time"
)

const (
	unreadKept    = time.Minute
	unreadTimeOut = time.Second // /metrics is answered without the number if it is late
)

// An unreadCount keeps the number of URLs whose type nothing reads, so that frequent readers of /metrics cost little.
type unreadCount struct {
	mu    sync.Mutex
	n     int64
	asked time.Time
	known bool
}

// unread returns the number of URLs whose type nothing reads. It is at most unreadKept old, or older while the database does not
// answer; NaN before the first answer.
func (s *Server) unread() float64 {
	c := &s.unreadURLs
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := s.backend.Load(); b != nil && b.Unread != nil && time.Since(c.asked) >= unreadKept {
		ctx, cancel := context.WithTimeout(context.Background(), unreadTimeOut)
		defer cancel()
		if n, err := b.Unread(ctx); err == nil {
			c.n, c.known = n, true
		}
		c.asked = time.Now()
	}
	if !c.known {
		return math.NaN()
	}
	return float64(c.n)
}
