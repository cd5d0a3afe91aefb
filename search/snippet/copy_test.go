package snippet

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/query"
	"golang.org/x/net/html"
)

func source(body string) CopySource {
	return CopySource{
		URL: "http://example.org/dir/page.html?a=1&b=2", Title: "A <page>", Body: []byte(body), ContentType: "text/html; charset=utf-8",
		AsOf: time.Date(2026, 11, 21, 20, 29, 0, 0, time.UTC),
	}
}

func makeCopy(tb testing.TB, s CopySource, query string) string {
	tb.Helper()
	var f *Finder
	if query != "" {
		f = NewFinder(testQuery(tb, query), nil)
	}
	page, err := MakeCopy(s, f, testRules(tb))
	if err != nil {
		tb.Fatal(err)
	}
	checkCopy(tb, page)
	return string(page)
}

// shown returns the part of a copy that comes from the document.
func shown(tb testing.TB, page string) string {
	tb.Helper()
	_, rest, ok := strings.Cut(page, "<main")
	if !ok {
		tb.Fatal("no <main>")
	}
	_, rest, _ = strings.Cut(rest, ">\n")
	return strings.TrimSuffix(rest, "\n</main>\n</body>\n</html>\n")
}

func TestCopy(t *testing.T) {
	for _, c := range []struct{ name, query, body, want string }{
		{"terms are marked by number", "cat dog", "<p>A <b>cat</b>, a dog &amp; &lt;cats>", `<p>A <b><mark class="t0">cat</mark></b>, a <mark class="t1">dog</mark> &amp; &lt;cats&gt;`},
		{"a word over elements is marked in pieces", "foobar", "<p>a foo<i>ba</i>r", `<p>a <mark class="t0">foo</mark><i><mark class="t0">ba</mark></i><mark class="t0">r</mark>`},
		{"a phrase over elements", `"full table"`, "full <b>table</b>", `<mark class="t0">full</mark> <b><mark class="t1">table</mark></b>`},
		{"only text is marked", "cat", `<a href="cat" title=cat>x</a><!-- cat -->`, `<a href="cat" rel="nofollow noreferrer">x</a>`},
		{"nothing is marked without a query", "", "<p>cat", "<p>cat"},
		{"what is not indexed is shown, not marked", "cat", "cat<!--noindex--> cat <!--/noindex-->cat", `<mark class="t0">cat</mark> cat <mark class="t0">cat</mark>`},
		{"scripts, styles, templates and frames are left out", "", "a<script>b</script><style>c</style><template>d</template><iframe src=x>e</iframe><noembed>f</noembed> g", "a\n g"},
		{"noscript is shown", "", "<noscript><b>a</b></noscript>", "<b>a</b>"},
		{"handlers, styles and ids are left out", "", `<p onclick=x() style="color:red" id=y class=z>a`, "<p>a"},
		{"head and its elements are left out", "", `<html><head><title>t</title><link rel=stylesheet href=x><meta http-equiv=refresh content="0;url=x"></head><body>a`, "a"},
		{"forms keep their text", "", `<form action=x><input value=v><button>go</button><select><option>one<option>two</select><textarea>a<b></textarea></form>`, "go\none\ntwo\n<pre>a&lt;b&gt;</pre>\n"},
		{"descriptions of images stay", "", `<img src=x onerror=y alt="a <cat>"><img alt=""><object data=x>o</object>`, `<span class="alt">[a &lt;cat&gt;]</span>` + "\no\n"},
		{"details are open", "", `<details><summary>a</summary>b</details>`, "<details open><summary>a</summary>b</details>"},
		{"tables", "", `<table border=1><tr><td colspan=2 rowspan=x>a<th scope=row>b</table>`, `<table><tr><td colspan="2">a<th>b</table>`},
		{"direction and language", "", `<p dir=RTL lang=he>a<p dir=x lang="e'n">b`, `<p lang="he" dir="rtl">a<p>b`},
		{"an author's marks and main are no ours", "", `<main><mark class=t0>a</mark></main>`, "<div>a</div>"},
		{"plaintext ends nothing", "", `a<plaintext>b</plaintext></main>c`, "a<pre>b&lt;/plaintext&gt;&lt;/main&gt;c"},
		{"SVG", "", `<svg><title>a</title><script>alert(1)</script><a xlink:href=x>b</a></svg>c`, "a\n<a>b</a>\nc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(t, makeCopy(t, source(c.body), c.query)); got != c.want {
				t.Errorf("%s, want\n%s", got, c.want)
			}
		})
	}
}

