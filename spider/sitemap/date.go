package sitemap

import "time"

// dateForms are the forms of dates: those of W3C Datetime, which the protocol asks for, that of SQL, and those of feeds. A date
// without a time is the beginning of its day, UTC.
var dateForms = []string{
	time.DateOnly, time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04:05-0700", "2006-01-02T15:04",
	"2006-01", "2006", time.DateTime, "2006-01-02 15:04:05 -0700",
	time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700",
}

// parseDate returns the time of a date, zero for none.
func parseDate(text string) time.Time {
	if len(text) < len("2006") || len(text) > 40 {
		return time.Time{}
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
