package spidertest

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Model predicts what the tables say after each run over a Web. It is written from the rules (docs/schema.md, chapter 6)
// and knows nothing of the program: a map of URLs, one visit after the other. Whatever does not depend on the order of
// fetching is predicted exactly. What does is taken from the tables, after a look whether it is one of the ways that the rules
// leave open:
//
//   - url_ids, and so which document of a clone group is its original: the ids are taken over, the original is then the lowest;
//   - hops and referrer: any page that had the link in the run that registered the URL;
//   - which documents were lost before the safety gate closed (Features.Share): their number is predicted;
//   - the rule of a document whose content others have as well: T-01, T-01c or T-01o (T-04, T-01c or T-01o);
//   - the links of a document that took over the place of an original that it was visited before;
//   - the links of a page at MaxHops to URLs that were registered in the run that read it, or after it was read.
//
// Not modelled: -o, -n (the order decides), T-14 (which of the equal documents is one too many), HEAD, -T.
type Model struct {
	URLs map[string]*State

	web      *Web
	offset   time.Duration // all the time that passed at once
	runs     int
	bodies   map[string]*Body // by crc
	robots   map[int]Robots   // last decisive answer by site
	gates    map[int]*gate
	swept    string    // the rules that all URLs were tested against last
	respider *respider // the last complete one
	run      *run
}

// State is the state of a URL in the tables.
type State struct {
	URL         string
	Site        int
	Status      int // packed
	Deleted     bool
	WithdrawnBy string
	CRC         string
	ETag        string
	Modified    string // Last-Modified
	Redir       string
	Tag         int
	Start       bool // hops 0, no referrer

	Row       bool            // has a content row
	Bare      bool            // of a page that is not to be indexed, of which only the links are left
	Kept      bool            // it left the index, and its content is kept
	brief     bool            // but no longer than to the next purge
	keptSince window          // of Kept
	Hrefs     map[string]bool // of that row

	Indexed   window // last_index_time; zero = never
	Attempted window // the last attempt
	Next      window // next_index_time
	NextAny   bool   // the rules do not say when
	lostAt    window // when the gate counted that it turned lost
	movedAt   window // when its redirect was carried out after those of the site were counted
	Never     bool   // next_index_time is never

	ErrorClass string
	ErrorCount int
	Attempts   int
	Spare      int // further attempts that are possible in this run
	Mode       int // of the Server line at the last success

	Dates dates

	ID       int // taken over
	Hops     int // taken over
	Referrer string

	result    int  // of the last attempt that failed
	barred    bool // the last attempt ended with 902
	silent    int  // attempts in a row without an answer
	original  bool // among its clones, after the last run
	heir      bool // it was a clone and has the words of its former original since
	since     int  // run that registered it
	moving    moving
	claim     string          // canonical page of its version; "" = none or itself, "-" = one that is not followed
	claimRun  int             // run in which it came into the index with that claim, 0 = it was there before
	unitedOf  *State          // as it was before it was united with its canonical page in this run
	attempted int             // the last run that tried to fetch it
	parents   map[string]bool // that may be its referrer
	steps     []step          // of this run
	revived   bool            // came back in this run from what was kept
	before    *State          // as it was before this run
}

// step is a line of crawl_history: the rules that may stand there.
type step struct {
	rules    string // T-01|T-01c
	crc      string // when others have this content, too, it may be T-01c or T-01o as well
	optional bool
	many     bool // once or several times
}

// window is a span of the model's time, which is the real time and all that passed at once: when something
// happened during a run.
type window struct{ from, to time.Time }

func (w window) add(d time.Duration) window { return window{w.from.Add(d), w.to.Add(d)} }

// within reports whether t lies in the window, give or take.
func (w window) within(t time.Time, give time.Duration) bool {
	return !t.Before(w.from.Add(-give)) && !t.After(w.to.Add(give))
}

