package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// TestHowASearchEnds has one line for each outcome of a search: request, answer, and row of stat.
func TestHowASearchEnds(t *testing.T) {
	secret := errors.New(`pq: relation "wordurl" at 10.0.0.7:5432`)
	for _, c := range []struct {
		name, query string
		answer      func(context.Context, search.Request) (*search.Result, error)
		status      int
		code        string // in JSON
		urls        int64  // in stat; -2 = no row
		outcome     string
	}{
		{"found", "q=a", nil, 200, "", 42, "found"},
		{"nothing found", "q=a", func(context.Context, search.Request) (*search.Result, error) { return &search.Result{}, nil }, 200, "", 0, "empty"},
		{"only a minus", "q=-a+-b", nil, 200, "only_exclusions", -1, "error"},
		{"only what not to find", "q=+&xq=a", nil, 200, "only_exclusions", -1, "error"},
		{"only a site", "q=site:a", nil, 200, "only_sites", -1, "error"},
		{"short pattern", "q=ab*", nil, 200, "pattern_too_short", -1, "error"},
		{"operator alone", "q=a+OR", nil, 400, "extra_symbol", -1, "error"},
		{"too long", "q=" + strings.Repeat("a", 4000), nil, 400, "too_long", -1, "error"},
		{"too many words", "q=" + strings.Repeat("%2Bb+", 33), nil, 400, "too_many_terms", -1, "error"},
		{"B39: page -1", "q=a&np=-1", nil, 400, "bad_parameter", -1, "error"},
		{"B39: page size 2^63", "q=a&ps=9223372036854775808", nil, 400, "bad_parameter", -1, "error"},
		{"B39: 1,001st result", "q=a&np=50", nil, 400, "bad_parameter", -1, "error"},
		{
			"an error that only the index knows", "q=a",
			func(context.Context, search.Request) (*search.Result, error) {
				return nil, &query.Error{Kind: query.ErrTooManyTerms, Field: "q", Text: "Too many."}
			},
			400, "too_many_terms", -1, "error",
		},
		{
			"the database is away", "q=a",
			func(context.Context, search.Request) (*search.Result, error) {
				return nil, fmt.Errorf("search: %w: %w", store.ErrUnavailable, secret)
			},
			503, "database_away", -2, "unavailable",
		},
		{
			"the database refuses", "q=a",
			func(context.Context, search.Request) (*search.Result, error) {
				return nil, fmt.Errorf("%w: %w", reportedState("42501"), secret)
			},
			503, "database_away", -2, "unavailable",
		},
		{
			"the server gives up", "q=a",
			func(context.Context, search.Request) (*search.Result, error) {
				return nil, fmt.Errorf("%w: %w", reportedState("57014"), secret)
			},
			503, "timed_out", -1, "timed_out",
		},
		{
			"SearchTimeOut", "q=a",
			func(ctx context.Context, _ search.Request) (*search.Result, error) {
				<-ctx.Done()
				return nil, fmt.Errorf("%w: %w", secret, ctx.Err())
			},
			503, "timed_out", -1, "timed_out",
		},
		{
			"damaged data", "q=a",
			func(context.Context, search.Request) (*search.Result, error) { return nil, secret },
			500, "internal", -1, "failed",
		},
	} {
		for _, format := range []string{"html", "json"} {
			x := &fakeIndex{answer: c.answer}
			s, _ := newTestServer(x, ServerOptions{TimeOut: 20 * time.Millisecond})
			r := get(t, s, "/search?"+c.query+"&format="+format)
			text := r.text
			want := c.status
			if c.code == "extra_symbol" && format == "html" { // the page shows the place of the error
				want = 200
			}
			if r.StatusCode != want {
				t.Errorf("%s, %s: status %d, want %d", c.name, format, r.StatusCode, want)
			}
			if strings.Contains(text, "wordurl") || strings.Contains(text, "10.0.0.7") {
				t.Errorf("%s, %s: tells of the inside: %s", c.name, format, text)
			}
			if format == "json" {
				var a struct{ Error struct{ Code, Text string } }
				if err := json.Unmarshal([]byte(text), &a); err != nil || a.Error.Code != c.code || (c.code != "") != (a.Error.Text != "") {
					t.Errorf("%s: error %+v, %v; want code %s", c.name, a.Error, err, c.code)
				}
			}
			switch {
			case c.urls == -2 && len(x.rows) != 0:
				t.Errorf("%s, %s: a row of stat: %+v", c.name, format, x.rows)
			case c.urls != -2 && (len(x.rows) != 1 || x.rows[0].URLs != c.urls):
				t.Errorf("%s, %s: rows of stat %+v, want one with urls %d", c.name, format, x.rows, c.urls)
			}
			if metrics := get(t, s, "/metrics").text; !strings.Contains(metrics, `pgseek_searches_total{outcome="`+c.outcome+`"} 1`) {
				t.Errorf("%s, %s: outcome %s is not counted", c.name, format, c.outcome)
			}
		}
	}
}

