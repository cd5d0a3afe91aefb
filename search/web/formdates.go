package web

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// A DateForm is the date limit of a request. Dates are days in the time zone of searchd, as 2006-01-02.
type DateForm struct {
	Kind string // dt: back, older, er or range; empty = none of these limits

	Back string // with back and older, dp: a time value such as 7d or 1m-10d, as typed; 0 or empty = any time

	Until bool   // with er, dx=-1: up to and including Day; otherwise from Day on
	Day   string // with er

	Begin, End string // with range, db and de: both included, either may be empty

	// From and To (fr, to) are epoch seconds, 0 = no limit. They override the limits of Kind. Links to other
	// pages of a result have them, so that "7 days back" means the same on each page.
	From, To int64
}

// The kinds of DateForm.
const (
	DatesBack  = "back"
	DatesOlder = "older"
	DatesEr    = "er"
	DatesRange = "range"
)

// isoDay is the format in which a browser's date field sends a day.
const isoDay = "2006-01-02"

// maxEpoch is the end of the year 9999.
const maxEpoch = 253402300799

// dates reads the parameters about dates. Only those of the kind dt count, because a form sends all of them.
// Without dt the kind is the one whose parameters have values.
func (r *formReader) dates() (d DateForm) {
	d.From, d.To = int64(r.number("fr", 0, maxEpoch)), int64(r.number("to", 0, maxEpoch))
	kinds := []string{"", DatesBack, DatesOlder, DatesEr, DatesRange}
	switch {
	case r.word("dt") != "":
		text := r.word("dt")
		d.Kind = kinds[1:][r.oneOf("dt", kinds[1:]...)]
		if d.Kind != text {
			d.Kind = ""
		}
	case r.word("db") != "" || r.word("de") != "":
		d.Kind = DatesRange
	case r.word("dp") != "":
		d.Kind = DatesBack
	}
	switch d.Kind {
	case DatesBack, DatesOlder:
		d.Back = strings.TrimSpace(r.text("dp")) // the case of units matters
		if span, err := TimeSpan(d.Back); err != nil || span < 0 {
			r.wrong("dp", "%s is not a time span such as 12h, 7d, 2m (months) or 1y.", query.Quote(d.Back))
			d.Back = ""
		}
	case DatesEr:
		switch text := r.word("dx"); text {
		case "", "1", "+1":
		case "-1":
			d.Until = true
		default:
			r.wrong("dx", "%s is neither 1 (on that day or later) nor -1 (on that day or earlier).", query.Quote(text))
		}
		day := time.Date(r.number("dy", 1, 9999), time.Month(r.number("dm", 0, 11)+1), r.number("dd", 1, 31), 0, 0, 0, 0, time.UTC)
		if r.err == nil && (day.Day() != r.number("dd", 1, 31) || day.Year() < 1) {
			r.wrong("dd", "There is no such day: dd is 1 to 31, dm 0 to 11, dy the year.")
		}
		d.Day = day.Format(isoDay)
	case DatesRange:
		d.Begin, d.End = r.day("db"), r.day("de")
		if d.Begin != "" && d.End != "" && d.Begin > d.End {
			r.wrong("db", "The first day, %s, is after the last, %s.", d.Begin, d.End)
		}
	}
	if d.From != 0 && d.To != 0 && d.From > d.To {
		r.wrong("fr", "fr is after to.")
	}
	return d
}

// day reads dd/mm/yyyy or the format of a browser's date field.
func (r *formReader) day(name string) string {
	text := strings.TrimSpace(r.text(name))
	if text == "" {
		return ""
	}
	for _, layout := range []string{"2/1/2006", isoDay} {
		if day, err := time.Parse(layout, text); err == nil && day.Year() > 0 {
			return day.Format(isoDay)
		}
	}
	r.wrong(name, "%s is not a day such as 31/12/2026 or 2026-12-31.", query.Quote(text))
	return ""
}

// limits returns both ends of the limit at a time.
func (d DateForm) limits(now time.Time) (search.Dates, error) {
	var limits search.Dates
	switch d.Kind {
	case DatesBack, DatesOlder:
		span, err := TimeSpan(d.Back)
		if err != nil {
			return search.Dates{}, wrong("dp", "%s is not a time span.", query.Quote(d.Back))
		}
		switch {
		case span > 0 && d.Kind == DatesOlder:
			limits.To = now.Add(-span).Truncate(time.Second).Add(-time.Second)
		case span > 0:
			limits.From = now.Add(-span)
		}
	case DatesEr:
		begin, end, err := dayIn(d.Day, now.Location())
		if err != nil {
			return search.Dates{}, wrong("dd", "%s is not a day.", query.Quote(d.Day))
		}
		if d.Until {
			limits.To = end
		} else {
			limits.From = begin
		}
	case DatesRange:
		var err error
		if d.Begin != "" {
			if limits.From, _, err = dayIn(d.Begin, now.Location()); err != nil {
				return search.Dates{}, wrong("db", "%s is not a day.", query.Quote(d.Begin))
			}
		}
		if d.End != "" {
			if _, limits.To, err = dayIn(d.End, now.Location()); err != nil {
				return search.Dates{}, wrong("de", "%s is not a day.", query.Quote(d.End))
			}
		}
	}
	if d.From != 0 {
		limits.From = time.Unix(d.From, 0)
	}
	if d.To != 0 {
		limits.To = time.Unix(d.To, 0)
	}
	return limits, nil
}

// dayIn returns the first and the last second of a day.
func dayIn(text string, zone *time.Location) (begin, end time.Time, err error) {
	begin, err = time.ParseInLocation(isoDay, text, zone)
	return begin, begin.AddDate(0, 0, 1).Add(-time.Second), err
}

// Fixed returns the form with the absolute limit that "back" or "older" means at a time, for links to following pages.
func (f Form) Fixed(now time.Time) Form {
	if d := &f.Dates; d.Kind == DatesOlder && d.To == 0 {
		if limits, err := d.limits(now); err == nil && !limits.To.IsZero() {
			d.To = limits.To.Unix()
		}
	}
	if d := &f.Dates; d.Kind == DatesBack && d.From == 0 {
		if limits, err := d.limits(now); err == nil && !limits.From.IsZero() {
			d.From = limits.From.Unix()
		}
	}
	return f
}

// spanPart is one number of a time value: M is a minute, m a month.
var spanPart = regexp.MustCompile(`^(-?)([0-9]{1,9})([sMhdmy])`)

var spanUnits = map[byte]float64{'s': 1, 'M': 60, 'h': 3600, 'd': 86400, 'm': 30 * 86400, 'y': 365 * 86400}

// TimeSpan parses a time value (docs/reference/behavior.md, Time values): plain seconds, or signed numbers
// with units, which are added. An empty text is 0.
func TimeSpan(text string) (time.Duration, error) {
	if n, err := wholeNumber(text); err == nil && text != "" {
		return spanSeconds(float64(n))
	}
	sum := 0.0
	for text != "" {
		m := spanPart.FindStringSubmatch(text)
		if m == nil {
			return 0, strconv.ErrSyntax
		}
		n, err := strconv.ParseFloat(m[1]+m[2], 64)
		if err != nil {
			return 0, err
		}
		sum += n * spanUnits[m[3][0]]
		text = text[len(m[0]):]
	}
	return spanSeconds(sum)
}

func spanSeconds(n float64) (time.Duration, error) {
	if math.Abs(n) > 200*365*86400 { // more than 200 years
		return 0, strconv.ErrRange
	}
	return time.Duration(n) * time.Second, nil
}
