package archive

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"time"
)

// firstZip is the first time that a zip file can name.
var firstZip = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func openZip(ctx context.Context, file io.ReaderAt, size int64, limits Limits) (*Archive, error) {
	in := &directory{ReaderAt: file, left: directoryBytes}
	r, err := zip.NewReader(in, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	in.opened = true
	l := newList(file, limits)
	for _, f := range r.File {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		mode := f.Mode()
		switch {
		case mode.IsDir(), strings.HasSuffix(f.Name, "/"):
			continue
		case mode&fs.ModeType != 0:
			l.Left.Links++
			continue
		}
		m := Member{Name: f.Name, Size: int64(min(f.UncompressedSize64, math.MaxInt64)), Modified: dated(f.Modified, firstZip), open: f.Open}
		if f.Flags&1 != 0 {
			m.Err = errEncrypted
		}
		if more, err := l.add(m); err != nil || !more {
			return l.Archive, err
		}
	}
	return l.Archive, nil
}

// directory refuses to read a directory that is too long. archive/zip keeps all of it in memory.
type directory struct {
	io.ReaderAt
	left   int64
	opened bool
}

func (d *directory) ReadAt(p []byte, at int64) (int, error) {
	if !d.opened {
		if d.left -= int64(len(p)); d.left < 0 {
			return 0, fmt.Errorf("its directory is longer than %d bytes", directoryBytes)
		}
	}
	return d.ReaderAt.ReadAt(p, at)
}
