package search

import (
	"encoding/binary"
	"slices"
	"sort"

	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/posting"
)

// A place is a document in the order of the index: the site in the upper half, the URL in the lower half. No
// document has place 0.
type place uint64

// noPlace is after every document.
const noPlace = ^place(0)

func placeOf(site, url int32) place { return place(site)<<32 | place(uint32(url)) }

func (p place) site() int32 { return int32(p >> 32) }
func (p place) url() int32  { return int32(uint32(p)) }

// endOfSite returns the first place after all documents of a site.
func endOfSite(site int32) place { return place(site+1) << 32 }

// A stored is a word of the index as a query has read it: the blob of its row in wordurl, the keys of its
// rows in wordfile, and its blob in the real-time index. It is read-only, so several terms may share it.
type stored struct {
	text        string
	urls, total int64
	inline      []byte
	segments    [][]lookup.SearchRow // segments, newest first; the rows of each ascend
	realtime    []byte
}

// addRow appends the next row to its segment, or begins a new one.
func (w *stored) addRow(r lookup.SearchRow) {
	if n := len(w.segments); n > 0 {
		last := w.segments[n-1][0].Key
		if last.Level == r.Key.Level && last.Seq == r.Key.Seq {
			w.segments[n-1] = append(w.segments[n-1], r)
			return
		}
	}
	w.segments = append(w.segments, []lookup.SearchRow{r})
}

// A segment reads the rows that one batch wrote for a word, and fetches only those that are needed. at is its
// current place, noPlace at its end.
type segment struct {
	rows []lookup.SearchRow
	next int   // index of the row after the current one
	ends place // first place of that row, noPlace if there is none
	want int   // rows to fetch at once: doubles until a row is skipped
	it   posting.Iterator
	at   place
	load *loader
}

// seek moves to the first posting at or after p. It never goes back.
func (r *segment) seek(p place) {
	if r.at >= p {
		return
	}
	// The row to open is the last one that begins at or before p.
	if r.ends <= p {
		skip := sort.Search(len(r.rows)-r.next, func(i int) bool { return beginOf(&r.rows[r.next+i]) > p })
		if skip > 1 {
			r.want = 1
		}
		r.next += skip - 1
		if !r.open() {
			return
		}
	}
	for {
		if r.it.Seek(p.site(), p.url()) {
			r.at = placeOf(r.it.Site(), r.it.URL())
			return
		}
		if err := r.it.Err(); err != nil {
			r.load.fail(err)
			r.at = noPlace
			return
		}
		if r.next == len(r.rows) {
			r.at = noPlace
			return
		}
		if !r.open() {
			return
		}
	}
}

// beginOf returns the first place of a row.
func beginOf(row *lookup.SearchRow) place { return placeOf(row.Key.FirstSite, row.Key.FirstURL) }

// inMemory returns a segment with the blob of one row, which is in memory already.
func inMemory(blob []byte, load *loader) segment {
	r := segment{load: load, ends: noPlace}
	r.it.Reset(blob)
	return r
}

// open begins to read the next row and releases the current one.
func (r *segment) open() bool {
	if r.next > 0 {
		r.rows[r.next-1].Forget()
	}
	r.want = min(max(2*r.want, 1), ahead)
	blob, ok := r.load.blob(r.rows[r.next:], r.want)
	if !ok {
		r.at = noPlace
		return false
	}
	r.next++
	r.ends = noPlace
	if r.next < len(r.rows) {
		r.ends = beginOf(&r.rows[r.next])
	}
	r.it.Reset(blob)
	return true
}

// A reader merges the postings of a word. The newest segment that has a document wins; for documents in the
// real-time index only the posting there counts.
type reader struct {
	segments []segment // newest first
	realtime segment
	live     *urlSet // documents of the real-time index; nil = none
	at       place
	raw      []byte   // encoded positions of the current posting
	size     int64    // upper bound of the number of documents
	lead     *segment // the segment with the current posting; nil = the real-time index, or none
	rest     place    // lowest place of all other segments
}

// newReader returns a reader of a word. It has no postings if the word is nil.
func newReader(w *stored, live *urlSet, load *loader) *reader {
	r := &reader{}
	r.realtime.at = noPlace
	if w == nil {
		return r
	}
	r.size = w.urls
	if len(w.inline) > 0 {
		r.segments = append(r.segments, inMemory(w.inline, load))
	}
	for _, rows := range w.segments {
		r.segments = append(r.segments, segment{rows: slices.Clone(rows), load: load, ends: beginOf(&rows[0])})
	}
	if len(w.realtime) > 0 {
		r.realtime = inMemory(w.realtime, load)
		r.size += int64(len(w.realtime) / 8)
	}
	if live != nil && live.len() > 0 {
		r.live = live
	}
	return r
}

// scan announces a sequential read: many rows are fetched at once from the beginning.
func (r *reader) scan() {
	for i := range r.segments {
		r.segments[i].want = ahead
	}
}

// seek moves to the first document at or after p. It never goes back.
func (r *reader) seek(p place) place {
	if p == noPlace {
		r.at = noPlace
	}
	for r.at < p {
		// While one segment is before all others, only that one is read.
		if r.lead != nil {
			r.lead.seek(p)
		}
		if r.lead == nil || r.lead.at >= r.rest {
			if r.seekAll(p); r.lead == nil {
				return r.at
			}
		}
		if at := r.lead.at; r.lead.it.Count() == 0 || r.live != nil && r.live.has(at.url()) {
			p = at + 1
		} else {
			r.at, r.raw = at, r.lead.it.Raw()
		}
	}
	return r.at
}

// seekAll moves all segments and chooses the leading one. Without one, the document is the real-time index's,
// or there is none.
func (r *reader) seekAll(p place) {
	r.lead, r.rest = nil, noPlace
	least := noPlace
	for i := range r.segments {
		run := &r.segments[i]
		run.seek(p)
		switch {
		case run.at < least:
			r.lead, r.rest, least = run, least, run.at
		case run.at < r.rest:
			r.rest = run.at
		}
	}
	r.realtime.seek(p)
	if r.realtime.at <= least { // the real-time index has the newer version
		r.lead, r.at = nil, r.realtime.at
		if r.at != noPlace {
			r.raw = r.realtime.it.Raw()
		}
		return
	}
	r.rest = min(r.rest, r.realtime.at)
}

// positionAt returns the i-th of encoded positions.
func positionAt(raw []byte, i int) uint16 { return binary.LittleEndian.Uint16(raw[2*i:]) }

// section returns the part of ascending positions that is in a section.
func section(raw []byte, s int) []byte {
	n := len(raw) / 2
	if n > 0 && int(positionAt(raw, 0)>>14) == s && int(positionAt(raw, n-1)>>14) == s {
		return raw // most postings: all positions in the body
	}
	from := 0
	if s > 0 {
		from = sort.Search(n, func(i int) bool { return positionAt(raw, i)>>14 >= uint16(s) })
	}
	to := n
	if s < 3 {
		to = from + sort.Search(n-from, func(i int) bool { return positionAt(raw, from+i)>>14 > uint16(s) })
	}
	return raw[2*from : 2*to]
}
