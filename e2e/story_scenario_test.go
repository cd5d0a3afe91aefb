package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// scenario is a world with one site of which a story is told, chapter by chapter: something happens on the web, index runs, and
// then the whole of what an operator can see is compared with what the rules say. One worker visits one URL after the
// other, so that it is certain which comes too late for the safety gate.
type scenario struct {
	*world
	site    *spidertest.Site
	conn    *pgxpool.Conn // has storyFunctions
	read    *reader
	lastRun int // run_id of the last run before this step
}

// newScenario starts a site and a world that crawls it. sets stands before the Server line.
func newScenario(t *testing.T, sets, spider string) *scenario {
	t.Helper()
	site := spidertest.NewSite(t)
	return newScenarioOf(t, site, sets, spider)
}

// newScenarioOf is newScenario for a site that runs already.
func newScenarioOf(t *testing.T, site *spidertest.Site, sets, spider string) *scenario {
	t.Helper()
	s := &scenario{world: newWorld(t, "HostLoad * 0 24 1\n"+sets+"Server "+site.URL+"/\n"), site: site}
	s.spider("Threads 1\n" + spider)
	s.read = &reader{w: s.world, base: site.URL, hashes: map[string]string{}}
	conn, err := s.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Release)
	if _, err := conn.Exec(t.Context(), storyFunctions); err != nil {
		t.Fatal(err)
	}
	s.conn = conn
	return s
}

// page gives a path a page with a title, a text and links to these paths.
func (s *scenario) page(path, title, text string, links ...string) {
	s.site.HTML(path, prose(title, text, links...))
}

// prose is a page's HTML.
func prose(title, text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<title>%s</title><p>%s", title, text)
	for _, link := range links {
		fmt.Fprintf(&b, ` <a href="%s"></a>`, link)
	}
	return b.String()
}

// fails lets paths answer 500.
func (s *scenario) fails(paths ...string) {
	for _, path := range paths {
		s.site.Set(path, spidertest.Page{Status: 500, Body: "out of order"})
	}
}

// later begins a chapter: time has passed, and the operator runs index with these arguments.
func (s *scenario) later(wait time.Duration, args ...string) {
	s.t.Helper()
	s.pass(wait)
	s.begin()
	s.index(args...)
}

// begin begins a chapter without a run.
func (s *scenario) begin() {
	s.t.Helper()
	s.site.Forget()
	if _, err := fmt.Sscan(s.one(`SELECT coalesce(max(run_id), 0) FROM reindexing`), &s.lastRun); err != nil {
		s.t.Fatal(err)
	}
}

// sees ends a chapter: this is what the requests, the runs of the chapter and the tables must be, and the tables must agree
// with each other. A line with a section's name is followed by all that the section has to tell:
//
//	asked    requests by path, robots.txt first; ~ = conditional; 0 = not answered as HTTP
//	rules    rows of crawl_history by path, those of one in order
//	pages    urlword, the content row, urlstate and docdates of every URL
//	found    words by the documents in which a search finds them: all of the inverted index
//	cited    referrers of every URL: all of citation
//	chains   the view redirect_chains
//	waiting  journal and markdel
//	site     the safety gate, when it is not at rest, and the holds of the site, those that are over too
//	orphans  the view
//
// Sections with nothing to tell are left out. URLs that follow each other, and of which the same is to be told, stand in
// one line.
func (s *scenario) sees(step string, want ...string) {
	s.t.Helper()
	var lines []string
	for line := range strings.Lines(strings.Join(want, "\n")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	got := s.state()
	if diff := cmp.Diff(lines, got); diff != "" {
		s.t.Errorf("%s (-want +got):\n%s\nall of it:\n\t%s", step, diff, strings.Join(got, "\n\t"))
	}
	s.check()
}

// moves makes a path redirect.
func (s *scenario) moves(path string, status int, to string) {
	s.site.Set(path, spidertest.Page{Status: status, Header: map[string]string{"Location": to}})
}

// explains pins what --explain says of a page at the end of a story.
func (s *scenario) explains(t *testing.T, path, name string) {
	t.Helper()
	pin(t, "story-"+name, explained(s.world, s.site.URL+path))
}
