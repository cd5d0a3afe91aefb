package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

const (
	koi8   = "\xD6\xD5\xCB" // "жук" in KOI8-R
	cp1251 = "\xE6\xF3\xEA" // and in windows-1251
)

// TestBadText serves everything that can be wrong inside a page: B1 to B5, B14, B15, B19, B23, B25 to B27. The rest is in TestBadLargeText.
func TestBadText(t *testing.T) {
	t.Parallel()
	t.Run("B1: NUL, invalid UTF-8, lone surrogates become U+FFFD", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", "/nul.html", "/plain.txt")
		n.site.Set("/nul.html", spidertest.Page{
			ETag: "\"nul\xFF\"",
			Body: "<title>ti\x00tle \xFF &#xD800;</title><meta name=keywords content='k\x00\xFE'><meta name=description content='d&#xDFFF;\xC0'>" +
				"<link rel='next\x00' href='\x00\xFF' title='&#xD800;'><body>nulword bro\x00ken <a href='/a\x00b.html'>x</a> <a href='/c\xFFd.html'>x</a>",
		})
		n.site.Set("/plain.txt", spidertest.Page{Type: "text/plain; charset=utf-8", Body: "plainnul\x00\xED\xA0\x80 end"})
		n.site.Set("/a%EF%BF%BDb.html", spidertest.Page{Body: "linkednul"})
		said := n.crawl("-v")
		n.want("/nul.html", "w.status, c.title, c.keywords, c.description, w.etag", "200 ti\uFFFDtle \uFFFD \uFFFD k\uFFFD\uFFFD d\uFFFD\uFFFD ") // an ETag that is no text is none
		n.want("/nul.html", "s.meta->0->>'rel', s.meta->0->>'href', s.meta->0->>'title'", "next\uFFFD \uFFFD\uFFFD \uFFFD")
		n.want("/plain.txt", "w.status, c.txt", "200 plainnul\uFFFD\uFFFD\uFFFD\uFFFD end")
		n.words("nulword", "/nul.html")
		n.words("bro", "/nul.html") // NUL ends a word
		n.words("plainnul", "/plain.txt")
		n.words("linkednul", "/a%EF%BF%BDb.html")
		if !utf8.ValidString(said) || strings.ContainsRune(said, 0) {
			t.Errorf("the log has what it may not: %q", said)
		}
	})

	t.Run("B2: BOM, then header, then META in 1,024 bytes, then guess, then default", func(t *testing.T) {
		t.Parallel()
		meta := func(label string) string { return `<meta charset="` + label + `">` }
		russian := "\xEF\xF2\xE8\xE2\xE5\xF2 \xEC\xE8\xF0, \xFD\xF2\xEE \xEF\xF0\xEE\xF1\xF2\xEE\xE9 \xF2\xE5\xEA\xF1\xF2 \xED\xE0 \xF0\xF3\xF1\xF1\xEA\xEE\xEC \xFF\xE7\xFB\xEA\xE5, \xE2 \xEA\xEE\xF2\xEE\xF0\xEE\xEC \xEC\xED\xEE\xE3\xEE \xF1\xEB\xEE\xE2 "
		pages := []struct{ path, contentType, body, charset string }{
			{"/bom", "text/html; charset=koi8-r", "\xEF\xBB\xBF" + meta("windows-1251") + "<p>жук", "utf-8"},
			{"/header", "text/html; charset=koi8-r", meta("windows-1251") + "<p>" + koi8 + "<p>header", "koi8-r"},
			{"/meta", "text/html", meta("windows-1251") + "<p>" + cp1251 + "<p>meta", "windows-1251"},
			{"/late", "text/html", strings.Repeat(" ", 1024) + meta("koi8-r") + "<p>жук<p>late", "utf-8"},
			{"/guess", "text/html", "<p>" + strings.Repeat(russian, 4) + cp1251, "windows-1251"},
			{"/default", "text/html", "<p>caf\xE9", "windows-1252"},
		}
		n := beside(t, "")
		var links strings.Builder
		want := []string{"/bom", "/guess", "/header", "/late", "/meta"}
		for _, p := range pages {
			n.site.Set(p.path, spidertest.Page{Type: p.contentType, Body: p.body})
			fmt.Fprintf(&links, `<a href=%q>x</a>`, p.path)
		}
		n.site.HTML("/", `<a href="/good.html">x</a>`+links.String())
		n.crawl()
		for _, p := range pages {
			n.want(p.path, "w.status, c.charset", "200 "+p.charset)
		}
		n.words("жук", want...)
		n.words("café", "/default")
	})

	t.Run("B3: an unknown charset label is none", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", "/unknown")
		n.site.Set("/unknown", spidertest.Page{Type: "text/html; charset=klingon", Body: "<meta charset=koi8-r><p>" + koi8})
		n.crawl()
		n.want("/unknown", "w.status, c.charset, c.content_type", "200 koi8-r text/html; charset=klingon")
		n.words("жук", "/unknown")
	})

	t.Run("B4: undecodable bytes become U+FFFD and break the word", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", "/broken", "/korean")
		n.site.Set("/broken", spidertest.Page{Body: "<p>le\xFFft"})
		n.site.Set("/korean", spidertest.Page{Type: "text/html; charset=euc-kr", Body: "<p>le\x80ft"})
		n.crawl()
		n.want("/broken", "c.charset, c.txt, c.wordcount", "utf-8 le\uFFFDft 2")
		n.want("/korean", "c.charset, c.txt, c.wordcount", "euc-kr le\uFFFDft 2")
		n.words("le", "/broken", "/korean")
	})

	t.Run("B5: UTF-16 with BOM is decoded, of META it is UTF-8", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", "/little", "/big", "/meta")
		var little, big bytes.Buffer
		little.WriteString("\xFF\xFE")
		big.WriteString("\xFE\xFF")
		for _, r := range "<title>жук</title>жук" {
			little.Write([]byte{byte(r), byte(r >> 8)})
			big.Write([]byte{byte(r >> 8), byte(r)})
		}
		n.site.Set("/little", spidertest.Page{Type: "text/html", Body: little.String()})
		n.site.Set("/big", spidertest.Page{Type: "text/html", Body: big.String()})
		n.site.Set("/meta", spidertest.Page{Type: "text/html", Body: "<meta charset=utf-16><title>жук</title>жук"})
		n.crawl()
		n.want("/little", "c.charset, c.title", "utf-16le жук")
		n.want("/big", "c.charset, c.title", "utf-16be жук")
		n.want("/meta", "c.charset, c.title", "utf-8 жук")
		n.words("жук", "/big", "/little", "/meta")
	})

	t.Run("B14: MaxLinksPerPage keeps the first distinct ones", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "MaxLinksPerPage 3\n", "/2", "/good.html", "/2", "/1", "/0", "/9")
		n.crawl()
		n.want("/", "w.status, s.marks", "200 [links-dropped]")
		if diff := cmp.Diff([]string{"/1", "/2", "/good.html"}, n.links("/")); diff != "" {
			t.Errorf("links (-want +got):\n%s", diff)
		}
	})

	t.Run("B15: a word over MaxWordLength takes one position and is not indexed", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", "/long")
		most := strings.Repeat("м", 32)
		n.site.HTML("/long", "<p>first "+most+" "+most+"м last")
		n.crawl()
		n.want("/long", "c.wordcount, c.totalcount", "3 3")
		n.words(most, "/long")
		n.words(most + "м")
		n.check("position of the word after it", "3", `SELECT l.positions[1] - f.positions[1] FROM word_postings('first') f, word_postings('last') l`)
	})

	t.Run("B19: 200 with an empty body", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", "/empty")
		n.site.Set("/empty", spidertest.Page{})
		n.crawl()
		n.want("/empty", "w.status, c.wordcount, c.totalcount, c.docsize, c.hrefs, h.rule, encode(c.words, 'hex')", "200 0 0 0 [] T-01 ffffffff")
	})

	t.Run("B23: text/html with binary content", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", "/binary", "/zeros")
		random := rand.New(rand.NewPCG(23, 1))
		noise := make([]byte, 30_000)
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		n.site.Set("/binary", spidertest.Page{Type: "text/html", Body: "\x89PNG\r\n\x1A\n" + string(noise)})
		n.site.Set("/zeros", spidertest.Page{Type: "text/html", Body: strings.Repeat("\x00", 100_000)})
		n.crawl()
		n.want("/binary", "w.status, h.rule", "200 T-01")
		n.want("/zeros", "w.status, h.rule, c.wordcount", "200 T-01 0")
	})

	t.Run("B25: nested deeper than a parser allows", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", "/deep")
		n.site.HTML("/deep", strings.Repeat("<div>", 100_000)+`deepword <a href="/good.html">x</a>`)
		n.crawl()
		n.want("/deep", "w.status, s.marks", "200 [nested]")
		n.words("deepword", "/deep")
		if got := n.links("/deep"); !slices.Equal(got, []string{"/good.html"}) {
			t.Errorf("links: %q", got)
		}
	})

	t.Run("B26: a bad base is ignored", func(t *testing.T) {
		t.Parallel()
		bases := []string{"http://[bad/", "http://a:99999/", "mailto:nobody", "", "http://"}
		var hrefs []string
		for i := range bases {
			hrefs = append(hrefs, fmt.Sprintf("/base/%d.html", i))
		}
		n := beside(t, "", hrefs...)
		for i, base := range bases {
			n.site.HTML(hrefs[i], fmt.Sprintf(`<title>%d</title><base href="%s"><a href="../good.html">x</a>`, i, base))
		}
		n.crawl()
		for _, href := range hrefs {
			if got := n.links(href); !slices.Equal(got, []string{"/good.html"}) {
				t.Errorf("%s: links %q", href, got)
			}
		}
	})

	t.Run("B27: fields are cut at their limit in characters", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", "/fields")
		long := strings.Repeat("ж𝄞", 300)
		n.site.HTML("/fields", "<title>"+long+"</title><meta name=keywords content='"+long+"'><meta name=description content='"+long+"'><body>"+long)
		n.crawl()
		n.want("/fields", "length(c.title), length(c.txt), length(c.keywords), length(c.description)", "128 255 255 100")
		cut := func(limit int) string { return string([]rune(long)[:limit]) }
		n.want("/fields", "c.title, c.txt, c.keywords, c.description", strings.Join([]string{cut(128), cut(255), cut(255), cut(100)}, " "))
	})
}
