package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

func TestStaticFiles(t *testing.T) {
	s, _ := newTestServer(nil, ServerOptions{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}})
	r := get(t, s, "/style.css")
	tag := r.Header.Get("Etag")
	if r.StatusCode != 200 || tag == "" || r.Header.Get("Cache-Control") == "" || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/css") {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	if r := get(t, s, "/style.css", "If-None-Match", tag); r.StatusCode != 304 {
		t.Errorf("unchanged: %d", r.StatusCode)
	}
	if r := get(t, s, "/favicon.ico"); r.StatusCode != 301 || r.Header.Get("Location") != "/favicon.svg" {
		t.Errorf("/favicon.ico: %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
	for _, c := range []struct {
		peer, host string
		headers    []string
		want       string
	}{
		{"192.0.2.7:1", "search.example:12345", nil, "http://search.example:12345/"},
		{"192.0.2.7:1", "search.example", []string{"X-Forwarded-Proto", "https", "X-Forwarded-Host", "evil.example"}, "http://search.example/"},
		{"192.0.2.1:1", "127.0.0.1:12345", []string{"X-Forwarded-Proto", "https", "X-Forwarded-Host", "search.example"}, "https://search.example/"},
		{"192.0.2.1:1", "search.example", []string{"X-Forwarded-Host", `"><script>`}, "http://localhost/"},
		{"192.0.2.7:1", "", nil, "http://localhost/"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/opensearch.xml", nil)
		r.RemoteAddr, r.Host = c.peer, c.host
		for i := 0; i < len(c.headers); i += 2 {
			r.Header.Set(c.headers[i], c.headers[i+1])
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), `"`+c.want+`search?q={searchTerms}"`) {
			t.Errorf("%+v: %s", c, w.Body)
		}
	}
}

func TestStatusIsKeptForAMoment(t *testing.T) {
	n := 0
	x := &fakeIndex{}
	b := x.backend()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	b.Status = func(_ context.Context, sites, runs int) (*report.IndexStatus, error) {
		n++
		return &report.IndexStatus{
			At: at, Documents: 5, Statuses: []report.StatusCount{{Status: 200, Expired: 2, Total: 5}},
			Sites: []report.SiteStatus{{Site: "http://a/", Known: 5, Live: 5, Due: 2}}, AllSites: int64(sites),
			Runs:  []report.PastRun{{ID: 1, Kind: "crawl", Started: at.Add(-10 * time.Second), Counts: store.Counts{Documents: 20}}},
			Merge: report.MergeStatus{Waiting: 3, Oldest: &at},
			Crawl: &report.CrawlStatus{Started: at.Add(-10 * time.Second), Fetched: 20, Fetchers: int64(runs), Open: 1},
		}, nil
	}
	s, _ := newTestServer(nil, ServerOptions{})
	s.Connect(b)
	var got statusJSON
	for range 3 {
		if err := json.Unmarshal([]byte(get(t, s, "/status?format=json").text), &got); err != nil {
			t.Fatal(err)
		}
	}
	want := statusJSON{
		At: "2026-03-01T00:00:00Z", Documents: 5, Statuses: []statusRowJSON{{200, false, 2, 5}},
		Sites: []siteRowJSON{{Site: "http://a/", Known: 5, Live: 5, Due: 2}}, AllSites: 100,
		Runs:  []runJSON{{RunID: 1, Kind: "crawl", Started: "2026-02-28T23:59:50Z", Documents: 20}},
		Merge: mergeJSON{Waiting: 3, Oldest: "2026-03-01T00:00:00Z"},
		Crawl: &crawlJSON{Started: "2026-02-28T23:59:50Z", Fetched: 20, PerSecond: 2, Due: 2, Fetchers: 10, OpenSchedules: 1}, Databases: []databaseJSON{},
	}
	if diff := cmp.Diff(want, got); diff != "" || n != 1 {
		t.Errorf("read %d times (-want +got):\n%s", n, diff)
	}
}
