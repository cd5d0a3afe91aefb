package document

import (
	"strings"
	"time"
)

// DateOrder says how figures such as 03/04/2020 are read.
type DateOrder int

// The orders of day, month and year.
const (
	AnyOrder DateOrder = iota // 03/04/2020 is the third of April; 03/04/20 is no date
	DMY
	MDY
	YMD
)

// DateOrders maps the names of orders in a DateRule.
var DateOrders = map[string]DateOrder{"dmy": DMY, "mdy": MDY, "ymd": YMD}

// earliestYear is the first year of a date; see docs/reference/behavior.md, Dates.
const earliestYear = 1970

// A foundDate is a date in a text.
type foundDate struct {
	at    time.Time
	month bool   // the text has no day: it is the first of the month
	text  string // as it was read
}

// blankSigns are replaced by blanks before a text is read.
var blankSigns = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u3000", " ")

// findDate returns the first date of a text that is valid and not after the latest one; without any, the first month ("March 2020").
func findDate(text string, order DateOrder, latest time.Time) (found foundDate, ok bool) {
	text = blankSigns.Replace(text)
	for i := 0; i < len(text); {
		c := text[i]
		if !isFigure(c) && !letterByte(c) {
			i++
			continue
		}
		end := tokenEnd(text, i)
		if isFigure(c) || months[foldMonth(text[i:end])] != 0 {
			d := dateReader{text: text, order: order}
			if d.read(i) && (!d.month || !ok) {
				at, valid := d.when()
				if valid && !at.After(latest) {
					found, ok = foundDate{at, d.month, text[i:d.at]}, true
					if !d.month {
						return found, true
					}
				}
			}
		}
		i = end
	}
	return found, ok
}

// isFigure reports whether a byte is a digit.
func isFigure(c byte) bool { return '0' <= c && c <= '9' }

// letterByte reports whether a byte belongs to a letter; all bytes beyond ASCII count as letters.
func letterByte(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }

// tokenEnd returns where the figures, or the letters, at i end.
func tokenEnd(text string, i int) int {
	same := letterByte
	if isFigure(text[i]) {
		same = isFigure
	}
	for i < len(text) && same(text[i]) {
		i++
	}
	return i
}

// A dateReader reads one date at a place of a text.
type dateReader struct {
	text  string
	order DateOrder
	at    int // the next byte

	year, monthNumber, day int
	month                  bool // there is no day
	hour, minute, second   int
	offset                 int // of the time zone in seconds
}

// read reads a date that begins at i, with its time when it has one. It reports whether there is one; its numbers may be out of range.
func (d *dateReader) read(i int) bool {
	d.at = i
	if i > 0 && isFigure(d.text[i]) && versionBefore(d.text[:i]) {
		return false
	}
	if !d.date() || d.at < len(d.text) && isFigure(d.text[d.at]) {
		return false
	}
	if !d.month {
		d.clock()
	}
	return true
}

// versionBefore reports whether a text ends as a version or an address does before its last numbers: "10.12.".
func versionBefore(text string) bool {
	n := len(text)
	return n >= 2 && text[n-1] == '.' && isFigure(text[n-2])
}

func (d *dateReader) date() bool {
	start := d.at
	for _, form := range []func(*dateReader) bool{
		(*dateReader).compact, (*dateReader).yearFirst, (*dateReader).figures, (*dateReader).dayMonthYear, (*dateReader).monthDayYear,
		(*dateReader).monthYear,
	} {
		*d = dateReader{text: d.text, order: d.order, at: start}
		if form(d) {
			return true
		}
	}
	return false
}

// number reads a number of low to high digits.
func (d *dateReader) number(low, high int) (n int, ok bool) {
	i := d.at
	for i < len(d.text) && isFigure(d.text[i]) {
		if i-d.at == high {
			return 0, false
		}
		n = n*10 + int(d.text[i]-'0')
		i++
	}
	if i-d.at < low {
		return 0, false
	}
	d.at = i
	return n, true
}

// name reads the name of a month, and a point behind it.
func (d *dateReader) name() bool {
	if d.at >= len(d.text) || !letterByte(d.text[d.at]) {
		return false
	}
	end := tokenEnd(d.text, d.at)
	if d.monthNumber = months[foldMonth(d.text[d.at:end])]; d.monthNumber == 0 {
		return false
	}
	d.at = end
	d.one(".")
	return true
}

