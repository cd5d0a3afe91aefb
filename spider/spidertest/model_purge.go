package spidertest

import "time"

// respider is a complete run of index --respider: what it did not come to is an orphan.
type respider struct{ start time.Time }

// Purge ends what was lost too often (T-18), as index -D does before it merges. It returns what it could not
// explain.
func (m *Model) Purge(start, end time.Time, seen *Tables) []string {
	return m.purge(start, end, seen, true, func(s *State) {
		m.removeKept(s)
		status := m.limit(s)
		if status == 0 {
			return
		}
		s.did("T-18")
		s.Status, s.Redir, s.Row, s.Hrefs = status, "", false, nil
		s.Next = m.run.add(21 * day)
	})
}

// limit is the status that a document gets which was lost too often, 0 when it was not.
func (m *Model) limit(s *State) int {
	if !s.live() {
		return 0
	}
	if m.web.Settings.Unreachable && s.ErrorClass == "unreachable" && s.ErrorCount >= 4 && s.silent >= 4 {
		return s.result
	}
	limit := 4
	switch classOf(s.lost()) {
	case "gone":
		limit = m.web.Settings.LostLimit
	case "auth":
		if s.ErrorClass == "auth" && s.ErrorCount >= 3 {
			return s.lost()
		}
		return 0
	}
	if s.lost() == 0 || s.lostCount() < limit {
		return 0
	}
	return s.lost()
}

// NearLimit reports whether a document could be purged after one more run.
func (m *Model) NearLimit() bool {
	for _, line := range m.web.Settings.Servers {
		if line.DeleteBad { // what it takes out is not kept
			return true
		}
	}
	for _, s := range m.URLs {
		if m.keptLongEnough(s, time.Now().Add(m.offset)) {
			return true
		}
		if s.live() && (s.lostCount() > 0 || s.ErrorCount > 0) && (s.lostCount() >= min(m.web.Settings.LostLimit, 4)-1 || s.ErrorCount >= 2) {
			return true
		}
	}
	return m.web.Settings.LostLimit == 1
}

// PurgeOrphans is index --orphans purge.
func (m *Model) PurgeOrphans(start, end time.Time, seen *Tables) []string {
	orphans := m.orphans()
	return m.purge(start, end, seen, false, func(s *State) {
		wait := m.web.Settings.OrphanPeriod
		if s.lost() != 0 {
			wait += m.web.Settings.LostPeriod
		}
		if !orphans[s.URL] || !s.Indexed.to.Add(wait).Before(m.run.from) {
			return
		}
		s.did("SR-09")
		s.Status, s.Deleted, s.WithdrawnBy, s.Never, s.Row, s.Hrefs = s.base(), true, "SR-09", true, false, nil
		s.Kept, s.Bare = false, false
	})
}

// orphans are the documents to which no page leads: neither from one that the last index --respider came to,
// or that was visited since, nor from one to which such a page leads by now.
func (m *Model) orphans() map[string]bool {
	orphans := make(map[string]bool)
	var speak []*State
	for _, s := range m.URLs {
		if m.unvisited(s) {
			orphans[s.URL] = true
		} else {
			speak = append(speak, s)
		}
	}
	for len(speak) > 0 {
		s := speak[0]
		speak = speak[1:]
		for link := range m.leadsTo(s) {
			if orphans[link] {
				delete(orphans, link)
				speak = append(speak, m.URLs[link])
			}
		}
	}
	return orphans
}

// leadsTo are the stored links of a page; a clone's are its original's.
func (m *Model) leadsTo(s *State) map[string]bool {
	switch {
	case s.Deleted:
		return nil
	case s.live() && !s.original:
		for _, other := range m.URLs {
			if other.live() && other.original && other.CRC == s.CRC {
				return other.Hrefs
			}
		}
		return nil
	case s.Row:
		return s.Hrefs
	}
	return nil
}

// unvisited reports whether the last index --respider did not come to a document, nor any run since.
func (m *Model) unvisited(s *State) bool {
	if m.respider == nil || s.Deleted {
		return false
	}
	switch s.base() {
	case 200, 301, 302, 406, united:
		return s.Indexed.to.Before(m.respider.start) && s.Attempted.to.Before(m.respider.start)
	}
	return false
}

// purge goes over all URLs of sites that are not on hold, and forms clone groups again.
func (m *Model) purge(start, end time.Time, seen *Tables, index bool, each func(*State)) []string {
	m.run.problems, m.run.Seen = nil, seen
	m.run.window = window{start.Add(m.offset), end.Add(m.offset)}
	m.remember()
	m.expireGates(m.run.from)
	if index {
		m.holdNoIndex()
	}
	for _, s := range m.URLs {
		if m.gates[s.Site].state != 'h' {
			each(s)
		}
	}
	m.settle()
	return m.run.problems
}
