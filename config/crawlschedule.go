package config

import (
	"slices"
	"strings"
	"time"
)

// The values of CrawlMode.
const (
	CrawlOnce       = "once"       // index ends when nothing is due any more
	CrawlContinuous = "continuous" // it waits for what becomes due
	CrawlScheduled  = "scheduled"  // it does so within the windows of CrawlSchedule
)

// Window is a line CrawlSchedule: a period of time that begins on some days of the week at a time of day.
type Window struct {
	Days   [7]bool // by time.Weekday: days on which it begins
	Start  int     // minutes after midnight, local time
	Length time.Duration
}

// maxWindow is the longest window: a longer one is continuous.
const maxWindow = 7 * day

// CrawlWindow returns until when crawling is allowed at a time, in the time's zone. When it is not, open is false and until is
// when the next window begins. A window lasts for its length, whatever the clocks show: a change to or from summer time
// neither shortens nor prolongs it. Windows that overlap or adjoin are one, which is reported for eight days ahead at most.
func CrawlWindow(windows []Window, now time.Time) (open bool, until time.Time) {
	type period struct{ begin, end time.Time }
	var periods []period
	for i := range windows {
		for days := -8; days <= 8; days++ { // no window is longer than seven days, and each begins once a week
			if begin, ok := windows[i].begin(now, days); ok {
				periods = append(periods, period{begin, begin.Add(windows[i].Length)})
			}
		}
	}
	slices.SortFunc(periods, func(a, b period) int { return a.begin.Compare(b.begin) })
	for _, p := range periods {
		switch {
		case !open && p.begin.After(now):
			return false, p.begin
		case !open && p.end.After(now):
			open, until = true, p.end
		case open && p.begin.After(until):
			return true, until
		case open && p.end.After(until):
			until = p.end
		}
	}
	return open, until
}

// begin returns when the window begins some days after the day of a time, if it begins on that day. A time of day that the change
// to summer time leaves out is the moment of the change. One that occurs twice is the first.
func (w *Window) begin(of time.Time, days int) (at time.Time, ok bool) {
	year, month, date := of.Date()
	at = time.Date(year, month, date+days, 0, w.Start, 0, 0, of.Location())
	if noon := time.Date(year, month, date+days, 12, 0, 0, 0, of.Location()); !w.Days[noon.Weekday()] {
		return at, false
	}
	if at.Hour()*60+at.Minute() != w.Start { // the time does not exist, and time.Date returned another one
		return offsetChange(at), true
	}
	for _, saved := range []time.Duration{time.Hour, 30 * time.Minute} {
		if first := at.Add(-saved); first.Hour() == at.Hour() && first.Minute() == at.Minute() {
			return first, true
		}
	}
	return at, true
}

// offsetChange returns the change of the zone's offset within half a day of a time.
func offsetChange(at time.Time) time.Time {
	low, high := at.Add(-12*time.Hour), at.Add(12*time.Hour)
	_, before := low.Zone()
	for high.Sub(low) > time.Second {
		middle := low.Add(high.Sub(low) / 2)
		if _, offset := middle.Zone(); offset == before {
			low = middle
		} else {
			high = middle
		}
	}
	return high.Truncate(time.Second)
}

var weekdays = []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}

// setWindow reads a line CrawlSchedule: days, time of day and length, in quotes or not, and any number of such windows.
func setWindow(s *Spider, d directive) error {
	parts := strings.Fields(strings.Join(d.args, " "))
	if len(parts) == 0 {
		return reasonf("a value is missing")
	}
	if len(parts)%3 != 0 {
		return reasonf(`%d values, expected three: days, time of day and length, as in CrawlSchedule "MON-FRI 20:00 8h"`, len(parts))
	}
	for ; len(parts) > 0; parts = parts[3:] {
		var w Window
		if err := w.setDays(parts[0]); err != nil {
			return err
		}
		at, err := time.Parse("15:04", parts[1])
		if err != nil {
			return reasonf("%s is no time of day such as 20:00", quote(parts[1]))
		}
		w.Start = at.Hour()*60 + at.Minute()
		if w.Length, err = span(time.Minute, maxWindow)(parts[2]); err != nil {
			return err
		}
		s.Windows = append(s.Windows, w)
	}
	return nil
}

// checkWindows compares CrawlMode and CrawlSchedule.
func checkWindows(s *Spider, held map[string]directive, errs *Errors) {
	switch at, there := held["CrawlSchedule"]; {
	case s.CrawlMode == CrawlScheduled && !there:
		errs.add(held["CrawlMode"].problem("CrawlMode",
			`scheduled needs at least one line such as CrawlSchedule "MON-FRI 20:00 8h"`))
	case s.CrawlMode != CrawlScheduled && len(s.Windows) > 0:
		errs.add(at.problem("CrawlSchedule", reasonf("has no effect with CrawlMode %s; write CrawlMode scheduled", s.CrawlMode).Error()))
	}
}

// setDays reads days of the week: *, names of three letters, ranges of them (FRI-MON goes over Sunday), separated by commas.
func (w *Window) setDays(text string) error {
	for _, part := range strings.Split(strings.ToUpper(text), ",") {
		if part == "*" {
			part = "SUN-SAT"
		}
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, to := slices.Index(weekdays, first), slices.Index(weekdays, last)
		if from < 0 || to < 0 {
			return reasonf("%s names no days: write *, or days such as MON, MON-FRI or SAT,SUN", quote(text))
		}
		for i := from; ; i = (i + 1) % 7 {
			w.Days[i] = true
			if i == to {
				break
			}
		}
	}
	return nil
}
