package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/textproto"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// quiet is a log for servers whose clients misbehave on purpose.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// handshakeTimeout is as net/http's.
type handshakeTimeout struct{}

func (handshakeTimeout) Error() string   { return "net/http: TLS handshake timeout" }
func (handshakeTimeout) Timeout() bool   { return true }
func (handshakeTimeout) Temporary() bool { return true }

func TestErrorStatus(t *testing.T) {
	dial := func(err error) error { return &dialError{&net.OpError{Op: "dial", Net: "tcp", Err: err}} }
	for _, c := range []struct {
		name string
		err  error
		want int
	}{
		{"no such name", dial(&net.DNSError{Err: "no such host", IsNotFound: true}), 700},
		{"DNS server fails", dial(&net.DNSError{Err: "server misbehaving", IsTemporary: true}), 701},
		{"DNS server is silent", dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), 701},
		{"refused", dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), 702},
		{"silent", dial(os.ErrDeadlineExceeded), 703},
		{"silent, says the kernel", dial(os.NewSyscallError("connect", syscall.ETIMEDOUT)), 703},
		{"dialer's context", dial(context.DeadlineExceeded), 703},
		{"TLS handshake", handshakeTimeout{}, 703},
		{"read", &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, 704},
		{"cancelled", fmt.Errorf("asking: %w", context.Canceled), 704},
		{"reset", &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, 705},
		{"closed", io.EOF, 705},
		{"idle connection closed", errors.New("http: server closed idle connection"), 705},
		{"pipe", &net.OpError{Op: "write", Err: os.NewSyscallError("write", syscall.EPIPE)}, 705},
		{"certificate", errors.New("tls: handshake failure"), 706},
		{"no route to host", dial(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), 707},
		{"no route to network", dial(os.NewSyscallError("connect", syscall.ENETUNREACH)), 707},
		{"no address of this kind", dial(&net.AddrError{Err: "no suitable address", Addr: "x"}), 707},
		{"denied", dial(&DeniedError{Addr: netip.MustParseAddr("10.0.0.1"), Reason: "private"}), 707},
		{"broken header", fmt.Errorf("net/http: %w", textproto.ProtocolError("malformed MIME header line")), 606},
	} {
		if got, cause := failure(c.err); got != c.want || cause == "" {
			t.Errorf("%s: %d %q, want %d", c.name, got, cause, c.want)
		}
	}
	_, cause := failure(dial(&DeniedError{Addr: netip.MustParseAddr("10.0.0.1"), Reason: "private"}))
	if cause != "address 10.0.0.1 denied: private" {
		t.Errorf("cause %q", cause)
	}
}

func TestEveryStatusHasAText(t *testing.T) {
	for _, s := range []int{
		statusNoStatusLine, statusNoType, StatusNoLocation, statusHeaderSize, statusBadLength, statusUnasked304, statusBadHeader,
		StatusUnknownHost, statusDNSFailure, statusRefused, statusConnectTimeout, StatusReadTimeout, statusConnectionLost,
		StatusTLS, StatusUnreachable, StatusNoConverter, statusBadEncoding, statusTooLarge, StatusParserFailed,
	} {
		if StatusText(s) == "" {
			t.Errorf("%d", s)
		}
	}
}

func TestB33RetryAfter(t *testing.T) {
	now := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		header string
		want   time.Duration
	}{
		{"", 0},
		{"0", 0},
		{" 120 ", 2 * time.Minute},
		{"86400", 24 * time.Hour},
		{"86401", 24 * time.Hour},
		{"9223372036854775807", 24 * time.Hour},
		{"99999999999999999999999999", 24 * time.Hour},
		{"-1", 0},
		{"+1", 0},
		{"1.5", 0},
		{"soon", 0},
		{now.Add(time.Hour).Format(http.TimeFormat), time.Hour},
		{now.Add(-time.Hour).Format(http.TimeFormat), 0},
		{now.AddDate(9, 0, 0).Format(http.TimeFormat), 24 * time.Hour},
		{now.Add(time.Minute).Format("Monday, 02-Jan-06 15:04:05 GMT"), time.Minute},
		{"Thu, 32 Jan 2025 03:04:05 GMT", 0},
	} {
		if got := retryAfter(c.header, now); got != c.want {
			t.Errorf("B33 %q: %v, want %v", c.header, got, c.want)
		}
	}
}

func TestB33BadDateIsAbsent(t *testing.T) {
	for header, want := range map[string]time.Time{
		"Mon, 02 Jan 2006 15:04:05 GMT":  time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC),
		"Monday, 02-Jan-06 15:04:05 GMT": time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC),
		"Mon Jan  2 15:04:05 2006":       time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC),
		"Fri, 31 Dec 9999 23:59:59 GMT":  time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		"":                               {},
		"0":                              {},
		"-1":                             {},
		"2006-01-02":                     {},
		"Mon, 99 Jan 2006 15:04:05 GMT":  {},
	} {
		if got := httpDate(header); !got.Equal(want) {
			t.Errorf("B33 %q: %v, want %v", header, got, want)
		}
	}
}

func TestValidTextIsCutBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc"},
		{"ab\u20ac", 4, "ab"},
		{"a\x00b\xff", 9, "a\ufffdb\ufffd"},
		{"\u20ac", 0, ""},
	} {
		if got := ValidText(c.in, c.limit); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.in, c.limit, got, c.want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "0", "120", "-5", "99999999999999999999", "Mon, 02 Jan 2006 15:04:05 GMT", "Mon, 02 Jan 9999 15:04:05 GMT"} {
		f.Add(s, int64(1_700_000_000))
	}
	f.Fuzz(func(t *testing.T, header string, now int64) {
		if d := retryAfter(header, time.Unix(now, 0)); d < 0 || d > 24*time.Hour {
			t.Errorf("%q: %v", header, d)
		}
	})
}

func FuzzHTTPDate(f *testing.F) {
	for _, s := range []string{"", "0", "Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", "Mon Jan  2 15:04:05 2006"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		at := httpDate(header)
		if at.IsZero() {
			return
		}
		if y := at.Year(); y < -1 || y > 10_000 {
			t.Errorf("%q: year %d", header, y)
		}
		if again := httpDate(at.Format(http.TimeFormat)); at.Year() >= 0 && at.Year() < 10_000 && !again.Equal(at) {
			t.Errorf("%q: %v, read again %v", header, at, again)
		}
	})
}

func FuzzAnnouncedType(f *testing.F) {
	f.Add("text/html; charset=utf-8", "http://a.example/b.pdf")
	f.Add("", "http://a.example/b.PDF?x")
	f.Add("nonsense\x00\xff", "http://a.example/%zz")
	f.Add("text/"+strings.Repeat("x", 300), "::")
	f.Add("text/html;"+strings.Repeat("\u20ac", 100), "/")
	f.Fuzz(func(t *testing.T, header, u string) {
		got := announcedType(header, u)
		if len(got) > maxHeaderText || !utf8.ValidString(got) || strings.ContainsRune(got, 0) {
			t.Errorf("%q %q: %q", header, u, got)
		}
		if got != "" && mediaType(got) == "" {
			t.Errorf("%q %q: %q is no type", header, u, got)
		}
		if again := announcedType(got, "/"); again != got {
			t.Errorf("%q, again %q", got, again)
		}
	})
}
