package spidertest

import (
	"fmt"
	"strings"
)

// Stops reports whether a crawl under the present configuration stops before it changes anything: the configuration is
// another one than that of the last run, and takes out more than MaxLostShare of all documents, or all documents of a site
// that has a Server line.
func (m *Model) Stops() bool {
	if m.web.Settings.rules() == m.swept {
		return false
	}
	live, out := 0, 0
	left, whole := make(map[int]int), false
	for _, s := range m.URLs {
		if !s.live() {
			continue
		}
		live++
		line := m.server(s)
		if m.refused(s) || !line.Index {
			out++
		} else {
			left[s.Site]++
		}
	}
	for _, s := range m.URLs {
		whole = whole || s.live() && m.server(s) != nil && left[s.Site] == 0
	}
	return whole || out*100 > m.web.Settings.MaxLostShare*live
}

// rules returns, as text, the settings that decide whether a URL belongs to the index.
func (s Settings) rules() string {
	var b strings.Builder
	fmt.Fprintln(&b, s.Patterns, s.MaxHops)
	for _, line := range s.Servers {
		fmt.Fprintln(&b, line.URL, line.Index, line.Follow)
	}
	return b.String()
}
