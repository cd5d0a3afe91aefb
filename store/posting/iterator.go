package posting

import (
	"encoding/binary"
	"sort"
)

const (
	// MaxCount is the highest number of positions of a word in a document.
	MaxCount = 16383
	// MaxInline is the size in bytes up to which a blob is stored in wordurl.urls.
	MaxInline = 1000
	// MaxRow is the size in bytes of the largest blob in wordfile.
	MaxRow = 256 << 10

	maxID = 1<<31 - 1
)

// Source yields postings by ascending site and URL. After Next returned false, Err says whether the end was
// reached.
type Source interface {
	Next() bool
	Site() int32
	URL() int32
	Count() int  // number of positions; 0 = the document lost the word
	Raw() []byte // the positions as stored in a blob, two bytes each; valid until Next
	Err() error
}

// Iterator reads a blob, or several consecutive ones, without allocating for each posting. Before the first
// Next it has no posting.
type Iterator struct {
	blob      []byte
	rest      [][]byte               // blobs after this one
	fill      func() ([]byte, error) // or where they come from; nil, nil at the end
	n         int                    // sites in blob
	i         int                    // site that is read, -1 before the first
	end       int                    // end of its records
	next      int                    // offset of the record that Next reads
	at        int                    // offset of the current record
	site, url int32
	count     int
	valid     bool
	err       error
}

// NewIterator reads blobs, each of which begins after the last posting of the one before. Empty ones are
// skipped.
func NewIterator(blobs ...[]byte) *Iterator {
	it := new(Iterator)
	it.Reset(blobs...)
	return it
}

// NewStream reads blobs that fill returns, in order; nil ends the stream.
func NewStream(fill func() ([]byte, error)) *Iterator {
	it := NewIterator()
	it.fill = fill
	return it
}

// Reset makes the iterator read other blobs from their beginning.
func (it *Iterator) Reset(blobs ...[]byte) {
	rest := append(it.rest[:0], blobs...)
	*it = Iterator{rest: rest, i: -1}
}

// Next goes to the next posting. It returns false at the end and at the first error.
func (it *Iterator) Next() bool {
	it.valid = false
	for it.next >= it.end {
		if it.err != nil || !it.nextSite() {
			return false
		}
	}
	return it.record()
}

// nextSite opens the records of the next site, in the next blob if need be.
func (it *Iterator) nextSite() bool {
	if it.i+1 >= it.n {
		return it.nextBlob() && it.openSite(0)
	}
	return it.openSite(it.i + 1)
}

// nextBlob opens the next blob that is not empty.
func (it *Iterator) nextBlob() bool {
	it.blob, it.n, it.i, it.next, it.end = nil, 0, -1, 0, 0
	for len(it.blob) == 0 {
		switch {
		case len(it.rest) > 0:
			it.blob, it.rest = it.rest[0], it.rest[1:]
		case it.fill != nil:
			if it.blob, it.err = it.fill(); it.err != nil || it.blob == nil {
				it.fill = nil
				return false
			}
		default:
			return false
		}
	}
	if len(it.blob) < 4 {
		return it.fail(0, "shorter than a directory")
	}
	first := int(binary.LittleEndian.Uint32(it.blob))
	if first < 12 || first%8 != 4 || first > len(it.blob) {
		return it.fail(0, "no directory of sites")
	}
	it.n = (first - 4) / 8
	if int(it.u32(8*it.n)) != len(it.blob) {
		return it.fail(8*it.n, "end offset is not the end of the blob")
	}
	it.end = first // where the records of the first site have to begin
	it.next = first
	return true
}

// openSite opens the records of site number i of the blob, which begin where those of the one before end.
func (it *Iterator) openSite(i int) bool {
	site := it.u32(8*i + 4)
	begin, end := int(it.u32(8*i)), int(it.u32(8*i+8))
	if begin != it.end || begin < 8*it.n+4 || end <= begin || end > len(it.blob) {
		return it.fail(8*i, "records of a site are not contiguous")
	}
	if site == 0 || site > maxID || int32(site) < it.site || i > 0 && int32(site) == it.site {
		return it.fail(8*i+4, "sites do not ascend")
	}
	if int32(site) > it.site {
		it.site, it.url = int32(site), 0
	}
	it.i, it.next, it.end = i, begin, end
	return true
}

