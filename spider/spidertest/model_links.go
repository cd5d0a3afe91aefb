package spidertest

import "slices"

// admits is the link filter. Another host's robots.txt has no part in it: it holds when its own URL is visited. fresh says that
// the page is read in this run.
func (m *Model) admits(s *State, link string, fresh bool) bool {
	site := m.siteOf(link)
	if site < 0 || m.web.Settings.server(site) == nil || m.web.Settings.refused(link) {
		return false
	}
	target := State{URL: link}
	if site == s.Site && !m.run.banned[site] && m.robots[site].forbids(target.path()) {
		return false
	}
	return m.hops(s)+1 <= m.web.Settings.MaxHops || m.nearer(s, link, fresh)
}

// nearer decides on a link that its page is too deep for: it passes when its URL is registered, within MaxHops. Where that may
// have happened before or after the page was read, the tables say which.
func (m *Model) nearer(s *State, link string, fresh bool) bool {
	row := m.run.Seen.URLs[link]
	if row == nil || row.Hops > m.web.Settings.MaxHops {
		return false
	}
	t := m.URLs[link]
	before := t != nil && t.since < m.runs && t.WithdrawnBy != "SR-09"
	if before && (fresh || s.before != nil && s.before.Row && s.before.Hrefs[link]) {
		return true
	}
	own := m.run.Seen.URLs[s.URL]
	return own != nil && slices.Contains(own.Hrefs, link)
}

// hops are those of the tables: which page had the link first depends on the order of fetching.
func (m *Model) hops(s *State) int {
	if row := m.run.Seen.URLs[s.URL]; row != nil {
		return row.Hops
	}
	return s.Hops
}

// refused reports whether the configuration refuses a registered URL.
func (m *Model) refused(s *State) bool {
	return m.server(s) == nil || m.web.Settings.refused(s.URL) || m.hops(s) > m.web.Settings.MaxHops
}
