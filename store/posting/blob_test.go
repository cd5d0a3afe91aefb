package posting

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// readBlob decodes a blob according to the package comment, field by field from a stream, independently of
// Iterator.
func readBlob(blob []byte) ([]Entry, error) {
	if len(blob) == 0 {
		return nil, nil
	}
	r := bytes.NewReader(blob)
	type site struct{ Offset, ID uint32 }
	var sites []site
	var first uint32
	if err := binary.Read(r, binary.LittleEndian, &first); err != nil {
		return nil, err
	}
	if first < 12 || (first-4)%8 != 0 || int(first) > len(blob) {
		return nil, errors.New("directory")
	}
	r.Reset(blob)
	sites = make([]site, (first-4)/8)
	if err := binary.Read(r, binary.LittleEndian, sites); err != nil {
		return nil, err
	}
	var end uint32
	if err := binary.Read(r, binary.LittleEndian, &end); err != nil || int(end) != len(blob) {
		return nil, errors.New("end")
	}
	var out []Entry
	for i, s := range sites {
		stop := end
		if i+1 < len(sites) {
			stop = sites[i+1].Offset
		}
		at := uint32(len(blob) - r.Len())
		if s.Offset != at || stop <= at || stop > end || s.ID == 0 || s.ID > 1<<31-1 || i > 0 && s.ID <= sites[i-1].ID {
			return nil, fmt.Errorf("site %d", i)
		}
		part := io.NewSectionReader(bytes.NewReader(blob), int64(at), int64(stop-at))
		lastURL := uint32(0)
		for {
			var head struct {
				URL   uint32
				Count uint16
			}
			if err := binary.Read(part, binary.LittleEndian, &head); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if head.URL <= lastURL || head.URL > 1<<31-1 || head.Count > 16383 {
				return nil, errors.New("record")
			}
			lastURL = head.URL
			e := Entry{Site: int32(s.ID), URL: int32(head.URL), Positions: make([]uint16, head.Count)}
			if err := binary.Read(part, binary.LittleEndian, e.Positions); err != nil {
				return nil, err
			}
			out = append(out, e)
		}
		if _, err := r.Seek(int64(stop), io.SeekStart); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// collect reads a source to its end.
func collect(s Source) ([]Entry, error) {
	var out []Entry
	for s.Next() {
		e := Entry{Site: s.Site(), URL: s.URL(), Positions: appendPositions([]uint16{}, s.Raw())}
		if s.Count() != len(e.Positions) {
			return nil, fmt.Errorf("count %d, %d positions", s.Count(), len(e.Positions))
		}
		out = append(out, e)
	}
	return out, s.Err()
}

// randomEntries makes postings on up to sites sites.
func randomEntries(r *rand.Rand, sites, urls int, removals bool) []Entry {
	var out []Entry
	for s := range sites {
		for u := range urls {
			if r.IntN(3) > 0 {
				continue
			}
			n := 1 + r.IntN(5)
			if removals && r.IntN(3) == 0 {
				n = 0
			}
			set := map[uint16]bool{}
			for range n {
				set[uint16(r.Uint32())] = true
			}
			e := Entry{Site: int32(1 + 3*s), URL: int32(1 + 7*u), Positions: []uint16{}}
			for p := range set {
				e.Positions = append(e.Positions, p)
			}
			slices.Sort(e.Positions)
			out = append(out, e)
		}
	}
	return out
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The worked example of the package comment, and blobs of ASPseek.
func TestBlobOfTheWorkedExamples(t *testing.T) {
	for _, c := range []struct {
		name    string
		hex     string
		entries []Entry
	}{
		{
			"package comment", "14000000 01000000 1e000000 02000000 26000000 05000000 0200 0100 0700 09000000 0100 0300",
			[]Entry{{1, 5, []uint16{1, 7}}, {2, 9, []uint16{3}}},
		},
		{
			"word 205", "14000000030000001E000000090000002600000007000000020005 0000C0 0C00000001000240",
			[]Entry{{3, 7, []uint16{5, 0xC000}}, {9, 12, []uint16{0x4002}}},
		},
		{"removal", "0c000000 01000000 12000000 05000000 0000", []Entry{{1, 5, []uint16{}}}},
		{"no documents", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := unhex(t, c.hex)
			if got := AppendBlob(nil, c.entries); !bytes.Equal(got, want) {
				t.Errorf("written %x, want %x", got, want)
			}
			got, err := collect(NewIterator(want))
			if err != nil {
				t.Fatal(err)
			}
			if d := gocmp.Diff(c.entries, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// Blobs that ASPseek 1.2.15 wrote are read, agree with its counts, and are written again byte for byte.
func TestBlobsThatASPseekWrote(t *testing.T) {
	file, err := os.ReadFile("testdata/v1/wordurl.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")[1:]
	if len(lines) < 40 {
		t.Fatalf("%d words in the file", len(lines))
	}
	for _, line := range lines {
		f := strings.Split(line, "\t")
		blob := unhex(t, f[3])
		entries, err := collect(NewIterator(blob))
		if err != nil {
			t.Fatalf("%s: %v", f[0], err)
		}
		want, err := readBlob(blob)
		if err != nil {
			t.Fatalf("%s: %v", f[0], err)
		}
		if d := gocmp.Diff(want, entries); d != "" {
			t.Errorf("%s: %s", f[0], d)
		}
		if got := AppendBlob(nil, entries); !bytes.Equal(got, blob) {
			t.Errorf("%s: written again %x, was %x", f[0], got, blob)
		}
		totals, err := Check(blob, false)
		if err != nil || strconv.Itoa(totals.URLs) != f[4] || strconv.Itoa(totals.Total) != f[5] {
			t.Errorf("%s: %+v, %v, want %s and %s", f[0], totals, err, f[4], f[5])
		}
	}
}

// Damaged blobs are refused, or read as the independent decoder reads them (P15, F11).
func TestDamagedBlobIsRefusedOrReadAlike(t *testing.T) {
	blob := AppendBlob(nil, randomEntries(rand.New(rand.NewPCG(1, 2)), 4, 12, true))
	for n := 1; n < len(blob); n++ {
		if _, err := collect(NewIterator(blob[:n])); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	for i := range blob {
		for _, flip := range []byte{1, 0x10, 0x80, 0xff} {
			bad := bytes.Clone(blob)
			bad[i] ^= flip
			agree(t, bad)
		}
	}
}

// agree compares Iterator and readBlob.
func agree(t *testing.T, blob []byte) {
	t.Helper()
	want, wantErr := readBlob(blob)
	got, err := collect(NewIterator(blob))
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%x: iterator says %v, independent decoder %v", blob, err, wantErr)
	}
	if err == nil {
		if d := gocmp.Diff(want, got); d != "" {
			t.Fatalf("%x: %s", blob, d)
		}
	} else if !errors.Is(err, ErrCorrupt) {
		t.Fatalf("%x: %v does not wrap ErrCorrupt", blob, err)
	}
}

func FuzzBlob(f *testing.F) {
	f.Add([]byte{}, int32(1), int32(1))
	f.Add(AppendBlob(nil, []Entry{{1, 5, []uint16{1, 7}}, {2, 9, []uint16{3}}}), int32(2), int32(1))
	f.Add(AppendBlob(nil, randomEntries(rand.New(rand.NewPCG(3, 4)), 3, 5, true)), int32(4), int32(8))
	f.Fuzz(func(t *testing.T, blob []byte, site, url int32) {
		agree(t, blob)
		it := NewIterator(blob)
		found := it.Seek(site, url) // must not panic whatever the bytes are
		entries, err := collect(NewIterator(blob))
		if err != nil {
			return
		}
		if again := AppendBlob(nil, entries); !bytes.Equal(again, blob) {
			t.Fatalf("%x written again is %x", blob, again)
		}
		at := slices.IndexFunc(entries, func(e Entry) bool { return !less(e.Site, e.URL, site, url) })
		if found != (at >= 0) || found && (it.Site() != entries[at].Site || it.URL() != entries[at].URL) {
			t.Fatalf("seek (%d, %d): %v at (%d, %d), want entry %d", site, url, found, it.Site(), it.URL(), at)
		}
	})
}

// Seek moves forward to the first posting at or after a place, across sites and consecutive blobs.
func TestSeekFindsWhatNextWouldReach(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		entries := randomEntries(r, 1+r.IntN(6), 1+r.IntN(9), false)
		var blobs [][]byte
		for rest := entries; len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			blobs = append(blobs, AppendBlob(nil, rest[:n]))
			rest = rest[n:]
		}
		it := NewIterator(blobs...)
		at := 0
		for range 8 {
			if r.IntN(2) == 0 {
				if got := it.Next(); got != (at < len(entries)) {
					t.Fatalf("next at %d of %d: %v, %v", at, len(entries), got, it.Err())
				}
				at++
			} else {
				site, url := int32(r.IntN(20)), int32(r.IntN(60))
				for at = max(at-1, 0); at < len(entries) && less(entries[at].Site, entries[at].URL, site, url); {
					at++
				}
				if got := it.Seek(site, url); got != (at < len(entries)) {
					t.Fatalf("seek (%d, %d): %v, %v", site, url, got, it.Err())
				}
				at++
			}
			if at > len(entries) {
				break
			}
			e := entries[at-1]
			if it.Site() != e.Site || it.URL() != e.URL || !slices.Equal(it.Positions(nil), e.Positions) {
				t.Fatalf("at (%d, %d), want %+v", it.Site(), it.URL(), e)
			}
		}
	}
}

// The newest source decides about a document; removals are kept or dropped as requested.
func TestUnionTakesTheNewestEntry(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		type key struct{ site, url int32 }
		newest := map[key]Entry{}
		var sources []Source
		for range r.IntN(5) {
			entries := randomEntries(r, 3, 6, true)
			for _, e := range entries {
				if _, ok := newest[key{e.Site, e.URL}]; !ok {
					newest[key{e.Site, e.URL}] = e
				}
			}
			sources = append(sources, NewIterator(AppendBlob(nil, entries)))
		}
		removals := r.IntN(2) == 0
		var want []Entry
		for _, e := range newest {
			if removals || len(e.Positions) > 0 {
				want = append(want, e)
			}
		}
		slices.SortFunc(want, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.URL, b.URL)) })
		got, err := collect(NewUnion(removals, sources...))
		if err != nil {
			t.Fatal(err)
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	}
}

func TestUnionStopsAtADamagedSource(t *testing.T) {
	good := AppendBlob(nil, []Entry{{1, 5, []uint16{1}}, {1, 9, []uint16{1}}})
	bad := append(bytes.Clone(good[:len(good)-2]), 0, 0)
	bad[24] = 0xff // more positions than there are bytes
	u := NewUnion(false, NewIterator(good), NewIterator(bad))
	for u.Next() {
	}
	if !errors.Is(u.Err(), ErrCorrupt) {
		t.Fatal(u.Err())
	}
}

// Rows contain all postings of the source, none is longer than the limit, each names its first posting.
func TestCutMakesRowsOfBoundedSize(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, limit := range []int{1, 60, 200, MaxRow} {
		entries := randomEntries(r, 5, 60, true)
		var rows []Row
		src := NewIterator(AppendBlob(nil, entries))
		if err := new(Builder).Cut(src, limit, func(row Row) error { rows = append(rows, row); return nil }); err != nil {
			t.Fatal(err)
		}
		var blobs [][]byte
		for _, row := range rows {
			if limit >= 60 && len(row.Blob) > limit {
				t.Errorf("row of %d bytes, limit %d", len(row.Blob), limit)
			}
			part, err := collect(NewIterator(row.Blob))
			if err != nil || part[0].Site != row.FirstSite || part[0].URL != row.FirstURL {
				t.Fatalf("row begins with %+v, says (%d, %d): %v", part[0], row.FirstSite, row.FirstURL, err)
			}
			if totals, err := Check(row.Blob, true); err != nil || totals != row.Totals {
				t.Fatalf("row has %+v, says %+v: %v", totals, row.Totals, err)
			}
			blobs = append(blobs, row.Blob)
		}
		next := 0
		stream := NewStream(func() ([]byte, error) {
			if next == len(blobs) {
				return nil, nil
			}
			next++
			return blobs[next-1], nil
		})
		got, err := collect(stream)
		if err != nil {
			t.Fatal(err)
		}
		if d := gocmp.Diff(entries, got); d != "" {
			t.Fatal(d)
		}
	}
}

func TestCheckFindsWhatIteratorsPassOver(t *testing.T) {
	for _, c := range []struct {
		name     string
		entry    Entry
		removals bool
		ok       bool
	}{
		{"removal above the base", Entry{1, 5, nil}, true, true},
		{"removal in the base", Entry{1, 5, nil}, false, false},
		{"positions that do not ascend", Entry{1, 5, []uint16{7, 7}}, true, false},
		{"positions that ascend", Entry{1, 5, []uint16{7, 8}}, false, true},
	} {
		if _, err := Check(AppendBlob(nil, []Entry{c.entry}), c.removals); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func BenchmarkUnionOfLargeBlobs(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	base := AppendBlob(nil, randomEntries(r, 20, 3000, false))
	delta := AppendBlob(nil, randomEntries(r, 20, 300, true))
	b.SetBytes(int64(len(base)))
	for b.Loop() {
		u := NewUnion(false, NewIterator(delta), NewIterator(base))
		if err := new(Builder).Cut(u, MaxRow, func(Row) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
