package fetch

import (
	"bufio"
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/weburl"
)

// TestRequestTargetIsTheStoredURL: what is asked for is the URL as it is stored, to the last percent sign (B8).
func TestRequestTargetIsTheStoredURL(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0") // net/http's server refuses some of these paths itself
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	lines := make(chan string, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			request, _ := bufio.NewReader(conn).ReadString('\n')
			lines <- request
			_, _ = conn.Write([]byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
			_ = conn.Close()
		}
	}()
	server := "http://" + listener.Addr().String()
	guard := NewGuard(nil, nil, nil)
	guard.AllowAddrPort(netip.MustParseAddrPort(strings.TrimPrefix(server, "http://")))
	f := New(Options{
		UserAgent: "t/1", ReadTimeOut: 5 * time.Second, MaxTextSize: 1 << 20, MaxOtherSize: 1 << 20, IndexLimit: 1 << 20,
		Guard: guard, Readable: func(string) bool { return true },
	})
	for _, path := range []string{"/a%00b", "/%zz", "/a%", "/a^|b", "/a%2Fb?x=%zz&y=%", "/%E4%B8%AD?q=a+b", "/a//b", "/?%", "/a;b=c,d"} {
		u, err := weburl.Normalize(server+path, 0)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		a := f.Fetch(context.Background(), Request{URL: u.Text})
		if a.Status != 404 {
			t.Fatalf("%s: status %d, %s", path, a.Status, a.Cause)
		}
		asked := strings.Fields(<-lines)[1]
		if want := strings.TrimPrefix(u.Text, server); asked != want {
			t.Errorf("asked for %q, stored %q", asked, want)
		}
	}
}