// reportedState is an error of the database with a SQLSTATE.
type reportedState string

func (s reportedState) Error() string    { return "refused" }
func (s reportedState) SQLState() string { return string(s) }

func TestBeforeTheDatabaseAnswers(t *testing.T) {
	s, _ := newTestServer(nil, ServerOptions{})
	for target, want := range map[string]int{
		"/": 200, "/help": 200, "/advanced": 200, "/style.css": 200, "/metrics": 200, "/search": 200,
		"/search?q=a": 503, "/cache?id=1": 503, "/status": 503, "/healthz": 503, "/search?q=a&np=-1": 400,
	} {
		r := get(t, s, target)
		if r.StatusCode != want {
			t.Errorf("%s: %d, want %d", target, r.StatusCode, want)
		}
		if want == 503 && target != "/healthz" && r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", target)
		}
	}
	x := &fakeIndex{status: &report.IndexStatus{}}
	s.Connect(x.backend())
	for _, target := range []string{"/search?q=a", "/cache?id=1", "/status", "/healthz"} {
		if r := get(t, s, target); r.StatusCode != 200 {
			t.Errorf("connected: %s: %d", target, r.StatusCode)
		}
	}
	x.pingErr = errors.New("gone")
	if r := get(t, s, "/healthz"); r.StatusCode != 503 {
		t.Errorf("/healthz of a database that went away: %d", r.StatusCode)
	}
}

// TestMaxSearches: at most MaxSearches run at once, the next one gets 503 with Retry-After, and places become
// free again.
func TestMaxSearches(t *testing.T) {
	began, end := make(chan bool), make(chan bool)
	x := &fakeIndex{answer: func(context.Context, search.Request) (*search.Result, error) {
		began <- true
		<-end
		return twoHits(), nil
	}}
	s, _ := newTestServer(x, ServerOptions{MaxSearches: 2, TimeOut: time.Minute})
	answers := make(chan int, 2)
	for range 2 {
		go func() { answers <- get(t, s, "/search?q=a").StatusCode }()
		<-began
	}
	for _, target := range []string{"/search?q=a", "/cache?id=1"} {
		r := get(t, s, target)
		if r.StatusCode != 503 || r.Header.Get("Retry-After") != "1" {
			t.Errorf("%s, a third: %d, Retry-After %q", target, r.StatusCode, r.Header.Get("Retry-After"))
		}
	}
	if r := get(t, s, "/help"); r.StatusCode != 200 {
		t.Errorf("/help beside them: %d", r.StatusCode)
	}
	for target, want := range map[string]int{"/search?q=a+OR": 200, "/search?q=a+OR&format=json": 400} {
		if r := get(t, s, target); r.StatusCode != want {
			t.Errorf("a query that needs no place, %s: %d, want %d", target, r.StatusCode, want)
		}
	}
	close(end)
	for range 2 {
		if got := <-answers; got != 200 {
			t.Errorf("one of the two: %d", got)
		}
	}
	go func() { <-began }()
	if r := get(t, s, "/search?q=a"); r.StatusCode != 200 {
		t.Errorf("afterwards: %d", r.StatusCode)
	}
	if len(x.rows) != 5 {
		t.Errorf("%d rows of stat, want 5: three answers and two errors of the query", len(x.rows))
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	s, _ := newTestServer(&fakeIndex{}, ServerOptions{})
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "BREW"} {
		r := httptest.NewRequestWithContext(t.Context(), method, "/search?q=a", nil)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d, Allow %q", method, w.Code, w.Header().Get("Allow"))
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/search?q=a", strings.NewReader("body"))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != 413 || w.Header().Get("Connection") != "close" {
		t.Errorf("a body: %d, Connection %q", w.Code, w.Header().Get("Connection"))
	}
	for _, target := range []string{"/nowhere", "/search/more", "/style.css/..%2f..%2fetc/passwd", "/pages/base.html", "/index.html"} {
		if r := get(t, s, target); r.StatusCode != 404 {
			t.Errorf("%s: %d", target, r.StatusCode)
		}
	}
	// HEAD is GET without the body.
	r = httptest.NewRequestWithContext(t.Context(), http.MethodHead, "/help", nil)
	w = httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != 200 || w.Header().Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d, %v", w.Code, w.Header())
	}
}

