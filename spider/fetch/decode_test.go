package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"testing"
)

func compressed(tb testing.TB, encoding string, b []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	case "raw":
		w, _ = flate.NewWriter(&out, 6)
	}
	if _, err := w.Write(b); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func TestContentEncodings(t *testing.T) {
	page := []byte(strings.Repeat("<p>some words here ", 300))
	gz := compressed(t, "gzip", page)
	for _, c := range []struct {
		name, encoding string
		body           []byte
		status         int
		want           []byte
	}{
		{"gzip", "gzip", gz, 200, page},
		{"x-gzip in capitals", "X-GZip", gz, 200, page},
		{"gzip in two members", "gzip", append(bytes.Clone(gz), gz...), 200, append(bytes.Clone(page), page...)},
		{"deflate with frame", "deflate", compressed(t, "deflate", page), 200, page},
		{"deflate without", "deflate", compressed(t, "raw", page), 200, page},
		{"deflate and more", "deflate", append(compressed(t, "deflate", page), "junk"...), 200, page},
		{"identity", "identity", page, 200, page},
		{"empty name", " , ", page, 200, page},
		{"B19 empty gzip", "gzip", []byte{}, 200, []byte{}},
		{"B19 empty deflate", "deflate", []byte{}, 200, []byte{}},
		{"B20 truncated gzip", "gzip", gz[:len(gz)-5], 802, nil},
		{"B20 truncated in the header", "gzip", gz[:5], 802, nil},
		{"B20 truncated deflate", "deflate", compressed(t, "deflate", page)[:20], 802, nil},
		{"B20 one byte of deflate", "deflate", []byte{0x78}, 802, nil},
		{"B20 wrong checksum", "gzip", append(bytes.Clone(gz[:len(gz)-8]), 0, 0, 0, 0, 0, 0, 0, 0), 802, nil},
		{"B20 no gzip at all", "gzip", page, 802, nil},
		{"B21 brotli", "br", page, 802, nil},
		{"B21 twice", "gzip, gzip", compressed(t, "gzip", gz), 802, nil},
		{"B21 zstd", "zstd", page, 802, nil},
		{"B21 compress", "x-compress", page, 802, nil},
		{"B21 gzip and brotli", "gzip, br", gz, 802, nil},
		{"a charset", "utf-8", page, 200, page},
		{"none", "none", page, 200, page},
		{"nonsense", "ISO-8859-1, 8bit", page, 200, page},
		{"nonsense and gzip", "gzip, utf-8", gz, 200, page},
		{"gzip and padding", "gzip", append(bytes.Clone(gz), make([]byte, 700)...), 200, page},
		{"gzip and a line end", "gzip", append(bytes.Clone(gz), "\r\n"...), 200, page},
		{"gzip and rubbish that begins like gzip", "gzip", append(bytes.Clone(gz), "\x1f\x8brubbish"...), 200, page},
		{"gzip in two members and rubbish", "gzip", append(append(bytes.Clone(gz), gz...), 0), 200, append(bytes.Clone(page), page...)},
		{"B20 truncated second member", "gzip", append(bytes.Clone(gz), gz[:len(gz)-5]...), 802, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Content-Encoding", c.encoding)
				_, _ = w.Write(c.body)
			})
			a := f.Fetch(t.Context(), Request{URL: base})
			if a.Status != c.status || !bytes.Equal(a.Body, c.want) {
				t.Fatalf("status %d, %d bytes, cause %q", a.Status, len(a.Body), a.Cause)
			}
			if c.status == 802 {
				if a.CRC != "" || a.Cause == "" {
					t.Errorf("digest %q, cause %q", a.CRC, a.Cause)
				}
				return
			}
			if a.CRC != digestOf(c.want) || a.Size != int64(len(c.want)) || a.WireBytes != int64(len(c.body)) {
				t.Errorf("digest %s, size %d, wire %d", a.CRC, a.Size, a.WireBytes)
			}
		})
	}
}

func TestGzipBombIsBounded(t *testing.T) {
	bomb := compressed(t, "gzip", make([]byte, 32<<20))
	empty := bytes.Repeat(compressed(t, "gzip", nil), 10_000) // no decoded byte at all
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		body := bomb
		switch r.URL.Path {
		case "/header.html":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
		case "/header.pdf":
			w.Header().Set("Content-Encoding", "gzip")
		case "/sitemap.xml.gz": // colly would unpack it by its name
			w.Header().Set("Content-Type", "application/gzip")
		case "/text.xml.gz":
			w.Header().Set("Content-Type", "text/plain")
		case "/members":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
			body = empty
		}
		_, _ = w.Write(body)
	})
	for _, c := range []struct {
		path   string
		status int
		body   []byte
		crc    string
	}{
		{"/header.html", 200, make([]byte, testIndexSize), digestOf(make([]byte, testTextSize))},
		{"/header.pdf", 804, nil, ""},
		{"/sitemap.xml.gz", 800, nil, ""},
		{"/text.xml.gz", 200, bomb[:min(len(bomb), testIndexSize)], digestOf(bomb[:min(len(bomb), testTextSize)])},
		{"/members", 802, nil, ""},
	} {
		a := f.Fetch(t.Context(), Request{URL: base + c.path})
		if a.Status != c.status || !bytes.Equal(a.Body, c.body) || a.CRC != c.crc {
			t.Errorf("%s: %d, %d bytes, %s %s", c.path, a.Status, len(a.Body), a.CRC, a.Cause)
		}
		if a.WireBytes > 200<<10 {
			t.Errorf("%s: %d bytes of wire", c.path, a.WireBytes)
		}
	}
}

