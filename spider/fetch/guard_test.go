package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// Security rule 1: what is denied when no line opens anything.
func TestGuardDefault(t *testing.T) {
	tests := []struct{ addr, reason string }{
		{"93.184.216.34", ""},
		{"2606:2800:220:1::1", ""},
		{"64:ff9b::5db8:d822", ""}, // NAT64 of 93.184.216.34
		{"2002:5db8:d822::1", ""},
		{"::ffff:93.184.216.34", ""},
		{"0.0.0.0", "this network"},
		{"0.1.2.3", "this network"},
		{"10.255.0.1", "private"},
		{"100.64.0.1", "carrier-grade NAT"},
		{"100.127.255.255", "carrier-grade NAT"},
		{"100.128.0.0", ""},
		{"127.0.0.1", "loopback"},
		{"127.255.255.255", "loopback"},
		{"169.254.1.1", "link-local"},
		{"169.254.169.254", "metadata service"},
		{"172.15.255.255", ""},
		{"172.16.0.1", "private"},
		{"172.31.255.255", "private"},
		{"172.32.0.0", ""},
		{"192.0.0.1", "reserved"},
		{"192.0.2.1", "documentation"},
		{"192.168.1.1", "private"},
		{"198.19.255.255", "benchmarking"},
		{"198.51.100.1", "documentation"},
		{"203.0.113.1", "documentation"},
		{"224.0.0.1", "multicast"},
		{"240.0.0.1", "reserved"},
		{"255.255.255.255", "reserved"},
		{"::", "unspecified"},
		{"::1", "loopback"},
		{"::127.0.0.1", "reserved"},
		{"100::1", "reserved"},
		{"4000::1", "reserved"},
		{"64:ff9b:1::1", "reserved"},
		{"2001::1", "reserved"},
		{"2001:db8::1", "documentation"},
		{"3fff::1", "documentation"},
		{"fc00::1", "private"},
		{"fd00:ec2::254", "metadata service"},
		{"fe80::1", "link-local"},
		{"fe80::1%eth0", "link-local"},
		{"fec0::1", "site-local"},
		{"ff02::1", "multicast"},
		{"::ffff:127.0.0.1", "loopback"},
		{"::ffff:169.254.169.254", "metadata service"},
		{"64:ff9b::7f00:1", "loopback (127.0.0.1)"},
		{"64:ff9b::a00:1", "private (10.0.0.1)"},
		{"64:ff9b::a9fe:a9fe", "metadata service"},
		{"2002:7f00:1::", "loopback (127.0.0.1)"},
		{"2002:c0a8:101::1", "private (192.168.1.1)"},
		{"2002:a9fe:a9fe::1", "metadata service"},
	}
	g := NewGuard(nil, nil, nil)
	for _, tt := range tests {
		var reason string
		if denied := g.check("h.example", netip.AddrPortFrom(netip.MustParseAddr(tt.addr), 80)); denied != nil {
			reason = denied.Reason
		}
		if reason != tt.reason {
			t.Errorf("%s: denied as %q, want %q", tt.addr, reason, tt.reason)
		}
	}
}

