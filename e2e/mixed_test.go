package e2e

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// badKind is a way for a page to be bad, and the statuses that may come of it.
type badKind struct {
	name string
	want string // regular expression for urlword.status
	page func(r *rand.Rand, i int) spidertest.Page
}

// mixedPages is how many good pages, and how many bad ones, the mixed site has.
const mixedPages = 200

// badKinds returns all kinds of bad pages in docs/reference/promises.md, Bad input, and some more. The kinds
// that the site serves more than once differ at random.
func badKinds() []badKind {
	wire := func(text string) spidertest.Page { return spidertest.Wire(text) }
	body := func(text string) spidertest.Page { return spidertest.Page{Body: text} }
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	bomb := zip(strings.Repeat("\x00bomb ", 5<<20)) // 30 MB in 90 KB
	pick := func(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }
	return []badKind{
		{"broken HTML", "200", func(r *rand.Rand, i int) spidertest.Page { return body(broken(r, i)) }},
		{"wrong charset", "200", func(r *rand.Rand, i int) spidertest.Page {
			label := pick(r, "klingon", "utf-16", "koi8-r", "euc-kr", "iso-2022-jp", "shift_jis", "gb18030", "x-user-defined", "'", "\"utf-8")
			return spidertest.Page{Type: "text/html; charset=" + label, Body: fmt.Sprintf("<meta charset=%q>%d %s", pick(r, "utf-7", "big5", "utf-16"), i, noise(r, 3000))}
		}},
		{"NUL", "200", func(r *rand.Rand, i int) spidertest.Page {
			return body(fmt.Sprintf("<title>\x00%d\x00</title>%s<a href='/\x00%d'>", i, strings.Repeat("a\x00b\xFF ", r.IntN(3000)), i%3))
		}},
		{"binary", "200", func(r *rand.Rand, _ int) spidertest.Page { return body(noise(r, 5000)) }},
		{"huge attribute", "200", func(r *rand.Rand, i int) spidertest.Page {
			return body(fmt.Sprintf("%d<a href='/g/1.html' title='%s", i, strings.Repeat("x", 300_000+r.IntN(500_000))))
		}},
		{"many attributes", "200", func(r *rand.Rand, i int) spidertest.Page {
			return body(fmt.Sprintf("%d<p %s>", i, attributes(r.IntN(20_000))))
		}},
		{"deep", "200", func(r *rand.Rand, i int) spidertest.Page {
			return body(strings.Repeat(pick(r, "<div>", "<b>", "<table>", "<svg>", "<template>"), r.IntN(30_000)) + fmt.Sprint(i))
		}},
		{"one long word", "200", func(r *rand.Rand, i int) spidertest.Page {
			return body(fmt.Sprint(i) + strings.Repeat("w", r.IntN(1<<20)))
		}},
		{"bad links", "200", func(r *rand.Rand, i int) spidertest.Page {
			var b strings.Builder
			for range 200 {
				fmt.Fprintf(&b, `%d<a href="%s%s">`, i, pick(r, "http://", "http://[", "javascript:", "//", "\\\\", "ht\ntp:", "http://a:99999/", "mailto:", "#", "%"),
					pick(r, "", "\x00", "user:pw@", "xn--\xFF", "1.2.3.999", "]", strings.Repeat("x", 3000), "a b c", "127.0.0.1:1/../..", "%zz"))
			}
			return body(b.String())
		}},
		{"empty", "200", func(*rand.Rand, int) spidertest.Page { return body("") }},
		{"body cut", "705", func(r *rand.Rand, _ int) spidertest.Page {
			return wire(ok + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", 5000+r.IntN(1<<30), strings.Repeat("cut ", r.IntN(1000))))
		}},
		{"chunks cut", "705", func(r *rand.Rand, _ int) spidertest.Page {
			return wire(ok + "Transfer-Encoding: chunked\r\n\r\n" + pick(r, "5\r\nhello\r\n", "5\r\nhel", "ffffffff\r\nhello", "zz\r\nhello\r\n", "5\r\nhelloworld"))
		}},
		{"wrong length", "604", func(r *rand.Rand, _ int) spidertest.Page {
			return wire(ok + pick(r, "Content-Length: -5\r\n", "Content-Length: 1e3\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
				"Content-Length: 99999999999999999999999\r\n", "Transfer-Encoding: zip\r\n") + "\r\nhello")
		}},
		{"reset", "705", func(r *rand.Rand, _ int) spidertest.Page {
			return spidertest.Reset(pick(r, "HTTP/1.1 200 OK\r\nContent-Type: te", ok+"\r\nhalf", ok+"Content-Length: 10\r\n\r\nhalf"))
		}},
		{"closed without a word", "705", func(r *rand.Rand, _ int) spidertest.Page {
			if r.IntN(2) == 0 {
				return wire("")
			}
			return spidertest.Reset("")
		}},
		{"garbage status line", "600", func(r *rand.Rand, _ int) spidertest.Page {
			return wire(pick(r, "HTTP/1.1 2 OK", "HTTP/1.1 OK", "HTTP/1.1 -200 OK", "220 mail.example.com ESMTP", "<html>", "\x16\x03\x01\x02", "HTTP/9", noise(r, 60)) + "\r\n\r\n")
		}},
		{"status out of range", "600", func(r *rand.Rand, _ int) spidertest.Page {
			return wire(fmt.Sprintf("HTTP/1.1 %d Odd\r\n\r\n", 600+r.IntN(400)))
		}},
		{"endless headers", "603", func(*rand.Rand, int) spidertest.Page { return endless(ok, "X-More: and more\r\n") }},
		{"endless header line", "603", func(*rand.Rand, int) spidertest.Page { return endless(ok+"X-More: ", "and more ") }},
		{"endless body", "200", func(_ *rand.Rand, i int) spidertest.Page { return endless(ok+"\r\n"+fmt.Sprint(i), "and more ") }},
		{"endless 1xx", "60[03]", func(*rand.Rand, int) spidertest.Page { return endless("", "HTTP/1.1 103 Early Hints\r\n\r\n") }},
		{"redirects in a circle", "302", func(r *rand.Rand, _ int) spidertest.Page {
			return spidertest.Page{Status: 302, Header: map[string]string{"Location": fmt.Sprintf("/b/%d", r.IntN(mixedPages))}}
		}},
		{"redirect to itself", "301", func(_ *rand.Rand, i int) spidertest.Page {
			return spidertest.Page{Status: 308, Header: map[string]string{"Location": fmt.Sprintf("/b/%d", i)}}
		}},
		{"bad Location", "602|30[12]", func(r *rand.Rand, _ int) spidertest.Page {
			return spidertest.Page{Status: 301 + r.IntN(3), Header: map[string]string{"Location": pick(r, "", " ", "http://[", "http://a:99999/", "mailto:x", "//", "http://\xFF/", "ftp://x/")}}
		}},
		{"gzip bomb", "200|805", func(*rand.Rand, int) spidertest.Page { return encoded("gzip", bomb) }}, // 805: a machine with much to do gave up
		{"corrupt gzip", "802", func(r *rand.Rand, i int) spidertest.Page {
			z := zip(fmt.Sprint(i, noise(r, 2000)))
			z[10+r.IntN(len(z)-10)] ^= 1 + byte(r.IntN(255)) // behind the header, some of which nobody reads
			return encoded("gzip", z)
		}},
		{"cut gzip", "802", func(r *rand.Rand, i int) spidertest.Page {
			z := zip(fmt.Sprint(i, noise(r, 2000)))
			return encoded("gzip", z[:1+r.IntN(len(z)-1)])
		}},
		{"unknown encoding", "802", func(r *rand.Rand, _ int) spidertest.Page {
			return encoded(pick(r, "br", "zstd", "rot13", "gzip, deflate"), []byte("plain"))
		}},
		{"no type", "601|800", func(r *rand.Rand, _ int) spidertest.Page {
			return typed(pick(r, "", "/", ";", "application/pdf"), "\x00\x01\x02\xFF"+noise(r, 500))
		}},
		{"slow but finite", "200", func(_ *rand.Rand, i int) spidertest.Page { return slow(i) }},
		{"hung", "704", nil}, // see TestMixed
		{"304 unasked", "605", func(*rand.Rand, int) spidertest.Page { return spidertest.Page{Status: 304} }},
		{"an error", "40[1-4]|410|50[0-4]", func(r *rand.Rand, _ int) spidertest.Page {
			statuses := []int{401, 403, 404, 410, 500, 502, 504}
			return spidertest.Page{Status: statuses[r.IntN(len(statuses))], Header: map[string]string{"Retry-After": pick(r, "1e9", "-1", "99999999999999999999", "x")}}
		}},
		{"bad headers", "200", func(r *rand.Rand, i int) spidertest.Page {
			return spidertest.Page{Body: fmt.Sprint("headers ", i), Header: map[string]string{
				"ETag": pick(r, `"`, strings.Repeat("e", 5000), "\xFF\xFE"), "Last-Modified": pick(r, "yesterday", "Mon, 01 Jan 0001 00:00:00 GMT", "\xFF"),
				"Expires": pick(r, "0", "-1", "Fri, 31 Dec 9999 23:59:59 GMT"), "Set-Cookie": strings.Repeat("c", 10_000),
			}}
		}},
	}
}

// TestMixed crawls one site where 200 bad pages of every kind stand among 200 good ones. The crawl ends by itself, every
// good page is indexed and found, and nothing is asked for twice. make soak crawls more such sites.
func TestMixed(t *testing.T) {
	t.Parallel()
	seeds := 1
	if soak() {
		seeds = 20
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			mixed(t, uint64(seed))
		})
	}
}

