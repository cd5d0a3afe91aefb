package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The intervals are read from the environment by their names.
func TestIntervalsOfTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		name                string
		base, longest, wait string // of the three variables; "" counts as unset
		want                [3]time.Duration
	}{
		{name: "defaults", want: [3]time.Duration{day, 14 * day, 10 * time.Minute}},
		{name: "all set", base: "60", longest: "3600", wait: "5", want: [3]time.Duration{time.Minute, time.Hour, 5 * time.Second}},
		{name: "least", base: "1", longest: "1", wait: "1", want: [3]time.Duration{time.Second, time.Second, time.Second}},
		{name: "a back-off may begin beyond the longest interval", wait: "1209601", want: [3]time.Duration{day, 14 * day, 14*day + time.Second}},
		{name: "ten years", longest: "315360000", want: [3]time.Duration{day, maxPeriod, 10 * time.Minute}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("CRAWL_BASE_INTERVAL_SECONDS", c.base)
			t.Setenv("CRAWL_MAX_INTERVAL_SECONDS", c.longest)
			t.Setenv("CRAWL_ERROR_BACKOFF_BASE", c.wait)
			s := load(t, nil).Spider
			if diff := cmp.Diff(c.want, [3]time.Duration{s.BaseInterval, s.MaxInterval, s.BackoffBase}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestIntervalProblems(t *testing.T) {
	const seconds = " is not a whole number from 1 to 315360000 seconds"
	for _, c := range []struct {
		base, longest, wait string
		want                []string
	}{
		{base: "0", want: []string{`CRAWL_BASE_INTERVAL_SECONDS: "0"` + seconds}},
		{longest: "-5", want: []string{`CRAWL_MAX_INTERVAL_SECONDS: "-5"` + seconds}},
		{longest: "315360001", want: []string{`CRAWL_MAX_INTERVAL_SECONDS: "315360001"` + seconds}},
		{wait: "1.5", want: []string{`CRAWL_ERROR_BACKOFF_BASE: "1.5"` + seconds}},
		{
			base: "1d", longest: "99999999999999999999", wait: " 600",
			want: []string{
				`CRAWL_BASE_INTERVAL_SECONDS: "1d"` + seconds,
				`CRAWL_MAX_INTERVAL_SECONDS: "99999999999999999999"` + seconds,
				`CRAWL_ERROR_BACKOFF_BASE: " 600"` + seconds,
			},
		},
		{base: "1209601", want: []string{"CRAWL_BASE_INTERVAL_SECONDS: 1209601 is more than CRAWL_MAX_INTERVAL_SECONDS, 1209600"}},
		{longest: "86399", want: []string{"CRAWL_MAX_INTERVAL_SECONDS: 86399 is less than CRAWL_BASE_INTERVAL_SECONDS, 86400"}},
		{base: "7", longest: "6", want: []string{"CRAWL_BASE_INTERVAL_SECONDS: 7 is more than CRAWL_MAX_INTERVAL_SECONDS, 6"}},
	} {
		t.Setenv("CRAWL_BASE_INTERVAL_SECONDS", c.base)
		t.Setenv("CRAWL_MAX_INTERVAL_SECONDS", c.longest)
		t.Setenv("CRAWL_ERROR_BACKOFF_BASE", c.wait)
		if diff := cmp.Diff(c.want, problems(t, nil, nil)); diff != "" {
			t.Errorf("%q %q %q (-want +got):\n%s", c.base, c.longest, c.wait, diff)
		}
	}
}