// Run is one run of the program over the web, with its time.
type Run struct {
	Mode       Mode
	Forced     bool      // -m
	Merge      bool      // the index is merged at its end
	Start, End time.Time // real time
	Seen       *Tables   // the tables at its end
}

// Mode is which URLs a run visits.
type Mode int

// The modes.
const (
	Due Mode = iota
	All
	Respider
)

// run is the state of a run while the model goes through it.
type run struct {
	Run
	window
	pending  []string // to be visited, start URLs first
	queued   map[string]bool
	starts   map[string]bool
	read     map[string]map[string]bool // links as filtered in this run
	asked    map[int]Robots             // robots.txt by site, when it was fetched
	banned   map[int]bool               // sites whose robots.txt takes nothing out yet
	members  map[string]map[string]bool // URLs that had a content (crc) at some time in the run
	groups   map[string]group           // clone groups before the run, by crc
	stayed   []string                   // pages that stayed united with their canonical pages, and that came back
	returned []string
	requests map[string]*request // by URL
	problems []string
}

// request is the request that a site must see for a URL.
type request struct {
	count       int
	more        bool // perhaps once more: a connection that broke
	conditional int
}

// group is a clone group before the run.
type group struct {
	original string
	hrefs    map[string]bool
}

// NewModel is the model of an empty database.
func NewModel(web *Web) *Model {
	m := &Model{
		URLs: make(map[string]*State), web: web, bodies: make(map[string]*Body), robots: make(map[int]Robots), gates: make(map[int]*gate),
	}
	for i := range web.Sites {
		m.gates[i] = &gate{state: 'a'}
	}
	return m
}

// Pass lets time pass at once.
func (m *Model) Pass(d time.Duration) { m.offset += d }

// Unclear reports whether something becomes due so near to now that it would depend on the speed of the
// machine whether a run that starts now sees it.
func (m *Model) Unclear() bool {
	now := time.Now().Add(m.offset)
	unclear := window{now.Add(-time.Minute), now.Add(3 * time.Minute)}
	for _, s := range m.URLs {
		if !s.Never && (unclear.within(s.Next.from, 0) || unclear.within(s.Next.to, 0)) {
			return true
		}
		if s.Kept && unclear.within(s.keptSince.to.Add(m.web.Settings.LostPeriod), 0) {
			return true
		}
		if unclear.within(s.lostAt.to.Add(lossCounts), 0) || unclear.within(s.movedAt.to.Add(lossCounts), 0) {
			return true
		}
		for _, d := range []time.Duration{m.web.Settings.OrphanPeriod, m.web.Settings.OrphanPeriod + m.web.Settings.LostPeriod} {
			if unclear.within(s.Indexed.to.Add(d), 0) {
				return true
			}
		}
	}
	return false
}

// base, lost and lostCount are the parts of a packed status.
func (s *State) base() int      { return s.Status & 65535 }
func (s *State) lost() int      { return s.Status >> 16 & 2047 }
func (s *State) lostCount() int { return s.Status >> 27 & 15 }

func (s *State) live() bool { return s.base() == 200 && !s.Deleted }

// pack is the status of a document that is lost.
func pack(base, lost, count int) int { return base | lost<<16 | min(count, 15)<<27 }

func (s *State) path() string {
	_, rest, _ := strings.Cut(s.URL, "://")
	_, path, _ := strings.Cut(rest, "/")
	return "/" + path
}

func (s *State) did(rules string) {
	s.steps = append(s.steps, step{rules: rules})
	s.barred = false
}

// again adds a rule that may stand there several times in a row: by a sweep and by a visit.
func (s *State) again(rule string) {
	if n := len(s.steps); n > 0 && s.steps[n-1].rules == rule {
		s.steps[n-1].many = true
		return
	}
	s.did(rule)
}

