// Package spidertest serves scripted sites for tests: pages with validators that change from one period to
// the next, and a record of every request.
package spidertest

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Site is a web server on loopback whose answers a test sets. It is safe for concurrent use.
type Site struct {
	URL string // http://127.0.0.1:port, without a slash at the end

	mu       sync.Mutex
	pages    map[string]Page
	requests []*Request
	pause    func() time.Duration
}

// Page is the answer of a path. The zero status is 200, the zero type text/html; charset=utf-8.
type Page struct {
	Status   int
	Type     string
	Body     string
	Header   map[string]string
	Modified time.Time        // Last-Modified; zero = not sent
	ETag     string           // sent and compared with If-None-Match; empty = not sent
	Serve    http.HandlerFunc // answers instead of the other fields
}

// Request is one that a site has seen.
type Request struct {
	Method, Path string // path with its query
	Header       http.Header
	Status       int
}

// Conditional reports whether the request asked for changes only.
func (r Request) Conditional() bool {
	return r.Header.Get("If-None-Match") != "" || r.Header.Get("If-Modified-Since") != ""
}

// NewSite starts a site without pages; it ends with the test.
func NewSite(t testing.TB) *Site { return NewSiteOn(t, "127.0.0.1") }

// NewSiteOn is NewSite on a loopback address, which is the host of its URL.
func NewSiteOn(t testing.TB, address string) *Site {
	t.Helper()
	s := &Site{pages: make(map[string]Page)}
	server := httptest.NewUnstartedServer(s)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address+":0")
	if err != nil {
		t.Fatal(err)
	}
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Set gives a path an answer.
func (s *Site) Set(path string, p Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = p
}

// Page returns the answer of a path.
func (s *Site) Page(path string) Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pages[path]
}

// HTML gives a path an HTML page whose validators follow its body.
func (s *Site) HTML(path, body string) {
	s.Set(path, Page{Body: body, ETag: fmt.Sprintf("%q", fmt.Sprintf("%x-%d", hash(body), len(body)))})
}

// Pause makes every answer take as long as pause says.
func (s *Site) Pause(pause func() time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause = pause
}

// Remove makes a path answer 404.
func (s *Site) Remove(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pages, path)
}

// Requests returns what was asked since the start or the last Forget, in order.
func (s *Site) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Request, len(s.requests))
	for i, r := range s.requests {
		list[i] = *r
	}
	return list
}

// Count returns how often each path was asked for, robots.txt aside.
func (s *Site) Count() map[string]int {
	count := make(map[string]int)
	for _, r := range s.Requests() {
		if r.Path != "/robots.txt" {
			count[r.Path]++
		}
	}
	return count
}

// answers says what each request for a path was answered, in order; 0 for one that is not or was answered on
// the bare connection.
func (s *Site) answers(path string) (list []int) {
	for _, r := range s.Requests() {
		if r.Path == path {
			list = append(list, r.Status)
		}
	}
	return list
}

// Forget empties the record.
func (s *Site) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// isProbe reports whether a crawl asks for an address that cannot exist, because two pages were equal. Most tests have equal pages
// and are not about that, so it is not recorded.
func isProbe(path string) bool { return strings.Contains(path, "/pgseek-") }

// ServeHTTP answers as set and records the request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.RequestURI()
	s.mu.Lock()
	p, found := s.pages[path]
	request := &Request{Method: r.Method, Path: path, Header: r.Header.Clone()}
	if !isProbe(path) {
		s.requests = append(s.requests, request)
	}
	pause := s.pause
	s.mu.Unlock()
	if pause != nil {
		time.Sleep(pause())
	}

	status := http.StatusNotFound
	switch {
	case found && p.Serve != nil:
		p.Serve(w, r)
		status = 0
	case found:
		status = p.Answer(w, r)
	default:
		http.NotFound(w, r)
	}
	s.mu.Lock()
	request.Status = status
	s.mu.Unlock()
}

// Answer writes the page, or 304 when the request names its present state.
func (p Page) Answer(w http.ResponseWriter, r *http.Request) int {
	status := p.Status
	if status == 0 {
		status = http.StatusOK
	}
	for key, value := range p.Header {
		w.Header().Set(key, value)
	}
	if p.ETag != "" {
		w.Header().Set("ETag", p.ETag)
	}
	if !p.Modified.IsZero() {
		w.Header().Set("Last-Modified", p.Modified.UTC().Format(http.TimeFormat))
	}
	if status == http.StatusOK && p.unchanged(r) {
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified
	}
	if p.Type == "" {
		p.Type = "text/html; charset=utf-8"
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", p.Type)
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(p.Body)) // a client that went away is part of the tests
	}
	return status
}

func (p Page) unchanged(r *http.Request) bool {
	if tag := r.Header.Get("If-None-Match"); tag != "" {
		return p.ETag != "" && tag == p.ETag
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !p.Modified.IsZero() && !p.Modified.Truncate(time.Second).After(since)
}

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
