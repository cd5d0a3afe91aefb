package posting_test

import (
	"math"
	"testing"

	"github.com/pgseek/pgseek/store/posting"
)

// A code stands for a length within 3.2 % of the coded one, and longer documents never have lower codes.
func TestLengthCode(t *testing.T) {
	if c := posting.LengthCode(0); c != 0 || posting.CodedLength(c) != 0 {
		t.Errorf("the length 0 has code %d", c)
	}
	last := byte(0)
	for n := 1; n < 8_000_000; n += 1 + n/50 {
		c := posting.LengthCode(n)
		if c < last {
			t.Fatalf("%d has code %d after %d", n, c, last)
		}
		last = c
		if got := posting.CodedLength(c); math.Abs(math.Log((1+got)/(1+float64(n)))) > 0.0313 {
			t.Fatalf("%d has code %d, which stands for %f", n, c, got)
		}
	}
	if c := posting.LengthCode(math.MaxInt32); c != math.MaxUint8 {
		t.Errorf("the longest document has code %d", c)
	}
}
