package spidertest

import (
	"maps"
	"slices"
	"time"
)

// What is kept of documents that left the index, and what comes back from it.

// modeEarlier is the bit of urlstate.index_mode that says that the page says noindex since the version that is kept.
const modeEarlier = 64

// noindex is a site that says noindex in most of its documents.
type noindex struct {
	holds bool // it is on hold for that
	days  int  // on which it was counted; 32767 = released
	seen  time.Time
}

// keep notes that a document that leaves the index is kept.
func (m *Model) keep(s *State) {
	if s.Kept {
		return
	}
	line := m.server(s)
	s.Kept, s.keptSince, s.brief = true, m.run.window, line != nil && line.DeleteBad
}

// mayReturn reports whether a document that a rule takes out has a content from which it can come back.
func (m *Model) mayReturn(s *State) bool {
	switch s.base() {
	case 200:
		return s.Kept || !s.Deleted
	case 406:
		return s.Kept || !s.Deleted && s.Row && !s.Bare
	}
	return false
}

// comesBack reports whether a document that is allowed again comes back with its stored contents. For a former clone that depends on
// who else is there at the moment: the tables say it.
func (m *Model) comesBack(s *State) bool {
	line := m.server(s)
	switch {
	case !s.Kept || line == nil:
		return false
	case s.base() == 406:
		return s.Row
	case !line.Index:
		return false
	case s.Row:
		return true
	}
	row := m.run.Seen.URLs[s.URL]
	return row != nil && row.Back == 200
}

// revive is T-15 of a document that is kept.
func (m *Model) revive(s *State) {
	s.Deleted, s.WithdrawnBy, s.Status, s.revived = false, "", s.base(), true
	if s.base() == 200 {
		s.Kept, s.ErrorClass, s.ErrorCount = false, "", 0
		m.member(s)
	}
	s.Next, s.NextAny = m.run.window, false
	if m.run.Mode != Respider {
		m.enqueue(s.URL)
	}
}

// keptLinks are the links that an original may have when documents of its content came back in this run: those of a row that was
// kept of it, or those of a document that came back, took its place and left it.
func (m *Model) keptLinks(s *State) (choices []map[string]bool) {
	for _, other := range m.URLs {
		b := other.before
		if b == nil || !b.Row || b.CRC != s.CRC {
			continue
		}
		if s.revived {
			links := maps.Clone(b.Hrefs)
			delete(links, s.URL)
			choices = append(choices, links)
		}
		if other.revived && other.ID < s.ID {
			choices = append(choices, m.inherited(s, group{original: other.URL, hrefs: b.Hrefs}))
		}
	}
	return choices
}

// followRevived is followStored of a document that came back in this run. Whether it is a clone now, and whose links it has
// otherwise, depends on who else is there at the moment: the tables say it.
func (m *Model) followRevived(s *State) {
	row := m.run.Seen.URLs[s.URL]
	switch {
	case row != nil && row.Origin != "":
		m.followClone(s)
	case s.before.Row:
		m.reach(s, maps.Keys(s.before.Hrefs))
	case row != nil && row.Status&65535 == 200:
		m.reach(s, slices.Values(row.Hrefs))
	default: // it left its group since, as its redirect was carried out
		m.followClone(s)
	}
}

// chooseRevived settles the row of a document that came back and was taken out again in one run: in between it may have become a
// clone.
func (m *Model) chooseRevived(s *State) {
	if row := m.run.Seen.URLs[s.URL]; s.revived && s.Deleted && s.base() == 200 && row != nil {
		s.Row = row.Row
	}
}

// keepEarlier is T-06 of a page that says noindex itself: the version before is kept.
func (m *Model) keepEarlier(s *State, line *ServerLine, answer Answer) {
	s.did("T-06")
	formerly := s.base() == 200 || s.ErrorClass == "robots"
	etag, modified := s.ETag, s.Modified
	m.validators(s, answer)
	s.ETag, s.Modified = distinct(etag, s.ETag), distinct(modified, s.Modified)
	s.Hrefs = m.follow(s, line, answer.Body, true)
	s.Status, s.Row, s.Redir, s.original = 406, true, "", false
	m.keep(s)
	m.success(s, line)
	s.Mode |= modeEarlier
	m.robotsMeta(s, answer.Body, formerly)
}

// distinct returns a validator of the version before, empty when the present one is the same.
func distinct(before, now string) string {
	if before == now {
		return ""
	}
	return before
}

// keptLongEnough reports whether the content of a document was kept for LostPeriod.
func (m *Model) keptLongEnough(s *State, now time.Time) bool {
	return s.Kept && (s.brief || s.keptSince.to.Add(m.web.Settings.LostPeriod).Before(now))
}

// removeKept is T-20.
func (m *Model) removeKept(s *State) {
	if !m.keptLongEnough(s, m.run.from) {
		return
	}
	s.did("T-20")
	s.Kept = false
	if s.Deleted {
		s.Row, s.Hrefs, s.CRC, s.ETag, s.Modified = false, nil, "", "", ""
		return
	}
	s.Row = len(s.Hrefs) > 0
	s.Bare = s.Row
}

// holdNoIndex puts sites on hold that say noindex in most of their documents, and ends such holds.
func (m *Model) holdNoIndex() {
	for site, g := range m.gates {
		live, kept := 0, 0
		var seen time.Time
		for _, s := range m.URLs {
			switch {
			case s.Site != site:
			case s.live():
				live++
			case s.base() == 406 && !s.Deleted && s.Kept && s.Mode&modeEarlier != 0:
				kept++
				if s.Indexed.to.After(seen) {
					seen = s.Indexed.to
				}
			}
		}
		x := &g.noindex
		if !m.saysMost(kept, live+kept) {
			m.endNoIndex(g)
			x.days = 0
			continue
		}
		day := func(t time.Time) string { return t.Add(-m.offset).UTC().Format(time.DateOnly) }
		if x.days == 0 || x.days < 32767 && day(seen) > day(x.seen) {
			x.days, x.seen = x.days+1, seen
		}
		switch {
		case x.days >= m.web.Settings.LostLimit:
			m.endNoIndex(g)
		case g.state != 'h':
			g.state, g.heldAt, x.holds = 'h', m.run.window, true
		}
	}
}

func (m *Model) endNoIndex(g *gate) {
	if g.noindex.holds {
		g.state, g.noindex.holds = 'a', false
	}
}

// saysMost reports whether so many of a site's documents say noindex, or are forbidden, that it goes on hold.
func (m *Model) saysMost(n, live int) bool {
	share := m.web.Settings.MaxLostShare
	if live >= 10 {
		return n*100 > share*live
	}
	return live > 0 && n == live && share < 100
}