// TestSecurityHeaders: every answer has them (docs/reference/promises.md, Security rules, 7).
func TestSecurityHeaders(t *testing.T) {
	x := &fakeIndex{status: &report.IndexStatus{}}
	s, _ := newTestServer(x, ServerOptions{})
	for _, target := range []string{"/", "/search?q=a", "/search?q=a&format=json", "/search?q=a+OR", "/nowhere", "/cache?id=1", "/cache", "/help", "/advanced", "/status", "/healthz", "/metrics", "/style.css", "/opensearch.xml", "/favicon.ico", "/search?q=a&t=any"} {
		h := get(t, s, target).Header
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", target, h)
		}
		csp := h.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "script-src") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: Content-Security-Policy %q", target, csp)
		}
		if strings.HasPrefix(target, "/cache?") != strings.HasPrefix(csp, "sandbox") {
			t.Errorf("%s: Content-Security-Policy %q", target, csp)
		}
	}
}

func TestJumpToTheFirstResult(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example/x?y=1":           "https://a.example/x?y=1",
		"http://a.example/":                 "http://a.example/",
		"javascript:alert(1)":               "",
		"ftp://a.example/":                  "",
		"//evil.example/":                   "",
		"https:evil":                        "",
		"file:///etc/passwd":                "",
		"https://a.example/\r\nSet-Cookie:": "",
		"":                                  "",
	} {
		x := &fakeIndex{answer: func(context.Context, search.Request) (*search.Result, error) {
			return &search.Result{URLs: 1, Sites: 1, Hits: []search.Hit{{URL: address}}}, nil
		}}
		s, _ := newTestServer(x, ServerOptions{})
		r := get(t, s, "/search?q=a&t=any")
		if got := r.Header.Get("Location"); got != want || (r.StatusCode == 302) != (want != "") {
			t.Errorf("%q: %d to %q, want %q", address, r.StatusCode, got, want)
		}
		if len(x.rows) != 1 {
			t.Errorf("%q: %d rows of stat", address, len(x.rows))
		}
	}
	x := &fakeIndex{answer: func(context.Context, search.Request) (*search.Result, error) { return &search.Result{}, nil }}
	s, _ := newTestServer(x, ServerOptions{})
	if r := get(t, s, "/search?q=a&t=any"); r.StatusCode != 200 {
		t.Errorf("nothing found: %d", r.StatusCode)
	}
}

func TestHome(t *testing.T) {
	x := &fakeIndex{}
	s, _ := newTestServer(x, ServerOptions{})
	for _, target := range []string{"/", "/search", "/s.cgi", "/search?ps=10", "/search?q="} {
		if text := get(t, s, target).text; !strings.Contains(text, "7 documents of 3 sites") {
			t.Errorf("%s: %s", target, text)
		}
	}
	x.sizeErr = store.ErrUnavailable
	if r := get(t, s, "/"); r.StatusCode != 200 || strings.Contains(r.text, "documents") {
		t.Errorf("without a database: %d", r.StatusCode)
	}
	if len(x.rows)+len(x.asked) != 0 {
		t.Errorf("a visit is no search: %v, %v", x.rows, x.asked)
	}
}

