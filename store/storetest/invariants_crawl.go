package storetest

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/pgseek/pgseek/store/posting"
)

// rulePattern matches the values that markdel.reason may have.
var rulePattern = regexp.MustCompile(`^(T-[0-9]{2}[a-z]?|SR-09|X2)$`)

// checkJournal checks that entries waiting for the merge are about registered URLs on their sites, that their
// words can be decoded, and that their numbers are given once.
func checkJournal(d *database) {
	d.decoded = map[int64]map[string][]uint16{}
	given := map[int64]string{}
	fact := func(table string, seq, schedule int64, id, site, run int32) {
		what := fmt.Sprintf("%s: seq %d", table, seq)
		if other := given[seq]; other != "" {
			d.report("%s: that number has %s, too", what, other)
		}
		given[seq] = what
		if seq <= 0 || seq > d.seq {
			d.report("%s: journal_seq is at %d", what, d.seq)
		}
		if u := d.url[id]; u == nil {
			d.report("%s: %s", what, d.name(id))
		} else if u.Site != site {
			d.report("%s: %s on site %d, not %d", what, d.name(id), site, u.Site)
		}
		if d.run[run] == nil {
			d.report("%s: its run %d is not there", what, run)
		}
		if schedule < 0 {
			d.report("%s: schedule %d", what, schedule)
		}
	}
	for i := range d.journal {
		j := &d.journal[i]
		fact("journal", j.Seq, j.Schedule, j.URL, j.Site, j.Run)
		d.checkList("journal", j.URL, "links_added", j.Added)
		d.checkList("journal", j.URL, "links_removed", j.Removed)
		if j.Redir != 0 && (d.url[j.Redir] == nil || j.Status != 301 && j.Status != 302 && j.Status != 906) {
			d.report("journal: seq %d: status %d with redir %d", j.Seq, j.Status, j.Redir)
		}
		if j.Words == nil {
			continue
		}
		if j.Status != 200 {
			d.report("journal: seq %d: words of a %d", j.Seq, j.Status)
		}
		r, err := posting.NewWordsReader(j.Words)
		words := map[string][]uint16{}
		for err == nil && r.Next() {
			words[string(r.Word())] = append([]uint16{}, r.Positions()...)
		}
		if err == nil {
			err = r.Err()
		}
		if err != nil {
			d.report("journal: seq %d, %s: %v", j.Seq, d.name(j.URL), err)
			continue
		}
		d.decoded[j.Seq] = words
	}
	for i := range d.marks {
		m := &d.marks[i]
		fact("markdel", m.Seq, m.Schedule, m.URL, m.Site, m.Run)
		d.checkList("markdel", m.URL, "links", m.Links)
		if !rulePattern.MatchString(m.Reason) {
			d.report("markdel: %s: reason %q", d.name(m.URL), m.Reason)
		}
	}
}

// checkSites checks that a site is written as http://host[:port]/ in lower case and has its state, with the
// host by which politeness counts, and that the time of a free site's next URL is not later than that of
// urlword. During a crawl, or after its crash, it may be: the next run recomputes it. URLs that an operator
// gave (index -i) and that were never attempted wait for that, too.
func checkSites(d *database) {
	states := byKey(d.siteStates, func(s *siteStateRow) int32 { return s.Site })
	names := map[string]bool{}
	for i := range d.sites {
		s := &d.sites[i]
		parsed, err := url.Parse(s.Site)
		if err != nil || s.Site != strings.ToLower(s.Site) || parsed.Scheme == "" || parsed.Path != "/" || names[s.Site] {
			d.report("sites: site %d %q", s.ID, s.Site)
			continue
		}
		names[s.Site] = true
		host := parsed.Host
		if port := parsed.Port(); port != "" {
			host = strings.TrimSuffix(host, ":"+port)
		}
		if state := states[s.ID]; state == nil {
			d.report("sitestate: site %d %s has no row", s.ID, s.Site)
		} else if state.Host != host {
			d.report("sitestate: site %d %s: host %q", s.ID, s.Site, state.Host)
		}
	}
	crawling := false
	for _, r := range d.runs {
		crawling = crawling || r.Kind == "crawl" && !r.Ended
	}
	due := map[int32]*urlRow{}
	for i := range d.urls {
		u := &d.urls[i]
		typed := u.Referrer == 0 && d.state[u.ID] == nil
		if !typed && (due[u.Site] == nil || u.Next < due[u.Site].Next) {
			due[u.Site] = u
		}
	}
	for i := range d.siteStates {
		s := &d.siteStates[i]
		if d.site[s.Site] == nil {
			d.report("sitestate: site %d is not there", s.Site)
		}
		if first := due[s.Site]; first != nil && s.Lease == 0 && !crawling && s.NextDue > first.Next {
			d.report("sitestate: site %d: next_due %d, but %s is due at %d", s.Site, s.NextDue, d.name(first.ID), first.Next)
		}
	}
}

