package document

import "strings"

// clock reads the time of day behind a date, with its zone. A date without one is at midnight; a time without a zone is in UTC.
func (d *dateReader) clock() {
	before := d.at
	if d.hour+d.minute+d.second > 0 { // it was read with the date
		return
	}
	if !d.one("Tt") || d.at == len(d.text) || !isFigure(d.text[d.at]) {
		d.at = before
		d.word(" г.")
		d.one(",")
		d.blanks()
		for _, at := range []string{"at ", "um ", "à ", "a las ", "в ", "- ", "– ", "| "} {
			if d.word(at) {
				break
			}
		}
	}
	if !d.hours() && !d.compactHours() {
		d.at, d.hour, d.minute, d.second = before, 0, 0, 0
		return
	}
	d.zone()
}

// compactHours reads 101530 and 1015, which follow a T.
func (d *dateReader) compactHours() bool {
	figures := 0
	if d.at < len(d.text) && isFigure(d.text[d.at]) {
		figures = tokenEnd(d.text, d.at) - d.at
	}
	if figures != 6 && figures != 4 || d.text[d.at-1]|0x20 != 't' {
		return false
	}
	all, _ := d.number(figures, figures)
	if figures == 4 {
		all *= 100
	}
	d.hour, d.minute, d.second = all/10000, all/100%100, all%100
	return d.hour < 24 && d.minute < 60 && d.second < 61
}

// hours reads 10:15, 10:15:30, 10:15:30.250 and 3:15 pm.
func (d *dateReader) hours() (ok bool) {
	if d.hour, ok = d.number(1, 2); !ok || !d.one(":") {
		return false
	}
	if d.minute, ok = d.number(2, 2); !ok || d.hour > 23 || d.minute > 59 {
		return false
	}
	if d.one(":") {
		if d.second, ok = d.number(2, 2); !ok || d.second > 60 {
			return false
		}
		if before := d.at; d.one(".,") {
			if d.at < len(d.text) && isFigure(d.text[d.at]) {
				d.at = tokenEnd(d.text, d.at)
			} else {
				d.at = before
			}
		}
	}
	before := d.at
	d.blanks()
	pm := d.halfOfDay("p")
	am := !pm && d.halfOfDay("a")
	switch {
	case !am && !pm:
		d.at = before
	case pm && d.hour < 12:
		d.hour += 12
	case am && d.hour == 12:
		d.hour = 0
	}
	return true
}

// halfOfDay reads am or pm.
func (d *dateReader) halfOfDay(half string) bool {
	before := d.at
	if (d.word(half+"m") || d.word(half+".m.")) && (d.at == len(d.text) || !letterByte(d.text[d.at])) {
		return true
	}
	d.at = before
	return false
}

// zone reads a time zone: Z, GMT, CEST, +01:00, +0100, GMT+0100, +01'00' (PDF).
func (d *dateReader) zone() {
	before := d.at
	d.blanks()
	named := d.zoneName()
	if named {
		before = d.at
	}
	if sign := d.sign(); sign == 0 || d.offset != 0 || !d.distance(sign) {
		d.at = before
	}
}

func (d *dateReader) sign() int {
	switch {
	case d.one("+"):
		return 1
	case d.one("-"), d.word("−"):
		return -1
	}
	return 0
}

// distance reads the distance of a time zone from UTC.
func (d *dateReader) distance(sign int) bool {
	hours, ok := d.number(2, 2)
	minutes := 0
	if ok && d.one(":'") {
		minutes, _ = d.number(2, 2)
		d.one("'")
	} else if !ok {
		both, whole := d.number(4, 4)
		hours, minutes, ok = both/100, both%100, whole
	}
	if !ok || hours > 14 || minutes > 59 {
		return false
	}
	d.offset = sign * (hours*60 + minutes) * 60
	return true
}

// zoneName reads the abbreviation of a time zone.
func (d *dateReader) zoneName() bool {
	if d.at == len(d.text) || !letterByte(d.text[d.at]) {
		return false
	}
	end := tokenEnd(d.text, d.at)
	name := d.text[d.at:end]
	if name == "Z" || name == "z" {
		d.at = end
		return true
	}
	hours, known := zones[strings.ToUpper(name)]
	if !known {
		return false
	}
	d.at, d.offset = end, hours*3600
	return true
}
