package storetest

import (
	"cmp"
	"slices"

	"github.com/pgseek/pgseek/store/posting"
)

// Limits of postings.
const (
	lastOrdinal = 16383 // in its section; later words share it
	maxCount    = 16383 // positions of a word in a document
	baseLevel   = 2     // of wordfile: nothing stands below
)

// checkWordurl checks that every blob of wordurl decodes to its exact length with ascending sites, URLs and
// positions, and that the counts are those of the postings.
func checkWordurl(d *database) {
	d.merged, d.full, d.blocks = map[int32][]docWord{}, map[int32]bool{}, map[int32]map[uint16]uint64{}
	files := map[int32][]*fileRow{}
	for i := range d.files {
		files[d.files[i].Word] = append(files[d.files[i].Word], &d.files[i])
	}
	for i := range d.words {
		w := &d.words[i]
		rows := files[w.ID]
		if len(w.URLs) > posting.MaxInline || len(w.URLs) > 0 && len(rows) > 0 {
			d.report("wordurl: %q: %d bytes and %d rows of wordfile", w.Word, len(w.URLs), len(rows))
		}
		if _, err := posting.Check(w.URLs, false); err != nil {
			d.report("wordurl: %q: %v", w.Word, err)
			continue
		}
		sources := []posting.Source{posting.NewIterator(w.URLs)}
		for len(rows) > 0 { // newest run first
			n := 1
			for n < len(rows) && rows[n].Level == rows[0].Level && rows[n].Seq == rows[0].Seq {
				n++
			}
			var run [][]byte
			for _, r := range rows[:n] {
				run = append(run, r.URLs)
			}
			sources, rows = append(sources, posting.NewIterator(run...)), rows[n:]
		}
		d.collect(w, posting.NewUnion(false, sources...))
	}
	for _, list := range d.merged {
		slices.SortFunc(list, func(a, b docWord) int { return cmp.Compare(a.ID, b.ID) })
	}
}

// collect stores the postings of a word under their documents and compares their number with the row of the
// word.
func (d *database) collect(w *wordRow, postings *posting.Union) {
	var urls int32
	var sums int64
	for postings.Next() {
		count := int32(postings.Count())
		urls, sums = urls+1, sums+int64(count)
		id := postings.URL()
		d.merged[id] = append(d.merged[id], docWord{w.ID, count})
		if u := d.url[id]; u == nil {
			d.report("wordurl: %q: a posting of %s", w.Word, d.name(id))
		} else if u.Site != postings.Site() {
			d.report("wordurl: %q: %s under site %d, not %d", w.Word, d.name(id), postings.Site(), u.Site)
		}
		positions := postings.Positions(nil)
		d.full[id] = d.full[id] || full(positions)
		if d.blocks[id] == nil {
			d.blocks[id] = map[uint16]uint64{}
		}
		for _, p := range positions {
			d.blocks[id][p/64] += fingerprint(w.Word, p)
		}
	}
	if postings.Err() != nil {
		return // checkWordfile reports it
	}
	const most = 1<<31 - 1 // of a word in wordfile it stays when positions leave
	if urls != w.Count || min(sums, most) != int64(w.Sums) && (w.Sums != most || len(w.URLs) > 0) {
		d.report("wordurl: %q: urlcount %d, totalcount %d, but %d postings with %d positions", w.Word, w.Count, w.Sums, urls, sums)
	}
}

// full reports whether positions may have been left out.
func full(positions []uint16) bool {
	return len(positions) >= maxCount || slices.ContainsFunc(positions, func(p uint16) bool { return p&0x3fff == lastOrdinal })
}

