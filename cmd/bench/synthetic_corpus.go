package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/store/posting"
)

// Synthetic documents have 60 to 100 words each, with the frequencies of a language (Zipf's law with Mandelbrot's shift).
// Their vocabulary grows ever more slowly, to about 1.2 million words in a million documents. Each document has versions,
// which depend only on its number and on that of the version.
const (
	synthSeed      = 20
	synthExponent  = 1.45
	synthShift     = 20
	synthBlock     = 20 // consecutive documents on one site, and in one schedule
	synthSites     = 1000
	synthChange    = 15 // words in which a version differs from the first one
	synthFirstURL  = 1
	synthFirstSite = 1
)

// corpus generates documents. It belongs to one goroutine.
type corpus struct {
	first  string // the first site, which has a web server: http://127.0.0.1:port/
	source *rand.PCG
	r      *rand.Rand
	zipf   *rand.Zipf
	sites  *rand.Zipf
	words  []uint32
}

func newCorpus(first string) *corpus {
	c := &corpus{first: first, source: rand.NewPCG(synthSeed, 0)}
	c.r = rand.New(c.source)
	c.zipf = rand.NewZipf(c.r, synthExponent, synthShift, 1<<32-1)
	c.sites = rand.NewZipf(c.r, 1.3, 5, synthSites-2)
	return c
}

// site returns the site of a document: the first one has a tenth of all documents, most have few.
func (c *corpus) site(url int32) int32 {
	c.source.Seed(synthSeed+1, uint64(url/synthBlock))
	if c.r.IntN(10) == 0 {
		return synthFirstSite
	}
	return synthFirstSite + 1 + int32(c.sites.Uint64())
}

// siteName returns the text of sites.site.
func (c *corpus) siteName(site int32) string {
	if site == synthFirstSite {
		return c.first
	}
	return fmt.Sprintf("http://site%d.example/", site)
}

// address returns the URL of a document.
func (c *corpus) address(url int32) string { return fmt.Sprintf("%s%d", c.siteName(c.site(url)), url) }

// draw generates the words of a version of a document, as numbers. The slice is valid until the next call.
func (c *corpus) draw(url int32, version int) []uint32 {
	c.source.Seed(synthSeed+2, uint64(url))
	c.words = c.words[:0]
	for range 60 + c.r.IntN(41) {
		c.words = append(c.words, uint32(c.zipf.Uint64()))
	}
	if version > 0 {
		c.source.Seed(synthSeed+3+uint64(version), uint64(url))
		from := c.r.IntN(len(c.words) - synthChange)
		for i := range synthChange {
			c.words[from+i] = uint32(c.zipf.Uint64())
		}
	}
	return c.words
}

// spell appends a word: syllables, fewer for frequent words.
func spell(dst []byte, word uint32) []byte {
	const first, second = "bcdfghjklmnprstvwxyz", "aeiou"
	for n := uint64(word); ; n = n/100 - 1 {
		dst = append(dst, first[n%100/5], second[n%5])
		if n < 100 {
			return dst
		}
	}
}

// version is a version of a synthetic document, as the tables have it.
type version struct {
	url, site     int32
	text          []byte // of the page
	words         []byte // packed for the journal
	count, differ int    // words, different ones
	links         []int32
}

// version generates a version.
func (c *corpus) version(url int32, number, documents int) version {
	v := version{url: url, site: c.site(url)}
	drawn := c.draw(url, number)
	v.count = len(drawn)
	type place struct {
		word string
		at   uint16
	}
	places := make([]place, len(drawn))
	v.text = fmt.Appendf(v.text, "<html><body><p>")
	for i, w := range drawn {
		from := len(v.text)
		v.text = spell(v.text, w)
		places[i] = place{string(v.text[from:]), uint16(i)}
		v.text = append(v.text, ' ')
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(strings.Compare(a.word, b.word), cmp.Compare(a.at, b.at)) })
	var words []posting.Word
	for _, p := range places {
		if n := len(words); n == 0 || words[n-1].Text != p.word {
			words = append(words, posting.Word{Text: p.word})
		}
		last := &words[len(words)-1]
		last.Positions = append(last.Positions, p.at)
	}
	v.words, v.differ = posting.AppendWords(nil, words), len(words)
	// A page links to its neighbors and to the first page.
	for _, u := range []int32{synthFirstURL, url - 1, url + 1} {
		if u >= synthFirstURL && u != url && int(u) < synthFirstURL+documents && !slices.Contains(v.links, u) {
			v.links = append(v.links, u)
			v.text = fmt.Appendf(v.text, "<a href=\"%s\">.</a>", c.address(u))
		}
	}
	v.text = append(v.text, "</body></html>"...)
	return v
}

// synthPages serves the documents of the first site at /URL_ID, in one version.
type synthPages struct {
	first             string
	documents, number int
}

// ServeHTTP answers with a page, without validators.
func (p *synthPages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var url int32
	if n, err := fmt.Sscanf(r.URL.Path, "/%d", &url); n != 1 || err != nil || url < synthFirstURL || int(url) >= synthFirstURL+p.documents {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(newCorpus(p.first).version(url, p.number, p.documents).text) // the crawl tells
}
