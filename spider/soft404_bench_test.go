package spider

import (
	"strings"
	"testing"

	"github.com/pgseek/pgseek/document"
)

// BenchmarkSoft404Key measures what each page that is read costs.
func BenchmarkSoft404Key(b *testing.B) {
	rules, err := document.NewRules(document.Rules{})
	if err != nil {
		b.Fatal(err)
	}
	doc, err := document.Parse([]byte(strings.Repeat("alpha beta gamma delta epsilon ", 100)), "text/plain; charset=utf-8", rules)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		textOf(doc).key("http://a.test/manual/some-page.html?id=12")
	}
}
