package posting

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// unpacked is docwords.words decoded; version 1 has nil blocks.
type unpacked struct {
	Words  []DocWord
	Blocks map[int]uint64
}

// unpackDocWords decodes docwords.words from a stream, independently of DocWordsReader.
func unpackDocWords(b []byte) (out unpacked, err error) {
	r := bytes.NewReader(b)
	version, err := r.ReadByte()
	if err != nil || version != 1 && version != 2 {
		return out, errors.New("version")
	}
	number := func() int {
		before := r.Len()
		v, e := binary.ReadUvarint(r)
		if e != nil || v > 1<<31-1 || len(binary.AppendUvarint(nil, v)) != before-r.Len() {
			err = errors.New("number")
		}
		return int(v)
	}
	id := 0
	for n := number(); n > 0 && err == nil; n-- {
		delta, count := number(), number()
		id += delta
		if err == nil && (delta == 0 || id > 1<<31-1 || count == 0 || count > 16383) {
			err = errors.New("word")
		}
		out.Words = append(out.Words, DocWord{int32(id), count})
	}
	if version == 2 && err == nil {
		out.Blocks = map[int]uint64{}
		index := -1
		for n := number(); n > 0 && err == nil; n-- {
			delta := number()
			if index < 0 {
				index = 0
			} else if delta == 0 {
				err = errors.New("block twice")
			}
			index += delta
			var sum uint64
			if e := binary.Read(r, binary.LittleEndian, &sum); e != nil || sum == 0 || index > 1023 {
				err = errors.New("block")
			}
			out.Blocks[index] = sum
		}
		if len(out.Words) == 0 {
			err = errors.New("no words")
		}
	}
	if err == nil && r.Len() > 0 {
		err = errors.New("length")
	}
	return out, err
}

func readDocWords(b []byte) (out unpacked, err error) {
	r, err := NewDocWordsReader(b)
	if err != nil {
		return out, err
	}
	for n := r.Len(); r.Next(); n-- {
		out.Words = append(out.Words, r.Word())
		if r.Len() != n-1 {
			return out, errors.New("length does not fall")
		}
		if r.Blocks() != nil {
			return out, errors.New("blocks before the end")
		}
	}
	if r.Next() {
		return out, errors.New("words behind the end")
	}
	if r.Blocks() != nil {
		out.Blocks = maps.Collect(Blocks(r.Blocks()))
	}
	return out, r.Err()
}

func randomDocWords(r *rand.Rand, n int) []DocWord {
	var out []DocWord
	id := int32(0)
	for range n {
		id += 1 + int32(r.IntN(1<<r.IntN(20)))
		out = append(out, DocWord{id, 1 + r.IntN(MaxCount)})
	}
	return out
}

// randomBlocks are words with fingerprints that belong to others.
func randomBlocks(r *rand.Rand, n int) []byte {
	var sums BlockSums
	for range n {
		sums[r.IntN(1<<r.IntN(11))] = r.Uint64()
	}
	return AppendDocWordsBlocks(nil, randomDocWords(r, n), sums.AppendTo(nil))
}

func TestDocWordsOfTheWorkedExample(t *testing.T) {
	words := []DocWord{{205, 2}, {300, 1}}
	packed := AppendDocWords(nil, words)
	if got, want := hex.EncodeToString(packed), "0102cd01025f01"; got != want {
		t.Errorf("packed %s, want %s", got, want)
	}
	got, err := readDocWords(packed)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(unpacked{Words: words}, got); d != "" {
		t.Error(d)
	}
}

