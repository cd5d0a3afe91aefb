package config

import (
	"strings"
	"testing"
	"time"
)

func TestTimeValues(t *testing.T) {
	read := span(0, maxPeriod)
	for s, want := range map[string]time.Duration{
		"0": 0, "90": 90 * time.Second, "90s": 90 * time.Second, "5M": 5 * time.Minute, "2h": 2 * time.Hour, "7d": 7 * day,
		"1m": 30 * day, "1y": 365 * day, "1m-10d": 20 * day, "-10d1m": 20 * day, "1h30M": 90 * time.Minute,
		"1d1d": 2 * day, "1d-1d": 0, "10y": 3650 * day, "007": 7 * time.Second,
	} {
		if got, err := read(s); err != nil || got != want {
			t.Errorf("%q = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", " ", "-", "d", "-5", "1.5h", "1H", "1D", "1h30", "30 M", "+5s", "1w", "5ms", "--1d", "-1d", "10y1s",
		"99999999999999999999", "999999999999y", "9999999999999s", "1e3", "١s", strings.Repeat("999999999999y", 1000),
	} {
		if got, err := read(s); err == nil {
			t.Errorf("%q = %v, want an error", s, got)
		}
	}
}

func TestSizes(t *testing.T) {
	read := size(0, 4<<30)
	for s, want := range map[string]int64{
		"0": 0, "1000": 1000, "1KB": 1 << 10, "20mb": 20 << 20, "4GB": 4 << 30, "3 MB": 3 << 20, "3MiB": 3 << 20, "1kib": 1024, "1GiB": 1 << 30,
	} {
		if got, err := read(s); err != nil || got != want {
			t.Errorf("%q = %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "MB", "-1", "1.5MB", "5GB", "4294967297", "1TB", "10M", "9223372036854775807GB", "99999999999999999999", "1 K B", "0x10"} {
		if got, err := read(s); err == nil {
			t.Errorf("%q = %d, want an error", s, got)
		}
	}
}

func TestShares(t *testing.T) {
	for s, want := range map[string]float64{"30%": 0.3, "0.30": 0.3, "0": 0, "1": 1, "100%": 1, "0.5%": 0.005} {
		if got, err := share(s); err != nil || got != want {
			t.Errorf("%q = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "%", "30", "101%", "-1%", ".5", "NaN", "1e-1", "30 %"} {
		if got, err := share(s); err == nil {
			t.Errorf("%q = %v, want an error", s, got)
		}
	}
}

func TestYesNo(t *testing.T) {
	for _, s := range []string{"", "true", "1", "y", "on", "yess"} {
		if got, err := yesNo(s); err == nil {
			t.Errorf("%q = %v, want an error", s, got)
		}
	}
}

func TestPatternsIgnoreCaseAndAreUnanchored(t *testing.T) {
	for _, c := range []struct {
		pattern, url string
		want         bool
	}{
		{`\.pdf$`, "https://a.example/X.PDF", true},
		{`EXAMPLE`, "https://a.example/", true},
		{`^http:`, "https://a.example/", false},
		{`a|B$`, "http://x/b", true}, // the flag holds for every alternative
		{`(?-i)X`, "https://a.example/x", false},
	} {
		re, err := pattern(c.pattern)
		if err != nil {
			t.Fatalf("%q: %v", c.pattern, err)
		}
		if got := re.MatchString(c.url); got != c.want {
			t.Errorf("%q on %s = %v, want %v", c.pattern, c.url, got, c.want)
		}
	}
	for _, s := range []string{"", "(", "[", `\`, "a{2000}", `(?<=x)y`, strings.Repeat("(x{1000}){1000}", 2)} {
		if _, err := pattern(s); err == nil {
			t.Errorf("%q compiles", s)
		}
	}
}
