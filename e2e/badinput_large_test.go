package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestBadLargeText serves pages with too much of something: B14, B16, B24. It runs beside no other test: parsing has a limit of ten
// seconds of the clock, whoever else uses the processors.
func TestBadLargeText(t *testing.T) {
	t.Run("B14: 100,000 links on a page", func(t *testing.T) {
		const links = 100_000
		n := beside(t, "")
		var b strings.Builder
		b.WriteString(`<a href="/good.html">x</a>`)
		for i := range links {
			fmt.Fprintf(&b, `<a href=/%d></a>`, i)
		}
		n.site.HTML("/", b.String())
		n.index("-n", "1") // their rows are made; to fetch them is another matter
		n.want("/", "w.status, cardinality(c.hrefs), s.marks", fmt.Sprintf("200 %d []", links+1))
		n.check("registered", fmt.Sprint(links+2), `SELECT count(*) FROM urlword`)
		n.crawl("-u", "%/good.html")
		n.check("citations", fmt.Sprint(links+1), `SELECT count(*) FROM citation`)
	})

	t.Run("B16: 10 MB without a space", func(t *testing.T) {
		n := beside(t, "", "/blob")
		n.site.HTML("/blob", strings.Repeat("a", 10<<20))
		n.crawl()
		n.want("/blob", "w.status, c.wordcount, c.totalcount, c.docsize, s.marks", fmt.Sprintf("200 0 0 %d [truncated]", 10<<20))
	})

	t.Run("B24: unclosed tags, huge attributes, unclosed comments", func(t *testing.T) {
		bad := map[string]string{
			"/attribute":  `<p>before <a href="/x" title="` + strings.Repeat("a", 1<<20) + `">after</a>`,
			"/attributes": `<p>before <b ` + attributes(100_000) + `>after</b>`,
			"/unclosed":   `<p>before <b><i><table><td>after<div`,
			"/quote":      `<p>before after <a href="/never closed`,
			"/comment":    `<p>before after <!-- ` + strings.Repeat("- > -", 100_000) + ` lost`,
		}
		n := beside(t, "", "/attribute", "/attributes", "/unclosed", "/quote", "/comment")
		paths := []string{}
		for path, body := range bad {
			n.site.HTML(path, body)
			paths = append(paths, path)
		}
		slices.Sort(paths)
		n.crawl()
		for _, path := range paths {
			n.want(path, "w.status, h.rule, h.cause", "200 T-01 ")
		}
		n.words("before", paths...)
		n.words("after", paths...)
		n.words("lost")
	})
}

// attributes are n different attributes.
func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `a%d="v" `, i)
	}
	return b.String()
}
