package index

import (
	"io"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// TestCopyReaderWritesRowsAsTheServerReadsThem checks the header, the count of fields before each row and the
// trailer, read in portions of any size, also without rows.
func TestCopyReaderWritesRowsAsTheServerReadsThem(t *testing.T) {
	t.Parallel()
	head := "PGCOPY\n\xff\r\n\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"
	for _, c := range []struct {
		rows []string
		want string
	}{
		{nil, head + "\xff\xff"},
		{[]string{"ab", ""}, head +
			"\x00\x02" + "\x00\x00\x00\x02ab" + "\x00\x00\x00\x02\x00\x00" +
			"\x00\x02" + "\x00\x00\x00\x00" + "\x00\x00\x00\x02\x00\x01" + "\xff\xff"},
	} {
		for _, portion := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader} {
			r := &copyReader{n: len(c.rows), fields: 2, row: func(buf []byte, i int) []byte {
				return appendInt16Field(appendField(buf, []byte(c.rows[i])), int16(i))
			}}
			got, err := io.ReadAll(portion(r))
			if diff := cmp.Diff(c.want, string(got)); diff != "" || err != nil {
				t.Errorf("%q: %v (-want +got): %s", c.rows, err, diff)
			}
		}
	}
}