// Security rule 2: what opens an address, and what does not.
func TestGuardLines(t *testing.T) {
	tests := []struct {
		name        string
		allow, deny []string
		host, at    string
		open        bool
	}{
		{"AllowNetwork opens its network", []string{"10.1.0.0/16"}, nil, "h", "10.1.2.3:80", true},
		{"AllowNetwork opens no other", []string{"10.1.0.0/16"}, nil, "h", "10.2.0.1:80", false},
		{"AllowNetwork opens the mapped form", []string{"10.1.0.0/16"}, nil, "h", "[::ffff:10.1.2.3]:80", true},
		{"AllowNetwork in mapped form", []string{"::ffff:10.1.0.0/112"}, nil, "h", "10.1.2.3:80", true},
		{"AllowNetwork opens the NAT64 form", []string{"10.1.0.0/16"}, nil, "h", "[64:ff9b::a01:203]:80", true},
		{"AllowNetwork with a zone", []string{"fe80::/10"}, nil, "h", "[fe80::1%eth0]:80", true},
		{"AllowHost opens what its name leads to", nil, nil, "in.example", "10.2.0.1:80", true},
		{"AllowHost opens no other name", nil, nil, "a.in.example", "10.2.0.1:80", false},
		{"a start opens address and port", nil, nil, "h", "127.0.0.1:8080", true},
		{"a start opens no other port", nil, nil, "h", "127.0.0.1:8081", false},
		{"a start opens no other address", nil, nil, "h", "127.0.0.2:8080", false},
		{"a start in mapped form", nil, nil, "h", "127.0.0.3:8080", true},
		{"DenyNetwork refuses public addresses", nil, []string{"93.184.0.0/16"}, "h", "93.184.216.34:80", false},
		{"DenyNetwork wins over AllowNetwork", []string{"10.1.2.3/32"}, []string{"10.0.0.0/8"}, "h", "10.1.2.3:80", false},
		{"DenyNetwork wins over AllowHost", nil, []string{"10.0.0.0/8"}, "in.example", "10.2.0.1:80", false},
		{"DenyNetwork wins over a start", nil, []string{"127.0.0.0/8"}, "h", "127.0.0.1:8080", false},
		{"DenyNetwork holds the NAT64 form", nil, []string{"93.184.0.0/16"}, "h", "[64:ff9b::5db8:d822]:80", false},
		{"a wide AllowNetwork opens no metadata", []string{"0.0.0.0/0", "169.254.0.0/16"}, nil, "h", "169.254.169.254:80", false},
		{"AllowHost opens no metadata", nil, nil, "in.example", "169.254.169.254:80", false},
		{"a start opens no metadata", nil, nil, "h", "169.254.169.254:8080", false},
		{"metadata's own line opens it", []string{"169.254.169.254/32"}, nil, "h", "169.254.169.254:80", true},
		{"metadata of IPv6: wide line", []string{"fd00::/8"}, nil, "h", "[fd00:ec2::254]:80", false},
		{"metadata of IPv6: own line", []string{"fd00:ec2::254/128"}, nil, "h", "[fd00:ec2::254]:80", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := NewGuard(prefixes(tt.allow...), prefixes(tt.deny...), []string{"in.example"})
			for _, start := range []string{"127.0.0.1:8080", "[::ffff:127.0.0.3]:8080", "169.254.169.254:8080"} {
				g.AllowAddrPort(netip.MustParseAddrPort(start))
			}
			denied := g.check(tt.host, netip.MustParseAddrPort(tt.at))
			if (denied == nil) != tt.open {
				t.Errorf("%s of %s: %v, want open = %v", tt.at, tt.host, denied, tt.open)
			}
		})
	}
}

// listen accepts connections on a loopback port until the test ends.
func listen(t *testing.T) netip.AddrPort {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().(*net.TCPAddr).AddrPort()
}

func TestGuardDial(t *testing.T) {
	at := listen(t)
	_, port, _ := net.SplitHostPort(at.String())
	byName := net.JoinHostPort("localhost", port)

	start := NewGuard(nil, nil, nil)
	start.AllowAddrPort(at)
	tests := []struct {
		name    string
		guard   *Guard
		address string
		open    bool
	}{
		{"closed by default", NewGuard(nil, nil, nil), at.String(), false},
		{"closed by name", NewGuard(nil, nil, nil), byName, false},
		{"closed in mapped form", NewGuard(nil, nil, nil), "[::ffff:127.0.0.1]:" + port, false},
		{"AllowNetwork", NewGuard(prefixes("127.0.0.0/8"), nil, nil), at.String(), true},
		{"AllowNetwork by name", NewGuard(prefixes("127.0.0.0/8"), nil, nil), byName, true},
		{"AllowHost", NewGuard(nil, nil, []string{"localhost"}), "LocalHost:" + port, true},
		{"AllowHost is not for the address", NewGuard(nil, nil, []string{"localhost"}), at.String(), false},
		{"DenyNetwork", NewGuard(prefixes("127.0.0.1/32"), prefixes("127.0.0.0/8"), nil), at.String(), false},
		{"start", start, at.String(), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, err := tt.guard.DialContext(t.Context(), "tcp", tt.address)
			if err == nil {
				conn.Close()
			}
			var denied *DeniedError
			if tt.open && err != nil || !tt.open && !errors.As(err, &denied) {
				t.Errorf("dial %s: %v, want open = %v", tt.address, err, tt.open)
			}
			if denied != nil && (!denied.Addr.IsLoopback() || !strings.Contains(err.Error(), denied.Addr.String())) {
				t.Errorf("error does not name the address: %v", err)
			}
		})
	}
}

