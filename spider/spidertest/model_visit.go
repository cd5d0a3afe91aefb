package spidertest

import (
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"time"
)

// visit is an attempt to fetch a URL.
func (m *Model) visit(s *State) {
	line := m.server(s)
	if m.refused(s) {
		m.withdraw(s, true)
		return
	}
	robots, known := m.askRobots(s.Site)
	if !known {
		s.Attempts++
		s.Attempted, s.attempted = m.run.window, m.runs
		m.deferred(s, robots)
		return
	}
	if robots.forbids(s.path()) {
		if m.run.banned[s.Site] && s.Status != 0 && !s.Deleted {
			m.keepBanned(s, line)
			return
		}
		m.withdraw(s, true)
		return
	}
	if s.Deleted {
		m.allowAgain(s, true)
	}
	s.Attempts++
	s.Attempted, s.attempted = m.run.window, m.runs
	m.fetch(s, line)
}

// sweepConfiguration tests every URL against the configuration before the first fetch. That nothing changes
// when the configuration has not is part of the prediction. A URL that a Server line rules gets its tag, whatever else becomes of it.
func (m *Model) sweepConfiguration() {
	m.swept = m.web.Settings.rules()
	for _, s := range m.URLs {
		if line := m.server(s); line != nil {
			s.Tag = line.Tag
		}
		refused := m.refused(s)
		switch {
		case refused && !s.Deleted:
			m.withdraw(s, false)
		case !refused && s.WithdrawnBy == "T-12" && !m.robots[s.Site].forbids(s.path()):
			m.allowAgain(s, false)
		}
	}
}

// askRobots is the robots.txt of a site in this run; false when its content is not known. The first answer of
// a run decides for all URLs of the site that are known.
func (m *Model) askRobots(site int) (Robots, bool) {
	answer, asked := m.run.asked[site]
	if asked {
		return answer, answer.decisive()
	}
	answer = m.web.Robots[site]
	m.run.asked[site] = answer
	if !answer.decisive() {
		return answer, false
	}
	m.robots[site] = answer
	m.dueAgain(site)
	if m.run.banned[site] = m.holdsBan(site, answer); m.run.banned[site] {
		return answer, true
	}
	for _, s := range m.URLs {
		if s.Site != site || m.refused(s) {
			continue
		}
		switch forbidden := answer.forbids(s.path()); {
		case forbidden && !s.Deleted:
			m.withdraw(s, true) // the sweep, or a visit that was under way
		case !forbidden && s.WithdrawnBy == "T-12":
			m.allowAgain(s, true)
		}
	}
	return answer, true
}

// dueAgain makes the URLs of a site due that wait because its robots.txt could not be had.
func (m *Model) dueAgain(site int) {
	for _, s := range m.URLs {
		if s.Site != site || !s.barred || !s.Next.from.After(m.run.from) {
			continue
		}
		s.Next = m.run.window
		if m.run.Mode != Respider {
			m.enqueue(s.URL)
		}
	}
}

// withdraw is T-12.
func (m *Model) withdraw(s *State, leased bool) {
	s.again("T-12")
	if leased {
		s.Spare++ // an attempt, unless a sweep did it
	}
	if s.since == m.runs { // links register it before or after the sweep: it is the sweep, a visit or both
		s.steps[len(s.steps)-1].many = true
	}
	if m.mayReturn(s) {
		m.keep(s)
	}
	by := "T-12"
	if row := m.run.Seen.URLs[s.URL]; s.WithdrawnBy == "T-13" && row != nil && row.WithdrawnBy == "T-13" {
		by = "T-13" // the rules do not say which of both counts
	}
	s.Deleted, s.WithdrawnBy, s.moving = true, by, moving{}
	if line := m.server(s); line != nil {
		s.Next = m.run.add(line.Period)
	} else {
		s.NextAny = true
	}
}

// allowAgain is T-15.
func (m *Model) allowAgain(s *State, leased bool) {
	s.again("T-15")
	if leased {
		s.Spare++
	}
	if m.comesBack(s) {
		m.revive(s)
		return
	}
	s.Kept, s.Bare = false, false
	s.Deleted, s.WithdrawnBy, s.Status, s.Row, s.Hrefs = false, "", 0, false, nil
	s.CRC, s.Redir, s.ErrorClass, s.ErrorCount = "", "", "", 0 // as new
	s.Dates.any = true
	s.Next, s.NextAny = m.run.window, false
	if m.run.Mode != Respider {
		m.enqueue(s.URL)
	}
}

// deferred is a visit of a URL whose host's robots.txt decides nothing. When nobody answered, that holds for the URL, too;
// a robots.txt that is answered, but cannot be had, says nothing about it (902).
func (m *Model) deferred(s *State, robots Robots) {
	if robots.Status == 0 {
		m.unheard(s, s.silent+1)
		return
	}
	s.did("T-10")
	s.result, s.silent, s.barred = 902, 0, true
	m.noAnswer(s, 0)
	m.followStored(s)
}

