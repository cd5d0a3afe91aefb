package snippet

import (
	"bytes"
	"math/bits"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
)

// An Excerpt is a piece of a document's text in which terms are marked.
type Excerpt []Span

// A Span is a piece of text. Term is the index in Query.Terms of the word that it is, or -1 between terms.
// The first span of an excerpt has CutBefore unless it is the beginning of the text, the last span has
// CutAfter unless it is the end: these are the places for an ellipsis.
type Span struct {
	Text                string
	Term                int
	CutBefore, CutAfter bool
}

// Excerpts returns pieces of a document's text that show the terms of a query: at most most pieces of about
// length characters each, the best first. The best piece is one where a phrase of the query, or all its terms
// in the order of the query, begins; then one with the most different terms closest together; then one in a
// line of sentences; then the first in the text. Later pieces preferably show phrases and terms that earlier ones do not. Pieces do not
// overlap, and begin and end at word boundaries, if possible at those of sentences. A piece is longer than
// length only if a phrase is.
//
// The result is empty for a document with META nosnippet, and if no term occurs in the body. The description
// or the beginning of the text is shown then. The time is linear in the text for every query.
func (f *Finder) Excerpts(t *document.Text, most, length int) []Excerpt {
	return f.ExcerptsOf(ExcerptText(t), most, length)
}

// ExcerptText returns the text for ExcerptsOf, nothing for a document with META nosnippet. The main text comes first; behind a form
// feed there is what is shown only when the main text has none of the terms.
func ExcerptText(t *document.Text) []byte {
	if t.NoSnippet { // META noindex says nothing here: only documents of the index are shown (IgnoreMeta)
		return nil
	}
	if len(t.Aside) == 0 && len(t.Quiet) == 0 {
		return collapse(t.Body)
	}
	text := append(collapse(without(t.Body, t.Aside, t.Quiet)), aside)
	return append(text, collapse(only(t.Body, t.Aside))...)
}

// aside separates the main text from the rest. It is a blank of HTML, which Text.Body does not have.
const aside = '\f'

// without returns a text without ranges of two lists, each ascending. They do not overlap.
func without(text []byte, lists ...[][2]int) (rest []byte) {
	ranges := slices.Concat(lists...)
	slices.SortFunc(ranges, func(a, b [2]int) int { return a[0] - b[0] })
	from := 0
	for _, r := range ranges {
		rest = append(append(rest, text[from:r[0]]...), document.Gap)
		from = r[1]
	}
	return append(rest, text[from:]...)
}

// only returns the ranges of a text.
func only(text []byte, ranges [][2]int) (parts []byte) {
	for _, r := range ranges {
		parts = append(append(parts, text[r[0]:r[1]]...), document.Gap)
	}
	return parts
}

// ExcerptsOf returns the excerpts of a text that ExcerptText has returned. See Excerpts.
func (f *Finder) ExcerptsOf(text []byte, most, length int) []Excerpt {
	main, rest, _ := bytes.Cut(text, []byte{aside})
	if list := f.excerptsOf(main, most, length); len(list) > 0 {
		return list
	}
	return f.excerptsOf(rest, most, length)
}

func (f *Finder) excerptsOf(body []byte, most, length int) []Excerpt {
	if most <= 0 || len(body) == 0 {
		return nil
	}
	length = min(max(length, minExcerpt), maxExcerpt)
	w := newWindows(f, body, length)
	document.Scan(body, w.word)
	w.flush()
	return w.choose(most)
}

// Limits of Excerpts, in characters. A phrase may extend a piece to wideExcerpt times its length.
const (
	minExcerpt  = 20
	maxExcerpt  = 2000
	wideExcerpt = 4
)

// collapse replaces each run of white space by one blank, or by one line end if the run has one, or by a gap if it has one.
func collapse(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, c := range text {
		n := len(out)
		switch {
		case !isBlankByte(c):
			out = append(out, c)
		case n == 0:
		case !isBlankByte(out[n-1]):
			out = append(out, c)
		case c == document.Gap, c == '\n' && out[n-1] == ' ':
			out[n-1] = c
		}
	}
	return out
}

