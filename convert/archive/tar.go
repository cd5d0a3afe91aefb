package archive

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/klauspost/compress/gzip"
)

func openTar(ctx context.Context, file io.ReaderAt, size int64, limits Limits) (*Archive, error) {
	section := io.NewSectionReader(file, 0, size)
	r := tar.NewReader(section)
	l := newList(file, limits)
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return l.Archive, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBroken, err)
		}
		_, sparse := h.PAXRecords["GNU.sparse.major"]
		switch {
		case h.Typeflag == tar.TypeReg && !sparse:
		case h.Typeflag == tar.TypeDir, h.Typeflag == tar.TypeXGlobalHeader:
			if !l.counts() {
				return l.Archive, nil
			}
			continue
		default:
			if l.Left.Links++; !l.counts() {
				return l.Archive, nil
			}
			continue
		}
		at, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		m := Member{Name: h.Name, Size: h.Size, Modified: dated(h.ModTime, time.Unix(0, 0))}
		m.open = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, at, m.Size)), nil }
		if at+h.Size > size {
			return nil, fmt.Errorf("%w: it is cut", ErrBroken)
		}
		if more, err := l.add(m); err != nil || !more {
			return l.Archive, err
		}
	}
}

// openTarGz unpacks a tar.gz to a temporary file without a name, which goes with the last reader of it.
func openTarGz(ctx context.Context, file io.ReaderAt, size int64, limits Limits, temp func() (*os.File, error)) (*Archive, error) {
	z, err := gzip.NewReader(io.NewSectionReader(file, 0, size))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	to, err := temp()
	if err != nil {
		return nil, err
	}
	if err := os.Remove(to.Name()); err != nil {
		return nil, errors.Join(err, to.Close())
	}
	most := min(limits.Unpacked, tarBomb)
	in := &reading{ctx: ctx, in: io.LimitReader(z, most+1)}
	n, err := io.Copy(to, in)
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case in.err != nil:
		err = fmt.Errorf("%w: %w", ErrBroken, in.err)
	case err == nil && n > most:
		err = fmt.Errorf("%w: more than %d bytes when unpacked (a bomb)", ErrBroken, most)
	}
	if err == nil {
		var a *Archive
		if a, err = openTar(ctx, to, n, limits); err == nil {
			return a, nil
		}
	}
	return nil, errors.Join(err, to.Close())
}

// reading keeps the errors of what is read apart from those of the disk.
type reading struct {
	ctx context.Context
	in  io.Reader
	err error
}

func (r *reading) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	n, err := r.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}
