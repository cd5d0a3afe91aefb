package fetch

import (
	"crypto/md5"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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

// BenchmarkNetHTTP measures the same without colly and without limits.
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
