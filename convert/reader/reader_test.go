package reader

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const limit = 1 << 20

func reading(media string, body []byte, name string) (Text, error) {
	read, ok := For(media)
	if !ok {
		return Text{}, errors.New("no reader")
	}
	return read(context.Background(), Source{ReaderAt: bytes.NewReader(body), Size: int64(len(body)), ContentType: media, Name: name},
		Options{Limit: limit})
}

var extensions = map[string]string{
	"docx": word + "document", "xlsx": sheet + "sheet", "pptx": slides + "presentation",
	"odt": oasis + "text", "ods": oasis + "spreadsheet", "odp": oasis + "presentation", "epub": "application/epub+zip",
}

// The files of testdata were made by LibreOffice 7.4.
func TestOfficeFiles(t *testing.T) {
	letter := []string{
		"<title>Handbook of lighthouses</title>", "Ada Beacon", "The keeper climbs one hundred and ninety steps.",
		`<a href="https://www.example.org/lamps.html">the lamps</a>`, "größer und heller", "eighteen miles", "second item",
	}
	list := []string{"<h2>table</h2>", ">Zürich<", ">2020-02-13<", ">Sankt Gallen, Stadt<", ">0.3<"}
	talk := []string{
		"<title>Harbour slides</title>", "Ada Beacon", "2020-02-13T10:00:00", "Harbour lights", "Green to starboard", "Remember the foghorn",
		`<a href="https://www.example.org/buoys.html">the buoys</a>`,
	}
	for name, want := range map[string][]string{
		"text.docx": append(letter, "<h1>Lighthouses</h1>", "<h2>Fresnel lenses</h2>", `content="How lamps guide ships"`),
		"text.odt":  append(letter, "<h1>Lighthouses</h1>", "<h2>Fresnel lenses</h2>", `content="lamp, coast"`),
		"text.epub": letter, "table.xlsx": list, "table.ods": list, "slides.pptx": talk, "slides.odp": talk,
	} {
		body, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := reading(extensions[strings.TrimPrefix(filepath.Ext(name), ".")], body, name)
		if err != nil || got.Truncated || got.ContentType != htmlType {
			t.Fatalf("%s: %v, truncated %v, %s", name, err, got.Truncated, got.ContentType)
		}
		for _, part := range want {
			if !strings.Contains(string(got.Body), part) {
				t.Errorf("%s has no %q:\n%s", name, part, got.Body)
			}
		}
	}
}

func TestHiddenSheetsAndSlides(t *testing.T) {
	const styles = `<style:style style:name="h"><style:table-properties table:display="false"/></style:style>
<style:style style:name="d"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>`
	for media, content := range map[string]string{
		extensions["ods"]: `<office:spreadsheet><table:table table:style-name="h"><text:p>secret</text:p></table:table><table:table table:style-name="s"><text:p>open</text:p></table:table>`,
		extensions["odp"]: `<draw:page draw:style-name="d"><text:p>secret</text:p></draw:page><draw:page draw:style-name="s"><text:p>open</text:p></draw:page>`,
	} {
		got, err := reading(media, packed("content.xml", styles+content), "")
		if err != nil || !strings.Contains(string(got.Body), "open") || strings.Contains(string(got.Body), "secret") {
			t.Errorf("%s: %v\n%s", media, err, got.Body)
		}
	}
}

func TestRepeatedCells(t *testing.T) {
	sheet := `<office:spreadsheet><table:table table:name="a"><table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="3"><text:p>x</text:p></table:table-cell>` +
		`<table:table-cell table:number-columns-repeated="16000"/></table:table-row><table:table-row table:number-rows-repeated="1048576"><table:table-cell/></table:table-row></table:table>`
	got, err := reading(extensions["ods"], packed("content.xml", sheet), "")
	if n := strings.Count(string(got.Body), "<p>x</p>"); err != nil || n != 6 || len(got.Body) > 1000 {
		t.Errorf("%d cells, want 6; %v\n%s", n, err, got.Body)
	}
}

