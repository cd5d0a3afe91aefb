package e2e

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestConformance crawls what conformance suites showed (docs/conformance.md): answers that browsers show, and pages that they
// read rightly.
func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("pages without a label", conformCharsets)
	t.Run("the query of a link in the charset of its page", conformQueries)
	t.Run("answers that browsers show", conformAnswers)
	t.Run("a header line that is none is told as one", conformHeaders)
	t.Run("names in robots.txt", conformRobots)
}

func conformCharsets(t *testing.T) {
	t.Parallel()
	n := beside(t, "")
	const (
		russian   = "<p>Каждые несколько месяцев выходит новая версия, которая ищет слова быстрее и занимает меньше места на диске. жукслово"
		ukrainian = "<p>У міській бібліотеці є книжки про подорожі, історію та будову машин. Нова версія шукає швидше. жукслово"
		japanese  = "<p>図書館には旅行や歴史、機械の仕組みについての本があります。"
	)
	in := func(label, text string) string {
		enc, _ := charset.Lookup(label)
		out, err := enc.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	comment := "<!--" + strings.Repeat("x", 1100) + "-->"
	pages := map[string]struct{ contentType, body, charset string }{
		"/iso-2022-jp":    {"text/html", in("iso-2022-jp", japanese), "iso-2022-jp"},
		"/jp.txt":         {"text/plain", in("iso-2022-jp", "本文。"+japanese), "iso-2022-jp"},
		"/terminal.txt":   {"text/plain", "\x1b(B plain \x1b[1m words", "utf-8"},
		"/broken-utf-8":   {"text/html", strings.Repeat("<p>Привет мир", 200) + " caf\xE9 жукслово", "utf-8"},
		"/windows-1251":   {"text/html", in("windows-1251", russian), "windows-1251"},
		"/koi8-u":         {"text/html", in("koi8-u", ukrainian), "koi8-u"},
		"/late":           {"text/html", comment + `<meta charset="iso-8859-2">` + in("iso-8859-2", "<body>zażółć gęślą jaźń"), "iso-8859-2"},
		"/late-in-body":   {"text/html", comment + `<body><meta charset="iso-8859-2">caf` + "\xE9", "windows-1252"},
		"/too-late":       {"text/html", strings.Repeat(comment, 8) + `<meta charset="iso-8859-2"><body>caf` + "\xE9", "windows-1252"},
		"/late-but-utf-8": {"text/html", comment + `<meta charset="iso-8859-2"><body>zażółć`, "utf-8"},
		"/cp-1251":        {"text/html; charset=cp-1251", in("windows-1251", "<p>жукслово"), "windows-1251"},
		"/win-1251":       {"text/html", `<meta charset="win-1251">` + in("windows-1251", "<p>жукслово"), "windows-1251"},
	}
	set := map[string]spidertest.Page{}
	for path, p := range pages {
		set[path] = spidertest.Page{Type: p.contentType, Body: p.body}
	}
	n.pages(set)
	n.crawl()
	for path, p := range pages {
		n.want(path, "w.status, c.charset", "200 "+p.charset)
	}
	n.words("жукслово", "/broken-utf-8", "/cp-1251", "/koi8-u", "/win-1251", "/windows-1251")
	n.words("месяцев", "/windows-1251")
	n.words("бібліотеці", "/koi8-u")
	n.words("zażółć", "/late", "/late-but-utf-8")
	n.words("書館", "/iso-2022-jp", "/jp.txt")
}

func conformQueries(t *testing.T) {
	t.Parallel()
	n := beside(t, "", "/latin", "/russian", "/utf-8")
	n.site.Set("/latin", spidertest.Page{Type: "text/html; charset=windows-1252", Body: "latin <a href='/p\xFC?q=\xFC&amp;r=&#1078;'>x</a>"})
	n.site.Set("/russian", spidertest.Page{Type: "text/html; charset=windows-1251", Body: "russian <a href='/p?q=\xE6'>x</a>"})
	n.site.Set("/utf-8", spidertest.Page{Body: "utf-8 <a href='/p?q=ü'>x</a>"})
	for _, path := range []string{"/p%C3%BC?q=%FC&r=%26%231078%3B", "/p?q=%E6", "/p?q=%C3%BC"} {
		n.site.HTML(path, "<title>answer</title>answerword "+path)
	}
	n.crawl()
	for page, want := range map[string]string{"/latin": "/p%C3%BC?q=%FC&r=%26%231078%3B", "/russian": "/p?q=%E6", "/utf-8": "/p?q=%C3%BC"} {
		if got := n.links(page); !slices.Equal(got, []string{want}) {
			t.Errorf("%s links to %q, want %q", page, got, want)
		}
	}
	n.words("answerword", "/p%C3%BC?q=%FC&r=%26%231078%3B", "/p?q=%C3%BC", "/p?q=%E6")
}

func conformAnswers(t *testing.T) {
	t.Parallel()
	n := beside(t, "")
	zipped := zip("<title>x</title>shownword")
	pages := map[string]spidertest.Page{
		"/encoding-none":    encoded("none", []byte("<title>1</title>shownword")),
		"/encoding-utf-8":   encoded("utf-8", []byte("<title>2</title>shownword")),
		"/gzip-and-padding": encoded("gzip", append(bytes.Clone(zipped), make([]byte, 600)...)),
		"/gzip-and-line":    encoded("gzip", append(zip("<title>4</title>shownword"), '\n')),
		"/type-any":         typed("*/*", "<!DOCTYPE html><title>5</title>shownword"),
		"/type-unknown":     typed("unknown/unknown", "<!DOCTYPE html><title>6</title>shownword"),
		"/copyright":        typed("application/octet-stream", "7 shownword"),
	}
	var paths []string
	for path := range pages {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	pages["/octets"] = typed("application/octet-stream", "\x00\x01\x02\x03\xff")
	n.pages(pages)
	n.crawl()
	n.words("shownword", paths...)
	n.want("/copyright", "w.status, c.content_type", "200 text/plain")
	n.want("/octets", "w.status, h.cause", "800 no converter for application/octet-stream")
}

func conformHeaders(t *testing.T) {
	t.Parallel()
	n := beside(t, "")
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	n.pages(map[string]spidertest.Page{
		"/colon":   spidertest.Wire(ok + "no colon\r\n\r\nx"),
		"/name":    spidertest.Wire(ok + "X(y): z\r\n\r\nx"),
		"/control": spidertest.Wire(ok + "X: \x01\r\n\r\nx"),
		"/lengths": spidertest.Wire(ok + "Content-Length: 1, 1\r\n\r\nx"),
	})
	n.crawl()
	for _, path := range []string{"/colon", "/name", "/control"} {
		n.want(path, "w.status, h.rule, h.cause LIKE '%MIME header%'", "606 T-09 true")
	}
	n.want("/lengths", "w.status, h.rule", "604 T-09")
	if said := n.index("--explain", n.url("/colon")); !strings.Contains(said, "Malformed header line") || strings.Contains(said, "status line") {
		t.Errorf("--explain tells of something else:\n%s", said)
	}
}

func conformRobots(t *testing.T) {
	t.Parallel()
	for _, agents := range []string{"pgseek*", "otherbot, pgseek", "pgseek;", "Mozilla/5.0 (compatible; pgseek/0.1)"} {
		n := beside(t, "", "/private")
		n.site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: fmt.Sprintf("User-agent: %s\nDisallow: /private\n", agents)})
		n.site.HTML("/private", "privateword")
		n.crawl()
		if asked := n.site.Count()["/private"]; asked != 0 {
			t.Errorf("%q: /private was asked for %d times", agents, asked)
		}
	}
}
