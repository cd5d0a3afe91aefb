package spidertest

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Mismatch is where the tables are not as predicted.
type Mismatch struct {
	URL, Column string
	Got, Want   any
}

func (m Mismatch) String() string {
	return fmt.Sprintf("%s: %s: got %v, want %v", m.URL, m.Column, m.Got, m.Want)
}

// comparison collects mismatches.
type comparison struct {
	url  string
	list []Mismatch
}

func (c *comparison) fail(column string, got, want any) {
	c.list = append(c.list, Mismatch{c.url, column, got, want})
}

func same[T comparable](c *comparison, column string, got, want T) {
	if got != want {
		c.fail(column, got, want)
	}
}

// Compare holds the tables at the end of a run against the prediction.
func (m *Model) Compare(t *Tables) []Mismatch {
	c := &comparison{}
	for _, url := range slices.Sorted(maps.Keys(t.URLs)) {
		if m.URLs[url] == nil {
			c.url = url
			c.fail("registered", true, false)
		}
	}
	for _, url := range slices.Sorted(maps.Keys(m.URLs)) {
		c.url = url
		row := t.URLs[url]
		if row == nil {
			c.fail("registered", false, true)
			continue
		}
		m.compareURL(c, m.URLs[url], row)
	}
	for site, g := range m.gates {
		c.url = m.web.Sites[site].URL
		if got, ok := t.Gates[site]; ok {
			same(c, "sitestate.gate", got, string(g.state))
			same(c, "open hold in site_hold", t.Holds[site], g.state == 'h')
		}
	}
	return c.list
}

func (m *Model) compareURL(c *comparison, s *State, row *Row) {
	same(c, "status", status(row.Status), status(s.Status))
	same(c, "deleted", row.Deleted, s.Deleted)
	same(c, "withdrawn_by", row.WithdrawnBy, s.WithdrawnBy)
	same(c, "crc", row.CRC, s.CRC)
	same(c, "etag", row.ETag, s.ETag)
	same(c, "last_modified", row.Modified, s.Modified)
	same(c, "redir", row.Redir, s.Redir)
	same(c, "tag", row.Tag, s.Tag)
	if !s.Deleted { // of a withdrawn clone the rules say nothing but what CheckInvariants asks
		same(c, "origin", row.Origin, m.origin(s))
	}
	same(c, "content row", row.Row, s.Row)
	same(c, "kept", row.Kept, s.Kept)
	if row.Row && s.Row {
		same(c, "content row deleted", row.RowDeleted, s.Deleted)
		same(c, "hrefs", strings.Join(row.Hrefs, " "), strings.Join(slices.Sorted(maps.Keys(s.Hrefs)), " "))
	}
	m.compareTime(c, "last_index_time", row.Indexed, s.Indexed)
	if s.Spare == 0 {
		m.compareTime(c, "last_attempt", row.Attempted, s.Attempted)
	}
	switch {
	case s.Never:
		same(c, "next_index_time is never", row.Next > math.MaxInt64/4, true)
	case !s.NextAny:
		m.compareTime(c, "next_index_time", row.Next, s.Next)
	}
	if s.NextAny { // taken over
		at := time.Unix(row.Next, 0).Add(m.offset)
		s.Next, s.NextAny = window{at, at}, false
	}
	same(c, "error_class", row.ErrorClass, s.ErrorClass)
	same(c, "error_count", row.ErrorCount, s.ErrorCount)
	if row.Attempts < s.Attempts || row.Attempts > s.Attempts+s.Spare {
		c.fail("attempts", row.Attempts, fmt.Sprintf("%d to %d", s.Attempts, s.Attempts+s.Spare))
	}
	if s.Spare > 0 { // taken over
		s.Attempts, s.Spare = row.Attempts, 0
		if at := time.Unix(row.Attempted, 0).Add(m.offset); row.Attempted > 0 {
			s.Attempted = window{at, at}
		}
	}
	if s.base() == 200 || s.base() == 406 {
		same(c, "index_mode", row.Mode&0xFFFF, s.Mode) // the pages have nothing but content
	}
	m.compareRules(c, s, row)
	m.compareRoots(c, s, row)
}

func (m *Model) origin(s *State) string {
	if !s.live() || s.original {
		return ""
	}
	for _, o := range m.URLs {
		if o.original && o.live() && o.CRC == s.CRC {
			return o.URL
		}
	}
	return "none"
}