func TestCopyLinks(t *testing.T) {
	for _, c := range []struct{ href, want string }{
		{"x.html", "x.html"},
		{"?q=1&r=2", "?q=1&r=2"},
		{"http://h/", "http://h/"},
		{" HTTPS://h/ ", "HTTPS://h/"},
		{"//h/x:y", "//h/x:y"},
		{"#a", "#a"},
		{"javascript:alert(1)", ""},
		{"JaVaScRiPt:x", ""},
		{"java\tscript:x", ""},
		{"\x01javascript:x", ""},
		{" javascript:x", ""},
		{"javascript&colon;x", ""},
		{"vbscript:x", ""},
		{"data:text/html,x", ""},
		{"mailto:a@b", ""},
		{":x", ""},
		{"", ""},
		{"a/b:c", "a/b:c"},
	} {
		page := makeCopy(t, source(`<a href="`+c.href+`">x</a>`), "")
		root, err := html.Parse(strings.NewReader(shown(t, page)))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for n := range root.Descendants() {
			if n.Data == "a" && len(n.Attr) > 0 {
				got = n.Attr[0].Val
			}
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.href, got, c.want)
		}
	}
}

// TestCopyBase: links lead to the same addresses as in the original.
func TestCopyBase(t *testing.T) {
	for _, c := range []struct{ url, base, want string }{
		{"http://example.org/a/b", "", "http://example.org/a/b"},
		{"http://example.org/a/b", "../c/", "http://example.org/c/"},
		{"https://example.org/a", "//other.example/", "https://other.example/"},
		{"http://example.org/a", "javascript:x", "http://example.org/a"},
		{"http://example.org/a", `"><script>`, "http://example.org/%22%3E%3Cscript%3E"},
		{"file:///etc/passwd", "", ""},
		{"javascript:x", "http://example.org/", ""},
		{"", "", ""},
	} {
		s := source(`<base href="` + html.EscapeString(c.base) + `"><a href=x>`)
		s.URL = c.url
		page := makeCopy(t, s, "")
		got := ""
		if m := regexp.MustCompile(`<base href="(.*?)">`).FindStringSubmatch(page); m != nil {
			got = html.UnescapeString(m[1])
		}
		if got != c.want || strings.Contains(page, "<a ") != (c.want != "") {
			t.Errorf("%s with base %s: %q, want %q", c.url, c.base, got, c.want)
		}
	}
}

func TestCopyOfText(t *testing.T) {
	s := source("A <b>cat</b>\n & more\r\n\x00")
	for _, contentType := range []string{"text/plain", "text/x-log; charset=utf-8", "application/json"} {
		s.ContentType = contentType
		got := shown(t, makeCopy(t, s, "cat"))
		if want := "<pre>\nA &lt;b&gt;<mark class=\"t0\">cat</mark>&lt;/b&gt;\n &amp; more \n\uFFFD</pre>"; got != want {
			t.Errorf("%s: %q, want %q", contentType, got, want)
		}
	}
}

