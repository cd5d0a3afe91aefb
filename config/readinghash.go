package config

import (
	"crypto/sha256"
	"fmt"
	"io"
)

// readingHash identifies the lines by which stored documents are read again: DateRule, KeepNavigation and LeaveOut.
func readingHash(c *Config) [16]byte {
	h := sha256.New()
	for _, l := range c.Sets.DateRules {
		_, _ = fmt.Fprintf(h, "date %q %s %q %s\n", l.Pattern, l.Place, l.Name, l.Order)
	}
	for _, s := range c.Sets.Servers {
		hashReading(h, s)
	}
	if c.Sets.FollowOutside {
		hashReading(h, c.Sets.Outside)
	}
	return [16]byte(h.Sum(nil)[:16])
}

// hashReading writes nothing for a Server with the defaults, so that such a line may come and go.
func hashReading(w io.Writer, s Server) {
	if s.KeepNavigation || len(s.LeaveOut.Selectors) > 0 {
		_, _ = fmt.Fprintf(w, "server %q %v %q\n", s.URL, s.KeepNavigation, s.LeaveOut.Selectors)
	}
}