func TestGuardDialElsewhere(t *testing.T) {
	g := NewGuard(prefixes("0.0.0.0/0", "::/0"), nil, nil)
	if _, err := g.DialContext(t.Context(), "tcp", "no port"); err == nil {
		t.Error("an address without port was dialled")
	}
	var denied *DeniedError
	if _, err := g.DialContext(t.Context(), "unix", "/nowhere:80"); !errors.As(err, &denied) {
		t.Errorf("a socket file: %v, want it denied", err)
	}
}

func TestGuardCheckStart(t *testing.T) {
	names := map[string][]netip.Addr{
		"in.example":       {netip.MustParseAddr("10.1.2.3")},
		"six.example":      {netip.MustParseAddr("fd00::1")},
		"mapped.example":   {netip.MustParseAddr("::ffff:10.1.2.3")},
		"both.example":     {netip.MustParseAddr("::1"), netip.MustParseAddr("93.184.216.34")},
		"public.example":   {netip.MustParseAddr("93.184.216.34")},
		"metadata.example": {netip.MustParseAddr("169.254.169.254")},
		"denied.example":   {netip.MustParseAddr("10.6.0.1")},
	}
	tests := []struct {
		host  string
		allow []string
		want  []string // parts of the message; nil for no error
	}{
		{"in.example", nil, []string{"in.example", "10.1.2.3", "private", "AllowHost in.example or AllowNetwork 10.1.2.3/32"}},
		{"in.example", []string{"10.1.0.0/16"}, nil},
		{"IN.example.", nil, []string{"AllowHost in.example or"}},
		{"six.example", nil, []string{"AllowNetwork fd00::1/128"}},
		{"mapped.example", nil, []string{"AllowNetwork 10.1.2.3/32"}},
		{"both.example", nil, nil},
		{"public.example", nil, nil},
		{"metadata.example", nil, []string{"metadata", "(AllowNetwork 169.254.169.254/32 in spider.cnf allows it)"}},
		{"denied.example", nil, []string{"DenyNetwork 10.6.0.0/16"}},
		{"unknown.example", nil, nil},
		{"10.1.2.3", nil, nil},
		{"[::1]", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.host, func(t *testing.T) {
			g := NewGuard(prefixes(tt.allow...), prefixes("10.6.0.0/16"), nil)
			g.lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
				if addrs := names[host]; addrs != nil {
					return addrs, nil
				}
				return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
			}
			err := g.CheckStart(t.Context(), tt.host)
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("CheckStart(%q) = %v, want %q", tt.host, err, tt.want)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("CheckStart(%q) = %v, want %q in it", tt.host, err, part)
				}
			}
		})
	}
}

// BenchmarkLocal asks about an address that was connected to, as a crawl does several times for each page.
func BenchmarkLocal(b *testing.B) {
	g := NewGuard(nil, nil, nil)
	g.meet("127.0.0.1", netip.MustParseAddr("127.0.0.1"))
	b.ReportAllocs()
	for b.Loop() {
		if local, known := g.Local("127.0.0.1"); !local || !known {
			b.Fatal(local, known)
		}
	}
}
