package fetch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// raw serves every connection with one handler, which gets it after the head of the first request. The
// connection is closed when the handler returns.
func raw(t *testing.T, answer func(net.Conn)) (*Fetcher, string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); served.Wait() })
	served.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			served.Go(func() {
				defer conn.Close()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					answer(conn)
				}
			})
		}
	})
	return testFetcher(t, l.Addr().String()), "http://" + l.Addr().String()
}

// untilClosed waits for the other side to give up.
func untilClosed(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func TestRawAnswers(t *testing.T) {
	const html = "Content-Type: text/html\r\n"
	line := strings.Repeat("x", 1000)
	for _, c := range []struct {
		name, answer string
		status       int
		body         string
	}{
		{"B18 no length", "HTTP/1.1 200 OK\r\n" + html + "\r\nto the end", 200, "to the end"},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\n" + html + "\r\nto the end", 200, "to the end"},
		{"B18 too small a length", "HTTP/1.1 200 OK\r\nConnection: close\r\n" + html + "Content-Length: 4\r\n\r\nlonger", 200, "long"},
		{"B18 too large a length", "HTTP/1.1 200 OK\r\n" + html + "Content-Length: 40\r\n\r\nshort", 705, ""},
		{"B18 length far too large", "HTTP/1.1 200 OK\r\n" + html + "Content-Length: 9223372036854775807\r\n\r\nshort", 705, ""},
		{"B18 chunks that end early", "HTTP/1.1 200 OK\r\n" + html + "Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n", 705, ""},
		{"B18 chunks that are none", "HTTP/1.1 200 OK\r\n" + html + "Transfer-Encoding: chunked\r\n\r\nzz\r\nshort\r\n", 705, ""},
		{"B18 short gzip body is the network's", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n" + html + "Content-Length: 40\r\n\r\n\x1f\x8b\x08", 705, ""},
		{"B18 conflicting lengths", "HTTP/1.1 200 OK\r\n" + html + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nlonger", 604, ""},
		{"B18 equal lengths", "HTTP/1.1 200 OK\r\n" + html + "Content-Length: 4\r\nContent-Length: 4\r\n\r\nfour", 200, "four"},
		{"B18 negative length", "HTTP/1.1 200 OK\r\n" + html + "Content-Length: -4\r\n\r\nlonger", 604, ""},
		{"B18 length that is no number", "HTTP/1.1 200 OK\r\n" + html + "Content-Length: many\r\n\r\nlonger", 604, ""},
		{"B18 unknown transfer encoding", "HTTP/1.1 200 OK\r\n" + html + "Transfer-Encoding: rot13\r\n\r\nlonger", 604, ""},
		{"B31 no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", 600, ""},
		{"B31 HTTP/0.9", "<html>\r\n\r\n", 600, ""},
		{"B31 status is no number", "HTTP/1.1 abc OK\r\n\r\n", 600, ""},
		{"B31 status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", 600, ""},
		{"B31 status 0", "HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n", 600, ""},
		{"B31 status 99", "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n", 600, ""},
		{"B31 status 600", "HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n", 600, ""},
		{"B31 status 999", "HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n", 600, ""},
		{"B31 header without colon", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", 606, ""},
		{"B31 header without colon that tells of a length", "HTTP/1.1 200 OK\r\nContent-Length 5\r\n\r\n", 606, ""},
		{"B31 header name with a parenthesis", "HTTP/1.1 200 OK\r\nX(y: z\r\n\r\n", 606, ""},
		{"B31 header value with a control character", "HTTP/1.1 200 OK\r\nX: a\x01b\r\n\r\n", 606, ""},
		{"B31 HTTP in small letters", "http/1.1 200 OK\r\n\r\n", 600, ""},
		{"B31 blank line before the status line", "\r\nHTTP/1.1 200 OK\r\n\r\n", 600, ""},
		{"B18 list of lengths", "HTTP/1.1 200 OK\r\n" + html + "Content-Length: 5, 5\r\n\r\nfives", 604, ""},
		{"B18 no length in its header", "HTTP/1.1 200 OK\r\n" + html + "Content-Length:\r\n\r\nfives", 604, ""},
		{"B18 identity as transfer encoding", "HTTP/1.1 200 OK\r\n" + html + "Transfer-Encoding: identity\r\n\r\nlonger", 604, ""},
		{"B31 continues without end", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 5000), 603, ""},
		{"status 599", "HTTP/1.1 599 OK\r\nContent-Length: 0\r\n\r\n", 599, ""},
		{"switching protocols", "HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", 101, ""},
		{"early hints first", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n" + html + "\r\nbody", 200, "body"},
		{"B32 one long header", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat(line, 66) + "\r\n\r\n", 603, ""},
		{"B32 many headers", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+line+"\r\n", 66) + "\r\n", 603, ""},
		{"B32 just below", "HTTP/1.1 200 OK\r\n" + html + strings.Repeat("X: "+line+"\r\n", 64) + "\r\nbody", 200, "body"},
		{"closed without a word", "", 705, ""},
		{"closed in the status line", "HTTP/1.1 20", 705, ""},
		{"closed in the headers", "HTTP/1.1 200 OK\r\nContent-", 705, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, base := raw(t, func(conn net.Conn) { _, _ = io.WriteString(conn, c.answer) })
			a := f.Fetch(t.Context(), Request{URL: base})
			if a.Status != c.status || string(a.Body) != c.body || (a.Status >= 600) != (a.Cause != "") {
				t.Errorf("%d %q, cause %q", a.Status, a.Body, a.Cause)
			}
			if a.Status != 200 && a.CRC != "" {
				t.Errorf("digest of nothing: %q", a.CRC)
			}
		})
	}
}

func TestB1ValidatorsAreText(t *testing.T) {
	f, base := raw(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\xff\r\nETag: \"\xff\"\r\nLast-Modified: "+
			strings.Repeat("x", 256)+"\r\nExpires: 0\r\nRetry-After: never\r\n\r\n")
	})
	a := f.Fetch(t.Context(), Request{URL: base})
	if a.ETag != "" || a.LastModified != "" || a.ContentType != "text/html; charset=\ufffd" || !a.Expires.IsZero() || a.RetryAfter != 0 {
		t.Errorf("%+v", a)
	}
}