// unheard is T-10n and T-10 of a URL that did not answer for the nth time in a row.
func (m *Model) unheard(s *State, silent int) {
	const reset = 705
	s.result, s.silent = reset, silent
	if !s.Deleted && s.neverAnswered() {
		s.did("T-10n")
		s.Status = reset
	} else {
		s.did("T-10")
	}
	m.countStart(s)
	m.noAnswer(s, 0)
	m.followStored(s)
}

// fetch asks for a URL and applies what comes.
func (m *Model) fetch(s *State, line *ServerLine) {
	var answer Answer
	silent := s.silent + 1
	s.silent = 0
	for _, p := range m.web.Pages {
		if p.URL == s.URL {
			answer = p.Answer
		}
	}
	if answer.Status == 0 && answer.Fault == NoFault {
		answer.Status = http.StatusNotFound
	}
	request := &request{count: 1, more: answer.Fault != NoFault}
	m.run.requests[s.URL] = request
	earlier := s.Mode&modeEarlier != 0 // only the validators of the version that is kept count
	conditional := !m.run.Forced && (s.base() == 200 || s.base() == 406 && s.Row && !s.Bare && (!earlier || s.ETag+s.Modified != ""))
	unchanged := false
	if conditional {
		request.conditional = 1
		since, err := http.ParseTime(s.Modified)
		if err != nil {
			since = s.Indexed.from.Add(-m.offset) // without a stored Last-Modified: the time of the last answer
			if earlier {
				since = time.Time{}
			}
		}
		unchanged = answer.answers304(s.ETag, since)
	}
	if answer.Fault == NoFault && answer.Status != http.StatusTooManyRequests {
		s.moving = moving{}
	}
	switch {
	case answer.Fault != NoFault:
		m.unheard(s, silent)
	case answer.Status == http.StatusTooManyRequests:
		s.silent = silent + timesRefused - 1
		m.limited(s, request)
	case unchanged:
		m.unchanged(s, line, answer, "T-02")
	case answer.Status == 200:
		m.received(s, line, answer)
	case answer.Location != "":
		m.redirected(s, answer)
	default:
		m.failed(s, line, answer)
	}
}

// unchanged is T-02 and T-03, and T-16 when the indexing mode differs.
func (m *Model) unchanged(s *State, line *ServerLine, answer Answer, rule string) {
	body := m.bodies[s.CRC]
	date := ""
	if !answer.Modified.IsZero() {
		date = answer.Modified.UTC().Format(http.TimeFormat)
	}
	if answer.ETag != "" {
		s.ETag = answer.ETag
	}
	if date != "" {
		s.Modified = date
	}
	if s.Mode != line.mode() || m.readAsHeir(s) {
		if rule == "T-03" {
			m.validators(s, answer)
		}
		m.reread(s, line, body, "T-16")
		return
	}
	s.Status, s.heir = s.base(), false // no longer lost
	s.did(rule)
	fresh := m.run.Mode == Respider && s.wasClone()
	links := m.follow(s, line, body, fresh)
	if s.base() == 200 {
		m.names(s, body, links, fresh)
	}
	if s.base() == 406 {
		s.Row = len(links) > 0 || s.Kept
	}
	if s.Row {
		s.Hrefs = links
	}
	formerly := s.ErrorClass == "robots"
	m.success(s, line)
	m.robotsMeta(s, body, formerly)
}

// readAsHeir reports whether a document was read again (T-16) because it has the words of its former original. Other words were left out
// of those if the original is a start page or has no Server line. The tables tell whether it was.
func (m *Model) readAsHeir(s *State) bool {
	row := m.run.Seen.URLs[s.URL]
	return (s.heir || s.wasClone()) && row != nil && slices.Contains(row.Rules, "T-16")
}

// robotsMeta is the ladder of a page that was indexed and is not any more because it says noindex. It goes on
// as long as the page says so.
func (m *Model) robotsMeta(s *State, body *Body, formerly bool) {
	if s.Status == 406 && body.NoIndex && formerly {
		count := 0
		if s.before != nil && s.before.ErrorClass == "robots" {
			count = s.before.ErrorCount
		}
		s.ErrorClass, s.ErrorCount = "robots", count+1
		s.Next = m.run.add(ladder("robots", s.ErrorCount))
	}
}

