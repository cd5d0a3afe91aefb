package index

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The merge writes hundreds of thousands of rows. It encodes them itself in the server's binary formats: pgx
// inspects the type of each value of each row, and grows a large parameter step by step.

// appendField appends one value of a row of COPY, or of an array: its length and its bytes.
func appendField(buf, value []byte) []byte {
	return append(binary.BigEndian.AppendUint32(buf, uint32(len(value))), value...)
}

func appendInt16Field(buf []byte, v int16) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(buf, 2), uint16(v))
}

func appendInt32Field(buf []byte, v int32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(buf, 4), uint32(v))
}

func appendInt64Field(buf []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(buf, 8), uint64(v))
}

// copyRows adds n rows to a table by one COPY; row appends the fields of a row. sql names the table and its
// columns, fields is their number. One COPY of many rows costs the server less than several of a few
// thousand.
func copyRows(ctx context.Context, tx pgx.Tx, sql string, fields int16, n int, row func(buf []byte, i int) []byte) error {
	_, err := tx.Conn().PgConn().CopyFrom(ctx, &copyReader{n: n, fields: fields, row: row}, sql)
	return err
}

// copyReader returns rows in the format of COPY BINARY.
type copyReader struct {
	n, i   int // number of rows, rows packed so far
	fields int16
	row    func(buf []byte, i int) []byte
	buf    []byte
	at     int // offset in buf of the next byte to read
	state  int
}

// The part that is packed next.
const (
	copyHead = iota
	copyBody
	copyEnd
)

func (r *copyReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.at == len(r.buf) && !r.fill() {
			return n, io.EOF
		}
		k := copy(p[n:], r.buf[r.at:])
		r.at, n = r.at+k, n+k
	}
	return n, nil
}

// fill packs the next part.
func (r *copyReader) fill() bool {
	r.buf, r.at = r.buf[:0], 0
	switch {
	case r.state == copyHead:
		r.buf = append(r.buf, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...) // no flags, no extension
		r.state = copyBody
	case r.i < r.n:
		r.buf = r.row(binary.BigEndian.AppendUint16(r.buf, uint16(r.fields)), r.i)
		r.i++
	case r.state == copyBody:
		r.buf = append(r.buf, 0xff, 0xff)
		r.state = copyEnd
	default:
		return false
	}
	return true
}

// execPacked runs a statement with parameters in the binary format.
func execPacked(ctx context.Context, tx pgx.Tx, sql string, params ...[]byte) (pgconn.CommandTag, error) {
	statement, err := tx.Conn().Prepare(ctx, sql, sql) // once on a connection
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	done := tx.Conn().PgConn().ExecPrepared(ctx, statement.Name, params, []int16{pgx.BinaryFormatCode}, nil).Read()
	return done.CommandTag, done.Err
}

// packArray returns an array parameter of n elements; oid is their type and bytes the size of all of them.
// element appends one as a field.
func packArray(oid uint32, n, bytes int, element func(buf []byte, i int) []byte) []byte {
	buf := make([]byte, 0, 20+4*n+bytes)
	for _, v := range []uint32{1, 0, oid, uint32(n), 1} { // dimensions, NULLs, type, length, first index
		buf = binary.BigEndian.AppendUint32(buf, v)
	}
	for i := range n {
		buf = element(buf, i)
	}
	return buf
}
