package spider

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
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
	f := NewFetcher(FetchOptions{
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

func compressed(tb testing.TB, encoding string, b []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	case "raw":
		w, _ = flate.NewWriter(&out, 6)
	}
	if _, err := w.Write(b); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
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

func TestContentEncodings(t *testing.T) {
	page := []byte(strings.Repeat("<p>some words here ", 300))
	gz := compressed(t, "gzip", page)
	for _, c := range []struct {
		name, encoding string
		body           []byte
		status         int
		want           []byte
	}{
		{"gzip", "gzip", gz, 200, page},
		{"x-gzip in capitals", "X-GZip", gz, 200, page},
		{"gzip in two members", "gzip", append(bytes.Clone(gz), gz...), 200, append(bytes.Clone(page), page...)},
		{"deflate with frame", "deflate", compressed(t, "deflate", page), 200, page},
		{"deflate without", "deflate", compressed(t, "raw", page), 200, page},
		{"deflate and more", "deflate", append(compressed(t, "deflate", page), "junk"...), 200, page},
		{"identity", "identity", page, 200, page},
		{"empty name", " , ", page, 200, page},
		{"B19 empty gzip", "gzip", []byte{}, 200, []byte{}},
		{"B19 empty deflate", "deflate", []byte{}, 200, []byte{}},
		{"B20 truncated gzip", "gzip", gz[:len(gz)-5], 802, nil},
		{"B20 truncated in the header", "gzip", gz[:5], 802, nil},
		{"B20 truncated deflate", "deflate", compressed(t, "deflate", page)[:20], 802, nil},
		{"B20 one byte of deflate", "deflate", []byte{0x78}, 802, nil},
		{"B20 wrong checksum", "gzip", append(bytes.Clone(gz[:len(gz)-8]), 0, 0, 0, 0, 0, 0, 0, 0), 802, nil},
		{"B20 no gzip at all", "gzip", page, 802, nil},
		{"B21 brotli", "br", page, 802, nil},
		{"B21 twice", "gzip, gzip", compressed(t, "gzip", gz), 802, nil},
		{"B21 nonsense", "utf-8", page, 802, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Content-Encoding", c.encoding)
				_, _ = w.Write(c.body)
			})
			a := f.Fetch(t.Context(), Request{URL: base})
			if a.Status != c.status || !bytes.Equal(a.Body, c.want) {
				t.Fatalf("status %d, %d bytes, cause %q", a.Status, len(a.Body), a.Cause)
			}
			if c.status == 802 {
				if a.CRC != "" || a.Cause == "" {
					t.Errorf("digest %q, cause %q", a.CRC, a.Cause)
				}
				return
			}
			if a.CRC != digestOf(c.want) || a.Size != int64(len(c.want)) || a.WireBytes != int64(len(c.body)) {
				t.Errorf("digest %s, size %d, wire %d", a.CRC, a.Size, a.WireBytes)
			}
		})
	}
}

func TestGzipBombIsBounded(t *testing.T) {
	bomb := compressed(t, "gzip", make([]byte, 64<<20))
	empty := bytes.Repeat(compressed(t, "gzip", nil), 200_000) // no decoded byte at all
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		body := bomb
		switch r.URL.Path {
		case "/header.html":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
		case "/header.pdf":
			w.Header().Set("Content-Encoding", "gzip")
		case "/sitemap.xml.gz": // colly would unpack it by its name
			w.Header().Set("Content-Type", "application/gzip")
		case "/text.xml.gz":
			w.Header().Set("Content-Type", "text/plain")
		case "/members":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
			body = empty
		}
		_, _ = w.Write(body)
	})
	for _, c := range []struct {
		path   string
		status int
		body   []byte
		crc    string
	}{
		{"/header.html", 200, make([]byte, testIndexSize), digestOf(make([]byte, testTextSize))},
		{"/header.pdf", 804, nil, ""},
		{"/sitemap.xml.gz", 800, nil, ""},
		{"/text.xml.gz", 200, bomb[:testIndexSize], digestOf(bomb[:min(len(bomb), testTextSize)])},
		{"/members", 802, nil, ""},
	} {
		a := f.Fetch(t.Context(), Request{URL: base + c.path})
		if a.Status != c.status || !bytes.Equal(a.Body, c.body) || a.CRC != c.crc {
			t.Errorf("%s: %d, %d bytes, %s %s", c.path, a.Status, len(a.Body), a.CRC, a.Cause)
		}
		if a.WireBytes > 200<<10 {
			t.Errorf("%s: %d bytes of wire", c.path, a.WireBytes)
		}
	}
}

