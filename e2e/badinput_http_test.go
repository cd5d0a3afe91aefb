package e2e

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestBadHTTP serves everything that can be wrong with an answer: B17, B18, B20 to B22, B28, B30 to B32.
func TestBadHTTP(t *testing.T) {
	t.Parallel()
	t.Run("B17: IndexLimit is exact", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "IndexLimit 1000\n", "/999", "/1000", "/1001")
		for _, size := range []int{999, 1000, 1001} {
			n.site.HTML(fmt.Sprintf("/%d", size), sized(size))
		}
		n.crawl()
		for _, c := range []struct{ size, kept, marks any }{{999, 999, "[]"}, {1000, 1000, "[]"}, {1001, 1000, "[truncated]"}} {
			path := fmt.Sprintf("/%d", c.size)
			n.want(path, "w.status, s.marks, c.docsize, w.crc", fmt.Sprintf("200 %v %d %s", c.marks, c.size, digest(sized(c.size.(int)))))
			n.check("bytes kept of "+path, fmt.Sprint(c.kept), storedSizeSQL, n.url(path))
		}
		n.words("headword", "/1000", "/1001", "/999")
		n.words("tail", "/1000", "/999") // its last letter is byte 1001 of the third
		n.words("tai", "/1001")
	})

	t.Run("B17: MaxTextSize is exact", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "MaxTextSize 1000\n", "/999", "/1000", "/1001", "/open")
		for _, size := range []int{999, 1000, 1001} {
			n.site.HTML(fmt.Sprintf("/%d", size), sized(size))
		}
		n.site.Set("/open", spidertest.Wire("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>open</title>"+sized(2000)))
		n.crawl()
		for _, c := range []struct{ size, kept, marks any }{{999, 999, "[]"}, {1000, 1000, "[]"}, {1001, 1000, "[truncated]"}} {
			path := fmt.Sprintf("/%d", c.size)
			n.want(path, "w.status, s.marks, c.docsize, w.crc", fmt.Sprintf("200 %v %d %s", c.marks, c.size, digest(sized(c.size.(int))[:c.kept.(int)])))
			n.check("bytes kept of "+path, fmt.Sprint(c.kept), storedSizeSQL, n.url(path))
		}
		n.want("/open", "w.status, s.marks, c.docsize", "200 [truncated] 1000")
	})

	t.Run("B17: what is too long is not read to its end", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "MaxTextSize 100000\nIndexLimit 1000\n", "/endless")
		ended := make(chan error, 1)
		n.site.Set("/endless", spidertest.Page{Serve: func(w http.ResponseWriter, _ *http.Request) {
			var err error
			for range 20_000 { // 640 MB, if somebody wants them
				if _, err = io.WriteString(w, strings.Repeat("more words ", 3000)); err != nil {
					break
				}
			}
			ended <- err
		}})
		n.crawl()
		n.want("/endless", "w.status, s.marks, h.cause", "200 [truncated] ")
		if err := <-ended; err == nil {
			t.Error("the whole body was read")
		}
	})

	t.Run("B18: lengths of bodies", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		page := func(headers, body string) spidertest.Page {
			return spidertest.Wire("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + headers + "\r\n" + body)
		}
		n.pages(map[string]spidertest.Page{
			"/missing":  page("", "<title>missing</title>lengthword"),
			"/negative": page("Content-Length: -1\r\n", "lengthword"),
			"/word":     page("Content-Length: many\r\n", "lengthword"),
			"/both":     page("Content-Length: 10\r\nContent-Length: 11\r\n", "lengthword "),
			"/small":    page("Content-Length: 10\r\n", "lengthword lostword"),
			"/large":    page("Content-Length: 100\r\n", "lengthword"),
			"/chunk":    page("Transfer-Encoding: chunked\r\n", "ffff\r\nlengthword"),
			"/coding":   page("Transfer-Encoding: crazy\r\n", "lengthword"),
		})
		n.crawl()
		for path, want := range map[string]string{
			"/missing": "200 T-01 200", "/small": "200 T-01 200",
			"/negative": "604 T-09 604", "/word": "604 T-09 604", "/both": "604 T-09 604", "/coding": "604 T-09 604",
			"/large": "705 T-10n 705", "/chunk": "705 T-10n 705",
		} {
			n.want(path, "w.status, h.rule, h.result", want)
		}
		n.words("lengthword", "/missing", "/small")
		n.words("lostword")
	})

	t.Run("B18: a body that ends too soon keeps the old content", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		n.period(spidertest.Wire("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nnewword"))
		n.want("/old", "w.status, h.rule, h.result, s.error_class, s.error_count", "200 T-10 705 unreachable 1")
		n.check("last_index_time stays", "true", `
			SELECT w.last_index_time <= extract(epoch FROM r.started_at) FROM urlword w, reindexing r
			WHERE w.url = $1 AND r.run_id = (SELECT max(run_id) FROM crawl_history)`, n.url("/old"))
	})

	t.Run("B20: compressed bodies, whole, cut, corrupt", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		zipped := zip("<title>zipped</title>zipword " + strings.Repeat("filler ", 500))
		corrupt := bytes.Clone(zipped)
		corrupt[len(corrupt)-6] ^= 0x55 // in the checksum
		var deflated bytes.Buffer
		z := zlib.NewWriter(&deflated)
		_, _ = z.Write([]byte("<title>deflated</title>zipword"))
		_ = z.Close()
		n.pages(map[string]spidertest.Page{
			"/whole":    encoded("gzip", zipped),
			"/deflate":  encoded("deflate", deflated.Bytes()),
			"/cut":      encoded("gzip", zipped[:len(zipped)/2]),
			"/corrupt":  encoded("gzip", corrupt),
			"/not":      encoded("gzip", []byte("<title>not zipped</title>zipword")),
			"/nothing":  encoded("gzip", nil),
			"/trailing": encoded("gzip", append(bytes.Clone(zip("<title>trailing</title>zipword")), zip(" and more")...)),
		})
		n.crawl()
		for path, want := range map[string]string{
			"/whole": "200 T-01", "/deflate": "200 T-01", "/trailing": "200 T-01",
			"/nothing": "200 T-01", // as browsers read it, and as B19
			"/cut":     "802 T-11", "/corrupt": "802 T-11", "/not": "802 T-11",
		} {
			n.want(path, "w.status, h.rule", want)
		}
		n.words("zipword", "/deflate", "/trailing", "/whole")
	})

	for name, page := range map[string]spidertest.Page{
		"B20: a broken stream keeps the old content":          encoded("gzip", zip(strings.Repeat("newword ", 1000))[:30]),
		"B21: an encoding unknown here keeps the old content": encoded("br", []byte("newword")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := beside(t, "")
			n.period(page)
			n.want("/old", "status_base(w.status), status_lost(w.status), status_lost_count(w.status), h.rule, h.result", "200 802 1 T-11 802")
		})
	}

	t.Run("B21: raw bytes of an unknown encoding are never indexed", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		n.pages(map[string]spidertest.Page{
			"/br": encoded("br", []byte("rawword")), "/two": encoded("gzip, gzip", zip("rawword")), "/none": encoded("identity", []byte("plainword")),
		})
		n.crawl()
		n.want("/br", "w.status, h.rule, c.words", "802 T-11 <nil>")
		n.want("/two", "w.status, h.rule, c.words", "802 T-11 <nil>")
		n.want("/none", "w.status, h.rule", "200 T-01")
		n.words("rawword")
		n.words("plainword", "/none")
	})

	t.Run("B22: no Content-Type", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		n.pages(map[string]spidertest.Page{
			"/by.html":   typed("", "<title>by extension</title>typeword"),
			"/by.txt":    typed("", "<title>typeword"),
			"/sniffed":   typed("", "<!DOCTYPE html><title>sniffed</title>typeword"),
			"/by.doc":    typed("", "typeword"),
			"/unknown":   typed("", "\x00\x01\x02\x03\xFF\xFE\xFD binary \x80\x81"),
			"/image":     typed("image/png", "typeword"),
			"/nonsense":  typed("html", "<!DOCTYPE html><title>nonsense</title>typeword"),
			"/case.HTML": typed("Text/HTML ; Charset=UTF-8", "<title>case</title>typeword"),
		})
		n.crawl()
		for path, want := range map[string]string{
			"/by.html": "200 text/html", "/by.txt": "200 text/plain", "/case.HTML": "200 Text/HTML ; Charset=UTF-8",
			"/by.doc": "800 <nil>", "/unknown": "601 <nil>", "/image": "800 <nil>",
		} {
			n.want(path, "w.status, c.content_type", want)
		}
		n.want("/sniffed", "w.status, split_part(c.content_type, ';', 1)", "200 text/html")
		n.want("/nonsense", "w.status, split_part(c.content_type, ';', 1)", "200 text/html")
		n.words("typeword", "/by.html", "/by.txt", "/case.HTML", "/nonsense", "/sniffed")
	})

	t.Run("B30: 304 to a first request", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "", "/never")
		n.site.Set("/never", spidertest.Page{Status: 304, ETag: `"x"`})
		n.crawl()
		n.want("/never", "w.status, h.rule, h.result", "605 T-09 605")
		n.site.HTML("/never", "<title>now</title>nowword")
		n.site.Forget()
		n.crawl("-a")
		n.want("/never", "w.status, h.rule", "200 T-04")
		n.words("nowword", "/never")
		for _, r := range n.site.Requests() {
			if r.Path == "/never" && r.Conditional() {
				t.Errorf("asked with a condition: %v", r.Header)
			}
		}
	})

	t.Run("B31, B32: status lines and headers that are none", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		ok := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
		header := func(bytes int) string { return "X-Long: " + strings.Repeat("x", bytes) + "\r\n" }
		n.pages(map[string]spidertest.Page{
			"/600":     spidertest.Wire("HTTP/1.1 600 Beyond\r\nContent-Length: 0\r\n\r\n"),
			"/999":     spidertest.Wire("HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n"),
			"/letters": spidertest.Wire("HTTP/1.1 abc OK\r\n\r\n"),
			"/ssh":     spidertest.Wire("SSH-2.0-OpenSSH_9.2\r\n"),
			"/html":    spidertest.Wire("<html>nothing but a page\n\n"),
			"/nul":     spidertest.Wire("HTTP/1.1 \x00\xFF OK\r\n\r\n"),
			"/name":    spidertest.Wire(ok + "Bad Name\x00: x\r\n\r\nx"),
			"/colon":   spidertest.Wire(ok + "no colon here\r\n\r\nx"),
			"/fits":    spidertest.Wire(ok + header(50_000) + "Content-Length: 24\r\n\r\n<title>fits</title>fits "),
			"/over":    spidertest.Wire(ok + header(70_000) + "\r\nx"),
			"/many":    spidertest.Wire(ok + strings.Repeat(header(100), 1000) + "\r\nx"),
		})
		n.crawl()
		for path, want := range map[string]string{
			"/600": "600", "/999": "600", "/letters": "600", "/ssh": "600", "/html": "600", "/nul": "600", "/name": "606", "/colon": "606",
			"/over": "603", "/many": "603",
		} {
			n.want(path, "w.status, h.rule, h.result, h.cause <> ''", want+" T-09 "+want+" true")
		}
		n.want("/fits", "w.status", "200")
	})

	t.Run("B31, B32: and they keep the old content", func(t *testing.T) {
		t.Parallel()
		for status, page := range map[int]spidertest.Page{
			600: spidertest.Wire("garbage\r\n\r\n"),
			603: spidertest.Wire("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 70_000) + "\r\n\r\nnewword"),
		} {
			n := beside(t, "")
			n.period(page)
			n.want("/old", "status_base(w.status), status_lost(w.status), h.rule", fmt.Sprintf("200 %d T-09", status))
		}
	})

	t.Run("P7: hosts that hang, reset or are gone", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "ReadTimeOut 10s\n")
		n.site.Set("/hang", spidertest.Hang)
		n.site.Set("/reset", spidertest.Reset("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nhalf"))
		gone := spidertest.NewSite(t)
		toggledAddress(t, gone)
		n.site.HTML("/", `<a href="/good.html"><a href="/hang"><a href="/reset">`)
		n.sets("Server " + n.site.URL + "/\nServer " + gone.URL + "/\n")
		n.crawl()
		n.want("/hang", "w.status, h.rule", "704 T-10n")
		n.want("/reset", "w.status, h.rule", "705 T-10n")
		n.want(gone.URL+"/", "w.status, h.rule, h.result", "702 T-10n 702") // as the request for its robots.txt ended
	})
}

