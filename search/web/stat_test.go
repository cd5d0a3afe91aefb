package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStatRow verifies each column of a row of stat.
func TestStatRow(t *testing.T) {
	usual := StatRow{Addr: "192.0.2.1", Query: "a", PerPage: 20, Sites: 1, URLs: 42, Start: fixedNow, Finish: fixedNow}
	with := func(change func(*StatRow)) StatRow {
		r := usual
		change(&r)
		return r
	}
	for _, c := range []struct {
		query   string
		headers []string
		want    StatRow
	}{
		{"q=a", nil, usual},
		{"q=+a+", nil, usual},
		{"q=a&ul=http://a/&ul=http://b/&sp=2,1&st=5&np=3&ps=7", nil, with(func(r *StatRow) {
			r.UL, r.SP, r.Site, r.Page, r.PerPage = "http://a/ http://b/", "1,2", 5, 3, 7
		})},
		{"q=a&st=5,6&lang=de&type=htm&path=/docs/&tag=3&dt=back&dp=7d&tl=on", nil, with(func(r *StatRow) {
			r.UL = "tl=on st=5,6 lang=de type=html tag=3 path=/docs/ dt=back dp=7d"
		})},
		{"q=a&r=b&in=on&xq=c", nil, with(func(r *StatRow) { r.Query = "+b +a -c" })},
		{"ln=http://a/", nil, with(func(r *StatRow) { r.Query = "link:http://a/" })},
		{"q=a+OR", nil, with(func(r *StatRow) { r.Query, r.Sites, r.URLs = "a OR", 0, -1 })},
		{"q=a&np=-5", nil, with(func(r *StatRow) { r.Sites, r.URLs = 0, -1 })},
		{"q=" + strings.Repeat("%C3%BC", 700), nil, with(func(r *StatRow) { r.Query, r.Sites, r.URLs = strings.Repeat("ü", 512), 0, -1 })},
		{"q=a", []string{"Referer", "https://me:pw@search.example/s?q=private#x"}, with(func(r *StatRow) { r.Referer = "https://search.example/s" })},
		{"q=a", []string{"Referer", "not a url"}, usual},
		{"q=a", []string{"Referer", "http://a/" + strings.Repeat("x", 2000)}, with(func(r *StatRow) { r.Referer = "http://a/" + strings.Repeat("x", 503) })},
		{"q=a", []string{"X-Forwarded-For", "198.51.100.7"}, usual}, // not from a trusted proxy
	} {
		x := &fakeIndex{}
		s, _ := newTestServer(x, ServerOptions{})
		get(t, s, "/search?"+c.query, c.headers...)
		if diff := cmp.Diff([]StatRow{c.want}, x.rows); diff != "" {
			t.Errorf("%.60s (-want +got):\n%s", c.query, diff)
		}
	}
}

// TestStatFailureFailsNoAnswer: a row that cannot be written is counted and logged, and the answer does not
// change.
func TestStatFailureFailsNoAnswer(t *testing.T) {
	x := &fakeIndex{statErr: errors.New("no room")}
	s, log := newTestServer(x, ServerOptions{})
	if r := get(t, s, "/search?q=a"); r.StatusCode != 200 {
		t.Errorf("status %d", r.StatusCode)
	}
	if !strings.Contains(log.String(), "no room") || !strings.Contains(get(t, s, "/metrics").text, "pgseek_stat_failures_total 1\n") {
		t.Errorf("log: %s", log)
	}
}