// The bytes were made by another program: databases keep them, so neither hash may ever change.
func TestDocWordsWithBlocksOfTheWorkedExample(t *testing.T) {
	var sums BlockSums
	sums.Add(TextHash("cats"), []uint16{16386})
	sums.Add(TextHash("cat"), []uint16{1, 7})
	words := []DocWord{{205, 2}, {300, 1}}
	packed := AppendDocWordsBlocks(nil, words, sums.AppendTo(nil))
	if got, want := hex.EncodeToString(packed), "0202cd01025f01"+"02"+"00111029dbc491d83f"+"80028e11829ebdc95a0a"; got != want {
		t.Errorf("packed %s, want %s", got, want)
	}
	got, err := readDocWords(packed)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(unpacked{words, map[int]uint64{0: sums[0], 256: sums[256]}}, got); d != "" {
		t.Error(d)
	}
	plain, err := WithoutBlocks(packed)
	if d := gocmp.Diff(AppendDocWords(nil, words), plain); d != "" || err != nil {
		t.Errorf("without blocks: %s, %v", d, err)
	}
	if again, err := WithoutBlocks(plain); !bytes.Equal(plain, again) || err != nil {
		t.Errorf("without blocks, of version 1: %x, %v", again, err)
	}
}

// agreeDocWords compares DocWordsReader and unpackDocWords.
func agreeDocWords(t *testing.T, b []byte) {
	t.Helper()
	want, wantErr := unpackDocWords(b)
	got, err := readDocWords(b)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%x: reader says %v, independent decoder %v", b, err, wantErr)
	}
	if err != nil {
		if !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%x: %v does not wrap ErrCorrupt", b, err)
		}
		return
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Fatalf("%x: %s", b, d)
	}
	again := AppendDocWords(nil, got.Words)
	if got.Blocks != nil {
		var sums BlockSums
		for i, sum := range got.Blocks {
			sums[i] = sum
		}
		again = AppendDocWordsBlocks(nil, got.Words, sums.AppendTo(nil))
	}
	if !bytes.Equal(again, b) {
		t.Fatalf("%x packed again is %x", b, again)
	}
	if plain, err := WithoutBlocks(b); err != nil || !bytes.Equal(plain, AppendDocWords(nil, got.Words)) {
		t.Fatalf("%x without blocks is %x, %v", b, plain, err)
	}
}

func TestDamagedDocWordsAreRefusedOrReadAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, packed := range [][]byte{AppendDocWords(nil, randomDocWords(r, 40)), randomBlocks(r, 40)} {
		for n := range len(packed) {
			if _, err := readDocWords(packed[:n]); !errors.Is(err, ErrCorrupt) {
				t.Errorf("cut to %d bytes: %v", n, err)
			}
			if _, err := WithoutBlocks(packed[:n]); !errors.Is(err, ErrCorrupt) {
				t.Errorf("without blocks, cut to %d bytes: %v", n, err)
			}
		}
		for i := range packed {
			for _, flip := range []byte{1, 0x40, 0x80, 0xff} {
				bad := bytes.Clone(packed)
				bad[i] ^= flip
				agreeDocWords(t, bad)
			}
		}
	}
}

// Errors name the offset at which bytes are wrong.
func TestDamagedBlocksAreNamed(t *testing.T) {
	const words, sum = "02010101", "1122334455667788"
	for _, c := range []struct{ hex, want string }{
		{"0200", "blocks of no words at offset 1"},
		{words, "more blocks than there are bytes at offset 4"},
		{words + "02" + "00" + sum, "more blocks than there are bytes at offset 4"},
		{words + "01" + "8008" + sum, "block is impossible at offset 5"},
		{words + "02" + "03" + sum + "00" + sum, "block is impossible at offset 14"},
		{words + "02" + "04" + sum + "fc07" + sum, "block is impossible at offset 14"},
		{words + "01" + "00" + "0000000000000000", "fingerprint is 0 at offset 6"},
		{words + "01" + "00" + sum + "00", "bytes after the last block at offset 14"},
	} {
		b, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readDocWords(b); !errors.Is(err, ErrCorrupt) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.hex, err, c.want)
		}
	}
}

func FuzzDocWords(f *testing.F) {
	f.Add(AppendDocWords(nil, nil))
	f.Add(AppendDocWords(nil, []DocWord{{205, 2}, {300, 1}, {1<<31 - 1, MaxCount}}))
	f.Add(AppendDocWords(nil, randomDocWords(rand.New(rand.NewPCG(3, 4)), 10)))
	f.Add(randomBlocks(rand.New(rand.NewPCG(5, 6)), 10))
	f.Fuzz(func(t *testing.T, b []byte) { agreeDocWords(t, b) })
}
