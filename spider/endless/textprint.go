package endless

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/document"
)

// textPrint holds what the detector of endless sites remembers of a document's text: hashes of its words, of its runs of
// five words and of its whole set of words. Links are no part of it. Numbers, dates and the identifiers of the
// document's own URL are left out, so pages that differ in these alone have the same runs of words.
type textPrint struct {
	bag     uint64 // of the words with their numbers of occurrences, in any order
	words   []uint64
	runs    []uint64 // of five words in a row
	numbers []uint64 // that are no part of a date
	own     []uint64 // those of them that the URL has, too
}

// printSeed is of this process: prints are never stored.
var printSeed = maphash.MakeSeed()

// printOf returns the print of a document.
func printOf(url string, doc *document.Document) (p textPrint) {
	words := doc.Words
	if len(words) == 0 { // noindex: there is only the beginning of its text
		words = fieldWords(doc.Title + " " + doc.Text)
	}
	ids, numbers := urlWords(url)
	last := 0
	for i := range words {
		for _, at := range words[i].Positions {
			if ordinal := int(at & ordinalMask); at>>sectionShift == 0 {
				last = max(last, ordinal+1)
			}
		}
	}
	body := make([]uint64, last)
	for i := range words {
		w := &words[i]
		if IsNumber(w.Text) {
			if !IsDatePart(w.Text) {
				h := maphash.String(printSeed, w.Text)
				if slices.Contains(numbers, w.Text) {
					p.own = append(p.own, h*11)
				} else {
					p.numbers = append(p.numbers, h*9)
				}
			}
			continue
		}
		if IsDateWord(w.Text) || generatedFrom(shortDigest, w.Text) || slices.Contains(ids, w.Text) {
			continue
		}
		h := maphash.String(printSeed, w.Text) | 1
		p.bag += h * uint64(2*len(w.Positions)+1)
		p.words = append(p.words, h*3)
		for _, at := range w.Positions {
			if at>>sectionShift == 0 {
				body[at&ordinalMask] = h
			}
		}
	}
	p.runs = make([]uint64, 0, len(body))
	var before [runLength - 1]uint64
	for _, h := range body {
		if h == 0 {
			continue
		}
		run := h * 5
		for i, b := range before {
			run = bits.RotateLeft64(run, 13) ^ b*uint64(2*i+7)
		}
		p.runs = append(p.runs, run)
		copy(before[1:], before[:])
		before[0] = h
	}
	return p
}

// runLength is the number of words of a run.
const runLength = 5

// Positions of document.Word: the section in the upper two bits.
const (
	sectionShift = 14
	ordinalMask  = 1<<sectionShift - 1
)

// fieldWords returns the words of a text with their places.
func fieldWords(text string) (words []document.Word) {
	for i, f := range strings.Fields(strings.ToLower(text)) {
		words = append(words, document.Word{Text: f, Positions: []uint16{uint16(i)}})
	}
	return words
}

// urlWords returns the identifiers and the numbers of a URL's path and query.
func urlWords(url string) (ids, numbers []string) {
	words := strings.FieldsFunc(strings.ToLower(url[PathStart(url):]), func(r rune) bool { return r >= 0x80 || !isAlnum(byte(r)) })
	for _, w := range words {
		if IsNumber(w) {
			numbers = append(numbers, w)
		} else if LooksGenerated(w) {
			ids = append(ids, w)
		}
	}
	return ids, numbers
}

// IsNumber reports whether a word is of digits alone.
func IsNumber(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// IsDatePart reports whether a number is usual in dates and times: a day, an hour, a minute, a year of our
// time, or all in one (20260314). Few enough numbers count, that not many neighbors of a numbered collection
// are taken for equal.
func IsDatePart(s string) bool {
	if len(s) == 8 && (s[:2] == "19" || s[:2] == "20") && s[4:6] <= "12" && s[6:] <= "31" {
		return true
	}
	if len(s) == 4 {
		return "2000" <= s && s <= "2059"
	}
	return len(s) == 1 || len(s) == 2 && s <= "59"
}

// IsDateWord reports whether a word is the name of a month or a day of the week, or an ordinal number (21st).
func IsDateWord(s string) bool {
	if n := len(s); n >= 3 && n <= 4 && IsNumber(s[:n-2]) {
		switch s[n-2:] {
		case "st", "nd", "rd", "th", "am", "pm":
			return true
		}
	}
	return dateWords[s]
}

var dateWords = func() map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(`
		january february march april may june july august september october november december
		jan feb mar apr jun jul aug sep sept oct nov dec
		monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun am pm
		januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
		janvier février mars avril juin juillet août septembre octobre novembre décembre
		lundi mardi mercredi jeudi vendredi samedi dimanche
		enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
		lunes martes miércoles jueves viernes sábado domingo
		gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
		января февраля марта апреля мая июня июля августа сентября октября ноября декабря
		январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
		понедельник вторник среда четверг пятница суббота воскресенье`) {
		set[w] = true
	}
	return set
}()

// hashOf hashes a text.
func hashOf(s string) uint64 { return maphash.String(printSeed, s) }