// checkWordfile checks that rows of wordfile are complete blobs of at most 256 KiB, that their ranges begin
// where they say and do not overlap within a batch, and that removals occur above the base only.
func checkWordfile(d *database) {
	words := byKey(d.words, func(w *wordRow) int32 { return w.ID })
	type place struct{ site, url int32 }
	var last place // of the row before, when it is of the same word, level and batch
	for i := range d.files {
		f := &d.files[i]
		bad := func(format string, args ...any) {
			d.report("wordfile: word %d, level %d, seq %d, from (%d, %d): "+format,
				append([]any{f.Word, f.Level, f.Seq, f.FirstSite, f.FirstURL}, args...)...)
		}
		if words[f.Word] == nil {
			bad("the word is not there")
		}
		if i == 0 || d.files[i-1].Word != f.Word || d.files[i-1].Level != f.Level || d.files[i-1].Seq != f.Seq {
			last = place{}
		}
		totals, err := posting.Check(f.URLs, f.Level < baseLevel)
		if err != nil {
			bad("%v", err)
			continue
		}
		if int32(totals.URLs) != f.Count || int32(totals.Total) != f.Sums {
			bad("urlcount %d, totalcount %d, but %d postings with %d positions", f.Count, f.Sums, totals.URLs, totals.Total)
		}
		it := posting.NewIterator(f.URLs)
		n := 0
		for ; it.Next(); n++ {
			p := place{it.Site(), it.URL()}
			if n == 0 && p != (place{f.FirstSite, f.FirstURL}) {
				bad("begins with %v", p)
			}
			if p.site < last.site || p.site == last.site && p.url <= last.url {
				bad("%v after %v of the row before", p, last)
			}
			last = p
		}
		if len(f.URLs) > posting.MaxRow && n > 1 {
			bad("%d bytes, at most %d", len(f.URLs), posting.MaxRow)
		}
	}
}

// checkRealtime checks that rt_urls has the documents of wordurl1, that their postings there are the words of
// the journal row that rt_urls names, or none when it names a mark, and that rt_urls.words lists these words.
func checkRealtime(d *database) {
	words := byKey(d.words, func(w *wordRow) int32 { return w.ID })
	got := map[int32]map[string][]uint16{}
	for i := range d.realtime {
		w := &d.realtime[i]
		if main := words[w.ID]; main == nil || main.Word != w.Word {
			d.report("wordurl1: %q: wordurl has no such word with id %d", w.Word, w.ID)
		}
		totals, err := posting.Check(w.URLs, false)
		if err != nil {
			d.report("wordurl1: %q: %v", w.Word, err)
			continue
		}
		if totals.URLs == 0 || int32(totals.URLs) != w.Count || int32(totals.Total) != w.Sums {
			d.report("wordurl1: %q: urlcount %d, totalcount %d, but %d postings with %d positions", w.Word, w.Count, w.Sums, totals.URLs, totals.Total)
		}
		for it := posting.NewIterator(w.URLs); it.Next(); {
			id := it.URL()
			if u := d.url[id]; u == nil || u.Site != it.Site() {
				d.report("wordurl1: %q: a posting of %s under site %d", w.Word, d.name(id), it.Site())
			}
			if got[id] == nil {
				got[id] = map[string][]uint16{}
			}
			got[id][w.Word] = it.Positions(nil)
		}
	}
	ids := make(map[string]int32, len(d.realtime))
	for i := range d.realtime {
		ids[d.realtime[i].Word] = d.realtime[i].ID
	}
	for _, r := range d.rtURLs {
		said := d.wordsOf(docwordsRow(r))
		var there []docWord
		for text, positions := range got[r.URL] {
			there = append(there, docWord{ids[text], int32(len(positions))})
		}
		slices.SortFunc(there, func(a, b docWord) int { return cmp.Compare(a.ID, b.ID) })
		if !slices.Equal(said, there) {
			d.report("rt_urls: %s: its %d words do not match its %d words in wordurl1", d.name(r.URL), len(said), len(there))
		}
		want, ok := d.decoded[r.Seq]
		if d.markedSince(r.URL, r.Seq) && len(got[r.URL]) == 0 {
			continue
		}
		if !ok || d.journalURL(r.Seq) != r.URL {
			d.report("rt_urls: %s: its journal row %d has no words or does not exist", d.name(r.URL), r.Seq)
		} else if !sameWords(want, got[r.URL]) {
			d.report("wordurl1: %s: its %d words do not match journal row %d with %d words", d.name(r.URL), len(got[r.URL]), r.Seq, len(want))
		}
		delete(got, r.URL)
	}
	for id := range got {
		d.report("wordurl1: %s has words, but no row in rt_urls", d.name(id))
	}
}

// markedSince reports whether a document was removed by a mark with this number or a later one.
func (d *database) markedSince(url int32, seq int64) bool {
	return slices.ContainsFunc(d.marks, func(m markRow) bool { return m.URL == url && m.Seq >= seq })
}

func (d *database) journalURL(seq int64) int32 {
	for i := range d.journal {
		if d.journal[i].Seq == seq {
			return d.journal[i].URL
		}
	}
	return 0
}

func sameWords(a, b map[string][]uint16) bool {
	if len(a) != len(b) {
		return false
	}
	for text, positions := range a {
		if !slices.Equal(positions, b[text]) {
			return false
		}
	}
	return true
}
