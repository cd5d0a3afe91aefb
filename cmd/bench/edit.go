package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// editor changes pages like their authors: each change inserts a paragraph with words of other pages, and one or
// two new words, at a random place of the original page. So a page that changes often does not grow, but the
// vocabulary does.
type editor struct {
	pages *pages
	r     *rand.Rand
	urls  []string // of all documents
	words [][]byte // pieces of text to draw from
}

// newEditor takes all documents and some of their text.
func newEditor(p *pages, urls []string, text []byte) *editor {
	return &editor{pages: p, r: rand.New(rand.NewPCG(4, 1)), urls: urls, words: bytes.Fields(text)}
}

// change gives n documents a new version and returns their URLs.
func (e *editor) change(n int) ([]string, error) {
	e.r.Shuffle(len(e.urls), func(i, j int) { e.urls[i], e.urls[j] = e.urls[j], e.urls[i] })
	changed := slices.Clone(e.urls[:n])
	for _, u := range changed {
		if err := e.write(u); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// write stores a new version of a page in the folder that takes precedence.
func (e *editor) write(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(e.pages.mounts, func(m string) bool { return strings.HasPrefix(u.Path, m+"/") })
	if at < 0 {
		return fmt.Errorf("%s is none of the pages", address)
	}
	if strings.HasSuffix(u.Path, "/") {
		u.Path += "index.html"
	}
	page, err := os.ReadFile(filepath.Join(e.pages.dirs[at], strings.TrimPrefix(u.Path, e.pages.mounts[at])))
	if err != nil {
		return err
	}
	file := filepath.Join(e.pages.over, u.Path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, e.edit(page), 0o644)
}

// edit returns the page with another paragraph.
func (e *editor) edit(page []byte) []byte {
	var paragraph bytes.Buffer
	paragraph.WriteString("<p>")
	from := e.r.IntN(max(len(e.words)-60, 1))
	for _, w := range e.words[from:min(from+40+e.r.IntN(20), len(e.words))] {
		paragraph.WriteString(html.EscapeString(string(w))) // texts speak of tags
		paragraph.WriteByte(' ')
	}
	for range 1 + e.r.IntN(2) {
		paragraph.WriteString("new" + strconv.FormatUint(e.r.Uint64N(1<<40), 36) + " ")
	}
	paragraph.WriteString("</p>")
	const end = "</p>"
	ends := bytes.Count(page, []byte(end))
	at := bytes.LastIndex(page, []byte("</body>"))
	if at < 0 {
		at = len(page)
	}
	if ends > 0 {
		at = 0
		for range 1 + e.r.IntN(ends) {
			at += bytes.Index(page[at:], []byte(end)) + len(end)
		}
	}
	return slices.Concat(page[:at], paragraph.Bytes(), page[at:])
}
