package fetch

import (
	"sync"
	"time"
)

// throttle bounds the bytes a second that all fetches together receive. Who has read a part of a body waits until all parts so far
// are paid for.
type throttle struct {
	rate func(at time.Time) int64 // bytes a second, 0 = any number; nil = always

	mu   sync.Mutex
	paid time.Time // when what was read so far is paid for
}

// leastWait is the shortest wait: shorter ones are waited for together with later ones.
const leastWait = 5 * time.Millisecond

// part returns how much of a body is read at once: a quarter of a second's bytes, and not less than 512.
func (t *throttle) part(size int) int {
	if t.rate == nil {
		return size
	}
	if rate := t.rate(time.Now()); rate > 0 {
		return int(min(int64(size), max(rate/4, 512)))
	}
	return size
}

// take returns how long to wait after n bytes.
func (t *throttle) take(n int, now time.Time) time.Duration {
	if t.rate == nil || n <= 0 {
		return 0
	}
	rate := t.rate(now)
	if rate <= 0 {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.paid.Before(now) {
		t.paid = now
	}
	t.paid = t.paid.Add(time.Duration(float64(n) / float64(rate) * float64(time.Second)))
	if wait := t.paid.Sub(now); wait >= leastWait {
		return wait
	}
	return 0
}

// hold waits on behalf of the bandwidth. That time does not count for ReadTimeOut, nor as slowness of the server.
func (r *record) hold(wait time.Duration) {
	if wait <= 0 {
		return
	}
	r.held.Add(int64(wait))
	r.deadline = r.deadline.Add(wait)
	r.overTime.Reset(time.Until(r.deadline))
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.done:
	}
}