func TestB22TypeOfABody(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, c := range []struct {
		name, header, path, body string
		status                   int
		contentType              string
	}{
		{"header", "text/plain", "/a.html", "<html>", 200, "text/plain"},
		{"header with charset", "application/pdf; charset=latin1", "/", "%PDF \xff\xfe", 200, "application/pdf; charset=latin1"},
		{"B23 binary as HTML", "text/html", "/", png, 200, "text/html"},
		{"extension", "", "/a.HTML?x=1.png", png, 200, "text/html"},
		{"extension that cannot be read", "", "/a.png", "<html><p>x", 800, "image/png"},
		{"header that is none", "nonsense", "/a.txt", "x", 200, "text/plain"},
		{"sniffed HTML", "", "/", "<!DOCTYPE html><meta charset=koi8-r>", 200, "text/html"},
		{"sniffed text", "", "/a.unknown", "just some words", 200, "text/plain"},
		{"sniffed PDF", "", "/", "%PDF-1.7\n", 200, "application/pdf"},
		{"sniffed, cannot be read", "", "/", png, 800, "image/png"},
		{"says nothing", "", "/", "\x00\x01\x02\x03\xff", 601, ""},
		{"cannot be read", "image/png", "/", png, 800, "image/png"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = nil
				if c.header != "" {
					w.Header().Set("Content-Type", c.header)
				}
				_, _ = io.WriteString(w, c.body)
			})
			a := f.Fetch(t.Context(), Request{URL: base + c.path})
			if a.Status != c.status || a.ContentType != c.contentType {
				t.Fatalf("%d %q %s", a.Status, a.ContentType, a.Cause)
			}
			if c.status == 200 && string(a.Body) != c.body {
				t.Errorf("body %q", a.Body)
			}
			if c.status != 200 && (a.Body != nil || a.Cause == "") {
				t.Errorf("body %q, cause %q", a.Body, a.Cause)
			}
			if c.status == 800 && c.header != "" && a.WireBytes != 0 {
				t.Errorf("read %d bytes of what cannot be read", a.WireBytes)
			}
			robots := f.Fetch(t.Context(), Request{URL: base + c.path, Robots: true})
			if robots.Status != 200 || string(robots.Body) != c.body {
				t.Errorf("as robots.txt: %d %q", robots.Status, robots.Body)
			}
		})
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

func benchPage(b *testing.B) (*httptest.Server, int) {
	page := []byte(strings.Repeat("<p>some words here ", 1000))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(page)
	}))
	b.Cleanup(s.Close)
	return s, len(page)
}

func BenchmarkFetch(b *testing.B) {
	s, size := benchPage(b)
	f := testFetcher(b, s.URL)
	f.transport.o.IndexLimit = 1 << 20
	b.ReportAllocs()
	for b.Loop() {
		if a := f.Fetch(b.Context(), Request{URL: s.URL + "/page"}); a.Status != 200 || len(a.Body) != size {
			b.Fatalf("%+v", a)
		}
	}
}

// BenchmarkNetHTTP is what the same costs without colly and without limits.
func BenchmarkNetHTTP(b *testing.B) {
	s, size := benchPage(b)
	b.ReportAllocs()
	for b.Loop() {
		req, err := http.NewRequestWithContext(b.Context(), "GET", s.URL+"/page", nil)
		if err != nil {
			b.Fatal(err)
		}
		resp, err := s.Client().Do(req)
		if err != nil {
			b.Fatal(err)
		}
		sum := md5.New()
		body, err := io.ReadAll(io.TeeReader(resp.Body, sum))
		_ = resp.Body.Close()
		if err != nil || len(body) != size || len(sum.Sum(nil)) == 0 {
			b.Fatal(err)
		}
	}
}
