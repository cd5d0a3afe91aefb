package fetch

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/gabriel-vasile/mimetype"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

const (
	sniffBytes  = 3072 // that mimetype looks at
	chunkBytes  = 32 << 10
	keptReserve = 1 << 20 // buffers that grew larger are not pooled
)

var (
	readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 8<<10) }}
	gunzips = sync.Pool{New: func() any { return new(gzip.Reader) }}
	chunks  = sync.Pool{New: func() any { return new([chunkBytes]byte) }}
	bodies  = sync.Pool{New: func() any { return new([]byte) }}
)

// read takes the body of a 200: type, then encoding, then size decide whether it is wanted.
func (t *transport) read(r *record, resp *http.Response, wire *wireReader) {
	a, robots := r.answer, r.request.Robots
	refused := func() bool {
		if robots || a.ContentType == "" || t.o.Readable(a.ContentType) {
			return false
		}
		a.Status, a.Cause = StatusNoConverter, "no converter for "+a.ContentType
		return true
	}
	if refused() {
		return
	}
	encoding := contentEncoding(resp.Header)
	if encoding != identity {
		wire.limit = wireLimit(max(t.o.MaxTextSize, t.o.MaxOtherSize))
	}
	decoded, closer, err := decoder(encoding, wire)
	if err != nil {
		t.broken(r, wire, err)
		return
	}
	defer closer()
	in := readers.Get().(*bufio.Reader)
	in.Reset(decoded)
	defer recycle(in)

	if a.ContentType == "" && !robots {
		first, err := in.Peek(sniffBytes)
		if err != nil && !errors.Is(err, io.EOF) {
			t.broken(r, wire, err)
			return
		}
		if a.ContentType = sniff(first); a.ContentType == "" {
			a.Status, a.Cause = statusNoType, "no Content-Type header, and the type cannot be detected from the body"
			return
		}
		if refused() {
			return
		}
	}
	t.keep(r, resp, encoding, in, wire)
}

// keep digests the body and keeps its beginning.
func (t *transport) keep(r *record, resp *http.Response, encoding string, in io.Reader, wire *wireReader) {
	a := r.answer
	limit, kept, text := t.o.MaxOtherSize, t.o.IndexLimit, isText(a.ContentType)
	if text {
		limit = t.o.MaxTextSize
	}
	if r.request.Robots {
		limit, kept, text = robotsLimit, robotsLimit, true
	}
	tooLarge := func() {
		a.Body, a.CRC, a.Truncated = nil, "", false
		a.Status, a.Cause = statusTooLarge, fmt.Sprintf("more than %d bytes of %s", limit, a.ContentType)
	}
	if !text && encoding == identity && resp.ContentLength > limit {
		tooLarge()
		return
	}
	read, over, err := digest(a, in, limit, kept)
	if encoding != identity || resp.ContentLength < 0 {
		a.Size = read
	}
	switch {
	case err != nil:
		t.broken(r, wire, err)
	case over && !text:
		tooLarge()
	case !over:
		drain(r, wire) // what follows a deflate stream, and the end of the framing
	}
}

// broken judges a body that ended in an error: the network's own keep the old content, a decoder's are 802 (B18, B20).
func (t *transport) broken(r *record, wire *wireReader, err error) {
	a := r.answer
	a.Body, a.CRC, a.Truncated = nil, "", false
	if wire.err != nil {
		r.fail(wire.err)
		return
	}
	a.Status, a.Cause = statusBadEncoding, "content encoding: "+err.Error()
}

// digest reads at most limit bytes, fills Body with the first of them and CRC with the MD5 of all. It tells how many
// there were and whether more would follow.
func digest(a *Answer, in io.Reader, limit, keep int64) (read int64, over bool, err error) {
	sum := md5.New()
	chunk := chunks.Get().(*[chunkBytes]byte)
	defer chunks.Put(chunk)
	kept := bodies.Get().(*[]byte)
	defer func() {
		if cap(*kept) <= keptReserve {
			*kept = (*kept)[:0]
			bodies.Put(kept)
		}
	}()
	for err == nil && !over {
		var n int
		n, err = in.Read(chunk[:])
		part := chunk[:n]
		if room := limit - read; int64(n) > room {
			part, over = part[:room], true
		}
		_, _ = sum.Write(part) // never fails
		read += int64(len(part))
		*kept = append(*kept, part[:min(int64(len(part)), keep-int64(len(*kept)))]...)
	}
	if err != nil && !errors.Is(err, io.EOF) && !over {
		return read, false, err
	}
	a.Body = append(make([]byte, 0, len(*kept)), *kept...)
	a.CRC = hex.EncodeToString(sum.Sum(nil))
	a.Truncated = over || read > keep
	return read, over, nil
}

// identity is the content encoding of a body that is sent as it is.
const identity = "identity"

// contentEncoding is the one of an answer, in lower case. Several in a row are one that nobody knows.
func contentEncoding(h http.Header) string {
	var names []string
	for name := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")), ",") {
		if name = strings.TrimSpace(name); name != "" && name != identity {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return identity
	}
	return strings.Join(names, ", ")
}

// wireLimit is how many compressed bytes may stand for a number of decoded ones: both formats cost far less than a
// sixteenth, so that more of them are padding without end.
func wireLimit(decoded int64) int64 { return decoded + decoded/16 + 64<<10 }

// decoder undoes a content encoding; an unknown one is an error (B21). The caller calls the function when it has read.
func decoder(encoding string, wire io.Reader) (io.Reader, func(), error) {
	switch encoding {
	case identity:
		return wire, func() {}, nil
	case "gzip", "x-gzip", "deflate":
	default:
		return nil, nil, fmt.Errorf("%q is unknown", encoding)
	}
	in := readers.Get().(*bufio.Reader)
	in.Reset(wire)
	done := func() { recycle(in) }
	head, err := in.Peek(2)
	if len(head) == 0 && errors.Is(err, io.EOF) {
		return in, done, nil // an empty body is often sent without the frame of its encoding (B19)
	}
	if encoding != "deflate" {
		z := gunzips.Get().(*gzip.Reader)
		if err := z.Reset(in); err != nil {
			gunzips.Put(z)
			done()
			return nil, nil, unexpected(err)
		}
		return z, func() { gunzips.Put(z); done() }, nil
	}
	if len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		z, err := zlib.NewReader(in)
		if err != nil {
			done()
			return nil, nil, unexpected(err)
		}
		return z, done, nil
	}
	return flate.NewReader(in), done, nil // some servers send no frame
}

// unexpected gives the end of a stream inside its header the name of an error.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func recycle(in *bufio.Reader) {
	in.Reset(nil)
	readers.Put(in)
}

// sniff guesses a type from the first bytes of a body; empty when they say nothing. The charset that mimetype guesses
// along is left out: it would pass for the header's (B2).
func sniff(first []byte) string {
	guess, _, _ := strings.Cut(mimetype.Detect(bytes.Clone(first)).String(), ";")
	if guess == "application/octet-stream" {
		return ""
	}
	return guess
}
