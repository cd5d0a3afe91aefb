package fetch

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gabriel-vasile/mimetype"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

const (
	sniffBytes = 3072 // that mimetype looks at
	chunkBytes = 32 << 10
)

var (
	readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 8<<10) }}
	gunzips = sync.Pool{New: func() any { return new(gzip.Reader) }}
	chunks  = sync.Pool{New: func() any { return new([chunkBytes]byte) }}
)

// body is the body of an answer as colly reads it: decoded, digested while it is read, and cut off at
// IndexLimit. A body that is not wanted is empty, and the status of the answer has the reason.
type body struct {
	t    *transport
	r    *record
	raw  io.Closer
	wire *wireReader

	opened   bool
	digest   *digester // nil when the body is not wanted
	text     bool      // it is worth having in part
	encoding string
	closers  []func() // in reverse order
}

// Read implements io.Reader. Its errors are those of the network.
func (b *body) Read(p []byte) (int, error) {
	if !b.opened {
		b.opened = true
		if err := b.open(); err != nil {
			return 0, err
		}
	}
	if b.digest == nil {
		return 0, io.EOF
	}
	n, err := b.digest.Read(p)
	if err != nil {
		return n, b.finish(err)
	}
	return n, nil
}

// Close implements io.Closer. What was not read by now takes its connection along.
func (b *body) Close() error {
	for _, f := range slices.Backward(b.closers) {
		f()
	}
	b.closers, b.opened, b.digest = nil, true, nil
	return b.raw.Close()
}

// open looks at the head of the answer: only the body of a 200 to GET is read, and of another one just the
// little that keeps its connection.
func (b *body) open() error {
	r, a := b.r, b.r.answer
	if a.Status == http.StatusOK && r.request.Method != http.MethodHead {
		b.closers = append(b.closers, watch(r, b.t.patience).stop)
		return b.begin()
	}
	if a.Status != http.StatusSwitchingProtocols && r.length <= drainBytes {
		drain(r, b.wire)
	}
	return nil
}

// begin decides whether the body of a 200 is wanted: by type, then encoding, then size.
func (b *body) begin() error {
	t, a, robots, save := b.t, b.r.answer, b.r.request.Robots, b.r.request.Save
	refused := func() bool {
		if robots || save != nil || a.ContentType == "" || t.o.Readable(a.ContentType) {
			return false
		}
		a.Status, a.Cause = StatusNoConverter, NoConverterFor+a.ContentType
		return true
	}
	if refused() {
		return nil
	}
	b.encoding = contentEncoding(a.Header)
	if b.encoding != identity {
		b.wire.limit = wireLimit(max(t.o.MaxTextSize, t.o.MaxOtherSize, b.r.request.SaveLimit))
	}
	decoded, closer, err := decoder(b.encoding, b.wire)
	if err != nil {
		return b.broken(err)
	}
	in := readers.Get().(*bufio.Reader)
	in.Reset(decoded)
	b.closers = append(b.closers, closer, func() { recycle(in) })

	if a.ContentType == "" && !robots && save == nil {
		first, err := in.Peek(sniffBytes)
		if err != nil && !errors.Is(err, io.EOF) {
			return b.broken(err)
		}
		if a.ContentType = sniff(first); a.ContentType == "" {
			a.Status, a.Cause = statusNoType, "no type in the Content-Type header, and none can be detected from the body"
			if b.r.request.isFile() || mediaType(a.Header.Get("Content-Type")) == octetStream {
				a.ContentType, a.Status, a.Cause = octetStream, StatusNoConverter, NoConverterFor+octetStream
			}
			return nil
		}
		if refused() {
			return nil
		}
	}
	limit, kept := t.o.MaxOtherSize, t.o.IndexLimit
	if b.text = isText(a.ContentType); b.text {
		limit = t.o.MaxTextSize
	}
	if robots {
		limit, kept, b.text = robotsLimit, robotsLimit, true
	}
	if save != nil {
		limit, kept, b.text = b.r.request.SaveLimit, 0, true
	}
	if !b.text && b.encoding == identity && b.r.length > limit {
		b.tooLarge(limit)
		return nil
	}
	b.digest = newDigester(in, limit, kept)
	b.digest.save, b.digest.large = save, b.r.request.Large
	if b.spools() {
		return b.spool()
	}
	return nil
}

// finish judges a body that was read to its end or to its limit, or that ended in an error.
func (b *body) finish(err error) error {
	a, d := b.r.answer, b.digest
	if b.encoding != identity || b.r.length < 0 {
		a.Size = d.read
	}
	switch {
	case d.fileErr != nil:
		b.r.fail(fmt.Errorf("spool a body: %w", d.fileErr))
		return d.fileErr
	case !errors.Is(err, io.EOF):
		return b.broken(err)
	case d.over && !b.text:
		b.tooLarge(d.limit)
		return io.EOF
	}
	a.CRC, a.Truncated, b.r.whole = hex.EncodeToString(d.sum.Sum(nil)), d.over || d.file == nil && d.save == nil && d.read > d.keep, true
	a.File = d.file
	if !d.over {
		drain(b.r, b.wire) // what follows a deflate stream, and the end of the framing
	}
	return io.EOF
}

func (b *body) tooLarge(limit int64) {
	b.r.answer.Status, b.r.answer.Cause = statusTooLarge, fmt.Sprintf("more than %d bytes of %s", limit, b.r.answer.ContentType)
}

