package posting

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestContentComesBack(t *testing.T) {
	for _, c := range []struct {
		name   string
		body   []byte
		packed bool
	}{
		{"empty", nil, false},
		{"one byte", []byte("a"), false},
		{"what gzip makes longer", noise(5000), false},
		{"a page", []byte(strings.Repeat("<p>The quick brown fox.</p>\n", 900)), true},
		{"zeros", make([]byte, 1<<20), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			blob := PackContent([]byte("before"), c.body)[6:]
			if packed := binary.LittleEndian.Uint32(blob) != 0xffffffff; packed != c.packed {
				t.Errorf("packed: %v", packed)
			}
			if c.packed {
				// Any gzip reads it, and its size word is true.
				r, err := gzip.NewReader(bytes.NewReader(blob[4:]))
				if err != nil {
					t.Fatal(err)
				}
				plain, err := io.ReadAll(r)
				if err != nil || !bytes.Equal(plain, c.body) || int(binary.LittleEndian.Uint32(blob)) != len(c.body) {
					t.Errorf("gzip reads %d bytes, %v", len(plain), err)
				}
			} else if want := append([]byte{0xff, 0xff, 0xff, 0xff}, c.body...); !bytes.Equal(blob, want) {
				t.Errorf("plain content is %.20x", blob)
			}
			got, err := UnpackContent(blob, int64(len(c.body)))
			if err != nil || !bytes.Equal(got, c.body) {
				t.Fatalf("%d bytes came back, %v", len(got), err)
			}
			if len(c.body) > 0 {
				if _, err := UnpackContent(blob, int64(len(c.body))-1); !errors.Is(err, ErrTooLarge) {
					t.Errorf("over the limit: %v", err)
				}
			}
		})
	}
}

// Content that ASPseek packed with zlib is read.
func TestContentThatASPseekWrote(t *testing.T) {
	file, err := os.ReadFile("testdata/v1/urlwords03.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")
	column := -1
	for i, name := range strings.Split(lines[0], "\t") {
		if name == "hex(words)" {
			column = i
		}
	}
	if column < 0 {
		t.Fatal("no column of words")
	}
	page, err := UnpackContent(unhex(t, strings.Split(lines[1], "\t")[column]), 1<<20)
	if err != nil || !bytes.Contains(page, []byte("<title>")) || !bytes.Contains(page, []byte("</html>")) {
		t.Fatalf("%q, %v", page, err)
	}
	if got, err := UnpackContent([]byte{0, 0, 0, 0}, 10); err != nil || len(got) != 0 {
		t.Errorf("the length word of a clone: %q, %v", got, err)
	}
}

func TestDamagedContentIsRefused(t *testing.T) {
	body := []byte(strings.Repeat("some words of a page and more ", 60))
	blob := PackContent(nil, body)
	for n := range len(blob) {
		if got, err := UnpackContent(blob[:n], 1<<20); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut to %d bytes: %d bytes, %v", n, len(got), err)
		}
	}
	for i := range blob {
		bad := bytes.Clone(blob)
		bad[i] ^= 0x55
		got, err := UnpackContent(bad, 1<<20)
		if err == nil && !bytes.Equal(got, body) { // bits of gzip's head may change without consequence
			t.Errorf("byte %d altered: other content without an error", i)
		}
	}
	// A size word that promises much is refused before memory is asked for.
	huge := []byte{0xfe, 0xff, 0xff, 0xff, 0x1f, 0x8b}
	if _, err := UnpackContent(huge, 1<<40); !errors.Is(err, ErrCorrupt) {
		t.Errorf("4 GB in 2 bytes: %v", err)
	}
}

func FuzzContent(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("<html><body>fox fox fox fox fox fox fox fox fox</body></html>"))
	f.Add(PackContent(nil, make([]byte, 3000)))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := UnpackContent(PackContent(nil, b), int64(len(b)))
		if err != nil || !bytes.Equal(got, b) {
			t.Fatalf("%x came back as %x, %v", b, got, err)
		}
		if got, err := UnpackContent(b, 1<<16); err == nil && len(got) > 1<<16 {
			t.Fatalf("%d bytes, more than the limit", len(got))
		}
	})
}

func BenchmarkPackContent(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	words := benchmarkWords()
	var page []byte
	for len(page) < 40<<10 {
		page = append(append(page, words[min(r.IntN(len(words)), r.IntN(len(words)))].Text...), " <a href=\"x\">"...)
	}
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		dst = PackContent(dst[:0], page)
	}
	b.ReportMetric(float64(len(dst)), "bytes/doc")
}
