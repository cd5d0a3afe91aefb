package main

import (
	"testing"
	"time"
)

// TestProgress: a database is as far behind as another one has had what it lacks.
func TestProgress(t *testing.T) {
	var p progress
	begin := time.Unix(1_000_000, 0)
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	p.note(at(0), 100)
	p.note(at(10), 100) // idle
	p.note(at(20), 200)
	p.note(at(30), 300)
	for _, c := range []struct {
		at   int
		end  int64
		want time.Duration
	}{
		{30, 300, 0},
		{30, 400, 0}, // ahead
		{40, 299, 10 * time.Second},
		{40, 200, 10 * time.Second},
		{40, 199, 20 * time.Second},
		{40, 1, 40 * time.Second},
		{25, 299, 0}, // probed before the other one had more
	} {
		if got := p.behind(at(c.at), c.end); got != c.want {
			t.Errorf("at %d s with %d: %s behind, want %s", c.at, c.end, got, c.want)
		}
	}
	p.note(at(50), 250) // another history
	if got := p.behind(at(60), 249); got != 10*time.Second || len(p.marks) != 1 {
		t.Errorf("after a failover: %s behind, %d marks", got, len(p.marks))
	}
	for i := range 3 * maxMarks {
		p.note(at(100+i), int64(1000+i))
	}
	if last := int64(1000 + 3*maxMarks - 1); len(p.marks) > maxMarks || p.marks[len(p.marks)-1].end < last-1 || p.behind(at(100+3*maxMarks), 251) < 2*maxMarks*time.Second {
		t.Errorf("%d marks, the last at %d", len(p.marks), p.marks[len(p.marks)-1].end)
	}
}
