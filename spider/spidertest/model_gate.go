package spidertest

import "time"

// gate is the safety gate of a site.
type gate struct {
	state          byte // a = armed, h = held, o = open
	live           int
	turned         int // documents that turned lost within a day before this run, and are, or in it
	before         int // of these, those before this run
	refused        int // documents not lost yet that the gate kept
	starts, failed int
	heldAt         window
	ban            ban
	redirects      redirectHold
	noindex        noindex
	canonical      redirectHold
}

// lossCounts is how long a loss counts.
const lossCounts = 24 * time.Hour

// armGates looks at the holds when a run begins, after the sweep.
func (m *Model) armGates() {
	for site, g := range m.gates {
		switch {
		case g.ban.holds || g.redirects.holds || g.noindex.holds || g.canonical.holds:
		case g.state != 'a' && m.recovered(site):
			g.state = 'a'
		case g.state == 'h' && g.heldAt.from.Add(m.web.Settings.LostPeriod).Before(m.run.from):
			g.state = 'o'
		}
		last := g.live
		g.live, g.turned, g.refused, g.starts, g.failed = 0, 0, 0, 0, 0
		for _, s := range m.URLs {
			if s.Site != site {
				continue
			}
			if s.live() {
				g.live++
			}
			if s.lostAt.to.Add(lossCounts).After(m.run.from) && (!s.live() || s.lost() != 0) {
				g.turned++
			}
		}
		if g.before = g.turned; g.turned > 0 {
			g.live = max(g.live, last)
		}
		for url := range m.run.starts {
			if m.URLs[url].Site == site {
				g.starts++
			}
		}
	}
}

// recovered reports whether a site's documents do not fail as a whole any more.
func (m *Model) recovered(site int) bool {
	live, failing, starts, failingStarts := 0, 0, 0, 0
	for _, s := range m.URLs {
		if s.Site != site {
			continue
		}
		if s.live() {
			live++
			if s.ErrorCount > 0 {
				failing++
			}
		}
		if s.Start || m.run.starts[s.URL] {
			starts++
			if s.ErrorCount > 0 {
				failingStarts++
			}
		}
	}
	few := live < 10 || failing*100 <= m.web.Settings.MaxLostShare*live
	return few && (starts == 0 || failingStarts < starts)
}

// countStart counts a start URL that fails, and holds the site when all do.
func (m *Model) countStart(s *State) {
	g := m.gates[s.Site]
	if !m.run.starts[s.URL] {
		return
	}
	g.failed++
	if g.failed == g.starts && g.live > 0 && g.state == 'a' {
		g.state, g.heldAt = 'h', m.run.window
	}
}

// mayLose asks the gate whether a live document may be lost. Which documents are lost before the share is
// reached depends on the order of fetching: the tables say it, and endGates looks at their number.
func (m *Model) mayLose(s *State) bool {
	g := m.gates[s.Site]
	switch {
	case g.state == 'h':
		return false
	case g.state == 'o':
		return true
	case g.live < 10 || m.web.Settings.MaxLostShare == 100:
		if s.lost() == 0 {
			g.turned++
			s.lostAt = m.run.window
		}
		return true
	}
	kept := false
	if row := m.run.Seen.URLs[s.URL]; row != nil && len(row.Rules) > 0 {
		kept = row.Rules[len(row.Rules)-1] == "T-10"
	}
	switch {
	case s.lost() != 0 && kept:
		g.refused += 1 << 20 // after the gate closed, so another one must have closed it
	case s.lost() == 0 && kept:
		g.refused++
	case s.lost() == 0:
		g.turned++
		s.lostAt = m.run.window
	}
	return !kept
}

// endShares checks what was lost against the share.
func (m *Model) endShares() {
	for site, g := range m.gates {
		bound := m.web.Settings.MaxLostShare * g.live / 100
		if m.web.Settings.MaxLostShare < 100 && g.live >= 10 && g.state == 'a' {
			switch {
			case g.turned > bound && g.turned > g.before:
				m.problem("%s: %d of %d live documents turned lost, %d may", m.web.Sites[site].URL, g.turned, g.live, bound)
			case g.refused > 0 && g.turned < bound:
				m.problem("%s: the gate closed when %d of %d live documents had turned lost, %d may", m.web.Sites[site].URL, g.turned, g.live, bound)
			case g.refused >= 1<<20 && g.refused&(1<<20-1) == 0:
				m.problem("%s: documents were kept from getting lost, but none that would have turned lost", m.web.Sites[site].URL)
			}
			if g.refused > 0 {
				g.state, g.heldAt = 'h', m.run.window
			}
		}
	}
}

// endGates looks whether holds are over when a run ends.
func (m *Model) endGates() {
	for site, g := range m.gates {
		if g.state != 'a' && !g.ban.holds && !g.redirects.holds && !g.noindex.holds && !g.canonical.holds && m.recovered(site) {
			g.state = 'a'
		}
	}
}

// Held reports whether a site is on hold.
func (m *Model) Held(site int) bool { return m.gates[site].state == 'h' }

// Release is index --release SITE.
func (m *Model) Release(site int) {
	g := m.gates[site]
	g.state, g.ban.holds, g.ban.released = 'o', false, g.ban.days > 0
	if g.redirects.holds {
		g.redirects.holds, g.redirects.free = false, time.Now().Add(m.offset+m.web.Settings.LostPeriod)
		m.forget(site, 0)
	}
	if g.canonical.holds {
		g.canonical.holds, g.canonical.free = false, time.Now().Add(m.offset+m.web.Settings.LostPeriod)
	}
	g.noindex.holds = false
	if g.noindex.days > 0 {
		g.noindex.days = 32767
	}
}

// expireGates looks whether holds are over before a purge.
func (m *Model) expireGates(now time.Time) {
	for _, g := range m.gates {
		if g.state == 'h' && !g.ban.holds && !g.redirects.holds && !g.noindex.holds && !g.canonical.holds && g.heldAt.from.Add(m.web.Settings.LostPeriod).Before(now) {
			g.state = 'o'
		}
	}
}
