package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// badDocuments are the bad documents of TestBadDocumentAmongGoodOnes. What each results in is tested in detail by the test of
// its number in badinput_*_test.go.
func badDocuments() []badDocument {
	redirect := func(location string) spidertest.Page {
		return spidertest.Page{Status: 302, Header: map[string]string{"Location": location}}
	}
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	random := rand.New(rand.NewPCG(42, 1))
	noise := make([]byte, 30_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	large := make([]byte, 20_000) // that no compression shortens to a row of an index
	for i := range large {
		large[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[random.IntN(36)]
	}
	var many strings.Builder
	for i := range 500 {
		fmt.Fprintf(&many, `<a href="/many%d">x</a>`, i)
	}
	var little strings.Builder
	little.WriteString("\xFF\xFE")
	for _, r := range "<title>жук</title>жук" {
		little.Write([]byte{byte(r), byte(r >> 8)})
	}
	long := strings.Repeat("ж𝄞", 300)
	const rule, result = "w.status, h.rule", "w.status, h.rule, h.result, h.cause <> ''"

	return []badDocument{
		{name: "B1: NUL, invalid UTF-8, lone surrogates", page: spidertest.Page{
			ETag: "\"nul\xFF\"",
			Body: "<title>ti\x00tle \xFF &#xD800;</title><meta name=keywords content='k\x00\xFE'><meta name=description content='d&#xDFFF;\xC0'>" +
				"<link rel='next\x00' href='\x00\xFF' title='&#xD800;'><body>nulword bro\x00ken",
		}, columns: "w.status, c.title, c.keywords, c.description, w.etag", want: "200 ti\uFFFDtle \uFFFD \uFFFD k\uFFFD\uFFFD d\uFFFD\uFFFD "},
		{
			name: "B1: headers that are no text",
			page: spidertest.Wire(ok + "Last-Modified: caf\xE9\r\nContent-Language: \xFF\xFE\r\nETag: \"\x80\"\r\n" +
				"Link: <\xFF>; rel=canonical\r\n\r\nbad headers"),
			columns: "w.status, w.etag, w.last_modified", want: "200  ",
		},
		{
			name:    "B2: header, META and bytes disagree",
			page:    spidertest.Page{Type: "text/html; charset=koi8-r", Body: "<meta charset=windows-1251><p>" + koi8},
			columns: "w.status, c.charset", want: "200 koi8-r",
		},
		{
			name:    "B3: unknown charset",
			page:    spidertest.Page{Type: "text/html; charset=klingon", Body: "<meta charset=koi8-r><p>" + koi8},
			columns: "w.status, c.charset", want: "200 koi8-r",
		},
		{
			name:    "B4: undecodable bytes",
			page:    spidertest.Page{Body: "<p>le\xFFft"},
			columns: "c.charset, c.txt, c.wordcount", want: "utf-8 le\uFFFDft 2",
		},
		{
			name:    "B5: UTF-16",
			page:    spidertest.Page{Type: "text/html", Body: little.String()},
			columns: "c.charset, c.title", want: "utf-16le жук",
		},
		{
			name: "B6: a redirect to a URL that is too long", page: redirect("/" + strings.Repeat("x", 2048)),
			columns: "w.status, w.redir, c.hrefs, h.rule", want: "302 0 [] T-05",
		},
		{
			name: "B7: blanks and backslashes in the URL",
			path: "/bad%20name/x", href: "/bad name\\x", page: spidertest.Page{Body: "bad blanks"},
			columns: rule, want: "200 T-01",
		},
		{
			name: "B8: bad escapes in the URL",
			path: "/bad%00y", page: spidertest.Page{Body: "bad escapes"},
			columns: "w.status, h.cause", want: "200 ",
		},
		{
			name: "B9: a password in the link",
			href: "http://someone:hunter2@SITE/bad", page: spidertest.Page{Body: "bad link"},
			columns: rule, want: "200 T-01",
		},
		{name: "B10, B11, B12, B42: links that are dropped", page: spidertest.Page{
			Body: `bad <a href="javascript:alert(1)">x</a><a href="ftp://example.com/">x</a><a href="http://example.com:65536/">x</a>
				<a href="http://a%00b.com/">x</a><a href="http://xn--zzzzzzz99999/">x</a><a href="file:///etc/passwd">x</a>`,
		}, columns: "w.status, c.hrefs, s.marks", want: "200 [] []"},
		{
			name: "B13: one URL, one row",
			href: "/x/../%2e/BAD#part", path: "/BAD", page: spidertest.Page{Body: "bad spelling"},
			columns: rule, want: "200 T-01",
		},
		{
			name:    "B14: more links than MaxLinksPerPage",
			page:    spidertest.Page{Body: many.String()},
			columns: "w.status, cardinality(c.hrefs), s.marks", want: "200 400 [links-dropped]",
		},
		{
			name:    "B15: a long word",
			page:    spidertest.Page{Body: "<p>first " + strings.Repeat("м", 33) + " last"},
			columns: "c.wordcount, c.totalcount", want: "2 2",
		},
		{
			name:    "B16: a megabyte without a blank",
			page:    spidertest.Page{Body: strings.Repeat("a", 1<<20)},
			columns: "w.status, c.wordcount, c.docsize, s.marks", want: fmt.Sprintf("200 0 %d [truncated]", 1<<20),
		},
		{
			name:    "B17: a byte over IndexLimit",
			page:    spidertest.Page{Body: sized(600_001)},
			columns: "w.status, s.marks, c.docsize", want: "200 [truncated] 600001",
		},
		{
			name:    "B18: a negative length",
			page:    spidertest.Wire(ok + "Content-Length: -1\r\n\r\nbad"),
			columns: result, want: "604 T-09 604 true",
		},
		{
			name:    "B18: a body that ends too soon",
			page:    spidertest.Wire(ok + "Content-Length: 100\r\n\r\nbad"),
			columns: "w.status, h.rule, h.result", want: "705 T-10n 705",
		},
		{
			name:    "B18: a connection that is reset",
			page:    spidertest.Reset(ok + "Content-Length: 100\r\n\r\nbad"),
			columns: rule, want: "705 T-10n",
		},
		{
			name:    "B19: an empty body",
			page:    spidertest.Page{},
			columns: "w.status, c.wordcount, c.docsize, c.hrefs, encode(c.words, 'hex')", want: "200 0 0 [] ffffffff",
		},
		{
			name:    "B20: a compressed body that is cut",
			page:    encoded("gzip", zip(strings.Repeat("bad ", 1000))[:30]),
			columns: rule, want: "802 T-11",
		},
		{
			name:    "B21: an unknown encoding",
			page:    encoded("br", []byte("bad")),
			columns: "w.status, h.rule, c.words", want: "802 T-11 <nil>",
		},
		{
			name:    "B22: no type, and bytes of none",
			page:    typed("", "\x00\x01\x02\x03\xFF\xFE\xFD binary \x80\x81"),
			columns: "w.status, c.content_type", want: "601 <nil>",
		},
		{
			name:    "B22: a type that nothing reads",
			page:    typed("image/png", "bad"),
			columns: "w.status, c.content_type", want: "800 <nil>",
		},
		{
			name:    "B23: noise as HTML",
			page:    spidertest.Page{Type: "text/html", Body: "\x89PNG\r\n\x1A\n" + string(noise)},
			columns: rule, want: "200 T-01",
		},
		{
			name:    "B24: an attribute of a megabyte",
			page:    spidertest.Page{Body: `<p>before <a href="/x" title="` + strings.Repeat("a", 1<<20) + `">after</a>`},
			columns: rule, want: "200 T-01",
		},
		{
			name:    "B24: a comment without an end",
			page:    spidertest.Page{Body: `<p>before <!-- ` + strings.Repeat("- > -", 10_000)},
			columns: rule, want: "200 T-01",
		},
		{
			name:    "B25: deep nesting",
			page:    spidertest.Page{Body: strings.Repeat("<div>", 100_000) + "bad"},
			columns: "w.status, s.marks", want: "200 [nested]",
		},
		{
			name:    "B26: a bad base",
			page:    spidertest.Page{Body: `<base href="http://[bad/"><a href="/good0.html">x</a>`},
			columns: "w.status, cardinality(c.hrefs)", want: "200 1",
		},
		{name: "B27: a title of half a megabyte", page: spidertest.Page{
			Body: "<title>" + strings.Repeat("т", 250_000) + "</title><meta name=keywords content='" + long + "'><meta name=description content='" + long + "'>bad",
		}, columns: "w.status, length(c.title), length(c.keywords), length(c.description)", want: "200 128 255 100"},
		{
			name:    "B28: a redirect without a target",
			page:    spidertest.Page{Status: 301},
			columns: "w.status, w.redir, h.rule", want: "602 0 T-09",
		},
		{
			name:    "B28: a redirect to bytes",
			page:    spidertest.Wire("HTTP/1.1 302 Found\r\nLocation: http://\xFF\xFE/\r\nContent-Length: 0\r\n\r\n"),
			columns: "w.status, w.redir, h.rule", want: "602 0 T-09",
		},
		{name: "B29: a redirect to itself", page: redirect("/bad"), columns: rule, want: "302 T-05"},
		{
			name: "B29: a ring of redirects",
			page: redirect("/bad1"), more: map[string]spidertest.Page{"/bad1": redirect("/bad2"), "/bad2": redirect("/bad")},
			columns: rule, want: "302 T-05",
		},
		{
			name:    "B30: 304 to a first request",
			page:    spidertest.Page{Status: 304, ETag: `"x"`},
			columns: "w.status, h.rule, h.result", want: "605 T-09 605",
		},
		{
			name:    "B31: a status that is none",
			page:    spidertest.Wire("HTTP/1.1 600 Beyond\r\nContent-Length: 0\r\n\r\n"),
			columns: result, want: "600 T-09 600 true",
		},
		{
			name:    "B31: a status line of bytes",
			page:    spidertest.Wire("HTTP/1.1 \x00\xFF OK\r\n\r\n"),
			columns: result, want: "600 T-09 600 true",
		},
		{
			name:    "B31: a header line that is none",
			page:    spidertest.Wire(ok + "no colon here\r\n\r\nx"),
			columns: result, want: "606 T-09 606 true",
		},
		{
			name:    "B32: headers over 64 KiB",
			page:    spidertest.Wire(ok + "X: " + strings.Repeat("x", 70_000) + "\r\n\r\nx"),
			columns: result, want: "603 T-09 603 true",
		},
		{
			name:    "B33: dates that are none",
			page:    spidertest.Page{Body: "bad dates", Header: map[string]string{"Last-Modified": "Thu, 99 Foo 0000 77:77:77 GMT", "Date": "never"}},
			columns: rule, want: "200 T-01",
		},
		{
			name: "B37: three pages with one body", page: spidertest.Page{Body: "thesame"},
			columns: "w.status, (SELECT count(*) FROM urlword o WHERE o.crc = w.crc AND o.origin <> 0 AND o.status = 200)",
			want:    "200 2",
			more:    map[string]spidertest.Page{"/bad1": {Body: "thesame"}, "/bad2": {Body: "thesame"}},
		},
		{name: "404", page: spidertest.Page{Status: 404}, columns: rule, want: "404 T-08"},
		{
			name:    "P8: a text that the database refuses",
			page:    spidertest.Page{Body: "<title>refused 22021</title>bad"},
			columns: "w.status, h.rule, c.words, h.cause <> ''", want: "805 T-11 <nil> true",
		},
		{
			name:    "P8: a number out of range",
			page:    spidertest.Page{Body: "<title>refused 22003</title>bad"},
			columns: "w.status, h.rule, c.words, h.cause <> ''", want: "805 T-11 <nil> true",
		},
		{
			name:    "P8: a constraint",
			page:    spidertest.Page{Body: "<title>refused 23514</title>bad"},
			columns: "w.status, h.rule, c.words, h.cause <> ''", want: "805 T-11 <nil> true",
		},
		{
			name:    "P8: a row that is too large for its index",
			page:    spidertest.Page{Body: "<title>too large</title>" + string(large)},
			columns: "w.status, h.rule, c.words, h.cause <> ''", want: "805 T-11 <nil> true",
		},
	}
}
