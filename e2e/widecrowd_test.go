package e2e

import (
	"fmt"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// wideHost is a host of a wide crawl: a tree of small pages. It counts the requests that are under way.
type wideHost struct {
	c     *wideCrowd
	n     int
	url   string
	pages int

	mu        sync.Mutex
	now, most int // requests for pages under way
	asked     map[string]int
}

// wideCrowd is many hosts, which answer as many requests as they are let.
type wideCrowd struct {
	hosts []*wideHost
	delay time.Duration
	asked atomic.Int64 // requests so far
	most  atomic.Int64 // the others wait
}

// newWideCrowd starts hosts, whose pages wait until answer is called.
func newWideCrowd(t *testing.T, hosts, pages int, delay time.Duration) *wideCrowd {
	c := &wideCrowd{delay: delay}
	for n := range hosts {
		h := &wideHost{c: c, n: n, pages: pages, asked: map[string]int{}}
		h.url = serveAt(t, h, fmt.Sprintf("127.0.2.%d:0", 1+n))
		c.hosts = append(c.hosts, h)
	}
	t.Cleanup(func() { c.answer(math.MaxInt64) })
	return c
}

// ServeHTTP answers with a page of less than 2 KB, which is sent when this method has returned: a client that has the answer
// finds it counted as done.
func (h *wideHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	h.mu.Lock()
	h.now++
	h.most = max(h.most, h.now)
	h.asked[r.URL.Path]++
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		h.now--
		h.mu.Unlock()
	}()
	for n := h.c.asked.Add(1); n > h.c.most.Load(); {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(h.c.delay)
	var page int
	if _, err := fmt.Sscanf(r.URL.Path, "/%d", &page); err != nil || page >= h.pages {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<title>page %d of %d</title>wideword host%dpage%d", page, h.n, h.n, page)
	for child := 4*page + 1; child <= 4*page+4 && child < h.pages; child++ {
		fmt.Fprintf(w, ` <a href="/%d">x</a>`, child)
	}
	other := h.c.hosts[(h.n+1)%len(h.c.hosts)]
	fmt.Fprintf(w, ` <a href="%s/%d">x</a>`, other.url, page)
}

// answer lets the hosts answer so many requests in all.
func (c *wideCrowd) answer(requests int64) { c.most.Store(requests) }

func (c *wideCrowd) sets() string {
	sets := "HostLoad * 0 24 2\n"
	for _, h := range c.hosts {
		sets += "Server " + h.url + "/0\n"
	}
	return sets
}
