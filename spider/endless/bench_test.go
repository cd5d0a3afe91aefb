package endless

import (
	"testing"

	"github.com/pgseek/pgseek/document"
)

// BenchmarkVisited measures what the detector costs for a page of 500 words.
func BenchmarkVisited(b *testing.B) {
	rules, err := document.NewRules(document.Rules{})
	if err != nil {
		b.Fatal(err)
	}
	doc, err := document.Parse([]byte("<body>"+menu+lorem("x", 500)), "text/html; charset=utf-8", rules)
	if err != nil {
		b.Fatal(err)
	}
	e := New()
	const url = "http://a.test/show?id=17"
	for b.Loop() {
		e.Visited(url, doc)
	}
}