// reread gives a document the content that it has, read under the rules of now.
func (m *Model) reread(s *State, line *ServerLine, body *Body, rule string) {
	s.did(rule)
	if rule == "T-01" || rule == "T-04" {
		s.steps[len(s.steps)-1].crc = body.CRC
	}
	was := s.base()
	m.bodies[body.CRC] = body
	s.CRC, s.Redir, s.heir = body.CRC, "", false
	links := m.follow(s, line, body, true)
	s.Hrefs = links
	s.Status = 200
	if line.Index && !body.NoIndex {
		m.names(s, body, links, true)
	} else {
		s.claim = ""
		s.Status = 406
		if was == 200 || s.Kept {
			m.keep(s)
		}
		s.Row = len(links) > 0 || s.Kept
		s.Bare = s.Bare && s.Row
		s.original = false
	}
	if s.Status == 200 {
		s.Kept, s.Bare = false, false
		m.member(s)
	}
	formerly := was == 200 || s.ErrorClass == "robots"
	m.success(s, line)
	m.robotsMeta(s, body, formerly)
}

// received is a body.
func (m *Model) received(s *State, line *ServerLine, answer Answer) {
	was := s.base()
	same := (was == 200 || was == 406) && s.CRC == answer.Body.CRC // a server's own 406 has no CRC
	if same && !m.run.Forced {
		if was == 406 && !s.Row && s.Mode == line.mode() && len(m.filter(s, line, answer.Body, true)) > 0 {
			// Nothing is stored from which links could be read under other rules: the body is read
			// (schema.md: T-03 asks for the same rules).
			m.validators(s, answer)
			m.reread(s, line, answer.Body, "T-06|T-03")
			return
		}
		m.unchanged(s, line, answer, "T-03")
		return
	}
	if answer.Body.NoIndex && !same && (s.live() || s.Kept) && s.CRC != "" {
		m.keepEarlier(s, line, answer)
		return
	}
	if was == united && m.staysUnited(s, line, answer.Body) {
		return
	}
	m.validators(s, answer)
	if !same {
		m.date(s, answer)
	}
	rule := "T-04"
	switch {
	case !line.Index || answer.Body.NoIndex:
		rule = "T-06"
	case was == 0:
		rule = "T-01"
	case same:
		rule = "T-17|T-01c|T-01o|T-04"
	}
	if same && (s.Mode != line.mode() || m.readAsHeir(s)) {
		rule += "|T-16"
	}
	m.reread(s, line, answer.Body, rule)
}

func (m *Model) validators(s *State, answer Answer) {
	s.ETag, s.Modified = answer.ETag, ""
	if !answer.Modified.IsZero() {
		s.Modified = answer.Modified.UTC().Format(http.TimeFormat)
	}
}

// redirected is T-05, or T-10 before the redirects of the site are counted.
func (m *Model) redirected(s *State, answer Answer) {
	status, target := map[int]int{301: 301, 302: 302, 303: 302, 307: 302, 308: 301}[answer.Status], ""
	if m.admits(s, answer.Location, true) {
		m.register(answer.Location, s)
		target = answer.Location
	}
	if s.live() {
		m.followStored(s)
	}
	if m.awaits(s) {
		m.await(s, status, target)
		return
	}
	m.moved(s, status, target)
}

// failed is an HTTP error: T-07, T-08 and T-13.
func (m *Model) failed(s *State, line *ServerLine, answer Answer) {
	class := classOf(answer.Status)
	bad := line.DeleteBad && class == "gone"
	s.result = answer.Status
	m.countStart(s)
	defer m.followStored(s)
	if s.live() && !m.mayLose(s) {
		s.did("T-10")
		m.noAnswer(s, answer.RetryAfter)
		return
	}
	m.series(s, class)
	s.Indexed = m.run.window
	switch {
	case bad:
		s.did("T-13")
		s.Status, s.Deleted, s.WithdrawnBy, s.Redir, s.original = answer.Status, true, "T-13", "", false
		s.Row, s.Hrefs, s.Kept, s.Bare = false, nil, false, false
		s.Next = m.run.add(line.Period)
		return
	case s.live():
		s.did("T-07")
		s.Status = pack(200, answer.Status, s.lostCount()+1)
		s.Next = m.run.add(max(ladder(class, s.ErrorCount), answer.RetryAfter))
	default:
		s.did("T-08")
		wait := backoff(s.ErrorCount)
		if s.hasContent() {
			wait = ladder(class, s.ErrorCount)
		}
		s.Status, s.Redir, s.Row = answer.Status, "", false
		s.Kept, s.Bare = false, false
		if answer.Status == 406 {
			s.CRC, s.ETag, s.Modified = "", "", ""
		}
		s.Next = m.run.add(max(wait, answer.RetryAfter))
	}
}

// timesRefused is how often a page that refuses is asked for in a run.
const timesRefused = 3

