package spidertest

import (
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Raw listens on loopback and hands every connection to serve, byte by byte as the client sent it: for hosts
// that do not speak HTTP, or badly. It returns the URL, without a slash at the end. Connections are closed
// when serve returns or the test ends, whichever comes first.
func Raw(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu    sync.Mutex
		open  = make(map[net.Conn]bool)
		group sync.WaitGroup
	)
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			mu.Lock()
			open[conn] = true
			mu.Unlock()
			group.Go(func() {
				serve(conn)
				mu.Lock()
				defer mu.Unlock()
				_ = conn.Close() // the client sees it, and judges
				delete(open, conn)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		group.Wait()
	})
	return "http://" + listener.Addr().String()
}

// Wire is a page whose answer is these bytes unchanged, status line and headers included. Then the connection
// closes.
func Wire(answer string) Page {
	return hijacked(func(conn net.Conn) {
		_, _ = conn.Write([]byte(answer)) // a client that went away is part of the tests
	})
}

// Stream returns a page whose answer serve writes, status line and headers included. Then the connection
// closes.
func Stream(serve func(io.Writer)) Page { return hijacked(func(conn net.Conn) { serve(conn) }) }

// Reset is a page whose connection is reset after these bytes.
func Reset(answer string) Page {
	return hijacked(func(conn net.Conn) {
		_, _ = conn.Write([]byte(answer))
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // closing discards what is unsent and sends a reset
		}
	})
}

// Hang is a page that does not answer until its client has gone away.
var Hang = Page{Serve: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}

// hijacked is a page that answers on the bare connection.
func hijacked(answer func(net.Conn)) Page {
	return Page{Serve: func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err) // the server of a Site can always be hijacked
		}
		answer(conn)
		_ = conn.Close()
	}}
}
