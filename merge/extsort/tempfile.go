package extsort

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// A TempFile keeps numbers that do not fit into memory in a temporary file, which is written once and read
// any number of times. The file is unlinked before the first byte is written, so it disappears with the
// process in every case. It is in the directory of TMPDIR.
type TempFile struct {
	file *os.File
	buf  []byte // not written yet
	size int64  // bytes in the file
}

// fileBuffer is the buffer of a writer and of each reader, in bytes; a multiple of 8.
const fileBuffer = 16 << 10

// NewTempFile creates an empty file.
func NewTempFile() (*TempFile, error) {
	file, err := os.CreateTemp("", "pgseek-spool-")
	if err != nil {
		return nil, fmt.Errorf("create a temporary file: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("create a temporary file: %w", err)
	}
	return &TempFile{file: file, buf: make([]byte, 0, fileBuffer)}, nil
}

// Close releases the file's space. It may be called on nil.
func (s *TempFile) Close() {
	if s != nil {
		_ = s.file.Close() // the content is discarded
	}
}

// Put appends a number.
func (s *TempFile) Put(v uint32) error {
	if len(s.buf)+4 > cap(s.buf) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.buf = binary.LittleEndian.AppendUint32(s.buf, v)
	return nil
}

// put64 appends a number of 8 bytes.
func (s *TempFile) put64(v uint64) error {
	if err := s.Put(uint32(v)); err != nil {
		return err
	}
	return s.Put(uint32(v >> 32))
}

// end returns the offset of the next number.
func (s *TempFile) end() int64 { return s.size + int64(len(s.buf)) }

func (s *TempFile) flush() error {
	n, err := s.file.Write(s.buf)
	s.size += int64(n)
	s.buf = s.buf[:0]
	if err != nil {
		return fmt.Errorf("write a temporary file: %w", err)
	}
	return nil
}

// read returns a reader of a part of the file: numbers that were put before. More may be put while it is
// read.
func (s *TempFile) read(from, to int64) (*TempFileReader, error) {
	if err := s.flush(); err != nil {
		return nil, err
	}
	return &TempFileReader{from: io.NewSectionReader(s.file, from, to-from), left: to - from}, nil
}

// All returns a reader of the whole file.
func (s *TempFile) All() (*TempFileReader, error) { return s.read(0, s.end()) }

// TempFileReader reads numbers. After an error there are no more.
type TempFileReader struct {
	from io.Reader
	left int64 // bytes that are not in buf yet
	buf  []byte
	at   int
	Err  error
}

// More reports whether there is a next number.
func (r *TempFileReader) More() bool {
	if r.at < len(r.buf) {
		return true
	}
	if r.left == 0 || r.Err != nil {
		return false
	}
	if r.buf == nil {
		r.buf = make([]byte, fileBuffer)
	}
	r.buf, r.at = r.buf[:min(fileBuffer, r.left)], 0
	if _, err := io.ReadFull(r.from, r.buf); err != nil {
		r.buf, r.Err = nil, fmt.Errorf("read a temporary file: %w", err)
		return false
	}
	r.left -= int64(len(r.buf))
	return true
}

var errTruncated = errors.New("a temporary file is truncated")

// Next returns the next number. If there is none it returns 0 and sets Err.
func (r *TempFileReader) Next() uint32 {
	if !r.More() {
		if r.Err == nil {
			r.Err = errTruncated
		}
		return 0
	}
	r.at += 4
	return binary.LittleEndian.Uint32(r.buf[r.at-4:])
}

// next64 returns the next number of 8 bytes.
func (r *TempFileReader) next64() uint64 {
	low := r.Next()
	return uint64(low) | uint64(r.Next())<<32
}
