package document

import (
	"strings"
	"time"
)

// RobotsDirectives splits the value of META robots or of an X-Robots-Tag header at its commas. The comma behind the weekday of a
// date belongs to the date: "unavailable_after: Friday, 25-Jun-10 15:00:00 PST, noarchive" has two directives.
func RobotsDirectives(value string) (list []string) {
	for part := range strings.SplitSeq(value, ",") {
		part = strings.TrimSpace(part)
		if n := len(list); n > 0 && endsWithWeekday(list[n-1]) {
			list[n-1] += ", " + part
			continue
		}
		list = append(list, part)
	}
	return list
}

// endsWithWeekday reports whether a directive is the beginning of a date that has its weekday first.
func endsWithWeekday(directive string) bool {
	i := strings.LastIndexByte(directive, ':')
	return i >= 0 && strings.HasSuffix(strings.ToLower(strings.TrimSpace(directive[:i])), unavailableAfter) &&
		weekdays[strings.ToLower(strings.TrimSpace(directive[i+1:]))]
}

const unavailableAfter = "unavailable_after"

var weekdays = map[string]bool{
	"mon": true, "tue": true, "wed": true, "thu": true, "fri": true, "sat": true, "sun": true, "monday": true, "tuesday": true,
	"wednesday": true, "thursday": true, "friday": true, "saturday": true, "sunday": true,
}

// UnavailableAfter returns the date of a directive "unavailable_after: DATE". ok is false for other directives and for dates in no known
// form.
func UnavailableAfter(directive string) (date time.Time, ok bool) {
	name, value, _ := strings.Cut(directive, ":")
	if !strings.EqualFold(strings.TrimSpace(name), unavailableAfter) {
		return date, false
	}
	value = strings.Join(strings.Fields(strings.ReplaceAll(value, ",", " ")), " ")
	if first, rest, _ := strings.Cut(value, " "); weekdays[strings.ToLower(first)] {
		value = rest
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, value); err == nil {
			return inZone(t), t.Year() >= 1970 && t.Year() < 10_000
		}
	}
	return date, false
}

// dateLayouts are those of RFC 822 and its successors, RFC 850, asctime and ISO 8601, without weekdays and commas. A date without a
// time begins its day; a time without a zone is in UTC.
var dateLayouts = dateTimes(
	[]string{"2 Jan 2006", "2-Jan-06", "2-Jan-2006", "2 January 2006", "2 Jan 06", "2006-01-02"},
	[]string{" 15:04:05 MST", " 15:04:05 -0700", " 15:04:05 -07:00", " 15:04:05", " 15:04 MST", " 15:04 -0700", " 15:04", ""},
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05-0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
	"20060102T150405Z0700", "20060102T150405", "20060102", "Jan 2 15:04:05 2006", "Jan 2 2006 15:04:05 MST", "Jan 2 2006",
)

func dateTimes(dates, times []string, others ...string) (list []string) {
	for _, date := range dates {
		for _, clock := range times {
			list = append(list, date+clock)
		}
	}
	return append(list, others...)
}

// inZone gives a time the zone that its abbreviation means in RFC 822. Package time knows the local ones only, and takes others for
// UTC.
func inZone(t time.Time) time.Time {
	name, _ := t.Zone()
	if hours, ok := zones[name]; ok {
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour()-hours, t.Minute(), t.Second(), 0, time.UTC)
	}
	return t.UTC()
}

var zones = map[string]int{
	"UT": 0, "GMT": 0, "UTC": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
	"CET": 1, "CEST": 2, "BST": 1,
}