// one reads one of some bytes.
func (d *dateReader) one(bytes string) bool {
	if d.at < len(d.text) && strings.IndexByte(bytes, d.text[d.at]) >= 0 {
		d.at++
		return true
	}
	return false
}

// word reads a text, in any case.
func (d *dateReader) word(s string) bool {
	if len(d.text)-d.at >= len(s) && strings.EqualFold(d.text[d.at:d.at+len(s)], s) {
		d.at += len(s)
		return true
	}
	return false
}

// blanks reads up to four blanks.
func (d *dateReader) blanks() (n int) {
	for n < 4 && d.one(" \t\n\r\f") {
		n++
	}
	return n
}

// compact reads 20200213 and 20200213101530.
func (d *dateReader) compact() bool {
	figures := tokenEnd(d.text, d.at) - d.at
	if !isFigure(d.text[d.at]) || figures != 8 && figures != 14 || d.at > 0 && letterByte(d.text[d.at-1]) {
		return false
	}
	part := func(n int) int {
		v, _ := (&dateReader{text: d.text[d.at : d.at+n]}).number(n, n)
		d.at += n
		return v
	}
	d.year, d.monthNumber, d.day = part(4), part(2), part(2)
	if figures == 14 {
		d.hour, d.minute, d.second = part(2), part(2), part(2)
		d.zone()
		return d.hour < 24 && d.minute < 60 && d.second < 61
	}
	return d.at == len(d.text) || !letterByte(d.text[d.at]) || d.text[d.at]|0x20 == 't'
}

// yearFirst reads 2020-02-13, 2020/02/13, 2020-Feb-13, 2020年2月13日, and the same without a day.
func (d *dateReader) yearFirst() (ok bool) {
	if d.year, ok = d.number(4, 4); !ok {
		return false
	}
	if d.cjk("年") {
		d.blanks()
		if d.monthNumber, ok = d.number(1, 2); !ok || !d.cjk("月") {
			return false
		}
		before := d.at
		d.blanks()
		if d.day, ok = d.number(1, 2); !ok || !d.cjk("日") && !d.cjk("号") && !d.cjk("號") {
			d.at, d.month = before, true
		}
		return true
	}
	separator := d.separator(" ")
	if separator == "" {
		return false
	}
	if !d.name() {
		if d.monthNumber, ok = d.number(1, 2); !ok || separator == " " {
			return false
		}
	}
	before := d.at
	if again := d.separator(" "); again == separator {
		if d.day, ok = d.number(1, 2); ok && !d.goesOn(separator) {
			return true
		}
	}
	d.at, d.month = before, true
	return separator == "-" || separator == "/" || separator == " "
}

// cjk reads a sign that follows a number, with blanks before it.
func (d *dateReader) cjk(sign string) bool {
	before := d.at
	d.blanks()
	if !d.word(sign) {
		d.at = before
		return false
	}
	return true
}

// separator reads what separates the numbers of a date: one of - / . _ or of more.
func (d *dateReader) separator(more string) string {
	if d.one("-/._" + more) {
		return d.text[d.at-1 : d.at]
	}
	return ""
}

// goesOn reports whether more numbers follow, as in a version or an address.
func (d *dateReader) goesOn(separator string) bool {
	return separator == "." && d.at+1 < len(d.text) && d.text[d.at] == '.' && isFigure(d.text[d.at+1])
}

// figures reads 13.02.2020, 02/13/2020 and, when the order is known, 13.02.20. It reads 02/2020 as a month.
func (d *dateReader) figures() bool {
	var n [3]int
	var ok bool
	if n[0], ok = d.number(1, 2); !ok {
		return false
	}
	separator := d.separator("")
	if separator == "" {
		return false
	}
	d.spaceAfter(separator)
	before := d.at
	if n[1], ok = d.number(4, 4); ok {
		d.monthNumber, d.year, d.month = n[0], n[1], true
		return separator != "_" && !d.goesOn(separator) && (d.at == len(d.text) || d.text[d.at] != separator[0])
	}
	d.at = before
	if n[1], ok = d.number(1, 2); !ok || d.separator("") != separator {
		return false
	}
	d.spaceAfter(separator)
	start := d.at
	if n[2], ok = d.number(4, 4); !ok {
		if n[2], ok = d.number(2, 2); !ok || d.order == AnyOrder {
			return false
		}
	}
	short := d.at-start == 2
	if d.goesOn(separator) {
		return false
	}
	switch {
	case short && d.order == YMD:
		d.year, d.monthNumber, d.day = century(n[0]), n[1], n[2]
		return true
	case d.order == MDY && n[0] <= 12, n[1] > 12:
		d.monthNumber, d.day = n[0], n[1]
	default:
		d.day, d.monthNumber = n[0], n[1]
	}
	d.year = n[2]
	if short {
		d.year = century(n[2])
	}
	return true
}

