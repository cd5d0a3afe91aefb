package config

import (
	"os"
	"time"
)

// intervals are the environment variables that are no keyword of spider.cnf. Their values are whole seconds.
var intervals = []struct {
	name  string
	def   time.Duration
	field func(*Spider) *time.Duration
}{
	{baseIntervalName, day, func(s *Spider) *time.Duration { return &s.BaseInterval }},
	{maxIntervalName, 14 * day, func(s *Spider) *time.Duration { return &s.MaxInterval }},
	{"CRAWL_ERROR_BACKOFF_BASE", 10 * time.Minute, func(s *Spider) *time.Duration { return &s.BackoffBase }},
}

const (
	baseIntervalName = "CRAWL_BASE_INTERVAL_SECONDS"
	maxIntervalName  = "CRAWL_MAX_INTERVAL_SECONDS"
)

// readIntervals fills the three intervals from the environment; an empty variable counts as unset. A message
// names the variable where other messages name the file.
func readIntervals(s *Spider, errs *Errors) {
	bad := false
	for _, v := range intervals {
		*v.field(s) = v.def
		text := os.Getenv(v.name)
		if text == "" {
			continue
		}
		n, err := wholeNumber(1, int(maxPeriod/time.Second))(text)
		if err != nil {
			errs.add(Error{File: v.name, Reason: err.Error() + " seconds"})
			bad = true
			continue
		}
		*v.field(s) = time.Duration(n) * time.Second
	}
	if bad || s.BaseInterval <= s.MaxInterval {
		return
	}
	// The message names a variable that was set; the two defaults agree.
	base, longest := int(s.BaseInterval/time.Second), int(s.MaxInterval/time.Second)
	if os.Getenv(baseIntervalName) != "" {
		errs.add(Error{File: baseIntervalName, Reason: reasonf("%d is more than %s, %d", base, maxIntervalName, longest).Error()})
		return
	}
	errs.add(Error{File: maxIntervalName, Reason: reasonf("%d is less than %s, %d", longest, baseIntervalName, base).Error()})
}
