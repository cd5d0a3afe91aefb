package fetch

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// TestARequestIsSentOnce: net/http repeats a request of its own accord when a connection that was used before
// ends without an answer, unseen by politeness and as often as there are idle connections (P11).
func TestARequestIsSentOnce(t *testing.T) {
	var (
		mu    sync.Mutex
		asked = make(map[string]int)
		both  sync.WaitGroup // so that there are two connections
	)
	f, url := site(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		switch r.URL.Path {
		case "/both":
			both.Done()
			both.Wait()
		case "/closed", "/reset":
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			if tcp, ok := conn.(*net.TCPConn); ok && r.URL.Path == "/reset" {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
		}
	})
	for _, path := range []string{"/closed", "/reset"} {
		both.Add(2)
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() { f.Fetch(t.Context(), Request{URL: url + "/both"}) })
		}
		group.Wait()
		a := f.Fetch(t.Context(), Request{URL: url + path})
		if a.Status != statusConnectionLost || a.Cause == "" || !a.Unheard {
			t.Errorf("%s: status %d (%s), want %d", path, a.Status, a.Cause, statusConnectionLost)
		}
		mu.Lock()
		if asked[path] != 1 {
			t.Errorf("%s was asked for %d times", path, asked[path])
		}
		mu.Unlock()
		if a := f.Fetch(t.Context(), Request{URL: url + path, Fresh: true}); a.Status != statusConnectionLost || a.Unheard {
			t.Errorf("%s on a connection of its own: status %d, unheard %v", path, a.Status, a.Unheard)
		}
	}
}

// TestAConnectionThatIsHandedOnMayHaveEnded: a server may close a connection behind an answer that does not
// say so. Who waits for a connection gets that one from the request before, at once, so that it is never
// idle; what it asks there may go unheard all the same.
func TestAConnectionThatIsHandedOnMayHaveEnded(t *testing.T) {
	asked, answer, dialling, over := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	defer close(over)
	f, url := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			close(asked)
			<-answer
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
	})
	dial := f.transport.wire.DialContext
	var dials atomic.Int32
	f.transport.wire.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) != 2 {
			return dial(ctx, network, address)
		}
		close(dialling) // the second request's own connection does not come: it gets the first one's
		<-over
		return nil, net.ErrClosed
	}
	fetch := func(path string) chan *Answer {
		a := make(chan *Answer, 1)
		go func() { a <- f.Fetch(t.Context(), Request{URL: url + path}) }()
		return a
	}
	first := fetch("/first")
	<-asked
	second := fetch("/second")
	<-dialling
	close(answer)
	if a := <-first; a.Status != http.StatusOK {
		t.Fatalf("first: status %d (%s)", a.Status, a.Cause)
	}
	if a := <-second; a.Status != statusConnectionLost || !a.Unheard {
		t.Errorf("status %d (%s), unheard %v; want %d and unheard", a.Status, a.Cause, a.Unheard, statusConnectionLost)
	}
}