// A document that names no title has its first heading, its first paragraph, or the name of its file.
func TestTitles(t *testing.T) {
	docx := extensions["docx"]
	named := packed("word/document.xml", "<w:p><w:t>A paragraph</w:t></w:p>", "docProps/core.xml", "<dc:title>A title</dc:title>")
	for _, c := range []struct {
		media string
		body  []byte
		want  string
	}{
		{docx, named, "A title"},
		{docx, packed("word/document.xml", "<w:p><w:t>A paragraph</w:t></w:p>"), "A paragraph"},
		{docx, packed("word/document.xml", "<w:p><w:t>A paragraph</w:t></w:p><w:p><w:pPr><w:outlineLvl w:val='0'/></w:pPr><w:t>A heading</w:t></w:p>"), "A heading"},
		{docx, packed("word/document.xml", "<w:p><w:t>"+strings.Repeat("A long paragraph ", 50)+"</w:t></w:p>"), "file name"},
		{docx, packed("word/document.xml", "<w:p/>"), "file name"},
		{"application/json", []byte(`{"version":"1"}`), "file name"},
		{"text/xml", []byte(`<a><b>text</b></a>`), "file name"},
		{"text/csv", []byte("1,2\n3,4\n"), "file name"},
		{"text/markdown", []byte("some words\n\nmore"), "some words"},
		{"application/rss+xml", []byte(`<rss><channel><item><title>One</title></item></channel></rss>`), "One"},
	} {
		got, err := reading(c.media, c.body, "file name")
		if err != nil || !strings.Contains(string(got.Body), "<title>"+c.want+"</title>") {
			t.Errorf("%s %.60q: no title %q: %v\n%s", c.media, c.body, c.want, err, got.Body)
		}
	}
}

func TestTexts(t *testing.T) {
	atom := `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>News &amp; more</title><entry><title>One</title>
<link href="/one"/><link rel="edit" href="/edit"/><summary>Short</summary><content type="html">&lt;p&gt;Long &lt;b&gt;wor&lt;/b&gt;ds&lt;script&gt;bad&lt;/script&gt;</content></entry></feed>`
	rss := `<rss version="2.0"><channel><title>Ships</title><language>en</language><item><title>Two</title><link>https://h/two</link>` +
		`<pubDate>Thu, 13 Feb 2020 10:00:00 GMT</pubDate><description>Sunk</description></item></channel></rss>`
	for _, c := range []struct {
		media, body string
		want, not   []string
	}{
		{
			"text/markdown", "---\ntitle: Front\ndate: 2020-02-13\n---\n# Head\n\nA *wor*d and <title>, [l](x.html).\n\n|a|b|\n|-|-|\n|1|2|\n",
			[]string{"<title>Front</title>", "2020-02-13", "<h1", "<em>wor</em>d and &lt;title>,", `href="x.html"`, "<td>2</td>"},
			[]string{"---"},
		},
		{"text/markdown", "Text\n\n# The head\n", []string{"<title>The head</title>"}, nil},
		{"text/csv", "name;town\nAda;\"a;b\"\n", []string{"<title>name, town</title>", "<td>a;b</td>"}, nil},
		{"text/csv; charset=iso-8859-1", "caf\xe9,b\n", []string{"<td>café</td>"}, nil},
		{"text/tab-separated-values", "a\tb, c\n", []string{"<td>b, c</td>"}, nil},
		{
			"application/json", `{"name":"pkg","list":["one",2,true,{"k":"<v>"}]}`,
			[]string{"<title>pkg</title>", "<p>name: pkg</p>", "<p>one</p>", "<p>k: &lt;v&gt;</p>"},
			[]string{"true"},
		},
		{"application/ld+json", `{"a":"b"}` + "\n" + `{"a":"c`, []string{"<p>a: b</p>"}, nil},
		{
			"text/xml", "<?xml version='1.0' encoding='iso-8859-1'?><book><title>Caf\xe9</title><para>Use <b>ls</b> now</para></book>",
			[]string{"<title>Café</title>", "<p>Use  ls  now</p>"},
			nil,
		},
		{"text/xml", "<?xml version='1.0' encoding='utf-8'?><r>one\xff\x01 two</r>", []string{"two"}, nil},
		{"text/xml", "<r>caf\xe9 \x02three</r>", []string{"café", "three"}, nil},
		{"text/xml", "<r><a>John</a><b>Doe</b></r>", []string{"<p>John</p>\n<p>Doe</p>"}, nil},
		{"application/xml", `<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><r>x &b; y</r>`, []string{"x"}, []string{"aaaa"}},
		{"application/atom+xml", atom, []string{"<title>News &amp; more</title>", `lang="de"`, `<h2><a href="/one">One</a></h2>`, "Long words"}, []string{"bad", "/edit", "Short"}},
		{"application/rss+xml", rss, []string{"<title>Ships</title>", `<h2><a href="https://h/two">Two</a></h2>`, "Sunk", "13 Feb 2020"}, nil},
		{"text/xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://h/</loc></url></urlset>`, []string{`content="noindex"`}, nil},
	} {
		media, _, _ := strings.Cut(c.media, ";")
		read, ok := For(media)
		if !ok {
			t.Fatalf("no reader of %s", c.media)
		}
		got, err := read(context.Background(), Source{ReaderAt: strings.NewReader(c.body), Size: int64(len(c.body)), ContentType: c.media}, Options{Limit: limit})
		if err != nil {
			t.Errorf("%s %q: %v", c.media, c.body, err)
		}
		for _, part := range c.want {
			if !strings.Contains(string(got.Body), part) {
				t.Errorf("%s %q has no %q:\n%s", c.media, c.body, part, got.Body)
			}
		}
		for _, part := range c.not {
			if strings.Contains(string(got.Body), part) {
				t.Errorf("%s %q has %q:\n%s", c.media, c.body, part, got.Body)
			}
		}
	}
	page := `<html xmlns="http://www.w3.org/1999/xhtml"><body>x</body></html>`
	if got, err := reading("text/xml", []byte(page), ""); err != nil || got.ContentType != "application/xhtml+xml" || string(got.Body) != page {
		t.Errorf("XHTML: %v, %s, %s", err, got.ContentType, got.Body)
	}
}

func packed(files ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, _ := z.Create(files[i])
		_, _ = w.Write([]byte(files[i+1]))
	}
	_ = z.Close()
	return b.Bytes()
}