func TestConnectionReset(t *testing.T) {
	f, base := raw(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nbegin")
		_ = conn.(*net.TCPConn).SetLinger(0)
	})
	if a := f.Fetch(t.Context(), Request{URL: base}); a.Status != 705 {
		t.Errorf("%d %s", a.Status, a.Cause)
	}
}

func TestConnectionRefused(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	if a := testFetcher(t, address).Fetch(t.Context(), Request{URL: "http://" + address}); a.Status != 702 {
		t.Errorf("%d %s", a.Status, a.Cause)
	}
}

func TestGuardDeniesAddresses(t *testing.T) {
	_, base := site(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	a := testFetcher(t).Fetch(t.Context(), Request{URL: base})
	if a.Status != 707 || !strings.HasPrefix(a.Cause, "address 127.0.0.1 denied") {
		t.Errorf("%d %q", a.Status, a.Cause)
	}
}

func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, r.Proto)
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = quiet()
	s.StartTLS()
	defer s.Close()
	address := s.Listener.Addr().String()
	plain := httptest.NewServer(s.Config.Handler)
	defer plain.Close()
	f := testFetcher(t, address, plain.URL)

	if a := f.Fetch(t.Context(), Request{URL: s.URL}); a.Status != 706 || !strings.Contains(a.Cause, "unknown authority") {
		t.Errorf("unproven: %d %s", a.Status, a.Cause)
	}
	if a := f.Fetch(t.Context(), Request{URL: "https://" + plain.Listener.Addr().String()}); a.Status != 706 {
		t.Errorf("no TLS behind https: %d %s", a.Status, a.Cause)
	}

	f = testFetcher(t, address)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	f.transport.wire.TLSClientConfig = &tls.Config{RootCAs: roots}
	if a := f.Fetch(t.Context(), Request{URL: s.URL}); a.Status != 200 || string(a.Body) != "HTTP/2.0" {
		t.Errorf("proven: %d %q %s", a.Status, a.Body, a.Cause)
	}

	f = testFetcher(t, address)
	f.transport.wire.TLSClientConfig = &tls.Config{RootCAs: roots, ServerName: "other.example.org"}
	if a := f.Fetch(t.Context(), Request{URL: s.URL}); a.Status != 706 {
		t.Errorf("wrong name: %d %s", a.Status, a.Cause)
	}
}