func TestCopyCharset(t *testing.T) {
	s := source("<p>\xD6\xD5\xCB")
	s.Charset = "koi8-r"
	if got, want := shown(t, makeCopy(t, s, "жук")), `<p><mark class="t0">жук</mark>`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCopyHead verifies the head of a copy.
func TestCopyHead(t *testing.T) {
	s := source("cat")
	s.Truncated = true
	page := makeCopy(t, s, "cat vac*")
	for _, want := range []string{
		"<title>A &lt;page&gt; (copy)</title>", `<meta charset="utf-8">`, `<base href="http://example.org/dir/page.html?a=1&amp;b=2">`,
		`This is the cached copy of <a href="http://example.org/dir/page.html?a=1&amp;b=2"`,
		` as of <time datetime="2026-11-21T20:29:00Z">21 November 2026, 20:29 UTC</time>; the page may have changed. Only its beginning was stored.`,
		`<p>Marked: <mark class="t0">cat</mark> <mark class="t1">vac*</mark></p>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	s.AsOf, s.Title = time.Time{}, ""
	if page := makeCopy(t, s, ""); strings.Contains(page, "as of") || !strings.Contains(page, "<title>http://example.org/dir/page.html?a=1&amp;b=2 (copy)") {
		t.Errorf("without date and title:\n%s", page)
	}
}

func TestNoCopy(t *testing.T) {
	marked := source("a")
	marked.NoArchive = true
	for _, s := range []CopySource{marked, source("a<meta name=robots content='index, NoArchive'>")} {
		if page, err := MakeCopy(s, nil, testRules(t)); !errors.Is(err, ErrNoArchive) || page != nil {
			t.Errorf("%v", err)
		}
	}
	slow, err := document.NewRules(document.Rules{ParseLimit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := MakeCopy(source(strings.Repeat("<p>", 5000)), nil, slow); !errors.Is(err, document.ErrTooSlow) {
		t.Errorf("%v", err)
	}
}

// TestCopyPolicy: the policy allows the style of the copy, with the colors of a site.
func TestCopyPolicy(t *testing.T) {
	for _, style := range []string{"", ":root{--link:#123456}"} {
		policy := CopyPolicy(style, "data:")
		x := source("a")
		x.Style = style
		page, err := MakeCopy(x, nil, testRules(t))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(page), "<style>")
		rest, _, _ = strings.Cut(rest, "</style>")
		sum := sha256.Sum256([]byte(rest))
		for _, want := range []string{"sandbox;", "default-src 'none'", "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'", "img-src data:"} {
			if !strings.Contains(policy, want) || strings.Contains(policy, "unsafe") || strings.Contains(policy, "allow-") {
				t.Errorf("policy %s", policy)
			}
		}
	}
	if strings.Contains(CopyPolicy("", ""), "img-src") {
		t.Error("images are allowed")
	}
}

// TestCopyOfPages: a form feed in the text of a PDF is the end of a page, in other text nothing.
func TestCopyOfPages(t *testing.T) {
	x := source("one <b>\ntwo\fthree\f\n")
	x.ContentType = "text/plain; charset=utf-8"
	for prose, want := range map[bool]string{
		true:  "<pre class=\"prose\">\none &lt;b&gt;\ntwo</pre>\n<hr>\n<pre class=\"prose\">\nthree\n</pre>",
		false: "<pre>\none &lt;b&gt;\ntwo\fthree\f\n</pre>",
	} {
		x.Prose = prose
		if page, err := MakeCopy(x, nil, testRules(t)); err != nil || !strings.Contains(string(page), want) {
			t.Errorf("prose %v: %v %s", prose, err, page)
		}
	}
}

// ownAttributes are all attributes that a copy may have.
var ownAttributes = strings.Fields("lang charset href name content class rel datetime dir title open colspan rowspan start value")

// checkCopy parses a copy as a browser does, tag by tag and as a tree, and fails the test if anything in it
// acts or loads.
func checkCopy(tb testing.TB, page []byte) {
	tb.Helper()
	if !bytes.HasPrefix(page, []byte("<!DOCTYPE html>\n")) || !utf8Valid(page) {
		tb.Errorf("begins with %.20q", page)
	}
	once := map[string]int{}
	element := func(name string, attributes []html.Attribute, namespace string) {
		_, ours := copied[name]
		ours = ours && name != "main"
		if own := slices.Contains([]string{"html", "head", "body", "meta", "base", "title", "style", "main", "mark"}, name); own {
			if once[name]++; once[name] > 1 && name != "meta" && name != "mark" {
				tb.Errorf("a second <%s>", name)
			}
			ours = true
		}
		if !ours || namespace != "" {
			tb.Errorf("<%s> of %q", name, namespace)
		}
		for _, a := range attributes {
			if !slices.Contains(ownAttributes, a.Key) || a.Namespace != "" {
				tb.Errorf("<%s %s>", name, a.Key)
			}
			value := strings.ToLower(strings.Map(func(r rune) rune {
				if r <= ' ' {
					return -1
				}
				return r
			}, a.Val))
			for _, scheme := range []string{"javascript:", "data:", "vbscript:"} {
				if a.Key == "href" && strings.HasPrefix(value, scheme) {
					tb.Errorf("<%s %s=%q>", name, a.Key, a.Val)
				}
			}
			if a.Key == "content" && !slices.Contains([]string{"width=device-width, initial-scale=1", "noindex, nofollow, noarchive"}, a.Val) {
				tb.Errorf("<%s %s=%q>", name, a.Key, a.Val)
			}
			if a.Key == "class" && !regexp.MustCompile(`^(copy|alt|t[0-7])$`).MatchString(a.Val) {
				tb.Errorf("<%s %s=%q>", name, a.Key, a.Val)
			}
		}
	}
	z := html.NewTokenizer(bytes.NewReader(page))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			element(token.Data, token.Attr, "")
		case html.CommentToken:
			tb.Errorf("comment %q", token.Data)
		case html.TextToken:
			if strings.Contains(token.Data, "color-scheme") && once["style"] == 1 && once["body"] == 0 && token.Data != copyStyle {
				tb.Errorf("style %q", token.Data)
			}
		}
	}
	clear(once)
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return // too deeply nested for this parser
	}
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			if n.Data == "mark" || n.Data == "main" && once["main"] == 0 || n.Data != "main" {
				element(n.Data, n.Attr, n.Namespace)
			}
		case html.CommentNode:
			tb.Errorf("comment %q", n.Data)
		}
	}
	for _, name := range []string{"html", "head", "body", "title", "style", "main"} {
		if once[name] != 1 {
			tb.Errorf("%d <%s>", once[name], name)
		}
	}
}

func utf8Valid(b []byte) bool { return strings.ToValidUTF8(string(b), "") == string(b) }

// TestCopyHasTheWords: a copy has all words of the document in their order, and no others.
func TestCopyHasTheWords(t *testing.T) {
	rules := testRules(t)
	for _, page := range manual(t, 25) {
		if bytes.Contains(page, []byte(" alt=")) {
			continue // descriptions of images are not words of the document
		}
		of := func(body []byte) (words []string) {
			text, err := document.ReadText(body, "text/html; charset=utf-8", "", rules)
			if err != nil {
				t.Fatal(err)
			}
			document.Tokens(string(text.Body), func(word string, _, _ int) bool {
				words = append(words, word)
				return true
			})
			return words
		}
		s := source(string(page))
		got := of([]byte(shown(t, makeCopy(t, s, "index the pg_stat*"))))
		if diff := cmp.Diff(of(page), got); diff != "" {
			t.Fatalf("(-original +copy):\n%s", diff)
		}
	}
}

// TestHostileCopy tries common attacks.
func TestHostileCopy(t *testing.T) {
	for _, body := range hostile {
		for _, contentType := range []string{"text/html", "application/xhtml+xml", "text/plain", "image/svg+xml"} {
			s := source(body)
			s.ContentType, s.Title = contentType, body
			s.URL = "http://example.org/" + body
			makeCopy(t, s, "cat alert")
		}
	}
}

var hostile = []string{
	`<script>alert(1)</script>`, `<SCRIPT SRC=//x></SCRIPT>`, `<scr<script>ipt>alert(1)</scr</script>ipt>`, `<script`, `</script><script>alert(1)`,
	`<img src=x onerror=alert(1)>`, `<svg onload=alert(1)>`, `<svg><script>alert(1)</script></svg>`, `<math><mi//xlink:href="data:x,<script>alert(1)</script>">`,
	`<a href="javascript:alert(1)">x</a>`, `<a href="jav&#x09;ascript:alert(1)">x</a>`, `<a href=" &#14; javascript:alert(1)">x</a>`, `<a href='data:text/html,<script>'>x</a>`,
	`<body onload=alert(1)>`, `<body background=javascript:alert(1)>`, `<base href="javascript:/a/-alert(1)///////">`, `<base href="http://evil.example/"><base href=x>`,
	`<meta http-equiv=refresh content="0;url=javascript:alert(1)">`, `<meta http-equiv=Content-Security-Policy content="">`, `<meta charset=utf-7>+ADw-script+AD4-alert(1)`,
	`<iframe src=javascript:alert(1)></iframe>`, `<iframe srcdoc="<script>alert(1)</script>">`, `<object data=x></object><embed src=x><applet code=x>`,
	`<form action=x><input name=password><input type=submit></form>`, `<button formaction=javascript:x>`, `<isindex action=javascript:x>`,
	`<style>@import 'x';</style>`, `<style>body{background:url(x)}`, `<p style="x:expression(alert(1))">`, `<link rel=stylesheet href=x>`, `<link rel=import href=x>`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<noembed><img title="</noembed><script>">`, `<xmp><p title="</xmp><script>alert(1)</script>">`,
	`<textarea><script>alert(1)</script></textarea>`, `<title><script>alert(1)</script></title>`, `<template><script>alert(1)</script></template>`,
	`<svg><style><img title="</style><script>alert(1)</script>">`, `<math><mtext><table><mglyph><style><!--</style><img title="--><script>alert(1)</script>">`,
	`<!--<img src="--><script>alert(1)</script>">`, `<!--[if IE]><script>alert(1)</script><![endif]-->`, `<![CDATA[<script>alert(1)</script>]]>`, `<?xml-stylesheet href="x"?>`,
	`<plaintext><script>alert(1)</script>`, `<frameset><frame src=x></frameset>`, `<html manifest=x>`, `<video><source onerror=alert(1)>`, `<audio src=x autoplay>`, `<marquee onstart=x>`,
	`<details ontoggle=alert(1) open>`, `<a ping=x href=y target=_top download>`, `<portal src=x>`, `<dialog open>`, `<x-y is=z onfocus=alert(1) tabindex=0 autofocus>`,
	`<p lang='"><script>alert(1)</script>'>`, `<td colspan="1 onclick=x">`, `<abbr title='"><script>alert(1)</script>'>cat</abbr>`, "<p\x00onclick=x>", `<p/onclick=x/>`, `<a href=x"onclick=x>`,
	`</main></body></html><script>alert(1)</script>`, `</header></pre>`, `&lt;script&gt;alert(1)&lt;/script&gt;`, `&#60;script&#62;`, "\uFEFF<script>", strings.Repeat("<div><b>", 2000) + "cat",
	`<select><script>alert(1)</script><option>cat</select>`, `<table><script>x</script><form><input>cat`, `<image src=x onerror=y alt="<script>">`, `<br/onclick=x></br>`, `<wbr></wbr></hr></p></li>`,
}

// TestLargeCopies copies documents of the maximum size that are made to be expensive.
func TestLargeCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 60 MB")
	}
	rules, err := document.NewRules(document.Rules{IndexLimit: document.MaxIndexLimit, ParseLimit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	f := NewFinder(testQuery(t, "a b c"), nil)
	for _, unit := range []string{"<b>a", "a b c ", "<p a=1 b=2 lang=en href=x>", "<a href=x>&amp;", "<<&&", "日"} {
		begin := time.Now()
		page, err := MakeCopy(source(strings.Repeat(unit, document.MaxIndexLimit/len(unit))), f, rules)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(page, []byte("<mark")); n > maxMarks+3 {
			t.Errorf("%q: %d marks", unit, n)
		}
		t.Logf("%q: %v, %d MB", unit, time.Since(begin), len(page)>>20)
	}
}

// FuzzCopy: nothing in a copy acts or loads, whatever the document is.
func FuzzCopy(f *testing.F) {
	for _, body := range hostile {
		f.Add([]byte(body), "text/html", "http://example.org/", "cat")
	}
	f.Add([]byte("\xff\xfe<\x00b\x00"), "text/html", "javascript:x", `"a b" c*`)
	f.Add([]byte("<a>"), "text/plain; charset=utf-16", `http://x"><b>`, "")
	rules := testRules(f)
	f.Fuzz(func(t *testing.T, body []byte, contentType, address, queryText string) {
		var finder *Finder
		if q, err := query.Parse(queryText, query.Options{MinFixedPatternLength: 1}); err == nil {
			finder = NewFinder(q, nil)
		}
		s := CopySource{URL: address, Title: queryText, Body: body, ContentType: contentType}
		page, err := MakeCopy(s, finder, rules)
		if errors.Is(err, ErrNoArchive) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkCopy(t, page)
		if low := strings.ToLower(string(page)); strings.Contains(low, "<script") {
			t.Errorf("a script in %s", page)
		}
	})
}

// BenchmarkCopy makes a copy of each page of the manual.
func BenchmarkCopy(b *testing.B) {
	pages := manual(b, 1)
	if len(pages) == 0 {
		b.Skip("the package postgresql-doc-15 is not installed")
	}
	rules := testRules(b)
	f := NewFinder(testQuery(b, "index scan"), nil)
	for b.Loop() {
		for _, page := range pages {
			if _, err := MakeCopy(source(string(page)), f, rules); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(pages)), "µs/page")
}
