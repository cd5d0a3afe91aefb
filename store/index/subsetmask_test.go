package index

import (
	"strings"
	"testing"

	"github.com/pgseek/pgseek/store/storetest"
)

func TestMasks(t *testing.T) {
	for _, c := range []struct {
		mask, prefix string
		open, usable bool
	}{
		{``, ``, false, true},
		{`%`, ``, true, true},
		{`http://host/%`, `http://host/`, true, true},
		{`http://host/dir/%.html`, `http://host/dir/`, false, true},
		{`http://ho_t/`, `http://ho`, false, true},
		{`http://host/100\%`, `http://host/100%`, false, true},
		{`http://host/100\%%`, `http://host/100%`, true, true},
		{`http://host/\\%`, `http://host/\`, true, true},
		{`a\b\_c_%`, `ab_c`, true, true},
		{`http://host/\`, `http://host/`, false, false},
		{`http://host/\\`, `http://host/\`, false, true},
	} {
		if got := maskPrefix(c.mask); got != c.prefix {
			t.Errorf("%s: prefix %q, want %q", c.mask, got, c.prefix)
		}
		if got := maskEndsOpen(c.mask); got != c.open {
			t.Errorf("%s: ends open: %t", c.mask, got)
		}
		if got := maskProblem(c.mask) == ""; got != c.usable {
			t.Errorf("%s: usable: %t", c.mask, got)
		}
	}
}

// TestMasksAgreeWithTheServer compares the functions for masks with the server: the prefix with all that
// matches, an open end with everything longer, and a problem with the refusal.
func TestMasksAgreeWithTheServer(t *testing.T) {
	pool := storetest.Pool(t)
	parts := []string{`h`, `%`, `_`, `\`, `/`, ``}
	texts := []string{``, `h`, `h/`, `h%`, `h_`, `\`, `h\`, `hh/h`, `/`, `h/\h`, `%`, `_h`, `//`}
	var masks []string
	for _, a := range parts {
		for _, b := range parts {
			for _, c := range parts {
				for _, d := range parts {
					masks = append(masks, a+b+c+d)
				}
			}
		}
	}
	rows, err := pool.Query(t.Context(), `
		SELECT m, s, s LIKE m, s || 'more' LIKE m
		FROM unnest($1::text[]) m, unnest($2::text[]) s WHERE m !~ '(^|[^\\])(\\\\)*\\$'`, masks, texts)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var mask, text string
		var fits, longer bool
		if err := rows.Scan(&mask, &text, &fits, &longer); err != nil {
			t.Fatal(err)
		}
		n++
		if fits && !strings.HasPrefix(text, maskPrefix(mask)) {
			t.Errorf("%s fits %s, which does not begin with %q", mask, text, maskPrefix(mask))
		}
		if fits && maskEndsOpen(mask) && !longer {
			t.Errorf("%s ends open and fits %s, but not more", mask, text)
		}
		if maskProblem(mask) != "" {
			t.Errorf("%s: %s, but the server takes it", mask, maskProblem(mask))
		}
	}
	if err := rows.Err(); err != nil || n < 1000 {
		t.Fatalf("%d rows, %v", n, err)
	}
}
