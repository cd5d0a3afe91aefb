package document

import (
	"strings"
	"testing"
	"time"
)

var latestDate = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

type dateTest struct {
	text, want, span string // "" = none; span "" = the whole text
	order            DateOrder
}

func checkDates(t *testing.T, tests []dateTest) {
	t.Helper()
	for _, x := range tests {
		found, ok := findDate(x.text, x.order, latestDate)
		got, span := "", ""
		if ok {
			got, span = found.at.Format(time.RFC3339), found.text
		}
		if x.span == "" && x.want != "" {
			x.span = x.text
		}
		if got != x.want || span != x.span {
			t.Errorf("%q order %d: %s in %q, want %s in %q", x.text, x.order, got, span, x.want, x.span)
		}
	}
}

// Dates as pages write them.
func TestFindDate(t *testing.T) {
	t.Parallel()
	day := "2020-02-13T00:00:00Z"
	checkDates(t, []dateTest{
		{text: "2020-02-13", want: day},
		{text: "2020/02/13", want: day},
		{text: "2020/2/13", want: day},
		{text: "2020.02.13", want: day},
		{text: "2020_02_13", want: day},
		{text: "20200213", want: day},
		{text: "13.02.2020", want: day},
		{text: "13. 2. 2020", want: day},
		{text: "13/2/2020", want: day},
		{text: "2/13/2020", want: day}, // nothing else is possible
		{text: "13-02-2020", want: day},
		{text: "2020-02-13T10:15:30Z", want: "2020-02-13T10:15:30Z"},
		{text: "2020-02-13T10:15:30.123+01:00", want: "2020-02-13T09:15:30Z"},
		{text: "2020-02-13 10:15:30 +0530", want: "2020-02-13T04:45:30Z"},
		{text: "2020-02-13T23:15-05:00", want: "2020-02-14T04:15:00Z"},
		{text: "20200213T101530Z", want: "2020-02-13T10:15:30Z"},
		{text: "20200213101530+01'00'", want: "2020-02-13T09:15:30Z"},
		{text: "D:20200213101530+01'00'", span: "20200213101530+01'00'", want: "2020-02-13T09:15:30Z"},
		{text: "D:20200213101530Z", span: "20200213101530Z", want: "2020-02-13T10:15:30Z"},
		{text: "Thu, 13 Feb 2020 10:15:30 GMT", span: "13 Feb 2020 10:15:30 GMT", want: "2020-02-13T10:15:30Z"},
		{text: "Thursday, 13-Feb-20 10:15:30 EST", span: "13-Feb-20 10:15:30 EST", want: "2020-02-13T15:15:30Z"},
		{text: "Thu Feb 13 10:15:30 2020", span: "Feb 13 10:15:30 2020", want: "2020-02-13T10:15:30Z"},
		{text: "Thu Feb 13 10:15:30 CET 2020", span: "Feb 13 10:15:30 CET 2020", want: "2020-02-13T09:15:30Z"},
		{text: "Thu Feb 13 2020 10:15:30 GMT+0100", span: "Feb 13 2020 10:15:30 GMT+0100", want: "2020-02-13T09:15:30Z"},
		{text: "February 13, 2020", want: day},
		{text: "Feb. 13th, 2020 at 3:15 PM", want: "2020-02-13T15:15:00Z"},
		{text: "Feb 13 2020 12:05 a.m.", want: "2020-02-13T00:05:00Z"},
		{text: "13th of February 2020", want: day},
		{text: "FEBRUARY 13 2020", want: day},
		{text: "13. Februar 2020", want: day},
		{text: "13. Februar 2020, 10:15 Uhr", span: "13. Februar 2020, 10:15", want: "2020-02-13T10:15:00Z"},
		{text: "1. März 2020", want: "2020-03-01T00:00:00Z"},
		{text: "13 février 2020", want: day},
		{text: "13 FÉVRIER 2020 à 10:15", want: "2020-02-13T10:15:00Z"},
		{text: "1er août 2020", want: "2020-08-01T00:00:00Z"},
		{text: "13 de febrero de 2020", want: day},
		{text: "13 de febrero del 2020", want: day},
		{text: "13 февраля 2020 г.", span: "13 февраля 2020", want: day},
		{text: "13 февраля 2020 г., 10:15", want: "2020-02-13T10:15:00Z"},
		{text: "2020年2月13日", want: day},
		{text: "发布于2020年02月13日 10:15", span: "2020年02月13日 10:15", want: "2020-02-13T10:15:00Z"},
		{text: "2020 年 2 月 13 号", want: day},
		{text: "2020/feb/13", want: day},
		{text: "13 febbraio 2020", want: day},
		{text: "13\u00a0Feb\u00a02020", span: "13 Feb 2020", want: day},

		{text: "03/04/2020", want: "2020-04-03T00:00:00Z"},
		{text: "03/04/2020", want: "2020-04-03T00:00:00Z", order: DMY},
		{text: "03/04/2020", want: "2020-03-04T00:00:00Z", order: MDY},
		{text: "2020/03/04", want: "2020-03-04T00:00:00Z", order: DMY},
		{text: "13/02/2020", want: day, order: MDY},
		{text: "03/04/20"},
		{text: "03/04/20", want: "2020-04-03T00:00:00Z", order: DMY},
		{text: "03/04/20", want: "2020-03-04T00:00:00Z", order: MDY},
		{text: "20-04-03", want: "2020-04-03T00:00:00Z", order: YMD},
		{text: "03.04.99", want: "1999-04-03T00:00:00Z", order: DMY},

		// A month is the first of it, and gives way to a day.
		{text: "2020-02", want: "2020-02-01T00:00:00Z"},
		{text: "02/2020", want: "2020-02-01T00:00:00Z"},
		{text: "February 2020", want: "2020-02-01T00:00:00Z"},
		{text: "febrero de 2020", want: "2020-02-01T00:00:00Z"},
		{text: "февраль 2020", want: "2020-02-01T00:00:00Z"},
		{text: "2020年2月", want: "2020-02-01T00:00:00Z"},
		{text: "Since March 2010, changed on 13 February 2020", span: "13 February 2020", want: day},
	})
}