// broken judges a body that ended in an error: the network's own keep the old content and are returned, a
// decoder's are 802 (B18, B20).
func (b *body) broken(err error) error {
	if b.wire.err != nil {
		b.r.fail(b.wire.err)
		return b.wire.err
	}
	b.r.answer.Status, b.r.answer.Cause = statusBadEncoding, "content encoding: "+err.Error()
	return io.EOF
}

// digester reads at most limit bytes, returns the first keep of them, and digests all.
type digester struct {
	in          io.Reader
	sum         hash.Hash // MD5
	limit, keep int64
	read        int64 // bytes
	over        bool  // more than limit would follow
	err         error // of in

	large   func() error // called before more than LargeBody bytes are kept; nil = was called, or none
	file    *os.File     // gets all, if not nil
	fileErr error
	save    io.Writer
}

func newDigester(in io.Reader, limit, keep int64) *digester {
	return &digester{in: in, sum: md5.New(), limit: limit, keep: keep}
}

// Read implements io.Reader.
func (d *digester) Read(p []byte) (int, error) {
	for d.err == nil && !d.over && d.read < d.keep {
		if d.large != nil && d.read > LargeBody {
			if err := d.large(); err != nil {
				return 0, err
			}
			d.large = nil
		}
		if n := d.next(p); n > 0 {
			return n, nil
		}
	}
	if d.err == nil && !d.over { // the rest is digested only
		chunk := chunks.Get().(*[chunkBytes]byte)
		defer chunks.Put(chunk)
		for d.err == nil && !d.over {
			d.next(chunk[:])
		}
	}
	if d.err != nil && !d.over && !errors.Is(d.err, io.EOF) {
		return 0, d.err
	}
	return 0, io.EOF
}

// next reads once and returns how many of the bytes are to be kept.
func (d *digester) next(p []byte) int {
	n, err := d.in.Read(p)
	part := p[:n]
	if room := d.limit - d.read; int64(n) > room {
		part, d.over = part[:room], true
	}
	_, _ = d.sum.Write(part) // never fails
	if d.file != nil && len(part) > 0 {
		if _, d.fileErr = d.file.Write(part); d.fileErr != nil {
			d.err = d.fileErr
			return 0
		}
	}
	if d.save != nil {
		if _, failed := d.save.Write(part); failed != nil {
			err = failed
		}
	}
	kept := min(int64(len(part)), max(0, d.keep-d.read))
	d.read += int64(len(part))
	d.err = err
	return int(kept)
}

// identity is the content encoding of a body that is sent as it is.
const identity = "identity"

// contentCodings are the registered names of compressions and of encryption. Any other name in Content-Encoding, such as
// "none" or "utf-8", is a slip of the server's owner: the body is as it would be without, and browsers pass over the name.
var contentCodings = map[string]bool{
	"gzip": true, "x-gzip": true, "deflate": true, "br": true, "zstd": true, "compress": true, "x-compress": true, "dcb": true,
	"dcz": true, "exi": true, "pack200-gzip": true, "aes128gcm": true, "bzip2": true, "x-bzip2": true, "xz": true, "lzma": true,
}

// contentEncoding returns the content encoding of an answer in lower case. Several of them count as one that cannot be undone.
func contentEncoding(h http.Header) string {
	var names []string
	for name := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")), ",") {
		if name = strings.TrimSpace(name); contentCodings[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return identity
	}
	return strings.Join(names, ", ")
}

// wireLimit returns how many compressed bytes may encode a number of decoded ones. Both formats add far
// less than a sixteenth; more is endless padding.
func wireLimit(decoded int64) int64 { return decoded + decoded/16 + 64<<10 }

// decoder undoes a content encoding; one that this package cannot undo is an error (B21). The caller calls the function when
// it has read.
func decoder(encoding string, wire io.Reader) (io.Reader, func(), error) {
	switch encoding {
	case identity:
		return wire, func() {}, nil
	case "gzip", "x-gzip", "deflate":
	default:
		return nil, nil, fmt.Errorf("%q cannot be undone", encoding)
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
		z.Multistream(false)
		return &members{z, in}, func() { gunzips.Put(z); done() }, nil
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

// members reads the members of a gzip stream one after another. What follows the last one and is no member, such as padding
// or a line end, is passed over, as browsers do.
type members struct {
	z  *gzip.Reader
	in *bufio.Reader
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		if n > 0 && errors.Is(err, io.EOF) {
			err = nil // the end comes with the next call
		}
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		next, err := m.in.Peek(len(gzipMagic))
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if string(next) != gzipMagic {
			return 0, io.EOF
		}
		if err := m.z.Reset(m.in); err != nil {
			return 0, unexpected(err)
		}
		m.z.Multistream(false)
	}
}

// gzipMagic begins each member: its two marks and the only method there is.
const gzipMagic = "\x1f\x8b\x08"

// unexpected returns io.ErrUnexpectedEOF for the end of a stream inside its header.
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

// sniff guesses a type from the first bytes of a body; it returns "" for none. The charset that mimetype
// guesses is dropped: it would pass for the header's (B2).
func sniff(first []byte) string {
	guess, _, _ := strings.Cut(mimetype.Detect(bytes.Clone(first)).String(), ";")
	if guess == octetStream {
		return ""
	}
	return guess
}
