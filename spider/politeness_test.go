package spider

import (
	"testing"
	"time"
)

// TestHostLoadBelowOne: a host whose load is a share of the time pauses after an answer for the rest of it;
// MinDelay, and the pause after a slow answer, hold when they are longer.
func TestHostLoadBelowOne(t *testing.T) {
	for _, c := range []struct {
		name           string
		load           float64
		elapsed, delay time.Duration
		want           time.Duration
	}{
		{"a quarter of the time", 0.25, 20 * time.Second, 0, time.Minute},
		{"half of it, with a longer MinDelay", 0.5, time.Second, time.Minute, time.Minute},
		{"four requests at once", 4, 500 * time.Millisecond, 0, 0},
		{"four at once, a slow answer", 4, 20 * time.Second, 0, 20 * time.Second},
		{"a very slow answer", 4, time.Hour, 0, longestPause},
		{"closed meanwhile", 0, time.Millisecond, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPoliteness(func(string, time.Time) float64 { return c.load })
			if err := p.enter(t.Context(), "h", 0, 0); err != nil {
				t.Fatal(err)
			}
			p.release("h", c.elapsed, c.delay)
			if got := p.rest("h"); got > c.want || got < c.want-10*time.Second {
				t.Errorf("it pauses %v, want %v", got, c.want)
			}
		})
	}
}

// TestPauseBeforeTheFirstRequest: whoever takes over a schedule waits, and a shorter wait does not shorten a
// longer one.
func TestPauseBeforeTheFirstRequest(t *testing.T) {
	p := newPoliteness(func(string, time.Time) float64 { return 1 })
	p.pause("h", time.Hour)
	p.pause("h", time.Minute)
	if got := p.rest("h"); got < 59*time.Minute {
		t.Errorf("it pauses %v, want an hour", got)
	}
	if got := p.rest("other"); got != 0 {
		t.Errorf("another host pauses %v", got)
	}
}