func TestCachedCopy(t *testing.T) {
	x := &fakeIndex{}
	s, _ := newTestServer(x, ServerOptions{})
	if r := get(t, s, "/search?ch=http%3A%2F%2Fa%2F%3Fx%3D1&q=full+vacuum"); r.StatusCode != 302 || r.Header.Get("Location") != "/cache?q=full+vacuum&url=http%3A%2F%2Fa%2F%3Fx%3D1" {
		t.Errorf("ch: %d to %s", r.StatusCode, r.Header.Get("Location"))
	}
	r := get(t, s, "/cache?id=7&q=full+vacuum")
	if r.StatusCode != 200 || r.text != "<p>copy" || r.Header.Get("Content-Type") != "text/html; charset=utf-8" || r.Header.Get("X-Robots-Tag") == "" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	get(t, s, "/cache?url=http%3A%2F%2Fa%2F&q=OR")
	if len(x.copies) != 2 || x.copies[0].URLID != 7 || x.copies[0].Query.String() != "full vacuum" || x.copies[1].URL != "http://a/" || x.copies[1].Query != nil {
		t.Errorf("asked for %+v", x.copies)
	}
	for target, want := range map[string]int{
		"/cache": 400, "/cache?id=0": 400, "/cache?id=-1": 400, "/cache?id=x": 400, "/cache?id=2147483648": 400,
		"/cache?url=" + strings.Repeat("x", 2049): 400,
	} {
		if r := get(t, s, target); r.StatusCode != want {
			t.Errorf("%.40s: %d, want %d", target, r.StatusCode, want)
		}
	}
	for _, none := range []error{search.ErrUnknownDocument, snippet.ErrNoArchive} {
		x.copyErr = fmt.Errorf("url 7: %w", none)
		if r := get(t, s, "/cache?id=7"); r.StatusCode != 404 {
			t.Errorf("%v: %d", none, r.StatusCode)
		}
	}
	x.copyErr = store.ErrUnavailable
	if r := get(t, s, "/cache?id=7"); r.StatusCode != 503 {
		t.Errorf("no database: %d", r.StatusCode)
	}
	if len(x.rows) != 0 {
		t.Errorf("copies are no searches: %v", x.rows)
	}
}

