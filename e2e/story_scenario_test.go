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

// scenario is a world with one site and a story in steps: something happens on the web, index runs, and then
// everything that an operator can see is compared with what the rules require. One worker visits the URLs one
// after the other, so that it is certain which URL comes too late for the safety gate.
type scenario struct {
	*world
	site    *spidertest.Site
	conn    *pgxpool.Conn // has storyFunctions
	read    *reader
	lastRun int // run_id of the last run before this step
}

// newScenario starts a site and a world that crawls it. sets comes before the Server line.
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

// prose returns the HTML of a page.
func prose(title, text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<title>%s</title><p>%s", title, text)
	for _, link := range links {
		fmt.Fprintf(&b, ` <a href="%s"></a>`, link)
	}
	return b.String()
}

// fails makes paths answer 500.
func (s *scenario) fails(paths ...string) {
	for _, path := range paths {
		s.site.Set(path, spidertest.Page{Status: 500, Body: "out of order"})
	}
}

// later begins a step: time passes, and the operator runs index with these arguments.
func (s *scenario) later(wait time.Duration, args ...string) {
	s.t.Helper()
	s.pass(wait)
	s.begin()
	s.crawl(args...)
}

// begin begins a step without a run.
func (s *scenario) begin() {
	s.t.Helper()
	s.site.Forget()
	if _, err := fmt.Sscan(s.one(`SELECT coalesce(max(run_id), 0) FROM reindexing`), &s.lastRun); err != nil {
		s.t.Fatal(err)
	}
}

// sees ends a step: it compares the requests and the runs of the step and the tables with want, and verifies
// that the tables agree with each other. A line with a section's name is followed by all lines of the section:
//
//	asked    requests by path, robots.txt first; ~ = conditional; 0 = not answered as HTTP
//	rules    rows of crawl_history by path, those of one in order
//	pages    urlword, the content row, urlstate and docdates of every URL
//	found    words by the documents in which a search finds them: all of the inverted index
//	cited    referrers of every URL: all of citation
//	chains   the view redirect_chains
//	waiting  journal and markdel
//	site     the safety gate, unless it is armed with all counts 0, and the holds of the site, past ones included
//	orphans  the view
//
// Empty sections are left out. Successive URLs with the same state share a line.
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

// explains compares the output of --explain for a page at the end of a story.
func (s *scenario) explains(t *testing.T, path, name string) {
	t.Helper()
	pin(t, "story-"+name, explained(s.world, s.site.URL+path))
}
