package posting

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// ErrTooLarge says that content is larger than the caller allows.
var ErrTooLarge = errors.New("content is too large")

const (
	plain = math.MaxUint32 // in the size field: the content follows unpacked
	// gzipLevel balances time and size: 184 µs and 8.5 KB for a page of 40 KB.
	gzipLevel = 3
)

var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzipLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// sink is an io.Writer that appends to a slice.
type sink struct{ b []byte }

func (s *sink) Write(p []byte) (int, error) {
	s.b = append(s.b, p...)
	return len(p), nil
}

// PackContent appends a document's body, packed for urlwordsNN.words, to dst. The body is stored unpacked
// when gzip does not make it smaller. Empty content is ffffffff alone.
func PackContent(dst, body []byte) []byte {
	begin := len(dst)
	if len(body) > 0 && len(body) < plain {
		out := sink{b: binary.LittleEndian.AppendUint32(slices.Grow(dst, 64+len(body)/3), uint32(len(body)))} // most pages become a third
		w := gzipWriters.Get().(*gzip.Writer)
		w.Reset(&out)
		_, _ = w.Write(body) // the sink takes everything
		_ = w.Close()
		gzipWriters.Put(w)
		if len(out.b)-begin-4 < len(body) {
			return out.b
		}
		dst = out.b[:begin]
	}
	dst = binary.LittleEndian.AppendUint32(dst, plain)
	return append(dst, body...)
}

// UnpackContent returns the content of urlwordsNN.words, in gzip or zlib. For more than limit bytes of
// content it returns ErrTooLarge without unpacking. A size field alone, which ASPseek wrote for clones, is no
// content.
func UnpackContent(blob []byte, limit int64) ([]byte, error) {
	if len(blob) < 4 {
		return nil, corrupt(len(blob), "content is truncated")
	}
	size, rest := int64(binary.LittleEndian.Uint32(blob)), blob[4:]
	if size == plain {
		size = int64(len(rest))
	}
	if size > limit {
		return nil, fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, size, limit)
	}
	switch {
	case binary.LittleEndian.Uint32(blob) == plain:
		return bytes.Clone(rest), nil
	case len(rest) == 0 && size == 0:
		return nil, nil
	case size > 1100*int64(len(rest)): // deflate reaches 1032 to 1
		return nil, corrupt(0, "more content than its bytes can encode")
	}
	var r io.Reader
	var err error
	if rest[0] == 0x1f {
		r, err = gzip.NewReader(bytes.NewReader(rest))
	} else {
		r, err = zlib.NewReader(bytes.NewReader(rest))
	}
	if err != nil {
		return nil, corrupt(4, "content: "+err.Error())
	}
	content := make([]byte, size)
	if n, err := io.ReadFull(r, content); err != nil {
		return nil, corrupt(4+n, "content is truncated: "+err.Error())
	}
	var more [1]byte
	if n, err := io.ReadFull(r, more[:]); n != 0 || !errors.Is(err, io.EOF) { // also reads the stream's checksum
		return nil, corrupt(len(blob), "content has the wrong length")
	}
	return content, nil
}
