package spidertest

import "time"

// redirectHold counts the redirects of a site that are not carried out.
type redirectHold struct {
	holds bool // the site is on hold for them
	most  int  // documents that redirected at the same time
	days  int
	seen  time.Time // last, in the model's time
	free  time.Time // until then redirects are carried out at once
}

// moving is the redirect of a live document that is not carried out yet.
type moving struct {
	status int
	target string
	run    int       // that met it last
	at     time.Time // of that, in the model's time
}

// awaits reports whether the redirect of a live document is not carried out at once. Whether a site whose redirects are free went
// on hold before or after the visit depends on the order: the tables say it.
func (m *Model) awaits(s *State) bool {
	g := m.gates[s.Site]
	switch {
	case !s.live() || m.web.Settings.MaxLostShare == 100:
		return false
	case g.state != 'h' && m.run.from.Before(g.redirects.free):
		row := m.run.Seen.URLs[s.URL]
		return row != nil && len(row.Rules) > 0 && row.Rules[len(row.Rules)-1] == "T-10"
	}
	return true
}

// await is T-10 of a live document that redirects.
func (m *Model) await(s *State, status int, target string) {
	s.did("T-10")
	s.moving = moving{status, target, m.runs, m.run.from}
	m.noAnswer(s, 0)
}

// moved reports whether a URL is a redirect.
func (s *State) moved() bool { return !s.Deleted && (s.base() == 301 || s.base() == 302) }

// redirecting counts the redirects of a site that are not carried out.
type redirecting struct {
	all, live, left, answered, redirected, run int
	seen                                       time.Time
}

func (m *Model) redirecting(site int) (r redirecting) {
	targets := make(map[string]int)
	for _, s := range m.URLs {
		if !s.live() || s.moving.status == 0 {
			continue
		}
		targets[s.moving.target]++
		if s.Site == site {
			r.all++
			r.run = max(r.run, s.moving.run)
			if s.moving.run == s.attempted && s.moving.at.After(r.seen) {
				r.seen = s.moving.at
			}
		}
	}
	for _, s := range m.URLs {
		if s.Site == site && s.moved() && s.movedAt.to.Add(lossCounts).After(m.run.from) {
			r.left++
		}
		if s.Site != site || !s.live() || s.Attempts == 1 && s.attempted == r.run || s.moving.status == 0 && targets[s.URL] > 1 {
			continue
		}
		r.live++
		moved := s.moving.status != 0 && s.moving.run == r.run
		if moved {
			r.redirected++
		}
		if moved || s.attempted == r.run && s.ErrorClass != "unreachable" {
			r.answered++
		}
	}
	return r
}

// settleRedirects decides about the redirects that are not carried out, when a run begins and when it ends.
func (m *Model) settleRedirects() {
	share := m.web.Settings.MaxLostShare
	most := func(n, of int) bool {
		if of < 10 {
			return of > 0 && n >= of && share < 100
		}
		return n*100 > share*of
	}
	for site, g := range m.gates {
		r, h := m.redirecting(site), &g.redirects
		free := m.run.from.Before(h.free)
		switch {
		case h.holds && r.all*100 <= share*h.most:
			h.holds, g.state = false, 'a'
			m.forget(site, 0)
		case r.all == 0:
		case h.holds, !free && (most(r.all+r.left, r.live+r.left) || r.answered >= 10 && most(r.redirected, r.answered)):
			if !g.ban.holds && m.holdRedirects(g, r) {
				h.holds, h.free, g.state = false, m.run.from.Add(m.web.Settings.LostPeriod), 'o'
				m.forget(site, r.run)
				m.carryOut(site)
			}
		case g.state == 'h', !free && share < 100 && r.redirected >= r.answered:
		default:
			m.carryOut(site)
		}
	}
}

// holdRedirects reports whether the redirects of a site were seen on so many days that they take effect.
func (m *Model) holdRedirects(g *gate, r redirecting) bool {
	h := &g.redirects
	if !h.holds {
		*h = redirectHold{holds: true, days: 1, seen: r.seen, free: h.free}
		g.state, g.canonical.holds = 'h', false
	} else if r.seen.After(h.seen) {
		now := time.Now().UTC()
		day := func(t time.Time) string { return now.Add(-m.run.from.Sub(t)).Format(time.DateOnly) }
		if day(h.seen) < day(r.seen) {
			h.days++
		}
		h.seen = r.seen
	}
	h.most = max(h.most, r.all)
	return h.days >= m.web.Settings.LostLimit
}

// forget forgets the redirects of a site, except those that a run met.
func (m *Model) forget(site, run int) {
	for _, s := range m.URLs {
		if s.Site == site && s.moving.run != run {
			s.moving = moving{}
		}
	}
}

// carryOut is T-05 without a visit.
func (m *Model) carryOut(site int) {
	for _, s := range m.URLs {
		if s.Site == site && s.live() && s.moving.status != 0 && !m.refused(s) {
			m.moved(s, s.moving.status, s.moving.target)
			s.movedAt = m.run.window
		}
	}
}

// moved is T-05.
func (m *Model) moved(s *State, status int, target string) {
	s.did("T-05")
	s.moving = moving{}
	s.Status = status
	s.CRC, s.ETag, s.Modified = "", "", "" // all attributes are those of the redirect
	s.Redir, s.Row, s.Hrefs, s.original = target, true, map[string]bool{}, false
	s.Kept, s.Bare = false, false
	if target != "" {
		s.Hrefs[target] = true
	}
	m.success(s, m.server(s))
}