// record reads the record at next.
func (it *Iterator) record() bool {
	at := it.next
	if it.end-at < 6 {
		return it.fail(at, "record is truncated")
	}
	url, count := it.u32(at), int(binary.LittleEndian.Uint16(it.blob[at+4:]))
	if url > maxID || int32(url) <= it.url {
		return it.fail(at, "URLs do not ascend")
	}
	if count > MaxCount || it.end-at-6 < 2*count {
		return it.fail(at+4, "more positions than there are bytes")
	}
	it.at, it.next = at, at+6+2*count
	it.url, it.count = int32(url), count
	it.valid = true
	return true
}

// Seek moves forward to the first posting at or after (site, url). It returns false when there is none.
func (it *Iterator) Seek(site, url int32) bool {
	if it.valid {
		if !less(it.site, it.url, site, url) {
			return true
		}
		// The frequent case: the next posting of the same site.
		if it.site == site && it.next < it.end {
			if it.valid = false; it.record() && it.url >= url {
				return true
			}
		}
	}
	for it.err == nil && it.site < site {
		// The directory locates the site, so the records before it are not read.
		i := it.i + 1 + sort.Search(it.n-it.i-1, func(k int) bool {
			return it.u32(8*(it.i+1+k)+4) >= uint32(site)
		})
		if i < it.n {
			it.end = int(it.u32(8 * i))
			if !it.openSite(i) {
				it.valid = false
				return false
			}
			break
		}
		if !it.nextBlob() {
			it.valid = false
			return false
		}
	}
	for it.Next() {
		if !less(it.site, it.url, site, url) {
			return true
		}
	}
	return false
}

func (it *Iterator) u32(at int) uint32 { return binary.LittleEndian.Uint32(it.blob[at:]) }

// fail ends the iteration with an error.
func (it *Iterator) fail(at int, what string) bool {
	it.err = corrupt(at, what)
	it.next, it.end = 0, 0
	return false
}

// Site returns the site of the posting.
func (it *Iterator) Site() int32 { return it.site }

// URL returns the document of the posting.
func (it *Iterator) URL() int32 { return it.url }

// Count returns the number of positions, 0 for a removal.
func (it *Iterator) Count() int { return it.count }

// Raw returns the positions as stored in the blob.
func (it *Iterator) Raw() []byte { return it.blob[it.at+6 : it.next] }

// Position returns the k-th position, from 0.
func (it *Iterator) Position(k int) uint16 {
	return binary.LittleEndian.Uint16(it.blob[it.at+6+2*k:])
}

// Positions appends all positions to dst.
func (it *Iterator) Positions(dst []uint16) []uint16 { return appendPositions(dst, it.Raw()) }

// Err returns the error that ended the iteration, nil at the end of the blob.
func (it *Iterator) Err() error { return it.err }

// appendPositions decodes positions.
func appendPositions(dst []uint16, raw []byte) []uint16 {
	for i := 0; i+1 < len(raw); i += 2 {
		dst = append(dst, binary.LittleEndian.Uint16(raw[i:]))
	}
	return dst
}

// less compares two places in the order of postings.
func less(site1, url1, site2, url2 int32) bool {
	return site1 < site2 || site1 == site2 && url1 < url2
}

// Totals has the counts of a blob as in wordurl and wordfile: postings that are not removals, and positions.
type Totals struct {
	URLs  int
	Total int
}

// MostTotal is the highest value of a column totalcount. It means this number of positions or more.
const MostTotal = 1<<31 - 1

// TotalCount returns a number of positions as the value of a column totalcount.
func TotalCount(positions int64) int32 { return int32(max(0, min(positions, MostTotal))) }

// Check reads a whole blob like an iterator. It also checks the order of the positions and, unless removals
// are allowed, that every count is positive. It returns the totals of the blob.
func Check(blob []byte, removals bool) (Totals, error) {
	var t Totals
	it := NewIterator(blob)
	for it.Next() {
		if it.count == 0 && !removals {
			return t, corrupt(it.at+4, "removal in a base")
		}
		for k := 1; k < it.count; k++ {
			if it.Position(k-1) >= it.Position(k) {
				return t, corrupt(it.at+6+2*k, "positions do not ascend")
			}
		}
		if it.count > 0 {
			t.URLs++
			t.Total += it.count
		}
	}
	return t, it.Err()
}
