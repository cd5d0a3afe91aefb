package spidertest

import (
	"slices"
	"time"
)

// ban is a robots.txt that forbids most of a site and takes nothing out yet.
type ban struct {
	holds    bool // the site is on hold for it
	rules    Robots
	days     int       // on which it was fetched; 0 = there is no ban
	seen     time.Time // last, in the model's time
	released bool
}

// holdsBan reports whether a robots.txt takes nothing out yet, because it forbids most of a site, or all of a small one.
func (m *Model) holdsBan(site int, answer Robots) bool {
	g := m.gates[site]
	known := g.ban.days > 0 && sameRules(g.ban.rules, answer)
	if answer.Status != 200 || !known && !m.bansMost(site, answer) {
		m.endBan(g)
		return false
	}
	if g.ban.released {
		g.ban = ban{}
		return false
	}
	now := time.Now().UTC()
	ago := m.run.from.Sub(g.ban.seen)
	if g.ban.days == 0 || now.Add(-ago).Format(time.DateOnly) < now.Format(time.DateOnly) {
		g.ban.days++
	}
	if g.ban.days == 1 && !g.ban.holds {
		g.state, g.heldAt, g.ban.holds, g.redirects.holds, g.noindex.holds, g.canonical.holds = 'h', m.run.window, true, false, false, false
	}
	g.ban.rules, g.ban.seen = answer, m.run.from
	if g.ban.days >= m.web.Settings.LostLimit {
		m.endBan(g)
		return false
	}
	return true
}

// endBan ends a ban, and the hold for it.
func (m *Model) endBan(g *gate) {
	if g.ban.holds {
		g.state = 'a'
	}
	g.ban = ban{}
}

// bansMost reports whether a robots.txt forbids more documents of a site than may be lost.
func (m *Model) bansMost(site int, answer Robots) bool {
	live, banned := 0, 0
	for _, s := range m.URLs {
		if s.Site != site || !s.live() || m.server(s) == nil || m.web.Settings.refused(s.URL) {
			continue
		}
		live++
		if answer.forbids(s.path()) {
			banned++
		}
	}
	return m.saysMost(banned, live)
}

func sameRules(a, b Robots) bool {
	return slices.Equal(slices.Sorted(slices.Values(a.Deny)), slices.Sorted(slices.Values(b.Deny))) &&
		slices.Equal(slices.Sorted(slices.Values(a.Allow)), slices.Sorted(slices.Values(b.Allow)))
}

// keepBanned is T-10 of a URL that such a robots.txt forbids.
func (m *Model) keepBanned(s *State, line *ServerLine) {
	s.Attempts++
	s.Attempted, s.attempted = m.run.window, m.runs
	s.did("T-10")
	s.Next, s.silent = m.run.add(line.Period), 0
	m.followStored(s)
}