// limited is a page that answers 429: it is asked for until it may not be asked again in the run.
func (m *Model) limited(s *State, request *request) {
	request.count *= timesRefused
	request.conditional *= timesRefused
	s.Attempts += timesRefused - 1
	s.result = http.StatusTooManyRequests
	rule := "T-10"
	if !s.Deleted && s.neverAnswered() {
		rule, s.Status = "T-10n", http.StatusTooManyRequests
	}
	for range timesRefused {
		s.did(rule)
	}
	m.noAnswer(s, 0)
	m.followStored(s)
}

// neverAnswered reports whether a URL has no answer yet but that its server did not want to answer.
func (s *State) neverAnswered() bool {
	switch base := s.base(); base {
	case 0, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	default:
		return base >= 700 && base < 800
	}
}

// noAnswer applies the common part of T-10 and T-10n: only the time of the next attempt changes.
func (m *Model) noAnswer(s *State, retryAfter time.Duration) {
	m.series(s, "unreachable")
	wait := ladder("unreachable", s.ErrorCount)
	if !s.hasContent() {
		wait = backoff(s.ErrorCount)
	}
	s.Next = m.run.add(max(wait, retryAfter))
}

func (s *State) hasContent() bool {
	switch s.base() {
	case 200, 301, 302, 406, united:
		return s.Row || s.CRC != "" || !s.Deleted // else T-20 has removed what was kept
	}
	return s.Row
}

// success ends a series of errors.
func (m *Model) success(s *State, line *ServerLine) {
	s.ErrorClass, s.ErrorCount = "", 0
	s.Indexed = m.run.window
	s.Mode = line.mode()
	s.Next = m.run.add(line.Period)
}

// series counts an error.
func (m *Model) series(s *State, class string) {
	if s.ErrorClass != class {
		s.ErrorClass, s.ErrorCount = class, 0
	}
	s.ErrorCount++
}

// mode is the indexing mode as urlstate has it.
func (line *ServerLine) mode() (mode int) {
	if line.Index {
		mode |= 1
	}
	if line.Follow {
		mode |= 2
	}
	return mode
}

// follow registers the links of a document that pass the filter, and returns them. fresh says that they are read in this run.
func (m *Model) follow(s *State, line *ServerLine, body *Body, fresh bool) map[string]bool {
	links := m.filter(s, line, body, fresh)
	for link := range links {
		if !m.sleeps(s, link, fresh) {
			m.register(link, s)
		}
	}
	m.run.read[s.URL] = links
	return links
}

// filter is the link filter and the document's and the configuration's word on following.
func (m *Model) filter(s *State, line *ServerLine, body *Body, fresh bool) map[string]bool {
	links := make(map[string]bool)
	if !line.Follow || body.NoFollow {
		return links
	}
	for _, link := range body.Links {
		if link != s.URL && m.admits(s, link, fresh) {
			links[link] = true
		}
	}
	return links
}

// wasClone reports whether the document was a clone before this run. A --respider run reads its links each time, since no row has them.
func (s *State) wasClone() bool { return s.before != nil && s.before.live() && !s.before.original }

// followStored makes what a document that failed led to count as reached.
func (m *Model) followStored(s *State) {
	b := s.before
	if m.run.Mode != Respider || b == nil || b.Deleted && !s.revived {
		return
	}
	if s.revived && b.base() == 200 {
		m.followRevived(s)
		return
	}
	switch {
	case s.wasClone():
		m.followClone(s)
	case b.Row:
		m.reach(s, maps.Keys(b.Hrefs))
	}
}

// sleeps reports whether a link of an unchanged document, which had it before, leads to a purged orphan that it does not restore:
// outside of --respider the links of an unchanged document are read again after a change of the rules only. The tables say
// whether they were.
func (m *Model) sleeps(s *State, link string, fresh bool) bool {
	t, b, row := m.URLs[link], s.before, m.run.Seen.URLs[link]
	return t != nil && t.WithdrawnBy == "SR-09" && !fresh && m.run.Mode != Respider && b != nil && b.Row && b.Hrefs[link] &&
		row != nil && row.WithdrawnBy == "SR-09"
}

// followClone is followStored of a clone: it has its original's content, read from its own URL.
func (m *Model) followClone(s *State) {
	if line := m.server(s); line != nil {
		for link := range m.filter(s, line, m.bodies[s.before.CRC], true) {
			m.register(link, s)
		}
	}
}

// reach makes the stored links of a document that failed count as reached. A purged orphan among them is restored.
func (m *Model) reach(s *State, links iter.Seq[string]) {
	for link := range links {
		switch t := m.URLs[link]; {
		case t == nil:
		case t.WithdrawnBy == "SR-09":
			m.register(link, s)
		default:
			m.enqueue(link)
		}
	}
}

// problem notes what the model could not explain.
func (m *Model) problem(format string, args ...any) {
	m.run.problems = append(m.run.problems, fmt.Sprintf(format, args...))
}
