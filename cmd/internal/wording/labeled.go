package wording

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Labeled is text for the operator: labels, each with one or more lines.
type Labeled struct {
	now   time.Time // of the database
	lines [][2]string
}

// NewLabeled returns an empty text of the time now.
func NewLabeled(now time.Time) Labeled { return Labeled{now: now} }

// Line adds a line with a label.
func (r *Labeled) Line(label, format string, args ...any) {
	r.lines = append(r.lines, [2]string{label, Clean(fmt.Sprintf(format, args...))})
}

// Detail adds a line to the label above.
func (r *Labeled) Detail(format string, args ...any) { r.Line("", format, args...) }

// Write prints the text with its lines aligned.
func (r *Labeled) Write(to io.Writer) {
	width := 0
	for _, l := range r.lines {
		width = max(width, len(l[0]))
	}
	for _, l := range r.lines {
		fmt.Fprintln(to, strings.TrimRight(fmt.Sprintf("%-*s  %s", width, l[0], l[1]), " "))
	}
}

// When formats a time with its distance from now: "2026-03-04 05:06:07 (in 7d)".
func (r *Labeled) When(t time.Time) string {
	return fmt.Sprintf("%s (%s)", t.Local().Format(time.DateTime), r.distance(t))
}

// distance formats how far a time is from now, in the unit that fits.
func (r *Labeled) distance(t time.Time) string {
	d := t.Sub(r.now)
	switch {
	case d > 0:
		return "in " + about(d)
	case d > -time.Second:
		return "now"
	}
	return about(-d) + " ago"
}

// about formats a duration in the unit that fits, rounded: 45s, 90m, 30h, 7d.
func about(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		enough time.Duration // from here the next unit fits better
		name   string
	}{{time.Second, 90 * time.Second, "s"}, {time.Minute, 91 * time.Minute, "m"}, {time.Hour, 47 * time.Hour, "h"}} {
		if d = d.Round(unit.length); d < unit.enough {
			return fmt.Sprintf("%d%s", d/unit.length, unit.name)
		}
	}
	const day = 24 * time.Hour
	return fmt.Sprintf("%dd", d.Round(day)/day)
}

// Plural formats a number with its noun: "1 run", "2 runs".
func Plural[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
