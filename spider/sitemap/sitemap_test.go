package sitemap

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// read returns the entries of a sitemap as lines: URL, and the date if there is one.
func read(body string) (lines []string, r Result, err error) {
	r, err = Read(strings.NewReader(body), func(_ Kind, e Entry) error {
		line := e.URL
		if !e.LastMod.IsZero() {
			line += " " + e.LastMod.Format("2006-01-02T15:04")
		}
		lines = append(lines, line)
		return nil
	})
	return lines, r, err
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.String()
}

const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

func TestSitemaps(t *testing.T) {
	two := head + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> http://h/a?x=1&amp;y=2
</loc><lastmod>2026-11-02</lastmod><changefreq>daily</changefreq></url>
<url><priority>1.0</priority><lastmod>2026-11-02T10:30:00+02:00</lastmod><loc><![CDATA[http://h/b]]></loc></url></urlset>`
	of2 := []string{"http://h/a?x=1&y=2 2026-11-02T00:00", "http://h/b 2026-11-02T08:30"}
	for _, c := range []struct {
		name, body string
		kind       Kind
		want       []string
	}{
		{"urlset", two, URLs, of2},
		{"urlset in gzip", zipped(two), URLs, of2},
		{"byte order mark and white space", "\ufeff\r\n  " + strings.TrimPrefix(two, head), URLs, of2},
		{"index", head + `<sitemapindex><sitemap><loc>http://h/1.xml.gz</loc><lastmod>2026</lastmod></sitemap>
			<sitemap><loc>http://h/2.xml</loc></sitemap></sitemapindex>`, Index, []string{"http://h/1.xml.gz 2026-01-01T00:00", "http://h/2.xml"}},
		{"a style sheet and a prefix", `<?xml-stylesheet type="text/xsl" href="/main-sitemap.xsl"?><s:urlset xmlns:s="http://x"><s:url><s:loc>http://h/a</s:loc></s:url></s:urlset>`, URLs, []string{"http://h/a"}},
		{
			"images, videos, news and languages", `<urlset xmlns="http://s" xmlns:image="http://i" xmlns:video="http://v" xmlns:n="http://n" xmlns:xhtml="http://x">
			<url><image:loc>http://h/no</image:loc><image:image><image:loc>http://h/i.png</image:loc></image:image>
			<xhtml:link rel="alternate" hreflang="de" href="http://h/de"/><n:news><n:publication_date>2020-01-01</n:publication_date></n:news>
			<video:video><loc>http://h/no</loc><video:content_loc>http://h/v.mp4</video:content_loc></video:video><loc>http://h/a</loc></url></urlset>`,
			URLs,
			[]string{"http://h/a"},
		},
		{
			"an entry without loc", `<urlset><url><lastmod>2026-01-01</lastmod></url><url><loc>http://h/a</loc><lastmod>soon</lastmod></url></urlset>`,
			URLs,
			[]string{" 2026-01-01T00:00", "http://h/a"},
		},
		{"a URL outside of an entry", `<urlset><loc>http://h/no</loc><x><url><loc>http://h/no</loc></url></x></urlset>`, URLs, nil},
		{"latin-1", "<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>http://h/\xe4</loc></url></urlset>", URLs, []string{"http://h/ä"}},
		{"doctype", "<!DOCTYPE urlset><urlset><url><loc>http://h/&eacute;</loc></url></urlset>", URLs, []string{"http://h/é"}},
		{"text", "http://h/a\r\n\r\n http://h/b \rhttps://h/c\nno url", Text, []string{"http://h/a", "http://h/b", "https://h/c", "no url"}},
		{"text in gzip with a heading", zipped("pages of h\n\nhttp://h/a\n"), Text, []string{"http://h/a"}},
		{
			"a line that is too long", "http://h/a\nhttp://h/" + strings.Repeat("x", 1<<20) + "\nhttp://h/b", Text,
			[]string{"http://h/a", "http://h/" + strings.Repeat("x", maxLine-9), "http://h/b"},
		},
		{
			"RSS 2.0", `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>http://h/</link><atom:link href="http://h/rss"/>
			<item><title>x</title><link>http://h/a</link><pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate></item><item><title>y</title></item></channel></rss>`,
			Feed,
			[]string{"http://h/a 2026-11-02T10:00"},
		},
		{"RSS 1.0", `<rdf:RDF xmlns:rdf="http://rdf" xmlns="http://rss" xmlns:dc="http://dc"><channel><link>http://h/</link></channel>
			<item><link>http://h/a</link><dc:date>2026-11-02T10:00Z</dc:date></item></rdf:RDF>`, Feed, []string{"http://h/a 2026-11-02T10:00"}},
		{"Atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://h/"/><updated>2020-01-01T00:00:00Z</updated>
			<entry><link rel="edit" href="http://h/e"/><link href="http://h/a"/><updated>2026-11-02T10:00:00Z</updated>
			<content type="xhtml"><link href="http://h/no"/></content></entry></feed>`, Feed, []string{"http://h/a 2026-11-02T10:00"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, r, err := read(c.body)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" || r.Kind != c.kind || r.Entries != len(got) || r.More {
				t.Errorf("%+v (-want +got):\n%s", r, d)
			}
		})
	}
}

// Each broken sitemap is reported with its line. What precedes the error counts.
func TestBrokenSitemaps(t *testing.T) { // B60
	start := "<urlset>\n<url><loc>http://h/a</loc></url>\n"
	for _, c := range []struct {
		name, body string
		line       int
		reason     string
		entries    int
	}{
		{"cut", start + "<url><loc>http://h/", 3, "XML: unexpected EOF", 1},
		{"wrong end", start + "\n<url><loc>x</url>", 4, "XML: element <loc> closed by </url>", 1},
		{"bare ampersand", start + "<url><loc>http://h/?a=1&b=2</loc></url>", 3, "XML: invalid character entity &b (no semicolon)", 1},
		{"not UTF-8", start + "<url><loc>http://h/\xe4</loc></url>", 3, "XML: invalid UTF-8", 1},
		{"a charset that nobody knows", "<?xml version='1.0' encoding='klingon'?>\n<urlset/>", 1, `xml: opening charset "klingon": unsupported charset: "klingon"`, 0},
		{"HTML", "<!doctype html>\n<html><body>not found", 2, "an HTML page, no sitemap", 0},
		{"another root", "\n\n<svg/>", 3, "the element <svg> is no sitemap: want <urlset> or <sitemapindex>", 0},
		{"two roots", "<urlset/>\n<urlset/>", 2, "a second root element", 0},
		{"nothing", " \n", 1, "empty", 0},
		{"no element", "<!-- x -->\n<!-- y -->\n", 3, "XML: no element", 0},
		{"JSON", `{"urls": []}`, 1, "neither XML nor a list of URLs", 0},
		{"prose", strings.Repeat("once upon a time\n", 30), 20, "neither XML nor a list of URLs", 0},
		{"binary", "http://h/a\n\x00\x01", 2, "neither XML nor a list of URLs", 1},
		{"gzip that is cut", zipped(strings.Repeat(start, 1000))[:60], 0, "unexpected EOF", -1},
		{"gzip that is none", "\x1f\x8bxxxxxxxxxxxxxxx", 1, "gzip: gzip: invalid header", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := read(c.body)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if (c.line != 0 && e.Line != c.line) || e.Reason != c.reason || c.entries >= 0 && len(got) != c.entries {
				t.Errorf("line %d: %q after %d entries", e.Line, e.Reason, len(got))
			}
		})
	}
}

// B61: what would take memory without end.
func TestHugeSitemaps(t *testing.T) {
	spaces := func(n int64) io.Reader { return io.LimitReader(endless(' '), n) }
	for _, c := range []struct {
		name, reason string
		body         io.Reader
	}{
		{"a text of 2 MB", errLongToken.Error(), io.MultiReader(strings.NewReader("<urlset><url><loc>"), io.LimitReader(endless('x'), 2<<20))},
		{"a comment of 2 MB", errLongToken.Error(), io.MultiReader(strings.NewReader("<!-- "), spaces(2<<20))},
		{"attributes of 2 MB", errLongToken.Error(), strings.NewReader("<urlset " + strings.Repeat(`a="b" `, 400_000))},
		{"elements in one another", "more than 100 elements in one another", strings.NewReader("<urlset>" + strings.Repeat("<a>", 1_000_000))},
		{"a bomb", errTooLarge.Error(), bomb(60 << 20)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(c.body, func(Kind, Entry) error { return nil })
			if e := (*Error)(nil); !errors.As(err, &e) || e.Reason != c.reason || e.Line < 1 {
				t.Errorf("error %v", err)
			}
		})
	}
}

// bomb returns a sitemap with n bytes of comments in gzip.
func bomb(n int) io.Reader {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte("<urlset>"))
	comment := []byte("<!--" + strings.Repeat("x", 1000) + "-->\n")
	for range n / len(comment) {
		_, _ = z.Write(comment)
	}
	_ = z.Close()
	return &b
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestLimitOfEntries(t *testing.T) {
	var b strings.Builder
	b.WriteString("<urlset>")
	for i := range MaxEntries + 1 {
		fmt.Fprintf(&b, "<url><loc>http://h/%d</loc></url>", i)
	}
	lines, r, err := read(b.String())
	if err != nil || len(lines) != MaxEntries || !r.More || r.Entries != MaxEntries {
		t.Errorf("%d entries, %+v, %v", len(lines), r, err)
	}
	whole := strings.TrimSuffix(b.String(), "<url><loc>http://h/50000</loc></url>") + "</urlset>"
	if lines, r, err := read(whole); err != nil || len(lines) != MaxEntries || r.More {
		t.Errorf("%d entries, %+v, %v", len(lines), r, err)
	}
}

func TestErrorOfTheCaller(t *testing.T) {
	mine := errors.New("mine")
	for _, body := range []string{"<urlset><url><loc>http://h/</loc></url>", "http://h/\n"} {
		n := 0
		if _, err := Read(strings.NewReader(body), func(Kind, Entry) error { n++; return mine }); !errors.Is(err, mine) || n != 1 {
			t.Errorf("%v after %d calls", err, n)
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-02": "2026-11-02T00:00:00Z", "2026-11": "2026-11-01T00:00:00Z", "2026": "2026-01-01T00:00:00Z",
		"2026-11-02T10:30Z": "2026-11-02T10:30:00Z", "2026-11-02T10:30:05.25-05:00": "2026-11-02T15:30:05.25Z",
		"2026-11-02T10:30:05": "2026-11-02T10:30:05Z", "2026-11-02 10:30:05": "2026-11-02T10:30:05Z",
		"Mon, 2 Nov 2026 10:30:05 +0100": "2026-11-02T09:30:05Z", "": "", "yesterday": "", "02.11.2026": "", "20": "",
	} {
		got := ""
		if d := parseDate(text); !d.IsZero() {
			got = d.Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzSitemap(f *testing.F) {
	for _, s := range []string{
		head + "<urlset><url><loc>http://h/&amp;</loc><lastmod>2026</lastmod></url></urlset>", "<sitemapindex><sitemap><loc>a</loc></sitemap></sitemapindex>",
		"http://h/a\r\nhttp://h/b", zipped("<rss><channel><item><link>a</link></item></channel></rss>"), "<feed><entry><link href='a'/></entry></feed>",
		"<?xml version='1.0' encoding='utf-16'?><a/>", "\ufeff<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<x:urlset xmlns:x='y'><x:url/></x:urlset>", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		n := 0
		r, err := Read(bytes.NewReader(body), func(k Kind, e Entry) error {
			n++
			if k == "" || len(e.URL) > maxToken+maxLine || strings.TrimSpace(e.URL) != e.URL {
				t.Errorf("kind %q, entry %q", k, e.URL)
			}
			return nil
		})
		if e := (*Error)(nil); err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Reason == "") {
			t.Errorf("error %#v", err)
		}
		if r.Entries != n || err == nil && r.Kind == "" {
			t.Errorf("%+v, %d entries", r, n)
		}
	})
}
