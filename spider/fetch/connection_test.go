package fetch

import (
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestIdleConnections: an unused connection is closed in time, and no answer is lost because it comes when
// the time is just over (P11: it would be asked for again).
func TestIdleConnections(t *testing.T) {
	const (
		idle    = 5 * time.Millisecond
		workers = 16
		rounds  = 400
	)
	var asked atomic.Int64
	var mu sync.Mutex
	used := make(map[net.Conn]bool) // and open
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1)%2 == 0 {
			time.Sleep(idle - rand.N(idle/2))
		}
		w.WriteHeader(http.StatusNotModified) // without a body: it is idle again before the answer is handed over
	}))
	server.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		switch state {
		case http.StateActive:
			used[conn] = true
		case http.StateClosed:
			delete(used, conn)
		default:
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	f := testFetcher(t, server.URL)
	f.transport.idle = idle
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for range rounds {
				if a := f.Fetch(t.Context(), Request{URL: server.URL + "/", ETag: `"1"`}); a.Status != http.StatusNotModified {
					t.Errorf("status %d (%s), unheard %v", a.Status, a.Cause, a.Unheard)
				}
			}
		})
	}
	group.Wait()
	if n := asked.Load(); n != workers*rounds {
		t.Errorf("%d requests, want %d", n, workers*rounds)
	}
	left := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(used)
	}
	for deadline := time.Now().Add(time.Minute); left() > 0; time.Sleep(idle) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are open", left())
		}
	}
}

// TestABrokenConnectionCostsItsOwnRequestOnly: a connection whose answer has no body is handed on before the
// answer is. Who gets it may break it at once: net/http repeats requests of its own accord, which we do not
// let happen (TestARequestIsSentOnce).
func TestABrokenConnectionCostsItsOwnRequestOnly(t *testing.T) {
	const (
		workers = 16
		rounds  = 400
	)
	var asked atomic.Int64
	f, url := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/same" {
			asked.Add(1)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	})
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for range rounds {
				a := f.Fetch(t.Context(), Request{URL: url + "/same", ETag: `"1"`})
				if a.Status != http.StatusNotModified {
					t.Errorf("status %d (%s), unheard %v", a.Status, a.Cause, a.Unheard)
				}
				if rand.IntN(2) == 0 {
					f.Fetch(t.Context(), Request{URL: url + "/closed"})
				}
			}
		})
	}
	group.Wait()
	if n := asked.Load(); n != workers*rounds {
		t.Errorf("%d requests, want %d", n, workers*rounds)
	}
}