const storedSizeSQL = `
	SELECT CASE WHEN substr(words, 1, 4) = '\xffffffff' THEN octet_length(words) - 4 ELSE u32le(words, 0) END
	FROM urlword JOIN urlwords USING (url_id) WHERE url = $1`

// pages sets pages and links to them from the front page.
func (n *neighbours) pages(pages map[string]spidertest.Page) {
	var front strings.Builder
	front.WriteString(`<title>front</title><a href="/good.html">good</a>`)
	for path, page := range pages {
		n.site.Set(path, page)
		fmt.Fprintf(&front, ` <a href="%s">x</a>`, path)
	}
	n.site.HTML("/", front.String())
}

// period crawls a good page, which then turns bad, and crawls again: its content and postings must stay.
func (n *neighbours) period(bad spidertest.Page) {
	n.t.Helper()
	const path = "/old"
	n.pages(map[string]spidertest.Page{path: {Body: `<title>old</title>oldword <a href="/good.html">x</a>`}})
	n.crawl()
	stored := func() string {
		return n.one(`SELECT w.crc, c FROM urlword w JOIN urlwords c USING (url_id) WHERE url = $1`, n.url(path))
	}
	before := stored()
	n.site.Set(path, bad)
	n.crawl("-a")
	n.words("oldword", path)
	n.words("newword")
	if diff := cmp.Diff(before, stored()); diff != "" {
		n.t.Errorf("%s: its content changed:\n%s", path, diff)
	}
	n.check("journal and markdel", "0", `SELECT (SELECT count(*) FROM journal) + (SELECT count(*) FROM markdel)`)
}

// sized is a page of so many bytes: a word at its beginning and one at its end.
func sized(bytes int) string {
	head := fmt.Sprintf("<p>headword %d ", bytes)
	return head + strings.Repeat(".", bytes-len(head)-len(" tail")) + " tail"
}

func digest(body string) string {
	sum := md5.Sum([]byte(body))
	return hex.EncodeToString(sum[:])
}

func zip(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // into memory
	_ = z.Close()
	return b.Bytes()
}

// encoded is a page whose body is sent as it is under a Content-Encoding.
func encoded(encoding string, body []byte) spidertest.Page {
	return spidertest.Page{Body: string(body), Header: map[string]string{"Content-Encoding": encoding}}
}

// typed is a page with a Content-Type, none when it is empty.
func typed(contentType, body string) spidertest.Page {
	headers := "Content-Length: " + fmt.Sprint(len(body)) + "\r\nDate: " + time.Now().UTC().Format(http.TimeFormat) + "\r\n"
	if contentType != "" {
		headers += "Content-Type: " + contentType + "\r\n"
	}
	return spidertest.Wire("HTTP/1.1 200 OK\r\n" + headers + "\r\n" + body)
}
