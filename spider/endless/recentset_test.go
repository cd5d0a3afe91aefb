package endless

import "testing"

// The set knows the last million numbers, takes few others for known, and has a bounded size, little at first.
func TestRecentSet(t *testing.T) {
	s := newRecentSet()
	if s.size > maxWords/16 {
		t.Errorf("an empty set has %d words", s.size)
	}
	const all, last = 5_000_000, 1_000_000
	wrong := 0
	for i := range uint64(all) {
		if !s.add(i) {
			wrong++
		}
		if s.size > maxWords {
			t.Fatalf("%d words after %d numbers", s.size, i)
		}
	}
	if wrong > all/70 {
		t.Errorf("%d of %d new numbers were taken for known", wrong, all)
	}
	for i := uint64(all - last); i < all; i++ {
		if s.add(i) {
			t.Fatalf("number %d was forgotten", i)
		}
	}
}