func TestB22TypeOfABody(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, c := range []struct {
		name, header, path, body string
		status                   int
		contentType              string
	}{
		{"header", "text/plain", "/a.html", "<html>", 200, "text/plain"},
		{"header with charset", "application/pdf; charset=latin1", "/", "%PDF \xff\xfe", 200, "application/pdf; charset=latin1"},
		{"B23 binary as HTML", "text/html", "/", png, 200, "text/html"},
		{"extension", "", "/a.HTML?x=1.png", png, 200, "text/html"},
		{"extension that cannot be read", "", "/a.png", "<html><p>x", 800, "image/png"},
		{"header that is none", "nonsense", "/a.txt", "x", 200, "text/plain"},
		{"sniffed HTML", "", "/", "<!DOCTYPE html><meta charset=koi8-r>", 200, "text/html"},
		{"sniffed text", "", "/a.unknown", "just some words", 200, "text/plain"},
		{"sniffed PDF", "", "/", "%PDF-1.7\n", 200, "application/pdf"},
		{"sniffed, cannot be read", "", "/", png, 800, "image/png"},
		{"says nothing", "", "/", "\x00\x01\x02\x03\xff", 601, ""},
		{"anything", "*/*", "/", "<!DOCTYPE html><p>x", 200, "text/html"},
		{"unknown", "unknown/unknown", "/a", "just some words", 200, "text/plain"},
		{"unknown, with an extension", "application/unknown", "/a.html", "x", 200, "text/html"},
		{"octets that are text", "application/octet-stream", "/copyright", "just some words", 200, "text/plain"},
		{"octets that are HTML", "Application/Octet-Stream; x=y", "/", "<!DOCTYPE html><p>x", 200, "text/html"},
		{"octets", "application/octet-stream", "/", "\x00\x01\x02\x03\xff", 800, "application/octet-stream"},
		{"octets that are a picture", "application/octet-stream", "/a", png, 800, "image/png"},
		{"octets by the name of a picture", "application/octet-stream", "/a.png", "<html><p>x", 800, "image/png"},
		{"cannot be read", "image/png", "/", png, 800, "image/png"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = nil
				if c.header != "" {
					w.Header().Set("Content-Type", c.header)
				}
				_, _ = io.WriteString(w, c.body)
			})
			a := f.Fetch(t.Context(), Request{URL: base + c.path})
			if a.Status != c.status || a.ContentType != c.contentType {
				t.Fatalf("%d %q %s", a.Status, a.ContentType, a.Cause)
			}
			if c.status == 200 && string(a.Body) != c.body {
				t.Errorf("body %q", a.Body)
			}
			if c.status != 200 && (a.Body != nil || a.Cause == "") {
				t.Errorf("body %q, cause %q", a.Body, a.Cause)
			}
			if c.status == 800 && c.header == "image/png" && a.WireBytes != 0 {
				t.Errorf("read %d bytes of what cannot be read", a.WireBytes)
			}
			robots := f.Fetch(t.Context(), Request{URL: base + c.path, Robots: true})
			if robots.Status != 200 || string(robots.Body) != c.body {
				t.Errorf("as robots.txt: %d %q", robots.Status, robots.Body)
			}
		})
	}
}

func FuzzDigestAndDecode(f *testing.F) {
	for _, encoding := range []string{"gzip", "deflate", "identity", "br"} {
		f.Add(encoding, []byte("\x1f\x8b\x08"), int64(10), int64(5))
		f.Add(encoding, []byte{}, int64(0), int64(0))
	}
	f.Fuzz(func(t *testing.T, encoding string, body []byte, limit, keep int64) {
		limit, keep = max(0, limit%100_000), max(0, keep%100_000)
		wire := &wireReader{r: strings.NewReader(string(body)), record: &record{}, limit: wireLimit(limit)}
		in, done, err := decoder(encoding, wire)
		if err != nil {
			return
		}
		defer done()
		d := newDigester(in, limit, keep)
		kept, err := io.ReadAll(d)
		if d.read > limit || int64(len(kept)) != min(keep, d.read) || d.over && (err != nil || d.read != limit) {
			t.Errorf("read %d of %d, kept %d of %d, over %v, %v", d.read, limit, len(kept), keep, d.over, err)
		}
	})
}
