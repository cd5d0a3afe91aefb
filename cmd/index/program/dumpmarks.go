package program

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// dumpMarkdel is --dump-markdel: the documents of the delete set as the seed's file has them (SR-53). A file that could not
// be written to its end is removed.
func (p *program) dumpMarkdel(ctx context.Context, s *store.DB) error {
	if p.o.dumpMarks == "-" {
		return writeMarks(ctx, s, p.out)
	}
	file, err := os.Create(p.o.dumpMarks)
	if err != nil {
		return err
	}
	err = errors.Join(writeMarks(ctx, s, file), file.Close())
	if info, gone := os.Lstat(p.o.dumpMarks); err != nil && gone == nil && info.Mode().IsRegular() {
		err = errors.Join(err, os.Remove(p.o.dumpMarks))
	}
	return err
}

// writeMarks writes the ids as little-endian numbers of 4 bytes.
func writeMarks(ctx context.Context, s *store.DB, to io.Writer) error {
	w := bufio.NewWriter(to)
	var id [4]byte
	err := report.New(s).DumpMarks(ctx, func(u store.URLID) error {
		binary.LittleEndian.PutUint32(id[:], uint32(u))
		_, err := w.Write(id[:])
		return err
	})
	if err != nil {
		return err
	}
	return w.Flush()
}