func mixed(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 2))
	kinds := badKinds()
	site := spidertest.NewSite(t)
	kindOf := make([]*badKind, mixedPages)
	for i := range mixedPages {
		kind := &kinds[i%len(kinds)]
		if kind.name == "hung" && i >= len(kinds) {
			kind = &kinds[random.IntN(i%len(kinds))] // each costs its time-out, and the host's pause: one will do
		}
		kindOf[i] = kind
		page := spidertest.Hang
		if kind.page != nil {
			page = kind.page(random, i)
		}
		site.Set(fmt.Sprintf("/b/%d", i), page)
		site.HTML(fmt.Sprintf("/g/%d.html", i), fmt.Sprintf(
			`<title>good %d</title>good%dword <a href="/g/%d.html">x</a> <a href="/g/%d.html">x</a> <a href="/b/%d">x</a> <a href="/b/%d">x</a>`,
			i, i, min(2*i+1, mixedPages-1), min(2*i+2, mixedPages-1), i, random.IntN(mixedPages)))
	}
	w := newWorld(t, "Server "+site.URL+"/g/0.html\n")
	w.spider("Threads 10\nReadTimeOut 10s\nMaxTextSize 1MB\nIndexLimit 200KB\n")
	began := time.Now()
	w.index()
	t.Logf("crawled and merged in %v", time.Since(began).Round(time.Millisecond))

	if got := w.one(`SELECT end_reason FROM reindexing WHERE kind = 'crawl'`); got != "complete" {
		t.Errorf("the crawl ended as %s", got)
	}
	missing := w.rows(`
		SELECT i FROM generate_series(0, $2 - 1) i LEFT JOIN urlword w ON w.url = $1 || '/g/' || i || '.html'
		WHERE w.status IS DISTINCT FROM 200 OR w.origin <> 0
			OR NOT EXISTS (SELECT FROM word_postings('good' || i || 'word') p WHERE p.url_id = w.url_id)`, site.URL, mixedPages)
	if len(missing) > 0 {
		t.Errorf("good pages that are not indexed or not found: %v", missing)
	}
	for i, kind := range kindOf {
		path := fmt.Sprintf("/b/%d", i)
		got := w.rows(`SELECT w.status, h.cause FROM urlword w LEFT JOIN crawl_history h USING (url_id) WHERE w.url = $1`, site.URL+path)
		if len(got) != 1 {
			t.Errorf("%s (%s): %d attempts, want 1: %q", path, kind.name, len(got), got)
			continue
		}
		if status, _, _ := strings.Cut(got[0], " "); !regexp.MustCompile("^(" + kind.want + ")$").MatchString(status) {
			t.Errorf("%s (%s): status %s, want %s", path, kind.name, got[0], kind.want)
		}
	}
	count := site.Count()
	for path, times := range count {
		// A connection that ends without an answer may have been closed before the request came: those are asked again, once.
		if times != 1 && (times != 2 || w.one(`SELECT count(*) FROM urlword WHERE url = $1 AND status = 705`, site.URL+path) != "1") {
			t.Errorf("%s was asked for %d times", path, times)
		}
	}
	if got := w.one(`SELECT count(*) FROM urlstate WHERE attempts <> 1`); got != "0" {
		t.Errorf("%s URLs were attempted more than once", got)
	}
	if len(count) < 2*mixedPages {
		t.Errorf("only %d paths were asked for", len(count))
	}
}

