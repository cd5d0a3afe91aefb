package spidertest

import (
	"maps"
	"math"
	"slices"
	"time"
)

// Tables is the content of the database, with URLs instead of ids. Times are real ones, in epoch seconds.
type Tables struct {
	URLs     map[string]*Row
	Words    map[string][]string // postings: URLs by word
	Citation map[string][]string // referrers by URL
	Gates    map[int]string      // sitestate.gate by site
	Holds    map[int]bool        // sites with a hold that has not ended
}

// Row is a row of urlword with those of urlstate, urlwordsNN and docdates, and the rules of the run in
// crawl_history.
type Row struct {
	ID                               int
	Status                           int
	Deleted                          bool
	WithdrawnBy, CRC, ETag, Modified string
	Redir, Origin, Referrer          string
	Hops, Tag                        int
	Row, RowDeleted, Kept            bool
	Back                             int // status with which it was allowed again in the run
	Hrefs                            []string
	Indexed, Next, Attempted         int64
	ErrorClass                       string
	ErrorCount, Attempts, Mode       int
	Rules                            []string
	Created, DateModified            int64
	ModifiedFrom                     string
}

// dates are a document's own dates.
type dates struct {
	created, modified window
	from              string // last-modified or fetch; empty = no dates
	any               bool   // not compared: it was a clone, or not to be indexed, or out of the index for a time
}

// settle makes clone groups of what the run left, with the ids of the tables.
func (m *Model) settle() {
	for _, s := range m.URLs {
		s.ID = math.MaxInt32
		if row := m.run.Seen.URLs[s.URL]; row != nil {
			s.ID, s.Hops, s.Referrer = row.ID, row.Hops, row.Referrer
			s.Dates.any = s.Dates.any || slices.Contains(row.Rules, "T-01c")
		}
	}
	groups := make(map[string][]*State)
	for _, s := range m.URLs {
		s.original = false
		if s.live() {
			groups[s.CRC] = append(groups[s.CRC], s)
		}
		if s.base() == 406 && !s.Kept {
			s.Dates.any = true
		}
	}
	for crc, members := range groups {
		original := slices.MinFunc(members, func(a, b *State) int { return a.ID - b.ID })
		for _, s := range members {
			s.Row = s == original
			s.Dates.any = s.Dates.any || s != original
		}
		original.original = true
		original.heir = original.heir || original.wasClone()
		m.chooseLinks(original, m.run.groups[crc])
	}
	for _, s := range m.URLs {
		if b := s.before; s.Deleted && b != nil && b.live() && s.WithdrawnBy != "SR-09" && s.base() == 200 && s.Kept {
			m.chooseRow(s)
		}
		m.chooseRevived(s)
	}
}

// chooseLinks settles the links of an original. One that was a clone before the run and took over has those
// that it has itself under the rules of now, or, when it was last visited under others, those of its
// predecessor's row: which of both was later depends on the order. One that was the original keeps those that
// it has, unless another one came back in between.
func (m *Model) chooseLinks(s *State, before group) {
	var choices []map[string]bool
	switch read, ok := m.run.read[s.URL]; {
	case before.original == s.URL:
		choices = append(choices, s.Hrefs)
	case ok:
		choices = append(choices, read)
	}
	if before.original != "" && before.original != s.URL {
		choices = append(choices, m.inherited(s, before))
		if line := m.server(s); line != nil {
			choices = append(choices, m.filter(s, line, m.bodies[s.CRC], false))
		}
	}
	choices = append(choices, m.keptLinks(s)...)
	choices = append(choices, m.unitedLinks(s)...)
	if s.claim != "" && s.claim != refusedPage {
		for _, choice := range slices.Clone(choices) {
			with := maps.Clone(choice)
			with[s.claim] = true
			choices = append(choices, with)
		}
	}
	if len(choices) == 0 {
		m.problem("%s: became an original without having been read, and there was none before", s.URL)
		return
	}
	s.Hrefs = choices[0]
	row := m.run.Seen.URLs[s.URL]
	for _, choice := range choices {
		if row != nil && slices.Equal(row.Hrefs, slices.Sorted(maps.Keys(choice))) {
			s.Hrefs = choice
		}
	}
}

// inherited returns the links of an original's row as its successor has them: a link to the successor is one to
// itself now, and the link to the original, which the original's own row leaves out, is no longer one; unless a
// rule forbids it now.
func (m *Model) inherited(s *State, before group) map[string]bool {
	links := maps.Clone(before.hrefs)
	if m.URLs[before.original].WithdrawnBy != "T-12" && slices.Contains(m.bodies[s.CRC].Links, before.original) {
		links[before.original] = true
	}
	delete(links, s.URL)
	return links
}

// chooseRow settles whether a withdrawn document has a content row: it has when it was an original. When in
// the run another one with a lower id came into its group, or the original left it, that depends on who was
// first.
func (m *Model) chooseRow(s *State) {
	row, group := m.run.Seen.URLs[s.URL], m.run.groups[s.before.CRC]
	if row == nil {
		return
	}
	original := m.URLs[group.original]
	if !s.before.original && (!original.live() || original.CRC != s.before.CRC) && row.Row {
		s.Row, s.Hrefs = true, maps.Clone(group.hrefs)
		delete(s.Hrefs, s.URL)
	}
	for url := range m.run.members[s.before.CRC] {
		other := m.URLs[url]
		if other.before != nil && other.before.live() && other.before.CRC == s.before.CRC {
			continue
		}
		if s.before.original && other.ID < s.ID {
			s.Row = row.Row
		}
	}
}

// Postings predicts which URLs have each word once the index is merged.
func (m *Model) Postings() map[string][]string {
	words := make(map[string][]string)
	for _, url := range slices.Sorted(maps.Keys(m.URLs)) {
		if s := m.URLs[url]; s.live() && s.original {
			for _, word := range m.bodies[s.CRC].Words {
				words[word] = append(words[word], url)
			}
		}
	}
	return words
}

// Citation predicts the referrers of each URL once the index is merged.
func (m *Model) Citation() map[string][]string {
	citation := make(map[string][]string)
	for _, url := range slices.Sorted(maps.Keys(m.URLs)) {
		if s := m.URLs[url]; s.Row && !s.Deleted {
			for link := range s.Hrefs {
				citation[link] = append(citation[link], url)
			}
		}
	}
	return citation
}

// date sets the dates of a document of which a new version was fetched: the server's when it can be believed,
// else the fetch.
func (m *Model) date(s *State, answer Answer) {
	d := &s.Dates
	if s.CRC == answer.Body.CRC { // known content that was out of the index in between
		d.any = d.any || d.from != ""
	}
	fresh := d.from == ""
	if fresh {
		d.created = m.run.window
	}
	stamp := answer.Modified.Add(m.offset) // the tables' times move, the server's do not
	believed := !answer.Modified.IsZero() && answer.Modified.Before(m.run.Start.Add(-time.Minute))
	if believed && (fresh || stamp.After(d.modified.to)) {
		d.modified, d.from = window{stamp, stamp}, "last-modified"
		return
	}
	d.modified, d.from = m.run.window, "fetch"
}