// windows moves a window over a text, one position for each word found, and keeps the best windows.
type windows struct {
	finder *Finder
	body   []byte
	length int // of a piece, in characters
	span   int // of the window, in bytes
	reach  int // maximum length of a phrase from the beginning of the window, in bytes

	ordinal    int
	last       int // where the last word ended
	lineFrom   int // the line that inProse looked at last
	lineTo     int
	hits       []hit // words found; [head:tail] are in the window, those behind tail are within reach
	head, tail int
	counts     [maxTerms]int
	terms      termSet // in the window
	budget     int     // remaining steps of the search for phrases; without any, only distances decide

	best  []candidate // ascending, at least a window apart
	ofAll [maxTerms]candidate
}

// A hit is a word of the text that matches terms.
type hit struct {
	start, end int
	ordinal    int
	terms      termSet
}

// A candidate is a window: body[start:end] contains all its terms. A higher key is better.
type candidate struct {
	start, end int
	terms      termSet
	phrases    uint32 // bit i: phrase i begins there
	key        uint64
}

// candidates is the number of windows that are kept besides the best one of each term. Excerpts are fewer.
const candidates = 32

func newWindows(f *Finder, body []byte, length int) *windows {
	perChar := 1.0
	if n := utf8.RuneCount(body); n > 0 {
		perChar = float64(len(body)) / float64(n)
	}
	wide := min(max(length, f.widest), wideExcerpt*length)
	return &windows{
		finder: f, body: body, length: length, span: int(float64(length) * perChar), reach: int(float64(wide) * perChar),
		budget: 1<<18 + len(body)/8,
	}
}

// word adds the next word of the text.
func (w *windows) word(word []byte, start, end int) bool {
	set := w.finder.terms(word)
	w.ordinal++
	for ; w.last < start; w.last++ {
		if w.body[w.last] == document.Gap {
			w.ordinal++
		}
	}
	w.last = end
	if set == 0 || end-start > w.span {
		return true
	}
	for w.head < len(w.hits) && end > w.hits[w.head].start+w.reach {
		w.look()
	}
	if w.head > 1024 && w.head > len(w.hits)/2 {
		w.hits = w.hits[:copy(w.hits, w.hits[w.head:])]
		w.tail -= w.head
		w.head = 0
	}
	w.hits = append(w.hits, hit{start, end, w.ordinal - 1, set})
	return true
}

// flush evaluates the remaining windows at the end of the text.
func (w *windows) flush() {
	for w.head < len(w.hits) {
		w.look()
	}
}

// look evaluates the window that begins at the first hit, and removes that hit.
func (w *windows) look() {
	first := w.hits[w.head]
	for ; w.tail < len(w.hits) && w.hits[w.tail].end <= first.start+w.span; w.tail++ {
		for i := range w.hits[w.tail].terms.all {
			w.counts[i]++
		}
		w.terms |= w.hits[w.tail].terms
	}
	c := candidate{start: first.start, terms: w.terms}
	var seen termSet
	for _, h := range w.hits[w.head:w.tail] {
		seen |= h.terms
		c.end = max(c.end, h.end)
		if seen == w.terms {
			break
		}
	}
	spread := c.end - c.start
	if end := 0; len(w.finder.phrases) > 0 {
		c.phrases, end = w.phrasesAt(first)
		c.end = max(c.end, end)
	}
	c.key = uint64(bits.OnesCount32(c.phrases))<<48 | uint64(bits.OnesCount64(uint64(c.terms)))<<40 | uint64(1<<32-1-spread)<<1
	if w.inProse(c.start) {
		c.key |= 1
	}
	w.keep(c)

	for i := range first.terms.all {
		if w.counts[i]--; w.counts[i] == 0 {
			w.terms &^= 1 << i
		}
	}
	w.head++
}

// prose is the length in bytes from which a line of the text counts as one of sentences: headings, items of menus and cells of
// tables are shorter.
const prose = 60

