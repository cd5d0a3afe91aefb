package web

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/pgseek/pgseek/search"
	"golang.org/x/text/message"
)

// separators are how a language writes numbers.
type separators struct {
	group   string // between thousands
	decimal string
	short   bool // 1234 has one, too; in Spanish only 12 345 has
}

// separatorsOf reads the separators out of two numbers: a Printer is too slow for the numbers of a page.
func separatorsOf(p *message.Printer) separators {
	digits := func(s string) string {
		return strings.TrimFunc(s, func(r rune) bool { return r >= '0' && r <= '9' })
	}
	return separators{
		group:   digits(strings.TrimPrefix(p.Sprintf("%d", 12345), "12")),
		decimal: digits(p.Sprintf("%.1f", 1.5)),
		short:   len(p.Sprintf("%d", 1234)) > len("1234"),
	}
}

// grouped writes a number with separators: 12,345.
func (x *catalog) grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	from := 0
	if s[0] == '-' {
		from = 1
	}
	if len(s)-from == 4 && !x.numbers.short {
		return s
	}
	for i := len(s) - 3; i > from; i -= 3 {
		s = s[:i] + x.numbers.group + s[i:]
	}
	return s
}

// decimal writes a number with some decimal places.
func (x *catalog) decimal(places int, n float64) string {
	return strings.Replace(strconv.FormatFloat(n, 'f', places, 64), ".", x.numbers.decimal, 1)
}

// day and moment write times in UTC, because the time zone of the reader is unknown.
func (x *catalog) day(t time.Time) string { return x.date("date.day", t) }

func (x *catalog) moment(t time.Time) string { return x.date("date.moment", t) }

func (x *catalog) date(key string, t time.Time) string {
	t = t.UTC()
	name := func(list string) string {
		if names := strings.Fields(x.say(list)); len(names) == 12 {
			return names[t.Month()-1]
		}
		return strconv.Itoa(int(t.Month()))
	}
	return x.say(key, "day", strconv.Itoa(t.Day()), "month", name("date.months"), "short", name("date.short_months"),
		"year", t.Format("2006"), "time", t.Format("15:04"))
}

// dayOf writes a day of a request, 2006-01-02.
func (x *catalog) dayOf(text string) string {
	t, err := time.Parse(isoDay, text)
	if err != nil {
		return text
	}
	return x.day(t)
}

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func timeElement(t time.Time, text string) template.HTML {
	return template.HTML(`<time datetime="` + iso(t) + `">` + template.HTMLEscapeString(text) + "</time>")
}

// duration writes a duration with about two digits: 0.4 ms, 14 ms, 1.2 s, 3 min, 5 h 20 min, 2 days. The
// space before a unit does not break.
func (x *catalog) duration(d time.Duration) string {
	unit := func(name, number string) string { return x.say("unit."+name, "number", number) }
	switch {
	case d < 0:
		return unit("milliseconds", "0")
	case d < time.Millisecond:
		return unit("milliseconds", x.decimal(1, float64(d)/float64(time.Millisecond)))
	case d < time.Second:
		return unit("milliseconds", strconv.FormatInt(d.Milliseconds(), 10))
	case d < 10*time.Second:
		return unit("seconds", x.decimal(1, d.Seconds()))
	case d < time.Minute:
		return unit("seconds", strconv.Itoa(int(d.Seconds())))
	case d < time.Hour:
		return unit("minutes", strconv.Itoa(int(d.Minutes())))
	case d < 48*time.Hour:
		text := unit("hours", strconv.Itoa(int(d.Hours())))
		if minutes := int(d.Minutes()) % 60; minutes > 0 {
			text += " " + unit("minutes", strconv.Itoa(minutes))
		}
		return text
	}
	return x.say("unit.days", "n", int64(d.Hours()/24))
}

// byteSize writes 812 bytes, 14 KB, 1.2 MB, 3.4 GB.
func (x *catalog) byteSize(n int64) string {
	unit := func(name, number string) string { return x.say("unit."+name, "number", number) }
	switch {
	case n < 1000:
		return x.say("unit.bytes", "n", n)
	case n < 999_500:
		return unit("kilobytes", fmt.Sprint((n+500)/1000))
	case n < 9_950_000:
		return unit("megabytes", x.decimal(1, float64(n)/1e6))
	case n < 999_500_000:
		return unit("megabytes", fmt.Sprint((n+500_000)/1_000_000))
	}
	return unit("gigabytes", x.decimal(1, float64(n)/1e9))
}

// named returns the message of a value that comes from the program, such as the kind of a run; the value
// itself if there is none.
func (x *catalog) named(prefix, value string) string {
	if _, _, ok := x.find(prefix + value); ok {
		return x.say(prefix + value)
	}
	return value
}

// local returns the address of a page of searchd.
func local(root, page, stay string) string { return root + page + stay }

// isolated returns a text whose direction does not influence the text around it.
func isolated(s string) template.HTML {
	return template.HTML("<bdi>" + template.HTMLEscapeString(s) + "</bdi>")
}

// list joins parts as the language does.
func (x *catalog) list(parts []template.HTML) (list template.HTML) {
	for i, p := range parts {
		if i == 0 {
			list = p
		} else {
			list, _ = x.text("results.comma", "queries", list, "query", p)
		}
	}
	return list
}

// words lists words of the query.
func (x *catalog) words(words []string) template.HTML {
	parts := make([]template.HTML, 0, len(words))
	for _, w := range words {
		parts = append(parts, "<strong>"+isolated(cut(plain(w), 60))+"</strong>")
	}
	return x.list(parts)
}

// addresses lists the addresses of clones, as links if they are http or https.
func (x *catalog) addresses(clones []search.Clone) template.HTML {
	parts := make([]template.HTML, 0, len(clones))
	for _, c := range clones {
		var text template.HTML
		for i, crumb := range x.crumbs(c.URL) {
			if i > 0 {
				text += " › "
			}
			text += isolated(crumb)
		}
		if link := webLink(c.URL); link != "" {
			text = template.HTML(`<a href="`+address(link)+`" dir="ltr">`) + text + "</a>"
		}
		parts = append(parts, text)
	}
	return x.list(parts)
}

// spellings lists the corrections of a query.
func (x *catalog) spellings(s spelling) template.HTML {
	link := func(c correction) template.HTML {
		return template.HTML(`<a href="`+address(c.URL)+`">`) + isolated(cut(plain(c.Query), 200)) + "</a>"
	}
	list := link(correction{s.Query, s.URL})
	for i, c := range s.Others {
		key := "results.comma"
		if i == 0 {
			key = "results.perhaps_or"
		}
		list, _ = x.text(key, "queries", list, "query", link(c))
	}
	return list
}