// checkSchedules checks that the open schedule that has a site holds it, and nothing else; that an open
// schedule holds its sites, and that its URLs are of these sites and in no other schedule. A later run issues
// again what a run left open: a run that ended complete leaves no open schedule.
func checkSchedules(d *database) {
	schedules := map[int64]*scheduleRow{}
	for i := range d.schedules {
		schedules[d.schedules[i].Seq] = &d.schedules[i]
	}
	holder := map[int32]int64{}
	for _, s := range d.siteStates {
		if s.Lease == 0 {
			continue
		}
		holder[s.Site] = s.Lease
		switch c := schedules[s.Lease]; {
		case c == nil:
			d.report("sitestate: site %d is held by schedule %d, which is not there", s.Site, s.Lease)
		case !c.Open:
			d.report("sitestate: site %d is held by schedule %d, which is closed", s.Site, s.Lease)
		case !has(c.Sites, s.Site):
			d.report("sitestate: site %d is held by schedule %d, which is of sites %v", s.Site, s.Lease, c.Sites)
		}
	}
	taken := map[int32]int64{}
	for i := range d.schedules {
		c := &d.schedules[i]
		bad := func(format string, args ...any) {
			d.report("schedule: seq %d: "+format, append([]any{c.Seq}, args...)...)
		}
		if d.run[c.Run] == nil {
			bad("its run %d is not there", c.Run)
		}
		if !c.Open {
			continue
		}
		for _, r := range d.runs {
			if r.Kind == "crawl" && r.ID >= c.Run && (r.Reason == "complete" || r.Reason == "time" || r.Reason == "paused" || r.Reason == "limit") {
				bad("of run %d is open, but run %d ended %s", c.Run, r.ID, r.Reason)
			}
		}
		for _, site := range c.Sites {
			if holder[site] != c.Seq {
				bad("is open, but site %d is held by %d", site, holder[site])
			}
		}
		for _, id := range c.URLs {
			if id == 0 {
				continue
			}
			if u := d.url[id]; u == nil || !has(c.Sites, u.Site) {
				bad("%s is on none of its sites", d.name(id))
			}
			if other := taken[id]; other != 0 {
				bad("%s is also in schedule %d", d.name(id), other)
			}
			taken[id] = c.Seq
		}
	}
}

func has(list []int32, id int32) bool {
	for _, x := range list {
		if x == id {
			return true
		}
	}
	return false
}

// checkRuns checks that there is one crawl and one merge at a time.
func checkRuns(d *database) {
	open := map[string]int32{}
	for _, r := range d.runs {
		if r.Ended || r.Kind != "crawl" && r.Kind != "merge" {
			continue
		}
		if other := open[r.Kind]; other != 0 {
			d.report("reindexing: runs %d and %d, both of kind %s, are open", other, r.ID, r.Kind)
		}
		open[r.Kind] = r.ID
	}
}

// checkGates checks that a gate is closed as long as site_hold has an open row.
func checkGates(d *database) {
	lasts := map[int32]bool{}
	for _, h := range d.holds {
		lasts[h.Site] = lasts[h.Site] || h.Open
		if d.site[h.Site] == nil || d.run[h.Run] == nil || d.url[h.URL] == nil {
			d.report("site_hold: site %d, run %d, %s: at least one of them does not exist", h.Site, h.Run, d.name(h.URL))
		}
	}
	for _, s := range d.siteStates {
		if (s.Gate == "h") != lasts[s.Site] {
			d.report("sitestate: site %d: gate %q, open hold: %v", s.Site, s.Gate, lasts[s.Site])
		}
	}
}