func TestReadTimeOut(t *testing.T) {
	headers := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nbegin"
	for _, c := range []struct {
		name, answer, cause string
		short               func(*Fetcher)
	}{
		{"before the first byte", "", "timeout awaiting response headers", func(f *Fetcher) {
			f.transport.wire.ResponseHeaderTimeout = 20 * time.Millisecond
		}},
		{"in the headers", "HTTP/1.1 200 OK\r\nX: ", "timeout awaiting response headers", func(f *Fetcher) {
			f.transport.wire.ResponseHeaderTimeout = 20 * time.Millisecond
		}},
		{"of the whole", headers, "not complete in time: 20ms", func(f *Fetcher) { f.o.ReadTimeOut = 20 * time.Millisecond }},
		{"too slow", headers, "too slow: under 256 bytes/s", func(f *Fetcher) { f.transport.patience = 100 * time.Millisecond }},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, base := raw(t, func(conn net.Conn) {
				_, _ = io.WriteString(conn, c.answer)
				untilClosed(conn)
			})
			c.short(f)
			a := f.Fetch(t.Context(), Request{URL: base})
			if a.Status != 704 || !strings.Contains(a.Cause, c.cause) || a.Body != nil || a.CRC != "" {
				t.Errorf("%d %q, body %q", a.Status, a.Cause, a.Body)
			}
		})
	}
}

func TestSlowestRate(t *testing.T) {
	for came, slow := range map[int64]bool{0: true, 100 * slowestRate: true, 110 * slowestRate: false} {
		ctx, cancel := context.WithCancelCause(t.Context())
		r := &record{cancel: cancel}
		r.wire.Store(came)
		w := watch(r, time.Hour)
		w.began = time.Now().Add(-100*time.Second - time.Millisecond)
		w.look()
		if got := errors.Is(context.Cause(ctx), errTooSlow); got != slow {
			t.Errorf("%d bytes in 100 s: ended %v", came, got)
		}
		w.stop()
		w.look() // a look that was on its way does nothing
		cancel(nil)
	}
}

func TestConnectTimeOut(t *testing.T) {
	f := testFetcher(t)
	f.o.ReadTimeOut = 20 * time.Millisecond
	f.transport.wire.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if a := f.Fetch(t.Context(), Request{URL: "http://192.0.2.1/"}); a.Status != 703 {
		t.Errorf("%d %s", a.Status, a.Cause)
	}
}

