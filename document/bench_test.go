package document

import (
	"os"
	"path/filepath"
	"strings"
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

// BenchmarkParse reads the whole PostgreSQL manual once an iteration, BenchmarkParseMain without navigation.
func BenchmarkParse(b *testing.B) { benchmarkParse(b, LeaveOut{}) }

func BenchmarkParseMain(b *testing.B) { benchmarkParse(b, LeaveOut{Navigation: true}) }

func benchmarkParse(b *testing.B, leave LeaveOut) {
	pages := manual(b)
	if len(pages) == 0 {
		b.Skip("the package postgresql-doc-15 is not installed")
	}
	r := newRules(b, Rules{}).LeavingOut(leave)
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

// BenchmarkParseScripts reads one page of 12 KB of text in scripts beyond ASCII.
func BenchmarkParseScripts(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"Latin", "L'été dernier, à la fenêtre, le garçon a goûté une crème brûlée; où êtes-vous allés après la fête? "},
		{"Cyrillic", "Съешь же ещё этих мягких французских булок, да выпей чаю. Москва является столицей России. "},
		{"Japanese", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。コンピューターとサーバー。"},
		{"Thai", "กรุงเทพมหานครเป็นเมืองหลวงและนครที่มีประชากรมากที่สุดของประเทศไทย "},
	} {
		b.Run(c.name, func(b *testing.B) {
			page := []byte("<html lang=xx><p>" + strings.Repeat(c.text, 12<<10/len(c.text)))
			r := newRules(b, Rules{})
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(page, "text/html; charset=utf-8", r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadText reads the text of the whole manual once an iteration.
func BenchmarkReadText(b *testing.B) { benchmarkReadText(b, LeaveOut{}) }

func BenchmarkReadTextMain(b *testing.B) { benchmarkReadText(b, LeaveOut{Navigation: true}) }

func benchmarkReadText(b *testing.B, leave LeaveOut) {
	pages := manual(b)
	if len(pages) == 0 {
		b.Skip("the package postgresql-doc-15 is not installed")
	}
	r := newRules(b, Rules{}).LeavingOut(leave)
	b.ReportAllocs()
	for b.Loop() {
		for _, page := range pages {
			if _, err := ReadText(page, "text/html", "utf-8", r); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(pages)), "µs/page")
}