// TestB73: dates that no calendar has, before 1970 or in the future, years alone, and numbers that are no dates are passed over.
func TestB73(t *testing.T) {
	t.Parallel()
	day := "2020-02-13T00:00:00Z"
	checkDates(t, []dateTest{
		// The first valid date counts.
		{text: "31.02.2020 13.02.2020 14.02.2020", span: "13.02.2020", want: day},
		{text: "13.02.2020 31.12.2029", span: "13.02.2020", want: day},
		{text: "31.12.2029, 13.02.2020", span: "13.02.2020", want: day},
		{text: "1969-12-31, 2020-02-13", span: "2020-02-13", want: day},
		{text: "1970-01-01T00:30:00+01:00"}, // before 1970 in UTC
		{text: "1970-01-01", want: "1970-01-01T00:00:00Z"},
		{text: "2020-02-29", want: "2020-02-29T00:00:00Z"},
		{text: "2019-02-29", span: "", want: ""},
		{text: "2027-01-01"},
		{text: "2026-11-23T11:59:59Z", want: "2026-11-23T11:59:59Z"},
		{text: "2026-11-23T13:00:00Z"},
		{text: "2026-11-23T13:00:00+02:00", want: "2026-11-23T11:00:00Z"},

		// A bad time does not spoil a date.
		{text: "2020-02-13 25:15", span: "2020-02-13", want: day},
		{text: "2020-02-13T", span: "2020-02-13", want: day},
		{text: "2020-02-13 +99:00", span: "2020-02-13", want: day},

		// None.
		{text: ""},
		{text: "2020"},
		{text: "in 2020 we had 13 dogs"},
		{text: "May"},
		{text: "192.168.20.10"},
		{text: "10.12.2020.4"},
		{text: "1.10.12.2020"},
		{text: "version 1.2.3"},
		{text: "123456789"},
		{text: "202002131"},
		{text: "a20200213f"},
		{text: "20201345"},
		{text: "13 2020"},
		{text: "2020 13"},
		{text: "13:15:2020"},
	})
}

// FuzzFindDate: any text ends, and what is found is a date within the limits, at a place in the text.
func FuzzFindDate(f *testing.F) {
	for _, s := range []string{"13. Februar 2020, 10:15 Uhr", "Feb 13 10:15:30 CET 2020", "2020年2月13日", "20200213101530+01'00'", "1.1.1-1/2020 a.m.", "2020 Feb 3 at 1:11 p.m. GMT-"} {
		for order := range 4 {
			f.Add(s, order)
		}
	}
	f.Fuzz(func(t *testing.T, text string, order int) {
		found, ok := findDate(text, DateOrder(order), latestDate)
		if !ok {
			return
		}
		if found.at.Unix() < 0 || found.at.After(latestDate) || found.text == "" {
			t.Errorf("%q: %+v", text, found)
		}
		if again, ok := findDate(found.text, DateOrder(order), latestDate); !ok || !again.at.Equal(found.at) {
			t.Errorf("%q: %v, but its part %q: %v", text, found.at, found.text, again.at)
		}
	})
}

// The time that a text takes is linear in its length, whatever it has.
func TestFindDateIsLinear(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"1", "1.", "1 ", "jan ", "jan 1 1:11 ", "1 jan", "a", "1-1-", "2020-", "2020年1", "13.02.2090 ", "é", "1 de "} {
		began := time.Now()
		text := strings.Repeat(piece, 1_000_000/len(piece))
		if found, ok := findDate(text, DMY, latestDate); ok {
			t.Errorf("%q: %+v", piece, found)
		}
		if d := time.Since(began); d > time.Minute {
			t.Errorf("1 MB of %q took %v", piece, d)
		}
	}
}
