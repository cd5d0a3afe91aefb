package spider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/document"
)

// textOfPage is the text of an HTML page.
func textOfPage(t *testing.T, html string) pageText {
	t.Helper()
	rules, err := document.NewRules(document.Rules{LinkTags: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := document.Parse([]byte(html), "text/html; charset=utf-8", rules)
	if err != nil {
		t.Fatal(err)
	}
	return textOf(doc)
}

// TestSoft404Text compares pages with the answer of their site for an address that does not exist.
func TestSoft404Text(t *testing.T) {
	t.Parallel()
	const (
		probe = "http://a.test/docs/pgseek-0123456789abcdef.html"
		menu  = `<ul><li><a href="/">Home</a> <li><a href="/apples.html">Apples</a> <li><a href="/docs/">Manual of the orchard</a></ul>`
	)
	apache := func(path string) string {
		return `<title>404 Not Found</title><h1>Not Found</h1><p>The requested URL ` + path + ` was not found on this server.</p>`
	}
	framework := func(path, token, at string) string {
		return `<title>Nothing at ` + path + `</title>` + menu + `<form><input type=hidden name=csrf value="` + token + `"></form>
			<p>Sorry, there is no page ` + path + ` here. Request ` + token + `, ` + at + `.`
	}
	wiki := func(topic, text string) string {
		return `<title>` + topic + ` [Orchard]</title>` + menu + `<h1>` + topic + `</h1>` + text + ` <p>Edit this page. Old revisions. Recent changes.`
	}
	const missing = "This topic does not exist yet. You have followed a link to it. You may create it."
	number := func(text string) string {
		return `<title>Item</title><p>Our price for one piece of this item, with all taxes: ` + text
	}
	for _, c := range []struct {
		what        string
		url         string
		page, probe string
		want        bool
	}{
		{"the path is printed", "http://a.test/fruit/red%20apples.html", apache("/fruit/red apples.html"), apache("/docs/pgseek-0123456789abcdef.html"), true},
		{
			"a path as long as the sentence", "http://a.test/not/found/on/this/server", apache("/not/found/on/this/server"),
			apache("/docs/pgseek-0123456789abcdef.html"), true,
		},
		{"a page about it", "http://a.test/404.html", apache("/404.html") + " This is how to write such a page.", apache("/docs/x.html"), false},
		{
			"path, token and time", "http://a.test/apples.html?v=2", framework("/apples.html?v=2", "1f2e3d4c5b6a", "Mon, 3 Mar 2025 14:05:06 GMT"),
			framework("/docs/pgseek-0123456789abcdef.html", "99aa88bb77cc", "Tue, 14 Oct 2025 03:59:00 GMT"), true,
		},
		{"a topic that is missing", "http://a.test/docs/plums", wiki("plums", missing), wiki("pgseek 0123456789abcdef", missing), true},
		{"a topic without text", "http://a.test/docs/plums", wiki("plums", ""), wiki("pgseek 0123456789abcdef", missing), false},
		{"a topic with a word", "http://a.test/docs/plums", wiki("plums", missing+" Blue."), wiki("pgseek 0123456789abcdef", missing), false},
		{"a profile that repeats its address", "http://a.test/user/bob", wiki("bob", "Name: Bob"), wiki("pgseek 0123456789abcdef", "Name:"), false},
		{"another price", "http://a.test/item/7", number("15 EUR"), number("0 EUR"), false},
		{"a price, and none", "http://a.test/item/7", number("15 EUR"), number("EUR"), false},
		{"two words", "http://a.test/item/7", "Hello World", "Hello World", false},
		{"more links", "http://a.test/docs/list", menu + strings.Repeat(`<a href="/x.html"></a>`, 1) + links(9), menu, false},
	} {
		if got := textOfPage(t, c.page).equals(c.url, unpackText(textOfPage(t, c.probe).pack(), textOfPage(t, c.probe).links), probe); got != c.want {
			t.Errorf("%s: equal %t, want %t", c.what, got, c.want)
		}
	}

	// Two such pages are equal without knowing the answer.
	one, _ := textOfPage(t, framework("/a/plums", "1f2e3d4c5b6a", "Mon, 3 Mar 2025 14:05:06 GMT")).key("http://a.test/a/plums")
	two, ok := textOfPage(t, framework("/b/c/pears", "aa2e3d4c5b6a", "Tue, 14 Oct 2025 03:59:00 GMT")).key("http://a.test/b/c/pears")
	if one != two || !ok {
		t.Errorf("two pages for addresses that do not exist have the keys %d and %d, %t", one, two, ok)
	}
	if _, ok := textOfPage(t, "").key("http://a.test/"); ok {
		t.Error("an empty page has a key")
	}
}

// links are n links without text.
func links(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<a href="/%d"></a>`, i)
	}
	return b.String()
}

// TestPlaceOf verifies which URLs name the same page.
func TestPlaceOf(t *testing.T) {
	t.Parallel()
	for _, list := range [][]string{
		{"http://a.test/", "http://a.test/?lang=en", "http://a.test/index.html", "http://a.test/INDEX.php?x=/y"},
		{"http://a.test/b", "http://a.test/b/", "http://a.test/B/default.asp", "http://a.test/b;sid=7"},
	} {
		for _, u := range list[1:] {
			if placeOf(u) != placeOf(list[0]) {
				t.Errorf("%s and %s are different places", list[0], u)
			}
		}
	}
	if placeOf("http://a.test/b") == placeOf("http://a.test/b/c") || placeOf("http://a.test/") == placeOf("http://a.test/b") {
		t.Error("different pages are one place")
	}
}
