package web

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pgseek/pgseek/search"
)

// A Pair is a parameter of a request.
type Pair struct{ Name, Value string }

// Pairs returns the parameters from which ReadForm makes the same form, the query first, without those that
// have their default value.
func (f Form) Pairs() []Pair {
	var p pairs
	p.add("q", f.Query)
	p.add("iq", f.Include)
	p.set("im", "p", f.IncludePhrase)
	p.add("xq", f.Exclude)
	p.set("xm", "p", f.ExcludePhrase)
	p.add("r", f.Previous)
	p.set("in", "on", f.Within)
	p.add("is", f.IncludeSites)
	p.add("xs", f.ExcludeSites)
	p.add("ln", f.Link)
	p.set("bd", "on", f.Body)
	p.set("ds", "on", f.Desc)
	p.set("kw", "on", f.Keywords)
	p.set("tl", "on", f.Title)
	for _, v := range f.Limits {
		p.add("ul", v)
	}
	spaces := make([]string, len(f.Spaces))
	for i, n := range f.Spaces {
		spaces[i] = strconv.Itoa(int(n))
	}
	p.add("sp", strings.Join(spaces, ","))
	p.narrowing(f.Narrowing)
	p.dates(f.Dates)
	p.set("s", "date", f.Order == search.ByDate)
	p.choose("gr", f.Group)
	p.set("facets", "on", f.Facets)
	p.set("match", "any", f.Match == Off)
	p.set("match", "all", f.Match == On)
	switch languages := strings.Join(f.Languages, ","); languages {
	case "":
		p.choose("fm", f.Forms)
	case "no": // with a comma it is Norwegian, not the switch
		p.add("fm", "no,no")
	default:
		p.add("fm", languages)
	}
	p.choose("ad", f.Distance)
	p.set("t", "any", f.Jump)
	p.set("explain", "1", f.Explain)
	p.number("ps", int64(f.PerPage))
	p.number("np", int64(f.Page))
	p.set("format", "json", f.JSON)
	return p
}

// Encode returns the form as the query string of a URL.
func (f Form) Encode() string {
	var b strings.Builder
	for i, p := range f.Pairs() {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p.Name + "=" + url.QueryEscape(p.Value))
	}
	return b.String()
}

type pairs []Pair

func (p *pairs) add(name, value string) { p.set(name, value, value != "") }

func (p *pairs) set(name, value string, really bool) {
	if really {
		*p = append(*p, Pair{name, value})
	}
}

func (p *pairs) number(name string, n int64) { p.set(name, strconv.FormatInt(n, 10), n != 0) }

func (p *pairs) choose(name string, c Choose) {
	p.set(name, "on", c == On)
	p.set(name, "off", c == Off)
}

func (p *pairs) dates(d DateForm) {
	p.add("dt", d.Kind)
	switch d.Kind {
	case DatesBack, DatesOlder:
		p.add("dp", d.Back)
	case DatesEr:
		p.set("dx", "-1", d.Until)
		p.set("dx", "1", !d.Until)
		if day, err := time.Parse(isoDay, d.Day); err == nil {
			p.set("dd", strconv.Itoa(day.Day()), true)
			p.set("dm", strconv.Itoa(int(day.Month())-1), true) // from 0, as s.cgi has it
			p.set("dy", strconv.Itoa(day.Year()), true)
		}
	case DatesRange:
		p.add("db", d.Begin)
		p.add("de", d.End)
	}
	p.number("fr", d.From)
	p.number("to", d.To)
}
