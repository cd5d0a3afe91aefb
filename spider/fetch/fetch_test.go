package fetch

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	testTextSize  = 64 << 10
	testOtherSize = 32 << 10
	testIndexSize = 16 << 10
)

// testFetcher may connect to the given servers and nothing else on loopback. It reads HTML, plain text and PDF.
func testFetcher(tb testing.TB, addrs ...string) *Fetcher {
	tb.Helper()
	g := NewGuard(nil, nil, nil)
	for _, a := range addrs {
		a = strings.TrimPrefix(strings.TrimPrefix(a, "http://"), "https://")
		g.AllowAddrPort(netip.MustParseAddrPort(a))
	}
	f := New(Options{
		UserAgent: "pgseek-test", ReadTimeOut: time.Minute, Guard: g,
		MaxTextSize: testTextSize, MaxOtherSize: testOtherSize, IndexLimit: testIndexSize,
		Readable: func(t string) bool {
			name := mediaType(t)
			return name == "text/html" || name == "text/plain" || name == "application/pdf"
		},
	})
	tb.Cleanup(f.transport.wire.CloseIdleConnections)
	return f
}

// site starts a server and a fetcher that may ask it.
func site(tb testing.TB, h http.HandlerFunc) (*Fetcher, string) {
	tb.Helper()
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	return testFetcher(tb, s.URL), s.URL
}

func digestOf(b []byte) string {
	sum := md5.Sum(b)
	return hex.EncodeToString(sum[:])
}

func TestFetchReadsADocument(t *testing.T) {
	body := []byte("<p>hello")
	var asked http.Header
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Clone()
		w.Header().Set("Content-Type", "text/html; charset=koi8-r")
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		w.Header().Set("Expires", "Tue, 03 Jan 2006 15:04:05 GMT")
		w.Header().Add("Set-Cookie", "a=b")
		_, _ = w.Write(body)
	})
	for range 2 { // the second one must not bring the cookie
		a := f.Fetch(t.Context(), Request{URL: base + "/page", Method: "GET", ETag: `"v0"`, LastModified: "Sun, 01 Jan 2006 15:04:05 GMT", Auth: "me:secret"})
		want := &Answer{
			Status: 200, Header: a.Header, Body: body, CRC: digestOf(body), Size: 8, ContentType: "text/html; charset=koi8-r",
			ETag: `"v1"`, LastModified: "Mon, 02 Jan 2006 15:04:05 GMT", Expires: time.Date(2006, 1, 3, 15, 4, 5, 0, time.UTC),
			Elapsed: a.Elapsed, WireBytes: 8,
		}
		if diff := cmp.Diff(want, a); diff != "" {
			t.Error(diff)
		}
		if a.Elapsed <= 0 || a.Header.Get("Set-Cookie") == "" {
			t.Errorf("elapsed %v, headers %v", a.Elapsed, a.Header)
		}
		wantAsked := http.Header{
			"User-Agent": {"pgseek-test"}, "Accept": {accept}, "Accept-Encoding": {"gzip, deflate"},
			"If-None-Match": {`"v0"`}, "If-Modified-Since": {"Sun, 01 Jan 2006 15:04:05 GMT"}, "Authorization": {"Basic bWU6c2VjcmV0"},
		}
		if diff := cmp.Diff(wantAsked, asked); diff != "" {
			t.Error(diff)
		}
	}
}

func TestFetchRecordsRedirectsAndDoesNotFollowThem(t *testing.T) {
	hits := 0
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		hits++
		if r.URL.Path != "/from" {
			t.Errorf("followed to %s", r.URL)
		}
		q := r.URL.Query()
		if q.Has("to") {
			w.Header().Set("Location", q.Get("to"))
		}
		var status int
		_, _ = fmt.Sscan(q.Get("status"), &status)
		w.WriteHeader(status)
	})
	asked := 0
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, c := range []struct {
			query, location string
			want            int
		}{
			{"&to=/next", "/next", status},
			{"&to=http://[bad", "http://[bad", status}, // unparsable: the caller's to judge
			{"&to=http://other.example/%25zz", "http://other.example/%zz", status},
			{"", "", 602},
			{"&to=", "", 602},
			{"&to=%20%20", "", 602},
		} {
			a := f.Fetch(t.Context(), Request{URL: fmt.Sprintf("%s/from?status=%d%s", base, status, c.query)})
			asked++
			if a.Status != c.want || a.Location != c.location || a.Body != nil || (c.want == 602) != (a.Cause != "") {
				t.Errorf("B28 %d%s: %d, Location %q, cause %q", status, c.query, a.Status, a.Location, a.Cause)
			}
		}
	}
	if hits != asked {
		t.Errorf("%d requests for %d fetches", hits, asked)
	}
}