// inProse reports whether a place is in a line of sentences.
func (w *windows) inProse(at int) bool {
	if at < w.lineFrom || at >= w.lineTo { // places come in ascending order
		w.lineFrom = bytes.LastIndexAny(w.body[:at], "\n\v") + 1
		w.lineTo = len(w.body)
		if n := bytes.IndexAny(w.body[at:], "\n\v"); n >= 0 {
			w.lineTo = at + n
		}
	}
	return w.lineTo-w.lineFrom >= prose
}

// phrasesAt returns the phrases that begin at a hit, and the byte where the last of them ends.
func (w *windows) phrasesAt(first hit) (found uint32, end int) {
	for i := range w.finder.phrases {
		if w.finder.phrases[i].begins&first.terms == 0 {
			continue
		}
		ends := w.finder.phrases[i].ends(first.ordinal, w.termsAt, &w.budget)
		if len(ends) == 0 {
			continue
		}
		found |= 1 << i
		for _, h := range w.hits[w.head:] {
			if h.ordinal >= ends[0] {
				break
			}
			end = max(end, h.end)
		}
	}
	return found, end
}

// termsAt returns the terms at an ordinal within reach.
func (w *windows) termsAt(ordinal int) termSet {
	in := w.hits[w.head:]
	i := sort.Search(len(in), func(i int) bool { return in[i].ordinal >= ordinal })
	if i == len(in) || in[i].ordinal != ordinal {
		return 0
	}
	return in[i].terms
}

// keep keeps a candidate if it is better than the one that it overlaps, or the best that shows one of its
// terms.
func (w *windows) keep(c candidate) {
	for i := range c.terms.all {
		if c.key > w.ofAll[i].key {
			w.ofAll[i] = c
		}
	}
	n := len(w.best)
	if n > 0 && c.start < w.best[n-1].start+w.span {
		if c.key > w.best[n-1].key {
			w.best[n-1] = c
		}
		return
	}
	w.best = append(w.best, c)
	if n < candidates {
		return
	}
	worst := 0
	for i := range w.best {
		if w.best[i].key <= w.best[worst].key {
			worst = i
		}
	}
	w.best = slices.Delete(w.best, worst, worst+1)
}

// choose selects the best candidates and cuts pieces around them.
func (w *windows) choose(most int) []Excerpt {
	pool := slices.Clone(w.best)
	for _, c := range w.ofAll {
		if c.key > 0 {
			pool = append(pool, c)
		}
	}
	var (
		out     []Excerpt
		taken   [][2]int // of body, ascending
		terms   termSet  // shown so far
		phrases uint32
	)
	for len(out) < most {
		lead := -1
		var leads [3]uint64
		for i, c := range pool {
			gain := [3]uint64{uint64(bits.OnesCount32(c.phrases &^ phrases)), uint64(bits.OnesCount64(uint64(c.terms &^ terms))), c.key}
			switch order := slices.Compare(gain[:], leads[:]); {
			case order > 0, order == 0 && lead >= 0 && c.start < pool[lead].start:
				lead, leads = i, gain
			}
		}
		if lead < 0 {
			break
		}
		c := pool[lead]
		pool = slices.Delete(pool, lead, lead+1)
		after, _ := slices.BinarySearchFunc(taken, c.start, func(t [2]int, start int) int { return t[0] - start })
		lo, hi := 0, len(w.body)
		if after > 0 {
			lo = taken[after-1][1]
		}
		if after < len(taken) {
			hi = taken[after][0]
		}
		if c.start < lo || c.end > hi {
			continue
		}
		from, to := cutter{w.body, lo, hi, w.length}.cut(c.start, c.end)
		taken = slices.Insert(taken, after, [2]int{from, to})
		terms |= c.terms
		phrases |= c.phrases
		out = append(out, w.excerpt(from, to))
	}
	return out
}

// excerpt marks the terms of a piece.
func (w *windows) excerpt(from, to int) Excerpt {
	piece := w.body[from:to]
	e := spans(piece, w.finder.marks(piece, len(piece)))
	if n := len(e); n > 0 {
		e[0].CutBefore = from > 0
		e[n-1].CutAfter = to < len(w.body)
	}
	return e
}
