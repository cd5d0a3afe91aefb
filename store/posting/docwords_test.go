package posting

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// unpackDocWords decodes docwords.words from a stream: written without looking at DocWordsReader.
func unpackDocWords(b []byte) ([]DocWord, error) {
	r := bytes.NewReader(b)
	if v, err := r.ReadByte(); err != nil || v != 1 {
		return nil, errors.New("version")
	}
	var numbers []int
	for r.Len() > 0 {
		before := r.Len()
		v, err := binary.ReadUvarint(r)
		if err != nil || v > 1<<31-1 || len(binary.AppendUvarint(nil, v)) != before-r.Len() {
			return nil, errors.New("number")
		}
		numbers = append(numbers, int(v))
	}
	if len(numbers) == 0 || len(numbers) != 1+2*numbers[0] {
		return nil, errors.New("length")
	}
	var out []DocWord
	id := 0
	for i := 1; i < len(numbers); i += 2 {
		id += numbers[i]
		if numbers[i] == 0 || id > 1<<31-1 || numbers[i+1] == 0 || numbers[i+1] > 16383 {
			return nil, errors.New("word")
		}
		out = append(out, DocWord{int32(id), numbers[i+1]})
	}
	return out, nil
}

func readDocWords(b []byte) ([]DocWord, error) {
	r, err := NewDocWordsReader(b)
	if err != nil {
		return nil, err
	}
	var out []DocWord
	for n := r.Len(); r.Next(); n-- {
		out = append(out, r.Word())
		if r.Len() != n-1 {
			return nil, errors.New("length does not fall")
		}
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
	if d := gocmp.Diff(words, got); d != "" {
		t.Error(d)
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
	if again := AppendDocWords(nil, got); !bytes.Equal(again, b) {
		t.Fatalf("%x packed again is %x", b, again)
	}
}

func TestDamagedDocWordsAreRefusedOrReadAlike(t *testing.T) {
	packed := AppendDocWords(nil, randomDocWords(rand.New(rand.NewPCG(1, 2)), 40))
	for n := range len(packed) {
		if _, err := readDocWords(packed[:n]); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut to %d bytes: %v", n, err)
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

func FuzzDocWords(f *testing.F) {
	f.Add(AppendDocWords(nil, nil))
	f.Add(AppendDocWords(nil, []DocWord{{205, 2}, {300, 1}, {1<<31 - 1, MaxCount}}))
	f.Add(AppendDocWords(nil, randomDocWords(rand.New(rand.NewPCG(3, 4)), 10)))
	f.Fuzz(func(t *testing.T, b []byte) { agreeDocWords(t, b) })
}