func TestFetchOtherStatuses(t *testing.T) {
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscan(strings.TrimPrefix(r.URL.Path, "/"), &status)
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(status)
		if status != 204 && status != 304 {
			_, _ = io.WriteString(w, "text of no interest")
		}
	})
	for _, status := range []int{201, 203, 204, 206, 300, 304, 305, 400, 401, 404, 410, 429, 500, 503, 599} {
		a := f.Fetch(t.Context(), Request{URL: fmt.Sprintf("%s/%d", base, status), ETag: `"x"`})
		if a.Status != status || a.Body != nil || a.CRC != "" || a.Cause != "" || a.RetryAfter != 2*time.Minute {
			t.Errorf("%d: %+v", status, a)
		}
	}
}

func TestB30NotModifiedWithoutConditionIs605(t *testing.T) {
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(304) })
	for _, c := range []struct {
		r    Request
		want int
	}{
		{Request{}, 605},
		{Request{Method: "HEAD"}, 605},
		{Request{ETag: `"e"`}, 304},
		{Request{LastModified: "Mon, 02 Jan 2006 15:04:05 GMT"}, 304},
		{Request{ETag: "broken\x01"}, 605}, // cannot be sent, so is not asked
		{Request{LastModified: "broken\n"}, 605},
	} {
		c.r.URL = base + "/"
		if a := f.Fetch(t.Context(), c.r); a.Status != c.want {
			t.Errorf("B30 %+v: %d %s, want %d", c.r, a.Status, a.Cause, c.want)
		}
	}
}

func TestFetchHead(t *testing.T) {
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "HEAD" || r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("%s, Accept-Encoding %q", r.Method, r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Type", "image/png") // of no interest: nothing is read
		w.Header().Set("Content-Length", "12345")
	})
	a := f.Fetch(t.Context(), Request{URL: base + "/", Method: "HEAD"})
	if a.Status != 200 || a.Size != 12345 || a.ContentType != "image/png" || a.Body != nil || a.CRC != "" {
		t.Errorf("%+v", a)
	}
}

func TestB17LimitsAreExact(t *testing.T) {
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		var size int
		_, _ = fmt.Sscan(r.URL.Query().Get("n"), &size)
		body := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		switch r.URL.Query().Get("as") {
		case "gzip":
			w.Header().Set("Content-Encoding", "gzip")
			body = compressed(t, "gzip", body)
		case "chunked":
			w.(http.Flusher).Flush()
		default:
			w.Header().Set("Content-Length", fmt.Sprint(size))
		}
		_, _ = w.Write(body)
	})
	const robots = "robots"
	for _, c := range []struct {
		kind            string
		size            int
		status          int
		digested, kept  int
		truncated, full bool // full: all of it is read
	}{
		{"text/html", 0, 200, 0, 0, false, true}, // B19
		{"text/html", testIndexSize - 1, 200, testIndexSize - 1, testIndexSize - 1, false, true},
		{"text/html", testIndexSize, 200, testIndexSize, testIndexSize, false, true},
		{"text/html", testIndexSize + 1, 200, testIndexSize + 1, testIndexSize, true, true},
		{"text/html", testTextSize - 1, 200, testTextSize - 1, testIndexSize, true, true},
		{"text/html", testTextSize, 200, testTextSize, testIndexSize, true, true},
		{"text/html", testTextSize + 1, 200, testTextSize, testIndexSize, true, false},
		{"application/pdf", testOtherSize - 1, 200, testOtherSize - 1, testIndexSize, true, true},
		{"application/pdf", testOtherSize, 200, testOtherSize, testIndexSize, true, true},
		{"application/pdf", testOtherSize + 1, 804, 0, 0, false, false},
		{robots, robotsLimit - 1, 200, robotsLimit - 1, robotsLimit - 1, false, true}, // B35
		{robots, robotsLimit, 200, robotsLimit, robotsLimit, false, true},
		{robots, robotsLimit + 1, 200, robotsLimit, robotsLimit, true, false},
	} {
		for _, as := range []string{"identity", "chunked", "gzip"} {
			t.Run(fmt.Sprintf("%s %d %s", c.kind, c.size, as), func(t *testing.T) {
				a := f.Fetch(t.Context(), Request{
					URL:    fmt.Sprintf("%s/?n=%d&type=%s&as=%s", base, c.size, c.kind, as),
					Robots: c.kind == robots,
				})
				body := bytes.Repeat([]byte("0123456789abcdef"), c.size/16+1)
				if a.Status != c.status || a.Truncated != c.truncated {
					t.Errorf("status %d %s, truncated %v", a.Status, a.Cause, a.Truncated)
				}
				if !bytes.Equal(a.Body, body[:c.kept]) {
					t.Errorf("%d bytes of body, want %d", len(a.Body), c.kept)
				}
				if c.status == 200 && a.CRC != digestOf(body[:c.digested]) {
					t.Errorf("digest %s", a.CRC)
				}
				if c.full && a.Size != int64(c.size) {
					t.Errorf("size %d", a.Size)
				}
				if !c.full && as == "identity" && a.Size != int64(c.size) {
					t.Errorf("announced size %d", a.Size)
				}
			})
		}
	}
}

