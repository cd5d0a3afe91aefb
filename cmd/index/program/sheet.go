package program

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
)

// sheet is text for a human operator: a label, and what is to be said about it on one line or several.
type sheet struct {
	now   time.Time // of the database
	lines [][2]string
}

// say adds a line with a label.
func (p *sheet) say(label, format string, args ...any) {
	p.lines = append(p.lines, [2]string{label, clean(fmt.Sprintf(format, args...))})
}

// more adds a line to what was said last.
func (p *sheet) more(format string, args ...any) { p.say("", format, args...) }

// write aligns the lines.
func (p *sheet) write(to io.Writer) {
	width := 0
	for _, l := range p.lines {
		width = max(width, len(l[0]))
	}
	for _, l := range p.lines {
		fmt.Fprintln(to, strings.TrimRight(fmt.Sprintf("%-*s  %s", width, l[0], l[1]), " "))
	}
}

// when is a moment, and how far off it is: "2026-03-04 05:06:07 (in 7d)".
func (p *sheet) when(t time.Time) string {
	return fmt.Sprintf("%s (%s)", t.Local().Format(time.DateTime), p.distance(t))
}

// distance is how far off a moment is, in the unit that fits.
func (p *sheet) distance(t time.Time) string {
	d := t.Sub(p.now)
	switch {
	case d > 0:
		return "in " + about(d)
	case d > -time.Second:
		return "now"
	}
	return about(-d) + " ago"
}

// about is a duration in the unit that fits, rounded: 45s, 90m, 30h, 7d.
func about(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		enough time.Duration // from here on the next unit fits better
		name   string
	}{{time.Second, 90 * time.Second, "s"}, {time.Minute, 91 * time.Minute, "m"}, {time.Hour, 47 * time.Hour, "h"}} {
		if d = d.Round(unit.length); d < unit.enough {
			return fmt.Sprintf("%d%s", d/unit.length, unit.name)
		}
	}
	const day = 24 * time.Hour
	return fmt.Sprintf("%dd", d.Round(day)/day)
}

// plural is "1 run", "2 runs".
func plural[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// maxCleaned bounds a result of clean in bytes: a URL is never longer.
const maxCleaned = 2048

// clean returns text with values from outside as a terminal shows it.
func clean(s string) string { return printable.String(s, maxCleaned) }

// userinfo is what may stand before the host of a URL as typed: user and password, at its longest.
var userinfo = regexp.MustCompile(`^([^:]*:[/\\]*).*@`)

// withoutPassword is a URL as the operator typed it, fit to be shown (B9).
func withoutPassword(typed string) string { return userinfo.ReplaceAllString(typed, "$1") }