// TestRowOutlivesItsRequest: a row that waits for the database delays its request for a limited time and is
// written afterwards. Close gives up the rows that still wait.
func TestRowOutlivesItsRequest(t *testing.T) {
	x := &fakeIndex{}
	s, log := newTestServer(x, ServerOptions{})
	b := x.backend()
	back, wrote := make(chan struct{}), make(chan error, 1)
	b.Record = func(ctx context.Context, _ StatRow) error {
		select {
		case <-back:
			wrote <- nil
		case <-ctx.Done():
			wrote <- ctx.Err()
		}
		return ctx.Err()
	}
	s.Connect(b)
	for _, comes := range []bool{true, false} {
		if r := get(t, s, "/search?q=a"); r.StatusCode != 200 {
			t.Errorf("status %d", r.StatusCode)
		}
		if len(wrote) != 0 {
			t.Error("the request waited for the database")
		}
		if comes {
			back <- struct{}{}
			if err := <-wrote; err != nil {
				t.Errorf("the row did not outlive its request: %v", err)
			}
			continue
		}
		s.Close()
		if err := <-wrote; err == nil {
			t.Error("Close gave up nothing")
		}
	}
	if n := strings.Count(log.String(), "cannot record a search in table stat"); n != 1 {
		t.Errorf("%d rows were given up: %s", n, log)
	}
}

func TestAddressOfTheClient(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		peer        string
		forwarded   []string
		keep        string
		addr, proxy string
	}{
		{"192.0.2.1:80", nil, "full", "192.0.2.1", ""},
		{"192.0.2.1:80", nil, "", "192.0.2.1", ""},
		{"192.0.2.1:80", []string{"198.51.100.7"}, "full", "192.0.2.1", ""}, // not trusted
		{"10.0.0.1:80", nil, "full", "10.0.0.1", "10.0.0.1"},                // the proxy names no client
		{"10.0.0.1:80", []string{"198.51.100.7"}, "full", "198.51.100.7", "10.0.0.1"},
		{"10.0.0.1:80", []string{"198.51.100.7:4711"}, "full", "198.51.100.7", "10.0.0.1"},
		{"10.0.0.1:80", []string{"[2001:db8::7]:4711"}, "full", "2001:db8::7", "10.0.0.1"},
		{"10.0.0.1:80", []string{"203.0.113.9, 198.51.100.7"}, "full", "198.51.100.7", "10.0.0.1"}, // the client wrote the first
		{"10.0.0.1:80", []string{"203.0.113.9", "198.51.100.7, 10.0.0.2"}, "full", "198.51.100.7", "10.0.0.1"},
		{"10.0.0.1:80", []string{"10.0.0.3, 10.0.0.2"}, "full", "10.0.0.3", "10.0.0.1"},
		{"10.0.0.1:80", []string{"unknown"}, "full", "10.0.0.1", "10.0.0.1"},
		{"10.0.0.1:80", []string{"198.51.100.7, _hidden"}, "full", "10.0.0.1", "10.0.0.1"},
		{"10.0.0.1:80", []string{"'; DROP TABLE stat; --"}, "full", "10.0.0.1", "10.0.0.1"},
		{"[::ffff:10.0.0.1]:80", []string{"::ffff:198.51.100.7"}, "full", "198.51.100.7", "10.0.0.1"},
		{"[fd00::1]:80", []string{"fe80::1%eth0"}, "full", "fe80::1", "fd00::1"},
		{"192.0.2.1:80", nil, "short", "192.0.2.0", ""},
		{"[2001:db8:1:2:3:4:5:6]:80", nil, "short", "2001:db8:1::", ""},
		{"10.0.0.1:80", []string{"198.51.100.7"}, "short", "198.51.100.0", "10.0.0.1"},
		{"10.0.0.1:80", []string{"198.51.100.7"}, "none", "", ""},
		{"@", nil, "full", "", ""},
	} {
		s, _ := newTestServer(nil, ServerOptions{TrustedProxies: proxies, StatAddress: c.keep})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		r.Header["X-Forwarded-For"] = c.forwarded
		if addr, proxy := s.addresses(r); addr != c.addr || proxy != c.proxy {
			t.Errorf("%s, %q, %s: %q and %q, want %q and %q", c.peer, c.forwarded, c.keep, addr, proxy, c.addr, c.proxy)
		}
	}
}