// Crawl goes through a run of index. It returns what it could not explain.
func (m *Model) Crawl(r Run) []string {
	m.runs++
	m.run = &run{
		Run: r, window: window{r.Start.Add(m.offset), r.End.Add(m.offset)},
		queued: make(map[string]bool), starts: make(map[string]bool), asked: make(map[int]Robots), banned: make(map[int]bool),
		members: make(map[string]map[string]bool), requests: make(map[string]*request),
	}
	m.begin()
	for _, line := range m.web.Settings.Servers { // start URLs have schedules of their own, before what the sweep brings back
		m.enqueue(line.URL)
	}
	m.sweepConfiguration()
	m.settleRedirects()
	m.settleCanonical(m.runs-1, true)
	m.armGates()
	m.work()
	for _, url := range slices.Sorted(maps.Keys(m.URLs)) {
		s := m.URLs[url]
		due := !s.Never && !s.Next.from.After(m.run.from)
		if r.Mode == All && !s.Never || r.Mode == Due && due {
			m.enqueue(url)
		}
	}
	m.work()
	m.endShares()
	m.settleRedirects()
	m.settleCanonical(m.runs, false)
	m.settle()
	m.endGates()
	m.holdNoIndex()
	if r.Mode == Respider {
		m.respider = &respider{start: m.run.from}
	}
	return m.run.problems
}

// remember notes what was before.
func (m *Model) remember() {
	m.run.groups, m.run.read = make(map[string]group), make(map[string]map[string]bool)
	for _, s := range m.URLs {
		before := *s
		s.before = &before
		if s.live() {
			m.member(s)
			if s.original {
				m.run.groups[s.CRC] = group{original: s.URL, hrefs: s.Hrefs}
			}
		}
	}
}

// begin registers the start URLs and remembers what was before.
func (m *Model) begin() {
	m.remember()
	for _, s := range m.URLs {
		s.steps, s.Spare, s.revived, s.unitedOf = nil, 0, false, nil
	}
	for _, line := range m.web.Settings.Servers {
		m.register(line.URL, nil)
		m.run.starts[line.URL] = true
	}
}

// member notes that a live document has its content in this run.
func (m *Model) member(s *State) {
	if m.run.members[s.CRC] == nil {
		m.run.members[s.CRC] = make(map[string]bool)
	}
	m.run.members[s.CRC][s.URL] = true
}

func (m *Model) enqueue(url string) {
	if !m.run.queued[url] {
		m.run.queued[url] = true
		m.run.pending = append(m.run.pending, url)
	}
}

func (m *Model) work() {
	for len(m.run.pending) > 0 {
		url := m.run.pending[0]
		m.run.pending = m.run.pending[1:]
		m.visit(m.URLs[url])
	}
}

// register makes a URL known: a start URL (without parent), or a link or redirect that passed the filter.
func (m *Model) register(url string, parent *State) {
	s := m.URLs[url]
	switch {
	case s == nil:
		s = &State{URL: url, Site: m.siteOf(url), Mode: 3}
		s.Tag = m.server(s).Tag
		m.URLs[url] = s
	case s.WithdrawnBy == "SR-09": // a purged orphan is found again
		s.Deleted, s.WithdrawnBy, s.Never, s.Status, s.CRC, s.Redir = false, "", false, 0, "", ""
		s.ErrorClass, s.ErrorCount, s.Dates.any, s.before = "", 0, true, nil
	default:
		if parent != nil && s.since == m.runs && !s.Start {
			s.parents[parent.URL] = true
		}
		if parent != nil && m.run.Mode == Respider {
			m.enqueue(url)
		}
		return
	}
	s.Next, s.since, s.Start, s.parents = m.run.window, m.runs, parent == nil, make(map[string]bool)
	if parent != nil {
		s.parents[parent.URL] = true
		m.enqueue(url)
	}
}

// siteOf is the site of a URL, -1 when it is none of ours.
func (m *Model) siteOf(url string) int {
	for i, site := range m.web.Sites {
		if strings.HasPrefix(url, site.URL+"/") {
			return i
		}
	}
	return -1
}

// server is the line that rules a URL, nil when it is out of scope.
func (m *Model) server(s *State) *ServerLine { return m.web.Settings.server(s.Site) }
