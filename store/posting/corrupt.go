package posting

import (
	"errors"
	"fmt"
)

// ErrCorrupt says that bytes violate their format. Errors that wrap it describe the violation and its offset.
var ErrCorrupt = errors.New("corrupt")

// corrupt returns the error for wrong bytes at an offset.
func corrupt(offset int, what string) error {
	return fmt.Errorf("%w: %s at offset %d", ErrCorrupt, what, offset)
}

// uvarint32 reads a number from b at an offset. n is its length in bytes, 0 when there is no valid one: the
// bytes end, it exceeds 2^31-1 or it is not in its shortest form.
func uvarint32(b []byte, at int) (v uint32, n int) {
	if at < len(b) && b[at] < 0x80 { // nearly all are this short
		return uint32(b[at]), 1
	}
	var x uint64
	for i := 0; i < 5 && at+i < len(b); i++ {
		c := b[at+i]
		x |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c == 0 || x > maxID {
				return 0, 0
			}
			return uint32(x), i + 1
		}
	}
	return 0, 0
}
