package spidertest

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// united is the status of a page that is united with its canonical page.
const united = 906

// refusedPage stands for a canonical page that is not followed.
const refusedPage = "-"

// names notes the canonical page of a version, and adds it to the links.
func (m *Model) names(s *State, body *Body, links map[string]bool, fresh bool) {
	before, was := s.claim, s.claimRun
	s.claim = ""
	switch page := body.Canonical; {
	case page == "", page == s.URL:
	case !m.admits(s, page, fresh):
		s.claim = refusedPage
	default:
		s.claim = page
		links[page] = true
		m.register(page, s)
	}
	switch b := s.before; {
	case s.claim == "":
		s.claimRun = 0
	case s.comesIn(b):
		s.claimRun = m.runs
	case before == "" || before == refusedPage:
		s.claimRun = 0
	default:
		s.claimRun = was
	}
}

// comesIn reports whether the present visit brings a page into the index. The page may have come back, or been taken out, earlier in this
// run.
func (s *State) comesIn(before *State) bool {
	if s.revived {
		return false
	}
	return before == nil || !before.live() || len(s.steps) > 1 && slices.ContainsFunc(s.steps, func(x step) bool { return strings.Contains(x.rules, "T-15") })
}

// A moment has the states of URLs at some time: now, or before the run.
type moment func(url string) *State

func (m *Model) now(url string) *State { return m.URLs[url] }

func (m *Model) earlier(url string) *State {
	if s := m.URLs[url]; s != nil {
		return s.before
	}
	return nil
}

// stands reports whether a page can be a canonical page: it is in the index and names no other page itself.
func (at moment) stands(s *State) bool {
	return s != nil && s.live() && (s.claim == "" || at(s.claim).redirectsTo(s.URL))
}

// redirectsTo reports whether a URL redirects to another one.
func (s *State) redirectsTo(url string) bool {
	return s != nil && !s.Deleted && (s.base() == 301 || s.base() == 302) && s.Redir == url
}

// canonical is the canonical page of pages that name a URL: that URL, or the page to which it redirects if that names it, too.
func (at moment) canonical(url string) *State {
	c := at(url)
	if c == nil {
		return nil
	}
	if t := at(c.Redir); t != nil && t.claim == url && c.redirectsTo(t.URL) {
		return t
	}
	return c
}

// staysUnited is a visit of a page that is united with its canonical page. The order of the visits decides whether the canonical page
// stood at that moment, so the tables tell. checkUnited looks whether they can be right.
func (m *Model) staysUnited(s *State, line *ServerLine, body *Body) bool {
	if !line.Index || body.NoIndex {
		return false
	}
	t := m.URLs[body.Canonical]
	if body.Canonical == "" || body.Canonical == s.URL || t == nil || !m.admits(s, body.Canonical, true) {
		return false
	}
	row := m.run.Seen.URLs[s.URL]
	if row == nil || slices.ContainsFunc(row.Rules, func(rule string) bool { return rule != "T-15" && rule != "T-12" && rule != "T-19" }) ||
		!slices.Contains(row.Rules, "T-19") {
		m.run.returned = append(m.run.returned, s.URL)
		return false
	}
	m.run.stayed = append(m.run.stayed, s.URL)
	s.did("T-19")
	links := m.follow(s, line, body, true)
	m.names(s, body, links, true)
	m.becomeUnited(s, s.claim, links)
	m.success(s, line)
	return true
}

func (m *Model) becomeUnited(s *State, page string, links map[string]bool) {
	links[page] = true
	s.Status, s.Redir, s.Row, s.Hrefs, s.original = united, page, true, links, false
	s.CRC, s.ETag, s.Modified = "", "", ""
	s.Kept, s.Bare = false, false
}

// checkUnited reports pages that stayed united, or came back, without a reason. Of those that stayed, the tables tell whether the URL
// that they name stood for another page at that moment.
func (m *Model) checkUnited() {
	steady := func(url string) bool { // visited without a change, or not at all
		t := m.URLs[url]
		return t == nil || !slices.ContainsFunc(t.steps, func(x step) bool { return x.rules != "T-02" && x.rules != "T-03" && x.rules != "T-10" })
	}
	moments := []moment{m.earlier, m.now}
	for _, url := range m.run.stayed {
		s := m.URLs[url]
		for _, at := range moments {
			if c := at(s.claim); c != nil && m.run.Seen.URLs[url].Redir == c.Redir && c.redirectsTo(c.Redir) {
				s.Redir, s.Hrefs[c.Redir] = c.Redir, true
			}
		}
		if steady(s.claim) && steady(s.Redir) && !slices.ContainsFunc(moments, func(at moment) bool { return at.stands(at.canonical(s.claim)) }) {
			m.problem("%s: stayed united with %s, which does not stand", url, s.Redir)
		}
	}
	for _, url := range m.run.returned {
		t := moment(m.now).canonical(m.URLs[url].claim)
		if t == nil || t.URL == url || !steady(m.URLs[url].claim) || !steady(t.URL) || t.lost() != 0 {
			continue
		}
		if was := moment(m.earlier).canonical(m.URLs[url].claim); was != nil && was.URL == t.URL && moment(m.earlier).stands(was) && moment(m.now).stands(t) {
			m.problem("%s: came back, although %s stands", url, t.URL)
		}
	}
}

// naming counts the pages of a site that can be united with their canonical pages. The run is the last one.
type naming struct{ pages, old, live, answered, named, top, total int }

