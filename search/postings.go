package search

import (
	"encoding/binary"
	"slices"
	"sort"

	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/posting"
)

// A place is a document in the order of the index: the site in the upper half, the URL in the lower. No document has 0.
type place uint64

// noPlace is behind every document.
const noPlace = ^place(0)

func placeOf(site, url int32) place { return place(site)<<32 | place(uint32(url)) }

func (p place) site() int32 { return int32(p >> 32) }
func (p place) url() int32  { return int32(uint32(p)) }

// endOfSite is the first place behind all documents of a site.
func endOfSite(site int32) place { return place(site+1) << 32 }

// A stored is a word of the index, as a query has found it: what stands in its row, which rows it has in wordfile, and what
// is in the real-time index. It is only read, so several terms may share it.
type stored struct {
	text        string
	urls, total int64
	inline      []byte
	runs        [][]lookup.SearchRow // newest first; rows of a run ascend
	realtime    []byte
}

// addRow puts the next row where it belongs.
func (w *stored) addRow(r lookup.SearchRow) {
	if n := len(w.runs); n > 0 {
		last := w.runs[n-1][0].Key
		if last.Level == r.Key.Level && last.Seq == r.Key.Seq {
			w.runs[n-1] = append(w.runs[n-1], r)
			return
		}
	}
	w.runs = append(w.runs, []lookup.SearchRow{r})
}

// A segment reads the rows that one batch wrote, and only those that are asked for. at is where it stands, nowhere at its end.
type segment struct {
	rows []lookup.SearchRow
	next int   // row behind the one that is read
	ends place // where that one begins, nowhere if there is none
	want int   // rows to fetch at once: more and more as long as none is jumped over
	it   posting.Iterator
	at   place
	load *loader
}

// seek goes to the first posting at or behind p, never back.
func (r *segment) seek(p place) {
	if r.at >= p {
		return
	}
	// Which row has it: the last that begins at or before p, never one behind us.
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

// beginOf is the first place that a row has.
func beginOf(row *lookup.SearchRow) place { return placeOf(row.Key.FirstSite, row.Key.FirstURL) }

// inMemory reads a blob that is there already.
func inMemory(blob []byte, load *loader) segment {
	r := segment{load: load, ends: noPlace}
	r.it.Reset(blob)
	return r
}

// open begins to read the next row, and forgets the one before.
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

// A reader reads the postings of a word as they count: of a document that several runs have, the newest posting; of one in the
// real-time index, the posting there (D-4, D-11).
type reader struct {
	runs     []segment // newest first
	realtime segment
	live     *urlSet // documents of the real-time index; nil = there are none
	at       place
	raw      []byte   // positions of the posting, as they stand in a blob
	size     int64    // documents at most
	lead     *segment // the run with the posting; nil = another one, or none
	rest     place    // where the first of all others stands
}

// newReader reads a word, nothing when it is nil.
func newReader(w *stored, live *urlSet, load *loader) *reader {
	r := &reader{}
	r.realtime.at = noPlace
	if w == nil {
		return r
	}
	r.size = w.urls
	if len(w.inline) > 0 {
		r.runs = append(r.runs, inMemory(w.inline, load))
	}
	for _, rows := range w.runs {
		r.runs = append(r.runs, segment{rows: slices.Clone(rows), load: load, ends: beginOf(&rows[0])})
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

// scan says that all of it is going to be read: many rows are fetched at once from the beginning.
func (r *reader) scan() {
	for i := range r.runs {
		r.runs[i].want = ahead
	}
}

// seek goes to the first document at or behind p, never back.
func (r *reader) seek(p place) place {
	if p == noPlace {
		r.at = noPlace
	}
	for r.at < p {
		// As long as one run stays before all others, it alone is read.
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

// seekAll lets all runs seek and finds which leads. Without one the document is the real-time index's, or there is none.
func (r *reader) seekAll(p place) {
	r.lead, r.rest = nil, noPlace
	least := noPlace
	for i := range r.runs {
		run := &r.runs[i]
		run.seek(p)
		switch {
		case run.at < least:
			r.lead, r.rest, least = run, least, run.at
		case run.at < r.rest:
			r.rest = run.at
		}
	}
	r.realtime.seek(p)
	if r.realtime.at <= least { // a document that is in both is newer there
		r.lead, r.at = nil, r.realtime.at
		if r.at != noPlace {
			r.raw = r.realtime.it.Raw()
		}
		return
	}
	r.rest = min(r.rest, r.realtime.at)
}

// positionAt is the i-th of encoded positions.
func positionAt(raw []byte, i int) uint16 { return binary.LittleEndian.Uint16(raw[2*i:]) }

// section returns those of ascending positions that are in a section.
func section(raw []byte, s int) []byte {
	n := len(raw) / 2
	if n > 0 && int(positionAt(raw, 0)>>14) == s && int(positionAt(raw, n-1)>>14) == s {
		return raw // mostly: all of them in the body
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
