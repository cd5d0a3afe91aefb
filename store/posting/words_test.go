package posting

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
)

// unpackWords decodes journal.words according to doc.go, column by column, independently of WordsReader.
func unpackWords(b []byte) ([]Word, error) {
	if len(b) < 5 || b[0] != 1 {
		return nil, errors.New("version")
	}
	body, sum := b[1:len(b)-4], b[len(b)-4:]
	if binary.LittleEndian.Uint32(sum) != crc32.Update(0, crc32.MakeTable(crc32.Castagnoli), b[:len(b)-4]) {
		return nil, errors.New("checksum")
	}
	number := func(r *bytes.Reader) (int, error) {
		before := r.Len()
		v, err := binary.ReadUvarint(r)
		if err != nil || v > 1<<31-1 || before-r.Len() != len(binary.AppendUvarint(nil, v)) {
			return 0, fmt.Errorf("number of %d: %w", v, errors.Join(errors.New("bad"), err))
		}
		return int(v), nil
	}
	r := bytes.NewReader(body)
	var sizes [3]int
	for i := range sizes {
		var err error
		if sizes[i], err = number(r); err != nil {
			return nil, err
		}
	}
	rest := body[len(body)-r.Len():]
	if sizes[1]+sizes[2] > len(rest) {
		return nil, io.ErrUnexpectedEOF
	}
	texts, counts := bytes.NewReader(rest[:sizes[1]]), bytes.NewReader(rest[sizes[1]:sizes[1]+sizes[2]])
	positions := bytes.NewReader(rest[sizes[1]+sizes[2]:])
	var out []Word
	before := ""
	for range sizes[0] {
		shared, err1 := texts.ReadByte()
		n, err2 := texts.ReadByte()
		if err1 != nil || err2 != nil || int(shared) > len(before) {
			return nil, errors.New("word")
		}
		tail := make([]byte, n)
		if _, err := io.ReadFull(texts, tail); err != nil {
			return nil, err
		}
		text := before[:shared] + string(tail)
		if text <= before || strings.ContainsRune(text, 0) || !utf8.ValidString(text) || len([]rune(text)) > 32 ||
			int(shared) < len(before) && n > 0 && tail[0] == before[shared] {
			return nil, fmt.Errorf("word %q behind %q", text, before)
		}
		before = text
		count, err := number(counts)
		if err != nil || count < 1 || count > 16383 {
			return nil, errors.New("count")
		}
		w := Word{Text: text}
		at := 0
		for k := range count {
			d, err := number(positions)
			if err != nil || k > 0 && d == 0 || at+d > 65535 {
				return nil, errors.New("position")
			}
			at += d
			w.Positions = append(w.Positions, uint16(at))
		}
		out = append(out, w)
	}
	if texts.Len()+counts.Len()+positions.Len() > 0 {
		return nil, errors.New("more bytes")
	}
	return out, nil
}

// readWords reads with WordsReader.
func readWords(b []byte) ([]Word, error) {
	r, err := NewWordsReader(b)
	if err != nil {
		return nil, err
	}
	var out []Word
	for r.Next() {
		out = append(out, Word{Text: string(r.Word()), Positions: slices.Clone(r.Positions())})
	}
	if r.Err() == nil && len(out) != r.Len() {
		return nil, fmt.Errorf("%d words, length says %d", len(out), r.Len())
	}
	return out, r.Err()
}

// randomWords makes words of a document.
func randomWords(r *rand.Rand, n int) []Word {
	set := map[string]bool{}
	for len(set) < n {
		var s strings.Builder
		for range 1 + r.IntN(9) {
			s.WriteRune([]rune("abcdeжю語9")[r.IntN(9)])
		}
		set[s.String()] = true
	}
	var out []Word
	for text := range set {
		w := Word{Text: text}
		for p := r.IntN(400); p < 65536 && len(w.Positions) < 1+r.IntN(4); p += 1 + r.IntN(20000) {
			w.Positions = append(w.Positions, uint16(p))
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b Word) int { return strings.Compare(a.Text, b.Text) })
	return out
}

// reseal corrects the checksum of altered words.
func reseal(b []byte) {
	if len(b) >= 4 {
		binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.Checksum(b[:len(b)-4], castagnoli))
	}
}

func TestWordsOfTheWorkedExample(t *testing.T) {
	words := []Word{{"cat", []uint16{1, 7}}, {"cats", []uint16{16386}}}
	want := "01020802" + "0003636174" + "030173" + "0201" + "0106828001" + "85d060ee"
	packed := AppendWords(nil, words)
	if got := hex.EncodeToString(packed); got != want {
		t.Errorf("packed %s, want %s", got, want)
	}
	got, err := readWords(packed)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(words, got); d != "" {
		t.Error(d)
	}
}

func TestWordsComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	many := make([]uint16, MaxCount)
	for i := range many {
		many[i] = uint16(4 * i)
	}
	for _, words := range [][]Word{
		nil,
		{{"a", []uint16{0}}},
		{{"a", []uint16{65535}}},
		{{strings.Repeat("語", 32), many}},
		randomWords(r, 1), randomWords(r, 50), randomWords(r, 700),
	} {
		packed := AppendWords([]byte("before"), words)[6:]
		for _, read := range []func([]byte) ([]Word, error){readWords, unpackWords} {
			got, err := read(packed)
			if err != nil {
				t.Fatal(err)
			}
			if d := gocmp.Diff(words, got); d != "" {
				t.Fatal(d)
			}
		}
	}
}

// Every damage is noticed by the checksum. With a corrected checksum the bytes are refused, or read as the
// independent decoder reads them (P15, F11).
func TestDamagedWordsAreRefused(t *testing.T) {
	packed := AppendWords(nil, randomWords(rand.New(rand.NewPCG(3, 4)), 12))
	for n := range len(packed) {
		if _, err := readWords(packed[:n]); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
		cut := append(bytes.Clone(packed[:n]), 0, 0, 0, 0)
		reseal(cut)
		agreeWords(t, cut)
	}
	for i := range packed {
		for _, flip := range []byte{1, 2, 0x20, 0x80, 0xff} {
			bad := bytes.Clone(packed)
			bad[i] ^= flip
			if _, err := readWords(bad); !errors.Is(err, ErrCorrupt) {
				t.Errorf("byte %d altered: %v", i, err)
			}
			reseal(bad)
			agreeWords(t, bad)
		}
	}
}

func TestWordsOfAnotherVersionAreRefused(t *testing.T) {
	packed := AppendWords(nil, []Word{{"a", []uint16{1}}})
	packed[0] = 2
	reseal(packed)
	if _, err := NewWordsReader(packed); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "version 2") {
		t.Fatal(err)
	}
}

// agreeWords compares WordsReader and unpackWords.
func agreeWords(t *testing.T, b []byte) {
	t.Helper()
	want, wantErr := unpackWords(b)
	got, err := readWords(b)
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
	if again := AppendWords(nil, got); !bytes.Equal(again, b) {
		t.Fatalf("%x packed again is %x", b, again)
	}
}

func FuzzWords(f *testing.F) {
	f.Add(AppendWords(nil, nil))
	f.Add(AppendWords(nil, []Word{{"cat", []uint16{1, 7}}, {"cats", []uint16{16386}}}))
	f.Add(AppendWords(nil, randomWords(rand.New(rand.NewPCG(5, 6)), 20)))
	f.Fuzz(func(t *testing.T, b []byte) {
		agreeWords(t, b)
		sealed := bytes.Clone(b)
		reseal(sealed)
		agreeWords(t, sealed)
	})
}

func TestWordsThatBreakTheRulesPanic(t *testing.T) {
	for name, words := range map[string][]Word{
		"not sorted":          {{"b", []uint16{1}}, {"a", []uint16{1}}},
		"twice":               {{"a", []uint16{1}}, {"a", []uint16{1}}},
		"empty":               {{"", []uint16{1}}},
		"no positions":        {{"a", nil}},
		"positions descend":   {{"a", []uint16{2, 1}}},
		"positions repeated":  {{"a", []uint16{2, 2}}},
		"too many positions":  {{"a", make([]uint16, MaxCount+1)}},
		"longer than 255 byt": {{strings.Repeat("a", 256), []uint16{1}}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			AppendWords(nil, words)
		})
	}
}

func benchmarkWords() []Word {
	r := rand.New(rand.NewPCG(1, 1))
	set := map[string]Word{}
	for len(set) < 450 {
		b := make([]byte, 3+r.IntN(8))
		for i := range b {
			b[i] = byte('a' + r.IntN(26))
		}
		w := Word{Text: string(b)}
		for p := r.IntN(300); p < 2000 && len(w.Positions) < 4; p += 1 + r.IntN(900) {
			w.Positions = append(w.Positions, uint16(p))
		}
		set[w.Text] = w
	}
	var out []Word
	for _, w := range set {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b Word) int { return strings.Compare(a.Text, b.Text) })
	return out
}

func BenchmarkAppendWords(b *testing.B) {
	words := benchmarkWords()
	b.ReportAllocs()
	for b.Loop() {
		AppendWords(nil, words)
	}
}

func BenchmarkReadWords(b *testing.B) {
	packed := AppendWords(nil, benchmarkWords())
	b.ReportMetric(float64(len(packed)), "bytes/doc")
	var r WordsReader
	for b.Loop() {
		if err := r.Reset(packed); err != nil {
			b.Fatal(err)
		}
		for r.Next() {
		}
		if r.Err() != nil {
			b.Fatal(r.Err())
		}
	}
}