func gzipped(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.Bytes()
}

func TestGzip(t *testing.T) {
	for name, want := range map[string]string{"a.html.gz": "text/html", "changes.gz": "text/plain", "a.md.gz": htmlType} {
		if got, err := reading("application/gzip", gzipped("# A text\n"), name); err != nil || got.ContentType != want {
			t.Errorf("%s: %s, %v", name, got.ContentType, err)
		}
	}
	tar := make([]byte, 1024)
	copy(tar[257:], "ustar")
	for _, body := range []string{string(tar), string(gzipped("twice")), "\x7fELF\x00\x01"} {
		if got, err := reading("application/gzip", gzipped(body), "x.gz"); !errors.Is(err, ErrNoText) {
			t.Errorf("%.5q: %v, %.20q", body, err, got.Body)
		}
	}
	got, err := reading("application/gzip", gzipped(strings.Repeat("bomb ", 20<<20)), "bomb.gz")
	if err != nil || !got.Truncated || len(got.Body) > limit {
		t.Errorf("bomb: %v, %d bytes, truncated %v", err, len(got.Body), got.Truncated)
	}
}

// Every damaged or hostile document ends soon, with an error that says what is wrong with it (B43 to B46, B48).
func TestHostileDocuments(t *testing.T) {
	docx := extensions["docx"]
	deep := strings.Repeat("<a>", 100_000)
	encrypted := packed("word/document.xml", "<w:t>x</w:t>")
	for _, sign := range []string{"PK\x03\x04", "PK\x01\x02"} { // bit 0 of the flags
		at := bytes.Index(encrypted, []byte(sign)) + 6
		if sign == "PK\x01\x02" {
			at += 2
		}
		encrypted[at] |= 1
	}
	broken := packed("word/document.xml", "<w:p><w:t>"+strings.Repeat("some text ", 99)+"</w:t></w:p>")
	broken[70] ^= 0xff
	for _, c := range []struct {
		name, media, want string
		body              []byte
	}{
		{"B43 no zip", docx, "damaged zip file", []byte("hello")},
		{"B43 empty", docx, "damaged zip file", nil},
		{"B43 other zip", docx, "the zip file has no", packed("a.txt", "x")},
		{"B45 encrypted member", docx, "encrypted", encrypted},
		{"B45 encrypted package", docx, "encrypted, or a file of the older", append([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), make([]byte, 512)...)},
		{"B45 encrypted odt", extensions["odt"], "encrypted", packed("content.xml", "x", "META-INF/manifest.xml", "<manifest:encryption-data/>")},
		{"B43 damaged member", docx, "damaged zip file", broken},
		{"B43 cut", docx, "damaged zip file", packed("word/document.xml", "<w:t>text</w:t>")[:90]},
		{"B44 bomb", docx, "zip bomb", packed("word/document.xml", strings.Repeat("<w:p/>", 10<<20))},
		{"B46 deep XML", "text/xml", "nested more than", []byte(deep)},
		{"B46 deep JSON", "application/json", "nested more than", []byte(strings.Repeat("[", 100_000))},
		{"B43 no XML", "text/xml", "damaged XML", []byte("hello")},
		{"B43 no JSON", "application/json", "damaged JSON", []byte("hello")},
		{"B43 no gzip", "application/gzip", "damaged gzip", []byte("hello")},
		{"B48 gzip of gzip", "application/gzip", "it holds no text but a binary file", gzipped(string(gzipped("text")))},
	} {
		got, err := reading(c.media, c.body, "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q; body %.100q", c.name, err, c.want, got.Body)
		}
	}
	many := make([]string, 0, 200_000)
	for i := range 100_000 {
		many = append(many, fmt.Sprintf("%040d", i), "")
	}
	if _, err := reading(docx, packed(many...), ""); err == nil || !strings.Contains(err.Error(), "directory is longer") {
		t.Errorf("B44 many members: %v", err)
	}
}