func TestMaxTextSizeOfZeroKeepsNothing(t *testing.T) {
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "something")
	})
	f.transport.o.MaxTextSize = 0 // a legal setting
	a := f.Fetch(t.Context(), Request{URL: base})
	if a.Status != 200 || len(a.Body) != 0 || !a.Truncated || a.CRC != digestOf(nil) {
		t.Errorf("%+v", a)
	}
}

func TestHostileEnvironmentChangesNothing(t *testing.T) {
	for key, value := range map[string]string{
		"ALLOWED_DOMAINS": "other.example", "DISALLOWED_DOMAINS": "127.0.0.1", "CACHE_DIR": t.TempDir(), "DETECT_CHARSET": "yes",
		"DISABLE_COOKIES": "no", "IGNORE_ROBOTSTXT": "no", "FOLLOW_REDIRECTS": "yes", "MAX_BODY_SIZE": "3", "MAX_DEPTH": "1",
		"MAX_REQUESTS": "1", "PARSE_HTTP_ERROR_RESPONSE": "no", "TRACE_HTTP": "yes", "USER_AGENT": "somebody else",
	} {
		t.Setenv("COLLY_"+key, value)
	}
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.UserAgent() != "pgseek-test" || r.Header.Get("Cookie") != "" {
			t.Errorf("asked with %v", r.Header)
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/other", http.StatusMovedPermanently)
		case "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "\xff\xfe longer than three bytes")
		default:
			t.Errorf("asked for %s", r.URL)
		}
	})
	for range 3 {
		if a := f.Fetch(t.Context(), Request{URL: base + "/"}); a.Status != 200 || string(a.Body) != "\xff\xfe longer than three bytes" {
			t.Errorf("%+v", a)
		}
		if a := f.Fetch(t.Context(), Request{URL: base + "/moved"}); a.Status != 301 || a.Location != "/other" {
			t.Errorf("%+v", a)
		}
	}
	if files, _ := os.ReadDir(os.Getenv("COLLY_CACHE_DIR")); len(files) > 0 {
		t.Errorf("colly cached %v", files)
	}
}

func TestF21PanicCostsItsDocumentOnly(t *testing.T) {
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Type", "text/html") })
	f.transport.o.Readable = func(string) bool { panic("in a callback") }
	if a := f.Fetch(t.Context(), Request{URL: base}); a.Status != 805 || !strings.Contains(a.Cause, "in a callback") {
		t.Errorf("F21: %+v", a)
	}
	f.transport.o.Readable = func(string) bool { return true }
	if a := f.Fetch(t.Context(), Request{URL: base}); a.Status != 200 {
		t.Errorf("after it: %+v", a)
	}
}

func TestURLThatCannotBeAskedIsNoCrash(t *testing.T) {
	f := testFetcher(t)
	for _, u := range []string{"", "x", "http://", "http://[::", "gopher://a/", "http://a b/", "http://%zz/"} {
		if a := f.Fetch(t.Context(), Request{URL: u}); a == nil || a.Status < 600 || a.Cause == "" {
			t.Errorf("%q: %+v", u, a)
		}
	}
}

func TestRequestWithoutRecordPasses(t *testing.T) {
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Location", "/x"); w.WriteHeader(301) })
	req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), "GET", base, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := f.transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.Header.Get("Location") != "/x" {
		t.Errorf("headers %v", resp.Header)
	}
}
