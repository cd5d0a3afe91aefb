package config

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// HostLoad limits the requests at the same time on a host between two hours of the day.
type HostLoad struct {
	Host string // lower-case ASCII without a final dot, an IPv6 address in brackets; "*" = every host
	// Start and End are full hours 0-24 of local time, Start included, End excluded. When Start is greater
	// than End the line holds over midnight. No line has an empty period.
	Start, End int
	// Load is 0 (do not crawl), a whole number of requests at the same time, or a fraction below 1: one
	// request at a time, and the host is busy for that share of the time.
	Load float64
	File string // "" and 0 for the default
	Line int
}

// holds reports whether the line holds in an hour, 0-23.
func (l *HostLoad) holds(hour int) bool {
	if l.Start > l.End {
		return hour >= l.Start || hour < l.End
	}
	return hour >= l.Start && hour < l.End
}

// Load returns the number of requests that may be under way on a host at a time. 0 means do not crawl; a
// fraction below 1 means one request, under way for that share of the time. host is a name or an address,
// with or without brackets and in any case, without a port. Of the lines that hold in that hour of local
// time, one for the exact host goes before one for *, and among equals the last wins. Load is safe for
// concurrent use.
func (s *Sets) Load(host string, at time.Time) float64 {
	host, hour := hostKey(host), at.Local().Hour()
	var load float64
	exact := false
	for i := range s.HostLoads {
		line := &s.HostLoads[i]
		named := line.Host == host
		if !line.holds(hour) || !named && (exact || line.Host != "*") {
			continue
		}
		load, exact = line.Load, named
	}
	return load
}

// hostKey returns one spelling of a host, that of a normalized URL: a name in lower case without its final
// dot, an address in its usual form, IPv6 in brackets.
func hostKey(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	inside := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	addr, err := netip.ParseAddr(inside)
	switch {
	case err != nil || addr.Zone() != "":
		return host
	case addr.Is4In6(): // URLs have no dots in brackets
		b := addr.As16()
		return fmt.Sprintf("[::ffff:%x:%x]", uint16(b[12])<<8|uint16(b[13]), uint16(b[14])<<8|uint16(b[15]))
	case addr.Is6():
		return "[" + addr.String() + "]"
	}
	return addr.String()
}

// isIPv6 reports whether a hostKey is an IPv6 address.
func isIPv6(host string) bool {
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Is6() && addr.Zone() == ""
}

// The limits of a load. A smaller share would mean pauses of an hour and more after a request of some
// seconds; 0 is the better setting for that.
const (
	maxHostLoad = 1000
	minHostLoad = 0.001
)

var loadText = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,9})?$`)

// loadValue reads the fourth value of a HostLoad line.
func loadValue(s string) (float64, error) {
	n, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || !loadText.MatchString(s) || n > maxHostLoad:
		return 0, reasonf("load %s is not a number from 0 to %d", quote(s), maxHostLoad)
	case n > 1 && n != float64(int(n)):
		return 0, reasonf("load %s: a load above 1 must be a whole number of requests", quote(s))
	case n > 0 && n < minHostLoad:
		return 0, reasonf("load %s is less than %g; use 0 to stop crawling the host", quote(s), minHostLoad)
	}
	return n, nil
}

// hostLoad reads a HostLoad line.
func (r *setsReader) hostLoad(d directive) error {
	if len(d.args) != 4 {
		return reasonf("%d values, expected four: host, start hour, end hour, load", len(d.args))
	}
	host := hostKey(d.args[0])
	if d.args[0] != "*" && !isHostName(host) && !isIPv6(host) {
		return reasonf("%s is neither * nor a host name without scheme, port and path; write international names in their xn-- form",
			quote(d.args[0]))
	}
	hour := wholeNumber(0, 24)
	start, err := hour(d.args[1])
	if err != nil {
		return err
	}
	end, err := hour(d.args[2])
	if err != nil {
		return err
	}
	if start%24 == end%24 && (start != 0 || end != 24) {
		return reasonf("%d to %d is an empty period; the whole day is 0 24", start, end)
	}
	n, err := loadValue(d.args[3])
	if err != nil {
		return err
	}
	r.sets.HostLoads = append(r.sets.HostLoads,
		HostLoad{Host: host, Start: start, End: end, Load: n, File: d.file, Line: d.line})
	return nil
}