// spaceAfter reads a blank behind a point: "13. 2. 2020".
func (d *dateReader) spaceAfter(separator string) {
	if separator == "." {
		d.blanks()
	}
}

// century completes a year of two figures.
func century(year int) int {
	if year < 70 {
		return 2000 + year
	}
	return 1900 + year
}

// dayMonthYear reads "13 February 2020", "13. Februar 2020", "1er mars 2020", "13 de febrero de 2020" and "13-Feb-20".
func (d *dateReader) dayMonthYear() (ok bool) {
	if d.day, ok = d.number(1, 2); !ok {
		return false
	}
	d.ordinal()
	hyphen := d.one("-/_")
	if !hyphen {
		d.one(".")
		d.blanks()
	}
	d.of()
	if !d.name() {
		return false
	}
	if hyphen {
		if !d.one("-/_") {
			return false
		}
	} else {
		d.beforeYear()
	}
	before := d.at
	if d.year, ok = d.number(4, 4); !ok && hyphen {
		d.at = before
		d.year, ok = d.number(2, 2)
		d.year = century(d.year)
	}
	return ok
}

// beforeYear reads what stands between a month and its year.
func (d *dateReader) beforeYear() {
	d.one(",")
	d.blanks()
	d.of()
}

// ordinal reads the ending of a numeral.
func (d *dateReader) ordinal() {
	for _, ending := range []string{"st", "nd", "rd", "th", "er", "º", "ª", "°"} {
		if d.word(ending) {
			return
		}
	}
}

// of reads "of" and its equivalents between day, month and year.
func (d *dateReader) of() {
	for _, word := range []string{"of ", "de ", "del ", "di "} {
		if d.word(word) {
			d.blanks()
			return
		}
	}
}

// monthDayYear reads "February 13, 2020", "Feb. 13th 2020" and "Feb 13 10:15:30 2020".
func (d *dateReader) monthDayYear() (ok bool) {
	if !d.name() {
		return false
	}
	if hyphen := d.one("-/"); !hyphen && d.blanks() == 0 {
		return false
	}
	if d.day, ok = d.number(1, 2); !ok {
		return false
	}
	d.ordinal()
	if d.at < len(d.text) && d.text[d.at] == ' ' { // asctime
		before := d.at
		d.at++
		if d.hours() && d.blanks() > 0 {
			d.zoneName()
			d.blanks()
			if d.year, ok = d.number(4, 4); ok {
				return true
			}
		}
		d.at, d.hour, d.minute, d.second, d.offset = before, 0, 0, 0, 0
	}
	d.one(",-/")
	d.blanks()
	d.year, ok = d.number(4, 4)
	return ok
}

// monthYear reads "February 2020" as a month.
func (d *dateReader) monthYear() (ok bool) {
	if !d.name() {
		return false
	}
	if !d.one("-/") {
		d.beforeYear()
	}
	d.month = true
	d.year, ok = d.number(4, 4)
	return ok
}

// when returns the time; false for a day that no calendar has, and for years before 1970.
func (d *dateReader) when() (at time.Time, ok bool) {
	if d.month {
		d.day = 1
	}
	if d.year < earliestYear || d.monthNumber < 1 || d.monthNumber > 12 || d.day < 1 || d.day > 31 {
		return at, false
	}
	at = time.Date(d.year, time.Month(d.monthNumber), d.day, 0, 0, 0, 0, time.UTC)
	if at.Day() != d.day {
		return at, false
	}
	at = at.Add(time.Duration(d.hour*3600+d.minute*60+d.second-d.offset) * time.Second)
	return at, at.Unix() >= 0
}
