package wording

import (
	"testing"
	"time"
)

// TestAbout: distances are rounded to the unit that fits.
func TestAbout(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0s"},
		{89 * time.Second, "89s"},
		{90 * time.Second, "2m"},
		{90*time.Minute + 20*time.Second, "90m"},
		{2 * time.Hour, "2h"},
		{24*time.Hour - 3*time.Second, "24h"},
		{48*time.Hour - 3*time.Second, "2d"},
		{7*24*time.Hour - time.Minute, "7d"},
	} {
		if got := about(c.d); got != c.want {
			t.Errorf("%v: got %s, want %s", c.d, got, c.want)
		}
	}
}
