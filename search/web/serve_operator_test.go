package web

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/internal/password"
	"github.com/pgseek/pgseek/store/report"
	"golang.org/x/crypto/bcrypt"
)

func hashed(t *testing.T, word string) *password.Checker {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(word), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return password.New(string(hash))
}

// from requests a path from an address; headers are pairs, of which Host and Proto are those of the request.
func from(t *testing.T, s *Server, addr, target, word string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	r.RemoteAddr, r.Host = addr+":4711", "localhost:12345"
	if strings.Contains(addr, ":") {
		r.RemoteAddr = "[" + addr + "]:4711"
	}
	for i := 0; i+1 < len(headers); i += 2 {
		switch headers[i] {
		case "Host":
			r.Host = headers[i+1]
		case "Proto":
			r.Proto, r.ProtoMajor, r.ProtoMinor = headers[i+1], 1, 0
		default:
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	if word != "" {
		r.SetBasicAuth("anybody", word)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// TestWhoIsTheOperator: the password, or this machine by itself, opens /status whole and /explain (B87).
func TestWhoIsTheOperator(t *testing.T) {
	x := &fakeIndex{status: &report.IndexStatus{Documents: 7}}
	s, _ := newTestServer(x, ServerOptions{Password: hashed(t, "correct horse"), TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}})
	closed, _ := newTestServer(x, ServerOptions{})
	for _, c := range []struct {
		name, addr, word string
		headers          []string
		status, explain  int
		operator         bool
	}{
		{"this machine", "127.0.0.1", "", nil, 200, 200, true},
		{"this machine, IPv6", "::1", "", []string{"Host", "[::1]:12345"}, 200, 200, true},
		{"another machine", "192.0.2.1", "", nil, 200, 401, false},
		{"another machine with the password", "192.0.2.1", "correct horse", []string{"Host", "search.example.org"}, 200, 200, true},
		{"a wrong password", "192.0.2.2", "wrong", nil, 401, 401, false},
		{"a wrong password from this machine", "127.0.0.1", "wrong", nil, 401, 401, false},
		{"through a proxy", "127.0.0.1", "", []string{"X-Forwarded-For", "192.0.2.1"}, 200, 401, false},
		{"through a proxy that says Via", "127.0.0.1", "", []string{"Via", "1.1 proxy"}, 200, 401, false},
		{"through a proxy that says nothing", "127.0.0.1", "", []string{"Proto", "HTTP/1.0"}, 200, 401, false},
		{"through a trusted proxy", "127.0.0.9", "", nil, 200, 401, false},
		{"a foreign host", "127.0.0.1", "", []string{"Host", "rebound.example.net"}, 200, 401, false},
		{"a host that begins like this machine", "127.0.0.1", "", []string{"Host", "localhost.example.net"}, 200, 401, false},
	} {
		w := from(t, s, c.addr, "/status", c.word, c.headers...)
		if w.Code != c.status || strings.Contains(w.Body.String(), "operator ") != c.operator {
			t.Errorf("%s: status %d %q", c.name, w.Code, w.Body)
		}
		if w := from(t, s, c.addr, "/explain?url=http://a/", c.word, c.headers...); w.Code != c.explain || strings.Contains(w.Body.String(), "URL  http://a/") != (c.explain == 200) {
			t.Errorf("%s: explain %d %q", c.name, w.Code, w.Body)
		}
	}
	if w := from(t, s, "192.0.2.1", "/status?details=on", ""); w.Code != 401 || !strings.HasPrefix(w.Header().Get("Www-Authenticate"), "Basic ") {
		t.Errorf("details: %d %v", w.Code, w.Header())
	}
	if w := from(t, closed, "192.0.2.1", "/status?details=on", "anything"); w.Code != 403 || w.Header().Get("Www-Authenticate") != "" {
		t.Errorf("no password: %d %v", w.Code, w.Header())
	}
	if w := from(t, s, "127.0.0.1", "/explain?url=http://unknown/", ""); w.Code != 404 || !strings.Contains(w.Body.String(), "http://unknown/") {
		t.Errorf("unknown: %d %q", w.Code, w.Body)
	}
	if w := from(t, s, "127.0.0.1", "/status?format=json", "", "Origin", "https://www.example.org"); !strings.Contains(w.Body.String(), `"operator"`) || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("JSON: %v %q", w.Header(), w.Body)
	}
}

// TestPasswordTriesAreCounted: five wrong passwords in a minute are answered 401, further ones 429, the right one among them (B88).
func TestPasswordTriesAreCounted(t *testing.T) {
	s, log := newTestServer(&fakeIndex{status: &report.IndexStatus{}}, ServerOptions{Password: hashed(t, "correct horse")})
	for i := range password.PerAddress {
		if w := from(t, s, "2001:db8::"+string(rune('1'+i)), "/status", "wrong"); w.Code != 401 {
			t.Errorf("try %d: %d", i, w.Code)
		}
	}
	if w := from(t, s, "2001:db8::9", "/status", "correct horse"); w.Code != 429 || w.Header().Get("Retry-After") != "60" {
		t.Errorf("further one: %d %v", w.Code, w.Header())
	}
	if w := from(t, s, "192.0.2.1", "/status", "correct horse"); w.Code != 200 {
		t.Errorf("from elsewhere: %d", w.Code)
	}
	if strings.Contains(log.String(), "correct horse") || strings.Contains(log.String(), "=wrong") || !strings.Contains(log.String(), "2001:db8::") {
		t.Errorf("log: %s", log)
	}
}