// status shows a packed status.
func status(n int) string {
	s := State{Status: n}
	if s.lost() == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d lost %d times by %d", s.base(), s.lostCount(), s.lost())
}

// compareTime holds a time of the tables against when it is to be.
func (m *Model) compareTime(c *comparison, column string, seconds int64, want window) {
	if want.from.IsZero() || seconds == 0 {
		same(c, column+" is 0", seconds == 0, want.from.IsZero())
		return
	}
	got := time.Unix(seconds, 0).Add(m.offset)
	if !want.within(got, 2*time.Second) {
		c.fail(column, got.UTC().Format(time.DateTime), fmt.Sprintf("%s (%s too late)", want.from.UTC().Format(time.DateTime), got.Sub(want.from).Round(time.Second)))
	}
}

// compareRules holds the rules of this run in crawl_history against the steps.
func (m *Model) compareRules(c *comparison, s *State, row *Row) {
	var pattern, readable strings.Builder
	for _, step := range s.steps {
		rules := step.rules
		if step.crc != "" && len(m.run.members[step.crc]) > 1 {
			rules += "|T-01c|T-01o"
		}
		readable.WriteString(rules + " ")
		fmt.Fprintf(&pattern, "(?:(?:%s) )", rules)
		switch {
		case step.many:
			pattern.WriteString("+")
		case step.optional:
			pattern.WriteString("?")
		}
	}
	got := strings.Join(row.Rules, " ")
	if got != "" {
		got += " "
	}
	if !regexp.MustCompile("^" + pattern.String() + "$").MatchString(got) {
		c.fail("rules", got, readable.String())
	}
}

// compareRoots looks whether a page that had the link is the referrer of what was registered in this run.
func (m *Model) compareRoots(c *comparison, s *State, row *Row) {
	switch {
	case s.since != m.runs:
	case s.Start:
		same(c, "referrer", row.Referrer, "")
		same(c, "hops", row.Hops, 0)
	case !s.parents[row.Referrer]:
		c.fail("referrer", row.Referrer, fmt.Sprint("one of ", slices.Sorted(maps.Keys(s.parents))))
	default:
		same(c, "hops", row.Hops, m.URLs[row.Referrer].Hops+1)
	}
}

// CompareIndex holds the merged index against the prediction.
func (m *Model) CompareIndex(t *Tables) []Mismatch {
	c := &comparison{}
	lists := func(column string, got, want map[string][]string) {
		for _, key := range slices.Sorted(maps.Keys(got)) {
			if want[key] == nil {
				c.url = key
				c.fail(column, got[key], "none")
			}
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			c.url = key
			same(c, column, strings.Join(got[key], " "), strings.Join(want[key], " "))
		}
	}
	lists("postings", t.Words, m.Postings())
	lists("citation", t.Citation, m.Citation())
	for _, url := range slices.Sorted(maps.Keys(m.URLs)) {
		s, row := m.URLs[url], t.URLs[url]
		if !m.web.features.Dates || row == nil || !s.live() || s.Dates.any {
			continue
		}
		c.url = url
		m.compareTime(c, "docdates.created", row.Created, s.Dates.created)
		same(c, "docdates.modified_from", row.ModifiedFrom, s.Dates.from)
		m.compareTime(c, "docdates.modified", row.DateModified, s.Dates.modified)
	}
	return c.list
}

// CompareRequests holds what the sites saw in a run against the prediction: each visited URL once,
// conditionally where the rules say so, and no other.
func (m *Model) CompareRequests() []Mismatch {
	c := &comparison{}
	want := make(map[int]map[string]*request)
	for url, r := range m.run.requests {
		s := m.URLs[url]
		if want[s.Site] == nil {
			want[s.Site] = make(map[string]*request)
		}
		want[s.Site][s.path()] = r
	}
	for i, site := range m.web.Sites {
		all, conditional := requestsOf(site)
		for _, path := range slices.Sorted(maps.Keys(all)) {
			c.url = site.URL + path
			r := want[i][path]
			switch {
			case r == nil:
				c.fail("requests", all[path], 0)
			case r.more && all[path] <= r.count+2:
			default:
				if all[path] != r.count {
					c.fail("requests", site.answers(path), r.count)
				}
				same(c, "conditional requests", conditional[path], r.conditional)
			}
		}
		for path, r := range want[i] {
			c.url = site.URL + path
			if all[path] == 0 {
				c.fail("requests", 0, r.count)
			}
		}
	}
	return c.list
}