// noise is a text of so many random bytes.
func noise(r *rand.Rand, bytes int) string {
	b := make([]byte, bytes)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

// broken is HTML out of pieces that do not fit.
func broken(r *rand.Rand, i int) string {
	pieces := []string{
		"<", ">", "</", "<!--", "-->", "<![CDATA[", "]]>", "<script>", "<title>", "</title>", "<p", " href='", "\"", "&#x110000;", "&#0;", "&amp", "<svg>",
		"<textarea>", "<plaintext", "<base href=':'>", "<meta name=robots content=", "<!DOCTYPE", "<?xml", "\r", "\x0c", "word", "<a href=/g/0.html>", "<template>", "</body>", "\xC3",
	}
	var b strings.Builder
	fmt.Fprintf(&b, "broken %d ", i)
	for range 50 + r.IntN(2000) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// endless is a page that begins so and goes on until the client has had enough. It gives up after 300 MB.
func endless(begin, more string) spidertest.Page {
	block := bytes.Repeat([]byte(more), 1+(32<<10)/len(more))
	return spidertest.Stream(func(to io.Writer) {
		_, err := io.WriteString(to, begin)
		for n := 0; err == nil && n < 300<<20; n += len(block) {
			_, err = to.Write(block)
		}
	})
}

// slow is a page that comes in drops.
func slow(i int) spidertest.Page {
	return spidertest.Page{Serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for n := range 10 {
			fmt.Fprintf(w, "drop%d of %d ", n, i)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	}}
}
