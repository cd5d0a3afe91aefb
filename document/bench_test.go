package document

import (
	"os"
	"path/filepath"
	"testing"
)

// manual returns the pages of the PostgreSQL manual, or nil where the package postgresql-doc-15 is missing.
func manual(tb testing.TB) [][]byte {
	tb.Helper()
	names, err := filepath.Glob("/usr/share/doc/postgresql-doc-15/html/*.html")
	if err != nil {
		tb.Fatal(err)
	}
	var pages [][]byte
	for _, name := range names {
		page, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		pages = append(pages, page)
	}
	return pages
}

// BenchmarkParse reads the whole PostgreSQL manual once an iteration.
func BenchmarkParse(b *testing.B) {
	pages := manual(b)
	if len(pages) == 0 {
		b.Skip("the package postgresql-doc-15 is not installed")
	}
	r, err := NewRules(Rules{})
	if err != nil {
		b.Fatal(err)
	}
	var bytes int64
	for _, page := range pages {
		bytes += int64(len(page))
	}
	b.SetBytes(bytes)
	b.ReportAllocs()
	for b.Loop() {
		for _, page := range pages {
			if _, err := Parse(page, "text/html; charset=utf-8", r); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(pages)), "µs/page")
}
