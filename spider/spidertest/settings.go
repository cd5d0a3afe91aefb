package spidertest

import (
	"fmt"
	"strings"
	"time"
)

// Settings is the configuration of a period.
type Settings struct {
	Patterns     []Pattern // in order, the first that matches decides
	Servers      []ServerLine
	MaxHops      int
	Workers      int
	LostLimit    int
	MaxLostShare int // per cent
	LostPeriod   time.Duration
	OrphanPeriod time.Duration
	Unreachable  bool
}

// Pattern is an Allow or Disallow line. Its text is found literally in the URL.
type Pattern struct {
	Allow bool
	Text  string
}

// ServerLine is a Server line with its local directives.
type ServerLine struct {
	Site          int
	URL           string
	Index, Follow bool
	DeleteBad     bool
	Period        time.Duration
	Tag           int
}

// configure chooses the settings of the period.
func (w *Web) configure() {
	s := &w.Settings
	if w.period == 0 {
		*s = Settings{LostLimit: 15, MaxLostShare: 100, LostPeriod: 30 * day, OrphanPeriod: 6 * day, MaxHops: 256}
		if w.features.Purges {
			s.LostLimit = 2 + w.random.IntN(3)
		}
		if w.features.Share {
			s.MaxLostShare = 30
		}
		s.Unreachable = w.features.Unreachable
		for i, site := range w.Sites {
			s.Servers = append(s.Servers, ServerLine{
				Site: i, URL: site.URL + "/", Index: true, Follow: true, Tag: w.random.IntN(3),
				Period: pickPeriod(w), DeleteBad: w.features.DeleteBad && w.random.IntN(2) == 0,
			})
		}
	}
	if w.features.Hops && (w.period == 0 || w.random.IntN(4) == 0) {
		s.MaxHops = 1 + w.random.IntN(3)
	}
	if w.random.IntN(3) == 0 {
		s.Patterns = nil
		for _, dir := range patternDirs {
			if w.random.IntN(2) == 0 {
				s.Patterns = append(s.Patterns, Pattern{Text: dir})
			}
		}
		if w.random.IntN(3) == 0 {
			s.Patterns = append([]Pattern{{Allow: true, Text: patternDirs[0] + "p1"}}, s.Patterns...)
		}
	}
	for i := range s.Servers {
		line := &s.Servers[i]
		if w.random.IntN(6) == 0 {
			line.Period = pickPeriod(w)
			line.Tag = (line.Tag + 1) % 3
		}
		if w.features.Modes && w.random.IntN(4) == 0 {
			line.Index, line.Follow = w.random.IntN(4) != 0, w.random.IntN(4) != 0
		}
		if w.features.DeleteBad && w.random.IntN(5) == 0 {
			line.DeleteBad = !line.DeleteBad
		}
	}
	if w.features.Outside && len(w.Sites) > 1 && w.period > 0 {
		last := len(w.Sites) - 1
		switch out := len(s.Servers) == last; {
		case out && w.random.IntN(2) == 0:
			s.Servers = append(s.Servers, ServerLine{
				Site: last, URL: w.Sites[last].URL + "/", Index: true, Follow: true, Period: pickPeriod(w), Tag: w.random.IntN(3),
			})
		case !out && w.random.IntN(5) == 0:
			s.Servers = s.Servers[:last]
		}
	}
}

const day = 24 * time.Hour

func pickPeriod(w *Web) time.Duration { return pick(w.random, []time.Duration{day, 3 * day, 7 * day}) }

// Sets is the text of sets.cnf.
func (s Settings) Sets() string {
	var b strings.Builder
	for _, p := range s.Patterns {
		fmt.Fprintf(&b, "%s %s\n", map[bool]string{true: "Allow", false: "Disallow"}[p.Allow], p.Text)
	}
	fmt.Fprintf(&b, "MaxHops %d\n", s.MaxHops)
	for _, line := range s.Servers {
		fmt.Fprintf(&b, "Period %ds\nTag %d\nIndex %s\nFollow %s\nDeleteBad %s\nServer %s\n", int(line.Period/time.Second), line.Tag,
			yes(line.Index), yes(line.Follow), yes(line.DeleteBad), line.URL)
	}
	return b.String()
}

// Spider is the text of spider.cnf, without the database.
func (s Settings) Spider() string {
	// The model knows nothing of outages, which a site without robots.txt looks like when it is the only one.
	return fmt.Sprintf("ConnectivityInterval 0\nThreads %d\nLostLimit %d\nMaxLostShare %d%%\nLostPeriod %ds\nOrphanPeriod %ds\nUnreachableRemove %s\n",
		s.Workers, s.LostLimit, s.MaxLostShare, int(s.LostPeriod/time.Second), int(s.OrphanPeriod/time.Second), yes(s.Unreachable))
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// server is the line that rules a URL of a site, nil when the site is out of scope.
func (s Settings) server(site int) *ServerLine {
	for i := range s.Servers {
		if s.Servers[i].Site == site {
			return &s.Servers[i]
		}
	}
	return nil
}

// refused reports whether a pattern refuses a URL.
func (s Settings) refused(url string) bool {
	for _, p := range s.Patterns {
		if strings.Contains(url, p.Text) {
			return !p.Allow
		}
	}
	return false
}

// forbids reports whether robots.txt forbids a path: the longest rule wins, Allow wins a tie.
func (r Robots) forbids(path string) bool {
	deny, allow := -1, -1
	for _, rule := range r.Deny {
		if strings.HasPrefix(path, rule) {
			deny = max(deny, len(rule))
		}
	}
	for _, rule := range r.Allow {
		if strings.HasPrefix(path, rule) {
			allow = max(allow, len(rule))
		}
	}
	return deny > allow
}

// decisive reports whether an answer says what the rules are (policy rfc9309).
func (r Robots) decisive() bool {
	return r.Status == 200 || r.Status >= 400 && r.Status < 500 && r.Status != 429
}

// text is the file.
func (r Robots) text() string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, path := range r.Deny {
		fmt.Fprintf(&b, "Disallow: %s\n", path)
	}
	for _, path := range r.Allow {
		fmt.Fprintf(&b, "Allow: %s\n", path)
	}
	return b.String()
}
