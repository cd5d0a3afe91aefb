package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestGSA43HostLoadLines(t *testing.T) {
	got := load(t, files{setsName: "HostLoad * 0 24 2\nServer http://a.example/\nHostLoad WWW.A.Example. 22 06 0.5\n" +
		"HostLoad 192.0.2.1 24 6 0\nHostLoad [2001:DB8:0::1] 0 24 1.0\nHostLoad ::1 8 24 1000\n"}).Sets.HostLoads
	want := []HostLoad{
		{Host: "*", End: 24, Load: 4},
		{Host: "*", End: 24, Load: 2, Line: 1},
		{Host: "www.a.example", Start: 22, End: 6, Load: 0.5, Line: 3},
		{Host: "192.0.2.1", Start: 24, End: 6, Line: 4},
		{Host: "[2001:db8::1]", End: 24, Load: 1, Line: 5},
		{Host: "[::1]", Start: 8, End: 24, Load: 1000, Line: 6},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(HostLoad{}, "File")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGSA43LoadOfAHost(t *testing.T) {
	const a, b = "a.example", "b.example"
	for _, c := range []struct {
		name, text, host string
		hours            map[int]float64 // hour of the day -> load at its first and its last second
	}{
		{name: "default", host: a, hours: map[int]float64{0: 4, 12: 4, 23: 4}},
		{name: "the last line wins", text: "HostLoad * 0 24 2\nHostLoad * 0 24 8", host: a, hours: map[int]float64{0: 8, 23: 8}},
		{
			name: "the last line that fits wins", text: "HostLoad * 0 24 2\nHostLoad * 8 18 1", host: a,
			hours: map[int]float64{0: 2, 7: 2, 8: 1, 17: 1, 18: 2, 23: 2},
		},
		{
			name: "a line hides an earlier one for part of the day", text: "HostLoad * 8 18 1\nHostLoad * 0 24 2", host: a,
			hours: map[int]float64{8: 2},
		},
		{
			name: "start > end passes midnight", text: "HostLoad * 22 6 9", host: a,
			hours: map[int]float64{21: 4, 22: 9, 23: 9, 0: 9, 5: 9, 6: 4, 12: 4},
		},
		{name: "up to midnight", text: "HostLoad * 22 24 9", host: a, hours: map[int]float64{21: 4, 22: 9, 23: 9, 0: 4}},
		{name: "up to midnight, written as 0", text: "HostLoad * 22 0 9", host: a, hours: map[int]float64{21: 4, 22: 9, 23: 9, 0: 4}},
		{name: "from midnight, written as 24", text: "HostLoad * 24 6 9", host: a, hours: map[int]float64{23: 4, 0: 9, 5: 9, 6: 4}},
		{name: "0 = do not crawl", text: "HostLoad * 8 18 0", host: a, hours: map[int]float64{7: 4, 8: 0, 17: 0, 18: 4}},
		{name: "a share", text: "HostLoad * 0 24 0.25", host: a, hours: map[int]float64{3: 0.25}},
		{
			name: "an exact host before *, whatever stands last", text: "HostLoad a.example 0 24 1\nHostLoad * 0 24 7", host: a,
			hours: map[int]float64{3: 1},
		},
		{name: "another host has what * says", text: "HostLoad a.example 0 24 1\nHostLoad * 0 24 7", host: b, hours: map[int]float64{3: 7}},
		{name: "an exact host is not its subdomains'", text: "HostLoad a.example 0 24 1", host: "www.a.example", hours: map[int]float64{3: 4}},
		{
			name: "outside its hours an exact host has what * says", text: "HostLoad a.example 22 6 0\nHostLoad * 0 24 7", host: a,
			hours: map[int]float64{21: 7, 22: 0, 5: 0, 6: 7},
		},
		{
			name: "the last exact line that fits wins", text: "HostLoad a.example 0 24 1\nHostLoad a.example 22 6 2\nHostLoad a.example 0 2 3", host: a,
			hours: map[int]float64{21: 1, 22: 2, 0: 3, 2: 2, 6: 1},
		},
		{name: "spelling of a name", text: "HostLoad A.example 0 24 1", host: "a.EXAMPLE.", hours: map[int]float64{3: 1}},
		{name: "an IPv4 address in IPv6", text: "HostLoad ::ffff:192.0.2.1 0 24 1", host: "[::ffff:c000:201]", hours: map[int]float64{3: 1}},
		{name: "spelling of an address", text: "HostLoad 2001:db8:0:0::1 0 24 1", host: "[2001:db8::1]", hours: map[int]float64{3: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sets := load(t, files{setsName: c.text}).Sets
			for hour, want := range c.hours {
				for _, at := range []time.Time{
					time.Date(2026, 3, 2, hour, 0, 0, 0, time.Local), time.Date(2026, 3, 2, hour, 59, 59, 999, time.Local),
				} {
					if got := sets.Load(c.host, at); got != want {
						t.Errorf("Load(%s, %s) = %v, want %v", c.host, at.Format(time.TimeOnly), got, want)
					}
				}
			}
		})
	}
}

// A time in another zone, such as the database's, is the same moment.
func TestGSA43HoursAreLocal(t *testing.T) {
	local := time.Local
	time.Local = time.FixedZone("test", 5*3600+1800)
	t.Cleanup(func() { time.Local = local })
	sets := load(t, files{setsName: "HostLoad * 22 6 1"}).Sets
	for utc, want := range map[int]float64{16: 4, 17: 1, 23: 1, 0: 1, 1: 4} { // at half past: 22:00, 23:00, 5:00, 6:00, 7:00
		at := time.Date(2026, 3, 2, utc, 30, 0, 0, time.UTC)
		if utc == 16 || utc == 0 {
			at = at.Add(-time.Minute) // 21:59 and 5:59
		}
		if got := sets.Load("a.example", at); got != want {
			t.Errorf("Load at %s = %v, want %v", at.In(time.Local).Format(time.TimeOnly), got, want)
		}
	}
}

func TestHostLoadProblems(t *testing.T) {
	const name = " is neither * nor a host name without scheme, port and path; write international names in their xn-- form"
	for text, want := range map[string]string{
		"4":                     "1 values, expected four: host, start hour, end hour, load",
		"* 0 24 4 5":            "5 values, expected four: host, start hour, end hour, load",
		"* 0 25 4":              `"25" is not a whole number from 0 to 24`,
		"* -1 24 4":             `"-1" is not a whole number from 0 to 24`,
		"* 8:30 24 4":           `"8:30" is not a whole number from 0 to 24`,
		"* 8 8 4":               "8 to 8 is an empty period; the whole day is 0 24",
		"* 0 0 4":               "0 to 0 is an empty period; the whole day is 0 24",
		"* 24 0 4":              "24 to 0 is an empty period; the whole day is 0 24",
		"* 0 24 x":              `load "x" is not a number from 0 to 1000`,
		"* 0 24 -1":             `load "-1" is not a number from 0 to 1000`,
		"* 0 24 NaN":            `load "NaN" is not a number from 0 to 1000`,
		"* 0 24 1e2":            `load "1e2" is not a number from 0 to 1000`,
		"* 0 24 1001":           `load "1001" is not a number from 0 to 1000`,
		"* 0 24 1.5":            `load "1.5": a load above 1 must be a whole number of requests`,
		"* 0 24 0.0001":         `load "0.0001" is less than 0.001; use 0 to stop crawling the host`,
		"http://a/ 0 24 4":      `"http://a/"` + name,
		"a.example:80 0 24 4":   `"a.example:80"` + name,
		"*.example 0 24 4":      `"*.example"` + name,
		"*. 0 24 4":             `"*."` + name,
		"bücher.example 0 24 4": `"bücher.example"` + name,
		"fe80::1%eth0 0 24 4":   `"fe80::1%eth0"` + name,
		`"" 0 24 4`:             `""` + name,
	} {
		got := problems(t, files{setsName: "\nHostLoad " + text}, nil)
		if diff := cmp.Diff([]string{setsName + ":2: HostLoad: " + want}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// Load returns the value with which a line was accepted, and its host is in the form of a URL's host.
func FuzzHostLoad(f *testing.F) {
	for _, s := range []string{"* 0 24 4", "a.example. 22 6 0.5", "::ffff:1.2.3.4 24 6 0", "[::1] 8 9 1000", "[a 0 24 1", "*. 0 0 x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args, err := splitValues(line)
		if err != nil {
			return
		}
		var r setsReader
		if err := r.hostLoad(directive{keyword: "HostLoad", args: args}); err != nil {
			return
		}
		l := r.sets.HostLoads[0]
		if l.Load < 0 || l.Load > maxHostLoad || l.Host != hostKey(l.Host) {
			t.Fatalf("%q = %+v", line, l)
		}
		hours := 0
		for hour := range 24 {
			got := r.sets.Load(l.Host, time.Date(2026, 3, 2, hour, 0, 0, 0, time.Local))
			if l.holds(hour) {
				hours++
				if got != l.Load {
					t.Errorf("%q at %d = %v", line, hour, got)
				}
			} else if got != 0 {
				t.Errorf("%q at %d = %v, but no line holds", line, hour, got)
			}
		}
		if hours != (l.End-l.Start+24)%24 && hours != 24 {
			t.Errorf("%q holds for %d hours", line, hours)
		}
	})
}
