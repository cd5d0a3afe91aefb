package spider

import (
	"strings"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
)

// LeaveOut has the settings of a Server for what is not content.
type LeaveOut struct {
	Navigation bool   // unless KeepNavigation
	Selectors  string // of LeaveOut, as document.ParseSelectors returns them
	Number     int    // of these selectors in the database, 0 without any
}

// isStart reports whether a normalized URL is the start page of a site: the start URL of the Server, or the root of the host.
func (s *Server) isStart(url string) bool {
	if url == s.URL.Text {
		return true
	}
	_, rest, _ := strings.Cut(url, "://")
	slash := strings.IndexByte(rest, '/')
	return slash >= 0 && slash == len(rest)-1
}

// leaves returns the rules by which words of a page are left out.
func (s *Server) leaves(url string) document.LeaveOut {
	return document.LeaveOut{
		Navigation: s.LeaveOut.Navigation, Start: s.LeaveOut.Navigation && s.isStart(url), Selectors: s.LeaveOut.Selectors,
	}
}

// reading returns these rules, and the charset of the Server, as bits of the page's indexing mode.
func (s *Server) reading(url string) (mode int) {
	l := s.leaves(url)
	if l.Navigation {
		mode |= store.ModeMain
	}
	if l.Start {
		mode |= store.ModeStart
	}
	return mode | store.ModeOfList(s.LeaveOut.Number) | store.ModeOfCharset(s.Charset)
}

// readingStored returns the bits for the stored content of a visit's page, which is read in the charset of before: its title is.
func (v *visit) readingStored() int {
	mode := v.due.IndexMode & store.ModeCharset
	if v.server != nil {
		mode |= v.server.reading(v.due.URL) &^ store.ModeCharset
	}
	return mode
}

// Reading returns how a document is read by the rules of today, as bits of store.ModeReading. known is false when no Server line applies
// to it.
func (s *Scope) Reading(url string) (how store.HowRead, known bool) {
	r := s.rule(url, 0)
	if r.server == nil {
		return how, false
	}
	return r.server.Reading(url), true
}

// Reading returns how a page of the Server is read.
func (s *Server) Reading(url string) store.HowRead {
	return store.HowRead{Mode: s.reading(url), Selectors: s.LeaveOut.Selectors}
}

// NumberLists gives each list of selectors its number in the database.
func (s *Scope) NumberLists(numbers map[string]int) {
	for _, servers := range s.bySite {
		for _, server := range servers {
			server.LeaveOut.Number = numbers[server.LeaveOut.Selectors]
		}
	}
	if s.outside != nil {
		s.outside.LeaveOut.Number = numbers[s.outside.LeaveOut.Selectors]
	}
}

// Lists returns the lists of selectors of all Servers, each once.
func (s *Scope) Lists() (lists []string) {
	seen := map[string]bool{"": true}
	add := func(server *Server) {
		if l := server.LeaveOut.Selectors; !seen[l] {
			seen[l] = true
			lists = append(lists, l)
		}
	}
	for _, servers := range s.bySite {
		for _, server := range servers {
			add(server)
		}
	}
	if s.outside != nil {
		add(s.outside)
	}
	return lists
}
