package config

import (
	"testing"
	"time"
	_ "time/tzdata" // the zones of the tests
)

// TestCrawlWindow checks when windows are open (GSA-06, GSA-70): over midnight, over days, overlapping, and over both changes of the
// clocks. The times are those of Berlin, whose clocks go from 02:00 to 03:00 on 29 March 2026 and from 03:00 to 02:00 on 25 October 2026.
func TestCrawlWindow(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		u, err := time.Parse("2006-01-02 15:04 -0700", text)
		if err != nil {
			t.Fatal(err)
		}
		return u.In(berlin)
	}
	for _, c := range []struct {
		lines, now string
		open       bool
		until      string
	}{
		{"MON-FRI 20:00 8h", "2026-11-23 19:59 +0100", false, "2026-11-23 20:00 +0100"},
		{"MON-FRI 20:00 8h", "2026-11-23 20:00 +0100", true, "2026-11-24 04:00 +0100"},
		{"MON-FRI 20:00 8h", "2026-11-28 03:59 +0100", true, "2026-11-28 04:00 +0100"},  // Saturday, of Friday's window
		{"MON-FRI 20:00 8h", "2026-11-28 04:00 +0100", false, "2026-11-30 20:00 +0100"}, // until Monday
		{"FRI-MON 00:00 1h", "2026-11-24 00:00 +0100", false, "2026-11-27 00:00 +0100"}, // a range over Sunday
		{"sat,SUN 06:30 90M", "2026-11-28 07:00 +0100", true, "2026-11-28 08:00 +0100"},
		{"* 22:00 4h * 01:00 3h", "2026-11-23 23:00 +0100", true, "2026-11-24 04:00 +0100"}, // two that overlap are one
		{"* 22:00 4h * 02:00 1h", "2026-11-23 23:00 +0100", true, "2026-11-24 03:00 +0100"}, // and two that adjoin
		{"* 22:00 25h", "2026-11-23 23:00 +0100", true, "2026-12-01 23:00 +0100"},           // longer than the gap: always
		{"WED 12:00 7d", "2026-11-23 11:00 +0100", true, "2026-12-02 12:00 +0100"},

		// In spring 22:00 and four hours end at 03:00: the window is as long as it says.
		{"* 22:00 4h", "2026-03-29 01:59 +0100", true, "2026-03-29 03:00 +0200"},
		{"* 22:00 4h", "2026-03-29 03:00 +0200", false, "2026-03-29 22:00 +0200"},
		{"* 22:00 5h", "2026-03-29 01:59 +0100", true, "2026-03-29 04:00 +0200"},
		// 02:30 does not exist that night: it begins at the change, once.
		{"* 02:30 1h", "2026-03-29 01:00 +0100", false, "2026-03-29 03:00 +0200"},
		{"* 02:30 1h", "2026-03-29 03:30 +0200", true, "2026-03-29 04:00 +0200"},
		{"* 02:30 1h", "2026-03-29 04:00 +0200", false, "2026-03-30 02:30 +0200"},
		// In autumn 02:30 comes twice: it begins at the first.
		{"* 02:30 45M", "2026-10-25 02:00 +0200", false, "2026-10-25 02:30 +0200"},
		{"* 02:30 45M", "2026-10-25 02:10 +0100", true, "2026-10-25 02:15 +0100"},
		{"* 02:30 45M", "2026-10-25 02:30 +0100", false, "2026-10-26 02:30 +0100"},
		{"* 22:00 6h", "2026-10-25 02:30 +0100", true, "2026-10-25 03:00 +0100"},
	} {
		var s Spider
		if err := setWindow(&s, directive{args: []string{c.lines}}); err != nil {
			t.Fatal(err)
		}
		open, until := CrawlWindow(s.Windows, at(c.now))
		always := c.lines == "* 22:00 25h" || c.lines == "WED 12:00 7d" // how far it looks does not matter
		if open != c.open || !always && !until.Equal(at(c.until)) {
			t.Errorf("%s at %s: open %v until %s, want %v until %s", c.lines, c.now, open, until, c.open, c.until)
		}
		if open && until.Sub(at(c.now)) <= 0 {
			t.Errorf("%s at %s: open until %s", c.lines, c.now, until)
		}
	}
}

// TestCrawlWindowsAWholeYear walks through a year in steps of a quarter of an hour: a window opens once a day, and is open for its length.
func TestCrawlWindowsAWholeYear(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "Australia/Lord_Howe"} {
		where, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"* 02:15 2h", "* 23:30 1h", "* 00:00 3h"} {
			var s Spider
			if err := setWindow(&s, directive{args: []string{line}}); err != nil {
				t.Fatal(err)
			}
			const step = 15 * time.Minute
			opened, was := 0, true
			var open int
			for at := time.Date(2026, 1, 1, 12, 0, 0, 0, where); at.Year() == 2026; at = at.Add(step) {
				is, _ := CrawlWindow(s.Windows, at)
				if is && !was {
					opened++
				}
				if is {
					open++
				}
				was = is
			}
			if want := int(s.Windows[0].Length/step) * opened; opened < 363 || opened > 365 || open > want || open < want-12 {
				t.Errorf("%s, %s: opened %d times, open %d quarters, want %d", zone, line, opened, open, want)
			}
		}
	}
}
