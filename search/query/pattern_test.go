package query

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestPatternMatches compares patterns with regular expressions, over an alphabet that is so small that all
// kinds of matches and near misses occur.
func TestPatternMatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	draw := func(alphabet []string, n int) string {
		var b strings.Builder
		for range r.IntN(n) {
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		return b.String()
	}
	matched := 0
	for range 10000 {
		pattern, word := draw([]string{"a", "b", "é", "*", "?"}, 7), draw([]string{"a", "b", "é"}, 8)
		re := regexp.MustCompile("^" + strings.NewReplacer("*", ".*", "?", ".").Replace(pattern) + "$")
		want := re.MatchString(word)
		if got := (Pattern{Text: pattern}).Matches(word); got != want {
			t.Fatalf("%q of %q: %v", word, pattern, got)
		}
		if want {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("only %d matched", matched)
	}
}

func TestPatternMatchesIsNotExponential(t *testing.T) {
	p := Pattern{Text: strings.Repeat("*a", 500) + "b"}
	if p.Matches(strings.Repeat("a", 32)) {
		t.Error("matched")
	}
}

func TestPatternLike(t *testing.T) {
	for text, want := range map[string]string{"vacuum*": "vacuum%", "vacuum??s": "vacuum__s", `a%b_c\d*`: `a\%b\_c\\d%`} {
		p := Pattern{Text: text}
		if got := p.Like(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"vacuum*x": "vacuum", "é?": "é", "*": ""} {
		p := Pattern{Text: text}
		if got := p.Fixed(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
