package main

import "testing"

// TestEveryOptionHasItsPurpose: the help and the manual page have each option once, below its purpose.
func TestEveryOptionHasItsPurpose(t *testing.T) {
	t.Parallel()
	if names := describe((&options{}).flags()).Ungrouped(); len(names) > 0 {
		t.Errorf("in no group of manual.go, in several, or no option: %q", names)
	}
}
