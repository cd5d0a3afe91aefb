// Package querytest holds checks that the tests of the query language and of the search form share.
package querytest

import (
	"strings"
	"testing"
)

// CheckSentence fails the test unless s is a sentence for people: it does not begin with a lower-case letter,
// ends with a full stop, has at most 400 bytes, and contains no control characters and no invalid UTF-8.
func CheckSentence(tb testing.TB, s string) {
	tb.Helper()
	first := []rune(s)[0]
	if !strings.HasSuffix(s, ".") || 'a' <= first && first <= 'z' || len(s) > 400 {
		tb.Errorf("no sentence: %s", s)
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			tb.Errorf("%q holds %U", s, r)
		}
	}
}
