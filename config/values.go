package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"time"
)

// The types of values. Each function takes the text of one value and returns it typed, or the reason why it
// is invalid. It is strict: a value that is not fully understood is refused.

const day = 24 * time.Hour

// one returns the only value of d.
func one(d directive) (string, error) {
	switch len(d.args) {
	case 0:
		return "", reasonf("a value is missing")
	case 1:
		return d.args[0], nil
	}
	// No value is repeated here: the parts of a value that a stray blank has split may be a password.
	for _, a := range d.args[1:] {
		if strings.HasPrefix(a, "#") {
			return "", reasonf("%d values, expected one (a comment needs a line of its own)", len(d.args))
		}
	}
	return "", reasonf("%d values, expected one (put a value with spaces in double quotes)", len(d.args))
}

func yesNo(s string) (bool, error) {
	switch {
	case strings.EqualFold(s, "yes"):
		return true, nil
	case strings.EqualFold(s, "no"):
		return false, nil
	}
	return false, reasonf("%s is neither yes nor no", quote(s))
}

// number reads a whole number without sign.
func number(s string) (int64, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// wholeNumber returns a reader of whole numbers from low to high.
func wholeNumber(low, high int) func(string) (int, error) {
	return func(s string) (int, error) {
		n, ok := number(s)
		if !ok || n < int64(low) || n > int64(high) {
			return 0, reasonf("%s is not a whole number from %d to %d", quote(s), low, high)
		}
		return int(n), nil
	}
}

// sizeUnits are powers of 1024, with and without the i.
var sizeUnits = []struct {
	name  string
	shift int
}{{"kib", 10}, {"mib", 20}, {"gib", 30}, {"kb", 10}, {"mb", 20}, {"gb", 30}}

// size returns a reader of sizes from low to high bytes: bytes, or a number with KB, MB or GB.
func size(low, high int64) func(string) (int64, error) {
	return func(s string) (int64, error) {
		digits, shift := strings.ToLower(s), 0
		for _, u := range sizeUnits {
			if rest, ok := strings.CutSuffix(digits, u.name); ok {
				digits, shift = strings.TrimRight(rest, " \t"), u.shift
				break
			}
		}
		n, ok := number(digits)
		if !ok {
			return 0, reasonf("%s is not a size: bytes, or a whole number with KB, MB or GB", quote(s))
		}
		if n > math.MaxInt64>>shift || n<<shift < low || n<<shift > high {
			return 0, reasonf("%s is not from %s to %s", quote(s), showSize(low), showSize(high))
		}
		return n << shift, nil
	}
}

func showSize(n int64) string {
	for _, u := range []struct {
		name  string
		shift int
	}{{"GB", 30}, {"MB", 20}, {"KB", 10}} {
		if n >= 1<<u.shift && n%(1<<u.shift) == 0 {
			return strconv.FormatInt(n>>u.shift, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// timeUnits are the units of time values. Case counts: m is a month, M a minute.
var timeUnits = map[byte]time.Duration{'s': time.Second, 'M': time.Minute, 'h': time.Hour, 'd': day, 'm': 30 * day, 'y': 365 * day}

var timePart = regexp.MustCompile(`^(-?)([0-9]{1,12})([sMhdmy])`)

// span returns a reader of time values from low to high: plain seconds, or signed numbers with units, which
// are added (1m-10d = 20 days).
func span(low, high time.Duration) func(string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		sum, ok := seconds(s)
		if !ok {
			return 0, reasonf("%s is not a time: seconds, or numbers with s, M (minute), h, d, m (month) or y", quote(s))
		}
		if sum < float64(low)/float64(time.Second) || sum > float64(high)/float64(time.Second) {
			return 0, reasonf("%s is not from %s to %s", quote(s), showTime(low), showTime(high))
		}
		return time.Duration(sum) * time.Second, nil
	}
}

// seconds adds up a time value. A float64 represents every sum in range exactly and does not wrap for one out
// of range.
func seconds(s string) (float64, bool) {
	if n, ok := number(s); ok {
		return float64(n), true
	}
	if s == "" {
		return 0, false
	}
	var sum float64
	for s != "" {
		m := timePart.FindStringSubmatch(s)
		if m == nil {
			return 0, false
		}
		n, _ := number(m[2]) // twelve digits always fit
		part := float64(n) * timeUnits[m[3][0]].Seconds()
		if m[1] == "-" {
			part = -part
		}
		sum += part
		s = s[len(m[0]):]
	}
	return sum, true
}

// showTime formats a whole number of seconds in the file's own units.
func showTime(d time.Duration) string {
	for _, u := range []byte("ydhM") {
		if d >= timeUnits[u] && d%timeUnits[u] == 0 {
			return strconv.FormatInt(int64(d/timeUnits[u]), 10) + string(u)
		}
	}
	return strconv.FormatInt(int64(d/time.Second), 10) + "s"
}

var shareText = regexp.MustCompile(`^([0-9]{1,9}(?:\.[0-9]{1,9})?)(%?)$`)

// share reads a part of the whole, as 30% or 0.30.
func share(s string) (float64, error) {
	m := shareText.FindStringSubmatch(s)
	if m == nil {
		return 0, reasonf("%s is not a share: 30%% or 0.30", quote(s))
	}
	f, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, reasonf("%s is not a share: 30%% or 0.30", quote(s))
	}
	if m[2] == "%" {
		f /= 100
	}
	if f > 1 {
		return 0, reasonf("%s is more than 100%%", quote(s))
	}
	return f, nil
}

// choice returns a reader of a word from a closed list; the reader returns the list's spelling.
func choice(words ...string) func(string) (string, error) {
	return func(s string) (string, error) {
		for _, w := range words {
			if strings.EqualFold(s, w) {
				return w, nil
			}
		}
		return "", reasonf("%s is not one of %s", quote(s), strings.Join(words, ", "))
	}
}

// maxPatternBytes bounds one regular expression: a compiled one takes some hundred bytes a character.
const maxPatternBytes = 64 << 10

// pattern compiles a regular expression: RE2, ignoring case, unanchored.
func pattern(s string) (*regexp.Regexp, error) {
	if s == "" {
		return nil, reasonf("an empty pattern matches every URL; write .* if you mean that")
	}
	if len(s) > maxPatternBytes {
		return nil, reasonf("the pattern has %d bytes, at most %d are allowed; a line can have several patterns", len(s), maxPatternBytes)
	}
	// The flag applies to the whole pattern, with every alternative.
	re, err := regexp.Compile("(?i)" + s)
	var bad *syntax.Error
	switch {
	case errors.As(err, &bad):
		return nil, reasonf("bad pattern %s: %s: %s", quote(s), bad.Code, quote(bad.Expr))
	case err != nil:
		return nil, reasonf("bad pattern %s", quote(s))
	}
	return re, nil
}

// patterns compiles the values of a line, at least one.
func patterns(d directive) ([]*regexp.Regexp, error) {
	if len(d.args) == 0 {
		return nil, reasonf("a pattern is missing")
	}
	list := make([]*regexp.Regexp, 0, len(d.args))
	for _, a := range d.args {
		re, err := pattern(a)
		if err != nil {
			return nil, err
		}
		list = append(list, re)
	}
	return list, nil
}

// repeats reads InfiniteSpaceRepeat: 1 would refuse every URL.
func repeats(s string) (int, error) {
	n, err := wholeNumber(0, maxRepeats)(s)
	if err != nil || n == 1 {
		return 0, fmt.Errorf("%q is neither 0 (off) nor a whole number from 2 to %d", s, maxRepeats)
	}
	return n, nil
}

const maxRepeats = 100
