package config

import (
	"testing"
	"time"
)

// The last line that holds at a time counts; none ends the lines above it.
func TestBandwidth(t *testing.T) {
	for _, c := range []struct {
		lines string
		want  [4]int64 // at 0:00:00, 7:59:59, 8:00:00, 23:59:59
	}{
		{"", [4]int64{}},
		{"MaxBandwidth 20000", [4]int64{20000, 20000, 20000, 20000}},
		{"MaxBandwidth 20000 28800", [4]int64{0, 0, 20000, 20000}},
		{"MaxBandwidth 20000 0 28800", [4]int64{20000, 20000, 0, 0}},
		{"MaxBandwidth 20 KB 8h 18h", [4]int64{0, 0, 20480, 0}},
		{"MaxBandwidth 20KB 22h 8h", [4]int64{20480, 20480, 0, 20480}},
		{"MaxBandwidth 1MB\nMaxBandwidth 20KB 8h 86400", [4]int64{1 << 20, 1 << 20, 20480, 20480}},
		{"MaxBandwidth 20KB 8h 18h\nMaxBandwidth 1MB", [4]int64{1 << 20, 1 << 20, 1 << 20, 1 << 20}},
		{"MaxBandwidth 20KB\nMaxBandwidth none", [4]int64{}},
	} {
		s := load(t, files{spiderName: c.lines}).Spider
		for i, at := range []string{"00:00:00", "07:59:59", "08:00:00", "23:59:59"} {
			day, err := time.ParseInLocation(time.DateTime, "2020-02-13 "+at, time.Local)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Bandwidth(day); got != c.want[i] {
				t.Errorf("%q at %s: %d, want %d", c.lines, at, got, c.want[i])
			}
		}
	}
	for line, want := range map[string]string{
		"":                "a value is missing",
		"9KB":             `"9KB" is not from 10KB to 1024GB`,
		"many":            `"many" is not a size: bytes, or a whole number with KB, MB or GB`,
		"20KB 8h 8h":      "8h to 8h is an empty period; without times it is the whole day",
		"20KB 0 0":        "0 to 0 is an empty period; without times it is the whole day",
		"20KB 86400":      "86400 to 86400 is an empty period; without times it is the whole day",
		"20KB 25h":        `"25h" is not from 0s to 1d`,
		"20KB 8h 18h 400": "4 values, expected a rate and a time of day, as in MaxBandwidth 100KB 28800 64800",
	} {
		if got := problems(t, files{spiderName: "MaxBandwidth " + line}, nil); len(got) != 1 || got[0] != "spider.cnf:1: MaxBandwidth: "+want {
			t.Errorf("%q: %v, want %s", line, got, want)
		}
	}
}
