package spider

import (
	"net"
	"net/http"
	"sync"
	"testing"
)

// TestARequestIsSentOnce: net/http repeats a request of its own accord when a connection that was used before ends
// without an answer, unseen by politeness and as often as there are idle connections (P11).
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