// Markdown whose parsing takes the square of its length is read as plain text.
func TestCostlyMarkdown(t *testing.T) {
	var notes strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&notes, "x[^%d]\n\n[^%d]: text\n\n", i, i)
	}
	for _, body := range []string{
		strings.Repeat("[a](", 50_000), strings.Repeat("- ", 50_000) + "x", strings.Repeat(">", 50_000), notes.String(),
		"|" + strings.Repeat("a|", 20_000) + "\n|" + strings.Repeat("-|", 20_000) + "\n" + strings.Repeat("x\n", 2000),
	} {
		got, err := reading("text/markdown", []byte(body), "")
		if err != nil || got.ContentType != "text/plain; charset=utf-8" {
			t.Errorf("%.20q: %s, %v", body, got.ContentType, err)
		}
	}
}

func TestLimit(t *testing.T) {
	for media, body := range map[string]string{
		"text/csv": strings.Repeat("a,ü\n", 5000), "application/json": `["` + strings.Repeat(`ü","`, 5000) + `"]`,
		"text/markdown": strings.Repeat("ü\n\n", 5000), "text/xml": "<r>" + strings.Repeat("<a>ü</a>", 5000) + "</r>",
	} {
		for _, n := range []int64{0, 1, 100, 4001} {
			read, _ := For(media)
			got, err := read(context.Background(), Source{ReaderAt: strings.NewReader(body), Size: int64(len(body))}, Options{Limit: n})
			if int64(len(got.Body)) > n || err == nil && !got.Truncated {
				t.Errorf("%s limited to %d: %d bytes, truncated %v, %v", media, n, len(got.Body), got.Truncated, err)
			}
		}
	}
}

func FuzzReaders(f *testing.F) {
	var media []string
	for _, m := range extensions {
		media = append(media, m)
	}
	media = append(media, "text/markdown", "text/csv", "application/json", "text/xml", "application/gzip")
	files, _ := filepath.Glob("testdata/*.*")
	for i, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(i), body)
	}
	f.Add(byte(7), []byte("# a\n\n|b|\n|-|\n"))
	f.Add(byte(10), []byte("<rss><channel><item><link>x</link></item></channel></rss>"))
	f.Add(byte(11), gzipped("text"))
	f.Fuzz(func(t *testing.T, _ byte, body []byte) {
		for _, m := range media { // a zip file is tried as every format
			read, _ := For(m)
			got, err := read(context.Background(), Source{ReaderAt: bytes.NewReader(body), Size: int64(len(body)), ContentType: m}, Options{Limit: 1 << 16})
			if len(got.Body) > 1<<16 || err != nil && got.Body != nil {
				t.Errorf("%s: %d bytes, %v", m, len(got.Body), err)
			}
		}
	})
}

func BenchmarkWord(b *testing.B) {
	var s strings.Builder
	s.WriteString(`<?xml version="1.0" encoding="UTF-8"?><w:document>`)
	for range 5000 {
		s.WriteString(`<w:p><w:pPr><w:pStyle w:val="Normal"/><w:rPr><w:lang w:val="en-US"/></w:rPr></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">The keeper climbs one hundred steps </w:t></w:r></w:p>`)
	}
	body := packed("word/document.xml", s.String()+"</w:document>")
	b.SetBytes(int64(s.Len()))
	for b.Loop() {
		if _, err := reading(word+"document", body, ""); err != nil {
			b.Fatal(err)
		}
	}
}
