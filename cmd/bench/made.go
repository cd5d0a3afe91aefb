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

// Documents that are made: 60 to 100 words each, whose frequencies fall as those of a language do (Zipf's law with
// Mandelbrot's shift), so that the vocabulary grows ever more slowly, to about 1.2 million words in a million documents.
// Each has versions; all follow from its number and that of the version.
const (
	madeSeed      = 20
	madeExponent  = 1.45
	madeShift     = 20
	madeBlock     = 20 // documents that follow each other on one site, and in one schedule
	madeSites     = 1000
	madeChange    = 15 // words that another version has in place of those of the first one
	madeFirstURL  = 1
	madeFirstSite = 1
)

// corpus makes documents. It belongs to one goroutine.
type corpus struct {
	first  string // the first site, which has a web server: http://127.0.0.1:port/
	source *rand.PCG
	r      *rand.Rand
	zipf   *rand.Zipf
	sites  *rand.Zipf
	words  []uint32
}

func newCorpus(first string) *corpus {
	c := &corpus{first: first, source: rand.NewPCG(madeSeed, 0)}
	c.r = rand.New(c.source)
	c.zipf = rand.NewZipf(c.r, madeExponent, madeShift, 1<<32-1)
	c.sites = rand.NewZipf(c.r, 1.3, 5, madeSites-2)
	return c
}

// site is where a document stands: the first one has a tenth of all, most have few.
func (c *corpus) site(url int32) int32 {
	c.source.Seed(madeSeed+1, uint64(url/madeBlock))
	if c.r.IntN(10) == 0 {
		return madeFirstSite
	}
	return madeFirstSite + 1 + int32(c.sites.Uint64())
}

// siteName is the row of sites.
func (c *corpus) siteName(site int32) string {
	if site == madeFirstSite {
		return c.first
	}
	return fmt.Sprintf("http://site%d.example/", site)
}

// address is a document's URL.
func (c *corpus) address(url int32) string { return fmt.Sprintf("%s%d", c.siteName(c.site(url)), url) }

// draw makes the words of a version of a document, as numbers. They are the corpus's until the next call.
func (c *corpus) draw(url int32, version int) []uint32 {
	c.source.Seed(madeSeed+2, uint64(url))
	c.words = c.words[:0]
	for range 60 + c.r.IntN(41) {
		c.words = append(c.words, uint32(c.zipf.Uint64()))
	}
	if version > 0 {
		c.source.Seed(madeSeed+3+uint64(version), uint64(url))
		from := c.r.IntN(len(c.words) - madeChange)
		for i := range madeChange {
			c.words[from+i] = uint32(c.zipf.Uint64())
		}
	}
	return c.words
}

// spell writes a word: syllables, fewer for frequent words.
func spell(dst []byte, word uint32) []byte {
	const first, second = "bcdfghjklmnprstvwxyz", "aeiou"
	for n := uint64(word); ; n = n/100 - 1 {
		dst = append(dst, first[n%100/5], second[n%5])
		if n < 100 {
			return dst
		}
	}
}

// version is a made version of a document, as the tables have it.
type version struct {
	url, site     int32
	text          []byte // of the page
	words         []byte // packed for the journal
	count, differ int    // words, different ones
	links         []int32
}

// version makes one.
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
	// A page leads to its neighbours and to the first page.
	for _, u := range []int32{madeFirstURL, url - 1, url + 1} {
		if u >= madeFirstURL && u != url && int(u) < madeFirstURL+documents && !slices.Contains(v.links, u) {
			v.links = append(v.links, u)
			v.text = fmt.Appendf(v.text, "<a href=\"%s\">.</a>", c.address(u))
		}
	}
	v.text = append(v.text, "</body></html>"...)
	return v
}

// madePages serves the documents of the first site at /URL_ID, in one version.
type madePages struct {
	first             string
	documents, number int
}

// ServeHTTP answers with a page, without validators.
func (p *madePages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var url int32
	if n, err := fmt.Sscanf(r.URL.Path, "/%d", &url); n != 1 || err != nil || url < madeFirstURL || int(url) >= madeFirstURL+p.documents {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(newCorpus(p.first).version(url, p.number, p.documents).text) // the crawl tells
}
