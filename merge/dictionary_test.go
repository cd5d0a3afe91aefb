package merge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDictionaryNumbersWordsInTheirOrder: more words than the table has slots at first, each one twice, with
// words that are prefixes of others and one of the greatest length.
func TestDictionaryNumbersWordsInTheirOrder(t *testing.T) {
	t.Parallel()
	d := newDictionary()
	want := []string{"a", "aa", strings.Repeat("𐐨", 32)}
	for n := range 2 * minSlots {
		want = append(want, fmt.Sprint("word", n))
	}
	for range 2 {
		for n, word := range want {
			if got := d.add([]byte(word)); int(got) != n {
				t.Fatalf("%q has number %d, want %d", word, got, n)
			}
		}
	}
	if diff := cmp.Diff(want, d.words()); diff != "" {
		t.Error("words (-want +got):", diff)
	}
}