func TestCancelledFetchEndsAtOnce(t *testing.T) {
	reached := make(chan struct{})
	for name, answer := range map[string]string{
		"before the answer": "", "in the body": "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nbegin",
	} {
		t.Run(name, func(t *testing.T) {
			f, base := raw(t, func(conn net.Conn) {
				_, _ = io.WriteString(conn, answer)
				reached <- struct{}{}
				untilClosed(conn)
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			done := make(chan *Answer)
			go func() { done <- f.Fetch(ctx, Request{URL: base}) }()
			<-reached
			cancel(errors.New("the run ends"))
			a := <-done // ReadTimeOut is a minute: only the cancellation ends this
			if a.Status != 704 || !strings.Contains(a.Cause, "the run ends") {
				t.Errorf("%d %q", a.Status, a.Cause)
			}
		})
	}
	f, base := site(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := f.Fetch(ctx, Request{URL: base}); a.Status != 704 || a.Cause == "" {
		t.Errorf("before it began: %d %q", a.Status, a.Cause)
	}
}

func TestB17ConnectionOfATruncatedBodyIsClosed(t *testing.T) {
	sent := make(chan int, 1)
	f, base := raw(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
		chunk, total := make([]byte, 64<<10), 0
		for {
			n, err := conn.Write(chunk)
			total += n
			if err != nil {
				sent <- total
				return
			}
		}
	})
	a := f.Fetch(t.Context(), Request{URL: base})
	if a.Status != 200 || !a.Truncated {
		t.Errorf("%d %s", a.Status, a.Cause)
	}
	<-sent // the endless body ends because we close
	if a.WireBytes > testTextSize+chunkBytes {
		t.Errorf("B17: %d bytes read", a.WireBytes)
	}
}

func TestConnectionsAreKept(t *testing.T) {
	var connections atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/missing":
			http.NotFound(w, r)
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/image":
			w.Header().Set("Content-Type", "image/png")
		case "/deflate":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "deflate")
			_, _ = w.Write(append(compressed(t, "deflate", []byte("page")), "junk"...))
		case "/chunked":
			w.Header().Set("Content-Type", "text/html")
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, "page")
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "page")
		}
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	f := testFetcher(t, s.URL)
	for range 3 {
		for _, path := range []string{"/", "/missing", "/moved", "/image", "/deflate", "/chunked"} {
			if a := f.Fetch(t.Context(), Request{URL: s.URL + path}); a.Status >= 600 && a.Status != 800 {
				t.Errorf("%s: %d %s", path, a.Status, a.Cause)
			}
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestLargeBodyOfNoInterestIsNotRead(t *testing.T) {
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(404)
		_, _ = w.Write(make([]byte, 1<<20))
	})
	if a := f.Fetch(t.Context(), Request{URL: base}); a.Status != 404 || a.WireBytes > drainBytes {
		t.Errorf("%d, %d bytes", a.Status, a.WireBytes)
	}
}

func TestManyFetchesAtOnce(t *testing.T) {
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		body := []byte(strings.Repeat(r.URL.Path+" ", 500))
		if r.URL.Query().Has("gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			body = compressed(t, "gzip", body)
		}
		_, _ = w.Write(body)
	})
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for j := range 20 {
				path := fmt.Sprintf("/%d-%d", i, j)
				a := f.Fetch(t.Context(), Request{URL: base + path + []string{"", "?gzip"}[j%2]})
				if want := strings.Repeat(path+" ", 500); a.Status != 200 || string(a.Body) != want || a.CRC != digestOf([]byte(want)) {
					t.Errorf("%s: %d %s", path, a.Status, a.Cause)
				}
			}
		})
	}
	all.Wait()
}

func TestFetcherOfIPv6Literal(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 on loopback")
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Type", "text/html") })}
	go func() { _ = s.Serve(l) }()
	defer s.Close()
	f := testFetcher(t)
	f.o.Guard.AllowAddrPort(netip.MustParseAddrPort(l.Addr().String()))
	if a := f.Fetch(t.Context(), Request{URL: "http://" + l.Addr().String() + "/"}); a.Status != 200 {
		t.Errorf("%d %s", a.Status, a.Cause)
	}
}

// TestLarge: a body asks once before more than LargeBody bytes of it are kept, and what that says ends it.
func TestLarge(t *testing.T) {
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		_, _ = w.Write(bytes.Repeat([]byte("x"), n))
	})
	f.transport.o.IndexLimit, f.transport.o.MaxTextSize = 1<<20, 1<<20
	for _, c := range []struct {
		n     int
		no    error
		asked int
		bytes int // of the body, -1 = there is no answer
	}{
		{100, nil, 0, 100},
		{LargeBody, nil, 0, LargeBody},
		{LargeBody + 100_000, nil, 1, LargeBody + 100_000},
		{LargeBody + 100_000, errors.New("no room"), 1, -1},
	} {
		asked := 0
		a := f.Fetch(t.Context(), Request{URL: fmt.Sprintf("%s?n=%d", base, c.n), Large: func() error { asked++; return c.no }})
		if asked != c.asked || c.bytes >= 0 && (a.Status != 200 || len(a.Body) != c.bytes) || c.bytes < 0 && a.Status == 200 {
			t.Errorf("%d bytes, %v: asked %d times, then %d with %d bytes", c.n, c.no, asked, a.Status, len(a.Body))
		}
	}
}