// TestMetricsHoldNothingFromOutside: no label has a value from outside, and all paths that do not exist share
// one label.
func TestMetricsHoldNothingFromOutside(t *testing.T) {
	s, _ := newTestServer(&fakeIndex{}, ServerOptions{})
	for _, target := range []string{"/search?q=secretword", "/secretword", "/other/secretword?x", "/cache?url=http%3A%2F%2Fsecretword%2F"} {
		get(t, s, target, "Referer", "http://secretword/", "User-Agent", "secretword")
	}
	text := get(t, s, "/metrics").text
	if strings.Contains(text, "secretword") {
		t.Error("a metric holds what somebody sent")
	}
	for _, want := range []string{
		`pgseek_http_requests_total{path="/search",status="200"} 1`, `pgseek_http_requests_total{path="other",status="404"} 2`,
		`pgseek_search_seconds_count 1`, `pgseek_searches_running 0`, `pgseek_searches_max 16`, `pgseek_connected 1`, "process_open_fds", "go_goroutines",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestMetricOfUnreadURLs verifies that the number of unread URLs is counted once a minute, and that it stays when the database does not
// answer.
func TestMetricOfUnreadURLs(t *testing.T) {
	x := &fakeIndex{unread: 12, unreadErr: store.ErrUnavailable}
	s, _ := newTestServer(x, ServerOptions{})
	for _, step := range []struct {
		want string
		then func()
	}{
		{"NaN", func() { x.unreadErr = nil }},
		{"NaN", func() { s.unreadURLs.asked = time.Time{} }},
		{"12", func() { x.unread = 13 }},
		{"12", func() { s.unreadURLs.asked = time.Time{} }},
		{"13", func() { s.unreadURLs.asked, x.unreadErr = time.Time{}, store.ErrUnavailable }},
		{"13", func() {}},
	} {
		if text := get(t, s, "/metrics").text; !strings.Contains(text, "pgseek_unread_urls "+step.want+"\n") {
			t.Errorf("no pgseek_unread_urls %s", step.want)
		}
		step.then()
	}
}

func TestPanicIsAnswered(t *testing.T) {
	x := &fakeIndex{answer: func(context.Context, search.Request) (*search.Result, error) { panic("oh\nno") }}
	s, log := newTestServer(x, ServerOptions{MaxSearches: 1})
	for range 2 { // and the place is free again
		if r := get(t, s, "/search?q=a"); r.StatusCode != 500 || strings.Contains(r.text, "oh") {
			t.Errorf("%d", r.StatusCode)
		}
	}
	if !strings.Contains(log.String(), `oh\nno`) {
		t.Errorf("log: %s", log)
	}
}

// TestLogOfOutsideValues: text from outside is logged without control characters and limited to 512 bytes.
func TestLogOfOutsideValues(t *testing.T) {
	x := &fakeIndex{answer: func(context.Context, search.Request) (*search.Result, error) { return nil, errors.New("broken") }}
	s, log := newTestServer(x, ServerOptions{})
	get(t, s, "/search?q=%1b%5b31m%0aforged+line"+strings.Repeat("x", 900))
	for _, line := range strings.Split(strings.TrimSpace(log.String()), "\n") {
		if len(line) > 800 || strings.ContainsAny(line, "\x1b") || !strings.HasPrefix(line, "time=") {
			t.Errorf("%q", line)
		}
	}
	if got := printable.Log("a\x1b[31m\nb\u0085" + strings.Repeat("ü", 400)); len(got) > 512 || strings.ContainsAny(got, "\x1b\n\u0085") || !strings.HasPrefix(got, `a\x1b[31m\nb\u0085ü`) {
		t.Errorf("%q", got)
	}
}

// TestHTTPLimits verifies the limits of the HTTP server over a real connection.
func TestHTTPLimits(t *testing.T) {
	x := &fakeIndex{}
	s, _ := newTestServer(x, ServerOptions{})
	server := s.HTTP()
	if server.ReadHeaderTimeout != 5*time.Second || server.ReadTimeout == 0 || server.WriteTimeout == 0 || server.IdleTimeout == 0 {
		t.Errorf("%+v", server)
	}
	listen := new(net.ListenConfig)
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	for length, want := range map[int]int{900: 200, 15_000: 400, 17_000: 431} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+"/search?q="+strings.Repeat("x", length), nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("a query of %d bytes: %d, want %d", length, answer.StatusCode, want)
		}
	}
	if err := server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
	if len(x.rows) != 2 {
		t.Errorf("%d rows of stat, want 2", len(x.rows))
	}
}

// FuzzServer: no request gives a 500 or more than one row of stat.
func FuzzServer(f *testing.F) {
	f.Add("q=a&t=any", "http://r/?x", "1.2.3.4, x")
	f.Add("q=%00%ff&ps=x&ul=//&sp1=on", "::", "")
	f.Add("format=json&q=\"a (b", "javascript:x", "[::1]:80")
	f.Fuzz(func(t *testing.T, queryText, referer, forwarded string) {
		x := &fakeIndex{}
		s, _ := newTestServer(x, ServerOptions{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/search", nil)
		r.URL = &url.URL{Path: "/search", RawQuery: queryText}
		r.Header["Referer"], r.Header["X-Forwarded-For"] = []string{referer}, []string{forwarded}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 200 && w.Code != 302 && w.Code != 400 {
			t.Errorf("status %d", w.Code)
		}
		if len(x.rows) > 1 {
			t.Errorf("%d rows", len(x.rows))
		}
		for _, row := range x.rows {
			for _, text := range []string{row.Addr, row.Proxy, row.Query, row.UL, row.SP, row.Referer} {
				if text != query.Clean(text) || len(text) > 1100 {
					t.Errorf("%q", text)
				}
			}
		}
	})
}
