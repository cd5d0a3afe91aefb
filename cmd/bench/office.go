package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"html"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/pgseek/pgseek/convert/reader"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
)

const (
	officeBytes  = 12 << 20 // of HTML that are compared
	officeRounds = 5        // of which the fastest counts
	officeMedia  = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
)

// officePage is a page of the set, and its text as a Word document.
type officePage struct {
	html, docx []byte
	xml        int // bytes of the document's XML
}

// office compares what a byte of a Word document's XML costs with what a byte of HTML costs: both from the bytes to words and packed
// content. The documents have the texts of the pages, with the markup that Word and LibreOffice write around each paragraph.
func (b *bench) office(ctx context.Context, r *results) error {
	step("office: documents")
	pages, err := b.officePages(ctx)
	if err != nil || len(pages) == 0 {
		return err
	}
	rules, err := document.NewRules(document.Rules{})
	if err != nil {
		return err
	}
	read, _ := reader.For(officeMedia)
	var htmlBytes, xmlBytes int
	for i := range pages {
		htmlBytes, xmlBytes = htmlBytes+len(pages[i].html), xmlBytes+pages[i].xml
	}
	fastest := func(do func(*officePage) error) (best time.Duration, err error) {
		best = math.MaxInt64
		for range officeRounds {
			began, err := ownCPU()
			if err != nil {
				return 0, err
			}
			for i := range pages {
				if err := do(&pages[i]); err != nil {
					return 0, err
				}
			}
			ended, err := ownCPU()
			if err != nil {
				return 0, err
			}
			best = min(best, ended-began)
		}
		return best, ctx.Err()
	}
	packed := func(body []byte, contentType string) error {
		_, err := document.Parse(body, contentType, rules)
		store.PackContent(body)
		return err
	}
	ofHTML, err := fastest(func(p *officePage) error { return packed(p.html, "text/html") })
	if err != nil {
		return err
	}
	ofXML, err := fastest(func(p *officePage) error {
		t, err := read(ctx, reader.Source{ReaderAt: bytes.NewReader(p.docx), Size: int64(len(p.docx))}, reader.Options{Limit: document.DefaultIndexLimit})
		if err != nil {
			return err
		}
		return packed(t.Body, t.ContentType)
	})
	if err != nil {
		return err
	}
	r.officeHTML, r.officeXML = perByte(ofHTML, htmlBytes), perByte(ofXML, xmlBytes)
	return nil
}

// ownCPU returns the CPU time of this process.
func ownCPU() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// perByte returns nanoseconds.
func perByte(d time.Duration, n int) float64 { return float64(d.Nanoseconds()) / float64(max(n, 1)) }

// officePages reads pages of the set.
func (b *bench) officePages(ctx context.Context) (pages []officePage, err error) {
	size := 0
	for _, dir := range b.pages.dirs {
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return nil, err
		}
		most := size + officeBytes/len(b.pages.dirs)
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil || size >= most || !d.Type().IsRegular() || !strings.HasSuffix(path, ".html") {
				return err
			}
			body, err := os.ReadFile(path)
			if err != nil || len(body) > document.DefaultIndexLimit {
				return err
			}
			size += len(body)
			p := officePage{html: body}
			if p.docx, p.xml, err = wordDocument(textOf(body, "text/html")); err == nil {
				pages = append(pages, p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// wordDocument returns a Word document with a text, in paragraphs of fifty words, and the bytes of its XML.
func wordDocument(text string) (docx []byte, size int, err error) {
	var x strings.Builder
	x.WriteString(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`)
	words := strings.Fields(text)
	for len(words) > 0 {
		n := min(50, len(words))
		x.WriteString(`<w:p w:rsidR="00910EBC" w:rsidRDefault="004F232C"><w:pPr><w:pStyle w:val="Normal"/><w:bidi w:val="0"/><w:jc w:val="start"/><w:rPr></w:rPr></w:pPr>`)
		for len(words) > 0 && n > 0 { // runs of ten words
			m := min(10, n, len(words))
			fmt.Fprintf(&x, `<w:r><w:rPr><w:lang w:val="en-US"/></w:rPr><w:t xml:space="preserve">%s </w:t></w:r>`, html.EscapeString(strings.Join(words[:m], " ")))
			words, n = words[m:], n-m
		}
		x.WriteString(`</w:p>`)
	}
	x.WriteString(`</w:body></w:document>`)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("word/document.xml")
	if err != nil {
		return nil, 0, err
	}
	if _, err := w.Write([]byte(x.String())); err != nil {
		return nil, 0, err
	}
	if err := z.Close(); err != nil {
		return nil, 0, err
	}
	return b.Bytes(), x.Len(), nil
}
