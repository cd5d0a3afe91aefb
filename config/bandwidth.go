package config

import "time"

// Bandwidth limits the bytes a second that all requests of a process together receive, at a time of day.
type Bandwidth struct {
	Rate       int64 // bytes a second
	Start, End int   // seconds from midnight, local time, Start included, End excluded; over midnight when Start is greater
}

// daySeconds is the end of a day.
const daySeconds = 86400

// The limits of a rate. Below the first one a long page takes longer than a schedule may.
const (
	minBandwidth = 10 << 10
	maxBandwidth = 1 << 40
)

// setBandwidth reads "rate [start [end]]", as ASPseek's MaxBandwidth; none takes the lines above back.
func setBandwidth(s *Spider, d directive) error {
	args := d.args
	if len(args) > 1 && sizeUnit(args[1]) { // 500 KB
		args = append([]string{args[0] + args[1]}, args[2:]...)
	}
	switch {
	case len(args) == 0:
		return reasonf("a value is missing")
	case len(args) > 3:
		return reasonf("%d values, expected a rate and a time of day, as in MaxBandwidth 100KB 28800 64800", len(args))
	case len(args) == 1 && args[0] == "none":
		s.Bandwidths = nil
		return nil
	}
	rate, err := size(minBandwidth, maxBandwidth)(args[0])
	if err != nil {
		return err
	}
	b := Bandwidth{Rate: rate, End: daySeconds}
	for i, field := range []*int{&b.Start, &b.End} {
		if len(args) > i+1 {
			at, err := span(0, day)(args[i+1])
			if err != nil {
				return err
			}
			*field = int(at / time.Second)
		}
	}
	if b.Start == b.End {
		return reasonf("%s to %s is an empty period; without times it is the whole day", args[1], args[len(args)-1])
	}
	s.Bandwidths = append(s.Bandwidths, b)
	return nil
}

// sizeUnit reports whether a text is the unit of a size.
func sizeUnit(s string) bool {
	_, err := size(0, maxBandwidth)("1" + s)
	return err == nil && s != "" && (s[0] < '0' || s[0] > '9')
}

// Bandwidth returns the limit at a time in bytes a second, 0 for none. Of several lines that hold the last one counts.
func (s *Spider) Bandwidth(at time.Time) (rate int64) {
	at = at.Local()
	second := at.Hour()*3600 + at.Minute()*60 + at.Second()
	for _, b := range s.Bandwidths {
		in := second >= b.Start && second < b.End
		if b.Start > b.End {
			in = second >= b.Start || second < b.End
		}
		if in {
			rate = b.Rate
		}
	}
	return rate
}
