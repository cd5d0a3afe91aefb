package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func newRules(tb testing.TB, r Rules) *Rules {
	tb.Helper()
	if r.ParseLimit == 0 {
		r.ParseLimit = time.Hour // how busy the machine is decides no test
	}
	rules, err := NewRules(r)
	if err != nil {
		tb.Fatal(err)
	}
	return rules
}

// parseHTML reads a page with the default rules.
func parseHTML(tb testing.TB, page string) *Document {
	tb.Helper()
	return parseWith(tb, page, "text/html; charset=utf-8", Rules{})
}

func parseWith(tb testing.TB, page, contentType string, r Rules) *Document {
	tb.Helper()
	d, err := Parse([]byte(page), contentType, newRules(tb, r))
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// list lists the words of a section by their ordinals: "0:foo 1:bar".
func list(d *Document, section int) string {
	byOrdinal := map[int]string{}
	last := -1
	for _, w := range d.Words {
		for _, p := range w.Positions {
			if int(p>>14) == section {
				byOrdinal[int(p&lastOrdinal)] = w.Text
				last = max(last, int(p&lastOrdinal))
			}
		}
	}
	var out []string
	for i := range last + 1 {
		if word, ok := byOrdinal[i]; ok {
			out = append(out, fmt.Sprintf("%d:%s", i, word))
		}
	}
	return strings.Join(out, " ")
}

func hrefs(d *Document) string {
	var out []string
	for _, l := range d.Links {
		out = append(out, l.Href)
	}
	return strings.Join(out, " ")
}

func TestReadable(t *testing.T) {
	for contentType, want := range map[string]bool{
		"text/html": true, "Text/HTML; charset=koi8-r": true, "application/xhtml+xml": true, "text/plain": true,
		" text/plain ;format=flowed": true, "text/css": false, "application/pdf": false, "": false, "text/htmlx": false,
	} {
		if got := Readable(contentType); got != want {
			t.Errorf("Readable(%q) = %v, want %v", contentType, got, want)
		}
		_, err := Parse(nil, contentType, newRules(t, Rules{}))
		if errors.Is(err, ErrUnreadable) == want {
			t.Errorf("Parse of %q: %v", contentType, err)
		}
	}
}

func TestSections(t *testing.T) {
	d := parseHTML(t, `before <html><head><title>The Title</title><meta name=description content="A description">
		<meta http-equiv=Keywords content="some, keywords"><meta name="DESCRIPTION" content="continued">
		</head><body>The body<title>again</title></body> after</html>`)
	for section, want := range []string{
		"0:before 1:the 2:body 3:after", "0:a 1:description 2:continued", "0:some 1:keywords", "0:the 1:title 2:again",
	} {
		if got := list(d, section); got != want {
			t.Errorf("section %d: %s, want %s", section, got, want)
		}
	}
	want := Document{Title: "The Title", Text: "The body", Description: "A description continued", Keywords: "some, keywords"}
	got := Document{Title: d.Title, Text: d.Text, Description: d.Description, Keywords: d.Keywords}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	the := find(d, "the")
	if diff := cmp.Diff([]uint16{1, 3 << 14}, the.Positions); diff != "" {
		t.Errorf("positions of a word in body and title: %s", diff)
	}
}

func find(d *Document, text string) Word {
	for _, w := range d.Words {
		if w.Text == text {
			return w
		}
	}
	return Word{}
}

func TestTextAsABrowserShowsIt(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"inline elements do not separate", `<b>foo</b>bar <span>a</span><i>b</i><code>c</code>`, "0:foobar 1:abc"},
		{"blocks separate", `<p>foo<p>bar<div>baz</div>qux`, "0:foo 1:bar 2:baz 3:qux"},
		{"cells separate", `<table><tr><td>a</td><td>b</td></tr></table>`, "0:a 1:b"},
		{"br separates, wbr does not", `foo<br>bar<br/>baz super<wbr>man`, "0:foo 1:bar 2:baz 3:superman"},
		{"an image separates", `foo<img src=x>bar`, "0:foo 1:bar"},
		{"unknown elements separate", `foo<my-tag>bar</my-tag>baz`, "0:foo 1:bar 2:baz"},
		{"comments do not separate", `foo<!-- x -->bar`, "0:foobar"},
		{"script and style are skipped and do not separate", `foo<script>var x="</b>"</script>bar<style>p{}</style>`, "0:foobar"},
		{"template is skipped", `foo <template>no <template>no</template> no</template>bar`, "0:foo 1:bar"},
		{"noscript is read", `<noscript>foo <a href=x>bar</a></noscript>`, "0:foo 1:bar"},
		{"noframes is read", `<frameset><frame src=a><noframes><body>foo</body></noframes></frameset>`, "0:foo"},
		{"iframe and noembed are not", `<iframe>no</iframe>foo<noembed>no</noembed>`, "0:foo"},
		{"textarea and xmp are text", `<textarea>a&amp;b <b></textarea><xmp><i>c&amp;</xmp>`, "0:a 1:b 2:b 3:i 4:c 5:amp"},
		{"plaintext takes the rest", `a<plaintext>b</plaintext>c`, "0:a 1:b 2:plaintext 3:c"},
		{
			"entities", `caf&eacute; caf&eacute d&#xE9;j&#224; &#x41;&#66; R&amp;D &notit; &unknown; x&nbsp;y`,
			"0:café 1:café 2:déjà 3:ab 4:r 5:d 6:it 7:unknown 8:x 9:y",
		},
		{"an entity inside a word", `na&iuml;ve &lt;b&gt;`, "0:naïve 1:b"},
		{"less-than signs are text", `a < b <3 c << d`, "0:a 1:b 2:3 3:c 4:d"},
		{"the title of a picture is text of the body", `<svg><title>chart<b>x</b></title></svg>foo`, "0:chartx 1:foo"},
		{"CDATA is text in a picture only", `<svg><![CDATA[foo]]></svg><![CDATA[bar]]>baz`, "0:foo 1:baz"},
		{"a script that writes scripts", `<script><!-- <script>no</script> no --></script>foo`, "0:foo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := list(parseHTML(t, c.page), sectionBody); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestXHTMLClosesEmptyElements(t *testing.T) {
	page := `<?xml version="1.0"?><html><head><script src="x"/><title/></head><body>foo<![CDATA[ <bar> ]]></body></html>`
	if got := list(parseWith(t, page, "application/xhtml+xml", Rules{}), sectionBody); got != "0:foo 1:bar" {
		t.Errorf("as XHTML: %s", got)
	}
	if got := list(parseHTML(t, page), sectionBody); got != "" {
		t.Errorf("as HTML the script is never closed: %s", got)
	}
}

func TestPlainText(t *testing.T) {
	d := parseWith(t, "Plain <b>text</b>\n\n&amp; more", "text/plain", Rules{})
	if got, want := list(d, sectionBody), "0:plain 1:b 2:text 3:b 4:amp 5:more"; got != want {
		t.Errorf("got %s, want %s (ordinals begin at 0)", got, want)
	}
	if got, want := d.Text, "Plain <b>text</b> &amp; more"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

func TestNoindexComments(t *testing.T) {
	for _, name := range []string{"noindex", "htdig_noindex", "UdmComment", " NOINDEX "} {
		name := strings.TrimSpace(name)
		page := "foo<!--" + name + "-->hidden <a href=followed>no</a><!--/" + name + "-->bar"
		d := parseHTML(t, page)
		if got := list(d, sectionBody); got != "0:foo 1:bar" {
			t.Errorf("%s: words %s", name, got)
		}
		if got := hrefs(d); got != "followed" {
			t.Errorf("%s: links %s", name, got)
		}
		if d.Text != "foo bar" {
			t.Errorf("%s: text %q", name, d.Text)
		}
	}
}

func TestRobots(t *testing.T) {
	type robots struct{ NoIndex, NoFollow, NoArchive, NoSnippet bool }
	for content, want := range map[string]robots{
		"noindex":                {NoIndex: true},
		"NoFollow":               {NoFollow: true},
		"none":                   {NoIndex: true, NoFollow: true},
		"noindex,follow":         {NoIndex: true},
		"all":                    {},
		"index, follow":          {},
		"noarchive nosnippet":    {NoArchive: true, NoSnippet: true},
		"index;noindex":          {NoIndex: true},
		"noindexing, nofollower": {},
	} {
		for _, name := range []string{"name", "http-equiv"} {
			d := parseHTML(t, `<title>T</title><body>early<meta `+name+`="Robots" content="`+content+`">late <a href=x>`)
			got := robots{d.NoIndex, d.NoFollow, d.NoArchive, d.NoSnippet}
			if got != want {
				t.Errorf("%s: got %+v, want %+v", content, got, want)
			}
			if d.Title != "T" || hrefs(d) != "x" {
				t.Errorf("%s: title %q, links %q", content, d.Title, hrefs(d))
			}
			if n := len(d.Words); (n == 0) != want.NoIndex || n != d.WordCount || (d.TotalCount == 0) != want.NoIndex || (d.Text == "") != want.NoIndex {
				t.Errorf("%s: %d words, total %d, text %q", content, n, d.TotalCount, d.Text)
			}
		}
	}
	if d := parseHTML(t, `<meta name=otherbot content=noindex>x`); d.NoIndex {
		t.Error("META of another robot was obeyed")
	}
}

func TestLinks(t *testing.T) {
	page := `<base target=x><base href=" /base/ "><base href="/second/">
		<link rel="Canonical" href="/c" type=t hreflang=de media=m title=T><link rel=icon><link href=y>
		<a href="one">1</a><a href=" two
 ">2</a><a href="one#part">again</a><a href="#part">self</a><a name=x>none</a>
		<a href=three rel="external NoFollow">3</a><a href="?a=1&copy=2&amp;b=&lt;&eacute;">4</a>
		<area href=area><frame src=frame><iframe src=iframe></iframe><img src=img><form action=form></form>
		<template><a href=template></a></template><a href='' HREF=dup>5</a><a href="a&quot;b&notit;c&#x41;">6</a>`
	const plain = "one two  ?a=1&copy=2&b=<é a\"b&notit;cA"
	for _, c := range []struct {
		name  string
		rules Rules
		want  string
	}{
		{"a only", Rules{}, plain},
		{"nofollow on request", Rules{FollowRelNofollow: true}, "one two  three ?a=1&copy=2&b=<é a\"b&notit;cA"},
		{
			"all",
			Rules{LinkTags: []string{"a", "area", "frame", "iframe", "img", "link"}},
			"/c y one two  ?a=1&copy=2&b=<é area frame iframe img a\"b&notit;cA",
		},
		{"pictures", Rules{LinkTags: []string{"img"}}, "img"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := parseWith(t, page, "text/html", c.rules)
			if diff := cmp.Diff(c.want, hrefs(d)); diff != "" {
				t.Error(diff)
			}
			if d.Base != "/base/" {
				t.Errorf("base %q: the first with an href counts (B26: as it stands)", d.Base)
			}
			want := []HeadLink{{Rel: "Canonical", Href: "/c", Type: "t", HrefLang: "de", Media: "m", Title: "T"}}
			if diff := cmp.Diff(want, d.Heads); diff != "" {
				t.Error(diff)
			}
		})
	}
	if l := parseWith(t, `<IMG SRC=x>`, "text/html", Rules{LinkTags: []string{"img"}}).Links[0]; l.Tag != "img" {
		t.Errorf("tag %q", l.Tag)
	}
}

func TestRefresh(t *testing.T) {
	for content, want := range map[string]string{
		"5; url=next.html": "next.html", "0;URL='a b.html'": "a b.html", " 3 , url = x": "x", "5": "", "": "", "; url=x": "x",
		"5;x.html": "x.html", "soon; url=x": "", "0.5;url=\"q": "q",
	} {
		d := parseHTML(t, `<meta http-equiv="Refresh" content="`+strings.ReplaceAll(content, `"`, "&quot;")+`">`)
		if d.Refresh != want {
			t.Errorf("%q: got %q, want %q", content, d.Refresh, want)
		}
		if len(d.Links) != 0 {
			t.Errorf("%q: is a link", content)
		}
	}
}

func TestRefreshAfter(t *testing.T) {
	for content, want := range map[string]time.Duration{
		"5; url=x": 5 * time.Second, "0;x": 0, "10.9; x": 10 * time.Second, ".5; x": 0, "99999999999999999999; x": 24 * time.Hour, "5": 0,
		"000003,x": 3 * time.Second,
	} {
		if got := parseHTML(t, `<meta http-equiv=refresh content="`+content+`">`).RefreshAfter; got != want {
			t.Errorf("%q: got %v, want %v", content, got, want)
		}
	}
}

// TestIgnoreMeta: noindex and nofollow are not heeded, noarchive and nosnippet are.
func TestIgnoreMeta(t *testing.T) {
	d := parseWith(t, `<meta name=robots content="none, noarchive, nosnippet">word`, "text/html", Rules{IgnoreMeta: true})
	if d.NoIndex || d.NoFollow || !d.NoArchive || !d.NoSnippet || d.WordCount != 1 {
		t.Errorf("%+v", d)
	}
}

func TestHeadsAreLimited(t *testing.T) {
	if n := len(parseHTML(t, strings.Repeat(`<link rel=x href=y>`, HeadLimit+5)).Heads); n != HeadLimit {
		t.Errorf("%d, want %d", n, HeadLimit)
	}
}

// TestFieldLimits is B27.
func TestFieldLimits(t *testing.T) {
	long := strings.Repeat("äé ", 300)
	d := parseHTML(t, "<title> \n"+long+"</title><meta name=keywords content='"+long+"'><meta name=description content='"+
		long+"'><body>"+long)
	for name, c := range map[string]struct {
		field string
		limit int
	}{
		"title": {d.Title, TitleLimit}, "text": {d.Text, TextLimit}, "keywords": {d.Keywords, KeywordsLimit},
		"description": {d.Description, DescriptionLimit},
	} {
		want := strings.TrimSpace(string([]rune(long)[:c.limit]))
		if c.field != want {
			t.Errorf("%s: %d characters %q, want %d", name, utf8.RuneCountInString(c.field), c.field, utf8.RuneCountInString(want))
		}
	}
	if d := parseHTML(t, "<title>a\t\r\n b\u00a0\u0085c\x1b[1m </title>"); d.Title != "a b c [1m" {
		t.Errorf("white space and control characters: %q", d.Title)
	}
	exact := strings.Repeat("x", TitleLimit)
	if d := parseHTML(t, "<title>"+exact+"</title>"); d.Title != exact {
		t.Errorf("a title of exactly the limit is cut: %d", len(d.Title))
	}
}

func TestTextWithoutBodyTag(t *testing.T) {
	if got := parseHTML(t, "<h1>foo</h1><p>bar").Text; got != "foo bar" {
		t.Errorf("%q", got)
	}
}

func TestWordRules(t *testing.T) {
	r := Rules{MinWordLength: 2, MaxWordLength: 5, Stopwords: map[string]string{"The": "en", "und": "de", "don't": "en"}}
	d := parseWith(t, "the a word und longer foo the don't", "text/plain", r)
	if got, want := list(d, sectionBody), "2:word 5:foo 7:don"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if d.WordCount != 3 || d.TotalCount != 3 || d.Lang != "en" {
		t.Errorf("counts %d %d, language %q", d.WordCount, d.TotalCount, d.Lang)
	}
	rules := newRules(t, r)
	for word, want := range map[string]bool{"the": false, "a": false, "word": true, "longer": false, "": false, "don": true} {
		if got := rules.Stored(word); got != want {
			t.Errorf("Stored(%q) = %v", word, got)
		}
	}
}

// TestOrdinalsSaturate: later words share the last ordinal, once in the positions, each in the count.
func TestOrdinalsSaturate(t *testing.T) {
	d := parseWith(t, strings.Repeat("x ", 16380)+"a b c d e e e d", "text/plain", Rules{})
	for word, want := range map[string]string{"a": "[16380]", "c": "[16382]", "d": "[16383]", "e": "[16383]"} {
		if got := fmt.Sprint(find(d, word).Positions); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
	if d.TotalCount != 16388 || d.WordCount != 6 {
		t.Errorf("total %d, words %d", d.TotalCount, d.WordCount)
	}
}

// TestPositionsOfAWordAreLimited: at most 16,383 are stored, the highest of the body dropped first.
func TestPositionsOfAWordAreLimited(t *testing.T) {
	many := strings.Repeat("x ", 20000)
	p := find(parseHTML(t, "<title>x x</title>"+many), "x").Positions
	if len(p) != maxPositions || p[len(p)-1] != 3<<14|1 || p[len(p)-3] != 16380 {
		t.Errorf("%d positions, end %v", len(p), p[len(p)-3:])
	}
	p = find(parseHTML(t, "<title>"+many+"</title><meta name=description content='"+many+"'>"+many), "x").Positions
	if len(p) != maxPositions || p[0] != 3<<14 || p[len(p)-1] != 65534 {
		t.Errorf("%d positions from %d to %d", len(p), p[0], p[len(p)-1])
	}
}

// Documents that are read again for their words have the same words, without a language (NoLanguage).
func TestWordsWithoutLanguage(t *testing.T) {
	body := []byte("<html lang=de><title>a b</title>" + strings.Repeat("Zwei Worte und noch eins, ", 20))
	var docs [2]*Document
	for i, none := range []bool{false, true} {
		rules, err := NewRules(Rules{NoLanguage: none})
		if err != nil {
			t.Fatal(err)
		}
		if docs[i], err = Parse(body, "text/html", rules); err != nil {
			t.Fatal(err)
		}
	}
	if docs[0].Lang != "de" || docs[1].Lang != "" {
		t.Errorf("languages %q and %q, want de and none", docs[0].Lang, docs[1].Lang)
	}
	docs[0].Lang = ""
	if diff := cmp.Diff(docs[0], docs[1]); diff != "" {
		t.Errorf("the rest (-with +without):\n%s", diff)
	}
}

func TestLanguageOfTheDocument(t *testing.T) {
	for page, want := range map[string]string{
		`<html lang="en-US">`: "en", `<html lang=DE>`: "de", `<html xml:lang="fr">`: "fr", `<html lang=fil>`: "",
		`<html lang="">`: "", `<html lang="x">`: "", `<meta http-equiv=Content-Language content="pl, en">`: "pl",
		`<html lang="zh_TW">`: "zh", `<html lang=de><meta http-equiv=Content-Language content=pl>`: "de",
	} {
		if got := parseHTML(t, page).Lang; got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}

// TestDocumentDoesNotShareTheBody: the caller may reuse the body's memory.
func TestDocumentDoesNotShareTheBody(t *testing.T) {
	body := []byte(`<title>title</title><link rel=a href=b><meta name=description content=desc><a href=link>word жук`)
	r := newRules(t, Rules{})
	d, err := Parse(body, "text/html; charset=utf-8", r)
	if err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprintf("%+v", d)
	for i := range body {
		body[i] = 'X'
	}
	if _, err := Parse([]byte(strings.Repeat("<title>OTHER</title> <a href=OTHER>OTHER", 50)), "text/html", r); err != nil {
		t.Fatal(err)
	}
	if after := fmt.Sprintf("%+v", d); after != before {
		t.Errorf("before %s\nafter  %s", before, after)
	}
}

func TestNewRulesRefuses(t *testing.T) {
	for want, r := range map[string]Rules{
		"MinWordLength":   {MinWordLength: 5, MaxWordLength: 4},
		"MaxWordLength":   {MaxWordLength: 33},
		"IndexLimit":      {IndexLimit: MaxIndexLimit + 1},
		"LinkTags":        {LinkTags: []string{"A", "form"}},
		"MaxLinksPerPage": {MaxLinks: -1},
		"parse limit":     {ParseLimit: -1},
		"StopwordFile":    {Stopwords: map[string]string{"x": "eng"}},
	} {
		if _, err := NewRules(r); err == nil || !strings.HasPrefix(err.Error(), want+":") {
			t.Errorf("%+v: %v, want an error about %s", r, err, want)
		}
	}
}