// candidates are the pages that can be united.
func (m *Model) candidates() (list []*State) {
	at := moment(m.now)
	for _, url := range slices.Sorted(maps.Keys(m.URLs)) {
		s := m.URLs[url]
		if t := at.canonical(s.claim); s.live() && s.lost() == 0 && s.claim != "" && t != s && at.stands(t) && t.lost() == 0 {
			list = append(list, s)
		}
	}
	return list
}

func (m *Model) naming(site, run int, candidates []*State) (n naming) {
	targets, tops, is := make(map[string]int), make(map[string]int), make(map[string]bool)
	for _, s := range candidates {
		page := moment(m.now).canonical(s.claim).URL
		targets[page]++
		is[s.URL] = true
		if s.Site != site {
			continue
		}
		n.pages++
		if s.claimRun != run {
			n.old++
		}
		tops[page]++ // no URL of this web has a query
		n.top = max(n.top, tops[page])
	}
	for _, s := range m.URLs {
		if s.Site != site || !s.live() || targets[s.URL] > 1 {
			continue
		}
		n.total++
		if named := s.claim != "" && s.claim != refusedPage; named && s.claimRun == run || s.Attempts == 1 && s.attempted == run {
			continue
		}
		n.live++
		if s.attempted == run && s.ErrorClass != "unreachable" {
			n.answered++
			if is[s.URL] {
				n.named++
			}
		}
	}
	return n
}

// settleCanonical unites pages with their canonical pages when a run begins and when it ends, or puts their site on hold.
func (m *Model) settleCanonical(run int, begins bool) {
	if m.run.stayed != nil || m.run.returned != nil {
		m.checkUnited()
		m.run.stayed, m.run.returned = nil, nil
	}
	share := m.web.Settings.MaxLostShare
	most := func(n, of int) bool {
		if of < 10 {
			return of > 0 && n >= of && share < 100
		}
		return n*100 > share*of
	}
	list := m.candidates()
	for site := range m.web.Sites {
		g := m.gates[site]
		n, h := m.naming(site, run, list), &g.canonical
		free := m.run.from.Before(h.free)
		if free && begins {
			continue
		}
		one := n.total >= 10 && most(n.top, n.total)
		switch {
		case h.holds && n.pages*100 <= share*h.most:
			h.holds, g.state = false, 'a'
		case n.pages == 0:
		case h.holds, !free && (n.old > 0 && most(n.old, n.live) || n.named > 0 && n.answered >= 10 && most(n.named, n.answered) || one):
			if m.holdCanonical(g, site, list, n.pages) && !one {
				h.holds, h.free, g.state = false, m.run.from.Add(m.web.Settings.LostPeriod), 'o'
				m.unite(site, list)
			}
		case g.state == 'h', !free && share < 100 && n.old > 0 && n.named > 0 && n.named >= n.answered:
		default:
			m.unite(site, list)
		}
	}
}

// holdCanonical reports whether so many pages of a site named others on so many days that they are united. A site that is on hold for
// another reason stays so.
func (m *Model) holdCanonical(g *gate, site int, list []*State, pages int) bool {
	var seen time.Time
	for _, s := range list {
		if s.Site == site && s.Attempted.to.After(seen) {
			seen = s.Attempted.to
		}
	}
	h := &g.canonical
	switch {
	case !h.holds && g.state == 'h':
		return false
	case !h.holds:
		*h = redirectHold{holds: true, days: 1, seen: seen, free: h.free}
		g.state = 'h'
	case seen.After(h.seen):
		now := time.Now().UTC()
		day := func(t time.Time) string { return now.Add(-m.run.to.Sub(t)).Format(time.DateOnly) }
		if day(h.seen) < day(seen) {
			h.days++
		}
		h.seen = seen
	}
	h.most = max(h.most, pages)
	return h.days >= m.web.Settings.LostLimit
}

// unite is T-19 without a visit.
func (m *Model) unite(site int, list []*State) {
	for _, s := range list {
		if s.Site != site || !s.live() || m.refused(s) {
			continue
		}
		if s.ErrorClass == "unreachable" || moment(m.now).canonical(s.claim).ErrorClass == "unreachable" {
			continue
		}
		before := *s
		s.unitedOf = &before
		s.did("T-19")
		links := maps.Clone(s.Hrefs)
		page := moment(m.now).canonical(s.claim).URL
		if row := m.run.Seen.URLs[s.URL]; links == nil || row != nil && slices.Equal(row.Hrefs, []string{page}) && m.hadCompany(&before) {
			links = make(map[string]bool) // it was a clone
		}
		m.becomeUnited(s, page, links)
		s.moving = moving{}
		s.Indexed = m.run.window
	}
}

// hadCompany reports whether other documents had the content of a document in this run.
func (m *Model) hadCompany(s *State) bool {
	return len(m.run.members[s.CRC]) > 1
}

// unitedLinks are the links that an original may have from its predecessor, if that was united with its canonical page in this run.
func (m *Model) unitedLinks(s *State) (choices []map[string]bool) {
	var others []*State
	for _, url := range slices.Sorted(maps.Keys(m.URLs)) {
		if o := m.URLs[url].unitedOf; o != nil && o.CRC == s.CRC {
			others = append(others, o)
		}
	}
	for _, o := range others {
		choices = append(choices, m.inherited(s, group{original: o.URL, hrefs: o.Hrefs}))
		all := maps.Clone(choices[len(choices)-1])
		for _, other := range others {
			if slices.Contains(m.bodies[s.CRC].Links, other.URL) {
				all[other.URL] = true
			}
		}
		delete(all, s.URL)
		choices = append(choices, all)
	}
	return choices
}
