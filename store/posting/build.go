package posting

import (
	"encoding/binary"
	"fmt"
)

// Entry is a posting by value. An entry without positions says that the document lost the word.
type Entry struct {
	Site, URL int32
	Positions []uint16 // ascending
}

// Builder builds a blob from postings that are added in order. The zero value is ready to use; Reset makes it
// ready again and keeps its memory. Adding out of order, or more than MaxCount positions, is a programming
// error and panics.
type Builder struct {
	sites     []uint32 // pairs: where a site's records begin in rec, site
	rec       []byte
	site, url int32
	totals    Totals
	first     [2]int32
}

// Reset empties the builder.
func (b *Builder) Reset() { *b = Builder{sites: b.sites[:0], rec: b.rec[:0]} }

// Add adds a posting.
func (b *Builder) Add(site, url int32, positions []uint16) {
	b.open(site, url, len(positions))
	for _, p := range positions {
		b.rec = binary.LittleEndian.AppendUint16(b.rec, p)
	}
}

// AddRaw adds a posting whose positions are encoded, as Source.Raw returns them.
func (b *Builder) AddRaw(site, url int32, raw []byte) {
	b.open(site, url, len(raw)/2)
	b.rec = append(b.rec, raw...)
}

// open writes the head of a record.
func (b *Builder) open(site, url int32, count int) {
	if count > MaxCount || !less(b.site, b.url, site, url) || url <= 0 {
		panic(fmt.Sprintf("posting: site %d, url %d with %d positions added behind site %d, url %d",
			site, url, count, b.site, b.url))
	}
	if site != b.site {
		b.sites = append(b.sites, uint32(len(b.rec)), uint32(site))
	}
	if b.site == 0 {
		b.first = [2]int32{site, url}
	}
	b.site, b.url = site, url
	b.rec = binary.LittleEndian.AppendUint32(b.rec, uint32(url))
	b.rec = binary.LittleEndian.AppendUint16(b.rec, uint16(count))
	if count > 0 {
		b.totals.URLs++
		b.totals.Total += count
	}
}

// Len returns the current length of the blob in bytes, 0 without postings.
func (b *Builder) Len() int {
	if len(b.sites) == 0 {
		return 0
	}
	return 4*len(b.sites) + 4 + len(b.rec)
}

// Totals returns the totals of the added postings.
func (b *Builder) Totals() Totals { return b.totals }

// AppendTo appends the blob to dst: nothing when nothing was added.
func (b *Builder) AppendTo(dst []byte) []byte {
	if len(b.sites) == 0 {
		return dst
	}
	head := uint32(4*len(b.sites) + 4)
	for i := 0; i < len(b.sites); i += 2 {
		dst = binary.LittleEndian.AppendUint32(dst, head+b.sites[i])
		dst = binary.LittleEndian.AppendUint32(dst, b.sites[i+1])
	}
	dst = binary.LittleEndian.AppendUint32(dst, head+uint32(len(b.rec)))
	return append(dst, b.rec...)
}

// AppendBlob appends the blob of entries that ascend by site and URL.
func AppendBlob(dst []byte, entries []Entry) []byte {
	var b Builder
	for _, e := range entries {
		b.Add(e.Site, e.URL, e.Positions)
	}
	return b.AppendTo(dst)
}

// Row is a blob of a range of postings, as in a row of wordfile.
type Row struct {
	FirstSite, FirstURL int32
	Totals
	Blob []byte
}

// First returns the site and the URL of the first posting of a valid blob that is not empty.
func First(blob []byte) (site, url int32) {
	head := binary.LittleEndian.Uint32(blob)
	return int32(binary.LittleEndian.Uint32(blob[4:])), int32(binary.LittleEndian.Uint32(blob[head:]))
}

// Cut reads src and passes its postings to emit in blobs of at most limit bytes (more only when a single
// posting is larger). Each blob has its own memory. Earlier contents of the builder are lost.
func (b *Builder) Cut(src Source, limit int, emit func(Row) error) error {
	b.Reset()
	flush := func() error {
		row := Row{FirstSite: b.first[0], FirstURL: b.first[1], Totals: b.totals, Blob: b.AppendTo(make([]byte, 0, b.Len()))}
		b.Reset()
		return emit(row)
	}
	for src.Next() {
		more := 6 + 2*src.Count() + 12 // at most, with the directory entry of a site
		if b.Len() > 0 && b.Len()+more > limit {
			if err := flush(); err != nil {
				return err
			}
		}
		b.AddRaw(src.Site(), src.URL(), src.Raw())
	}
	if err := src.Err(); err != nil {
		return err
	}
	if b.Len() > 0 {
		return flush()
	}
	return nil
}
