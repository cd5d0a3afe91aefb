package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// slowFirst is a site with one page, /doc. Its first request within a test waits until release is closed, and then gets the
// answer of the time when it came; all others are answered at once.
type slowFirst struct {
	mu       sync.Mutex
	answer   http.HandlerFunc
	hold     bool
	asked    chan struct{} // closed by the request that waits
	release  chan struct{}
	requests int // for /doc
}

func newSlowFirst(t *testing.T) (s *slowFirst, url string) {
	s = &slowFirst{asked: make(chan struct{}), release: make(chan struct{})}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

func (s *slowFirst) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/doc" {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	answer, wait := s.answer, s.hold
	s.hold = false
	s.requests++
	s.mu.Unlock()
	if wait {
		close(s.asked)
		<-s.release
	}
	answer(w, r)
}

// set changes the answer, and says whether the next request waits.
func (s *slowFirst) set(hold bool, answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold, s.answer = hold, answer
}

func htmlOf(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, body)
	}
}

func statusOf(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// TestOlderAnswerLoses: a visit that asked first and gets its answer last must not replace what a later visit recorded
// meanwhile. It asks once more.
func TestOlderAnswerLoses(t *testing.T) {
	t.Parallel()
	page := func(text string) http.HandlerFunc { return htmlOf("<title>t</title>" + text) }
	notModified := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"first"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", `"first"`)
		page("first")(w, r)
	}
	for _, c := range []struct {
		name         string
		before       http.HandlerFunc // crawled first; nil = never
		older, newer http.HandlerFunc
		slow         []string // the visit with the older answer
		words        []string // that searches find afterwards
		status       string
	}{
		{"new, -T", nil, page("older"), page("newer"), []string{"-T", "URL"}, []string{"newer"}, "200"},
		{"known, -T", page("first"), page("older"), page("newer"), []string{"-T", "URL"}, []string{"newer"}, "200"},
		{"known, crawl", page("first"), page("older"), page("newer"), []string{"-a"}, []string{"newer"}, "200"},
		{"unchanged, crawl", page("first"), page("first"), page("newer"), []string{"-a"}, []string{"newer"}, "200"},
		{"not modified, crawl", notModified, notModified, page("newer"), []string{"-a"}, []string{"newer"}, "200"},
		{"an old error", page("first"), statusOf(404), page("newer"), []string{"-a"}, []string{"newer"}, "200"},
		{"an old redirect", page("first"), http.RedirectHandler("/x", http.StatusFound).ServeHTTP, page("newer"), []string{"-T", "URL"}, []string{"newer"}, "200"},
		{"an old error, -T", page("first"), statusOf(500), page("newer"), []string{"-T", "URL"}, []string{"newer"}, "200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			site, url := newSlowFirst(t)
			w := newWorld(t, "Server "+url+"/doc\n")
			if c.before != nil {
				site.set(false, c.before)
				w.index()
			}
			site.set(true, c.older)
			slow := slices.Clone(c.slow)
			if i := slices.Index(slow, "URL"); i >= 0 {
				slow[i] = url + "/doc"
			}
			var visit sync.WaitGroup
			visit.Go(func() {
				if code, out, errOut := w.try(slow...); code != exitDone {
					t.Errorf("index %s: exit %d\n%s%s", strings.Join(slow, " "), code, out, errOut)
				}
			})
			<-site.asked
			site.set(false, c.newer)
			w.index("-T", url+"/doc")
			before := site.requests
			close(site.release)
			visit.Wait()
			w.merged()
			if got := w.one(`SELECT status FROM urlword WHERE url LIKE '%/doc'`); got != c.status {
				t.Errorf("status %s, want %s", got, c.status)
			}
			words := w.rows(`SELECT word FROM wordurl WHERE urlcount > 0 AND word IN ('first', 'older', 'newer') ORDER BY word`)
			if !slices.Equal(words, c.words) {
				t.Errorf("found %v, want %v", words, c.words)
			}
			if more := site.requests - before; more != 1 {
				t.Errorf("%d further requests, want 1", more)
			}
		})
	}
}
