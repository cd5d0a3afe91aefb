package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/cli"
	"github.com/pgseek/pgseek/spider/spidertest"
)

// These are the numbers of pages of a soak's site: pages that never change, pages that change with each
// crawl, and pages that index -T visits.
const (
	steadyPages  = 30
	movingPages  = 12
	instantPages = 6
)

// soakWeb is a site whose right answers are known in every state of the crawl. A moving page has the word
// evenN in even versions and oddN in odd ones, so that a search finds one of them and never both.
type soakWeb struct {
	site    *spidertest.Site
	version atomic.Int64 // of the moving pages
}

func newSoakWeb(t *testing.T) *soakWeb {
	w := &soakWeb{site: spidertest.NewSite(t)}
	var home strings.Builder
	for i := range steadyPages {
		w.site.HTML(fmt.Sprintf("/steady/%d", i), fmt.Sprintf(`<title>Steady %d</title><p>All steadfast pages have it; steady%d alone has this.
			The number %d stands here as a phrase of its%d.`, i, i, i, i))
		fmt.Fprintf(&home, `<a href="/steady/%d">x</a> `, i)
	}
	for i := range movingPages {
		fmt.Fprintf(&home, `<a href="/moving/%d">x</a> `, i)
	}
	for i := range instantPages {
		w.write("instant", i, 0)
		fmt.Fprintf(&home, `<a href="/instant/%d">x</a> `, i)
	}
	w.site.HTML("/", home.String())
	w.move()
	return w
}

func (w *soakWeb) sets() string { return "Server " + w.site.URL + "/\n" }

// write makes a version of a page: its words are evenKindN or oddKindN, and one of the version alone.
func (w *soakWeb) write(kind string, page int, version int64) {
	word := []string{"even", "odd"}[version%2]
	w.site.HTML(fmt.Sprintf("/%s/%d", kind, page), fmt.Sprintf(`<title>%s %d</title><p>Each %s page says %s%s%d in this version: %s.`,
		kind, page, kind, word, kind, page, versionWord(kind, page, version)))
}

func versionWord(kind string, page int, version int64) string {
	return fmt.Sprintf("%s%dversion%d", kind, page, version)
}

// move makes the next version of all moving pages.
func (w *soakWeb) move() {
	v := w.version.Add(1)
	for i := range movingPages {
		w.write("moving", i, v)
	}
}

// question is a query with its right answer.
type question struct {
	text   string
	more   string // parameters
	asPage bool
	found  int
	shown  int    // results on the page
	url    string // how that of the only one ends; empty = any
}

// question draws a question.
func (w *soakWeb) question(r *rand.Rand) question {
	i, kind, pages := r.IntN(steadyPages), "moving", movingPages
	if r.IntN(2) == 0 {
		kind, pages = "instant", instantPages
	}
	m := r.IntN(pages)
	at := fmt.Sprintf("/%s/%d", kind, m)
	switch r.IntN(9) {
	case 0:
		return question{text: "steadfast", found: steadyPages, shown: 20}
	case 1:
		return question{text: "steadfast", more: "&ps=7&np=4", found: steadyPages, shown: 2}
	case 2:
		return question{text: fmt.Sprintf("steadfast steady%d", i), found: 1, shown: 1, url: fmt.Sprintf("/steady/%d", i)}
	case 3:
		return question{text: fmt.Sprintf(`"as a phrase of its%d"`, i), found: 1, shown: 1, url: fmt.Sprintf("/steady/%d", i)}
	case 4:
		return question{text: "steadfas*", found: steadyPages, asPage: true}
	case 5:
		return question{text: fmt.Sprintf("(even%s%d OR odd%s%d)", kind, m, kind, m), found: 1, shown: 1, url: at}
	case 6:
		return question{text: fmt.Sprintf("even%s%d odd%s%d", kind, m, kind, m)}
	case 7:
		return question{text: fmt.Sprintf("each title:%s", kind), found: pages, shown: pages}
	}
	return question{text: fmt.Sprintf(`"%s page says" (even%s%d OR odd%s%d)`, kind, kind, m, kind, m), found: 1, shown: 1, url: at}
}

// target returns the request of the question.
func (q question) target() string {
	target := "/search?match=all&q=" + url.QueryEscape(q.text) + q.more
	if !q.asPage {
		target += "&format=json"
	}
	return target
}

// check compares an answer with the right one. found is the number of results that it reports.
func (q question) check(p page) (found int, problem string) {
	switch {
	case p.status != 200:
		return -1, "not answered"
	case q.asPage:
		if !strings.Contains(p.body, fmt.Sprintf("<strong>%d documents</strong>", q.found)) {
			return -1, fmt.Sprintf("does not say that there are %d documents", q.found)
		}
		return q.found, ""
	}
	var a struct {
		URLs    int `json:"total_urls"`
		Results []struct {
			ID  int `json:"url_id"`
			URL string
		}
	}
	if err := json.Unmarshal([]byte(p.body), &a); err != nil {
		return -1, err.Error()
	}
	ids := map[int]bool{}
	for _, r := range a.Results {
		ids[r.ID] = true
		if !strings.HasSuffix(r.URL, q.url) {
			return a.URLs, "found " + r.URL
		}
	}
	if a.URLs != q.found || len(a.Results) != q.shown || len(ids) != q.shown {
		return a.URLs, fmt.Sprintf("found %d, %d different ones shown, want %d and %d", a.URLs, len(ids), q.found, q.shown)
	}
	return a.URLs, ""
}

// crawl changes all moving pages, crawls and merges, until ctx ends. Each time it verifies that the new
// version is found and the old one is not.
func (s *soak) crawl(ctx context.Context, done chan<- struct{}) {
	for ctx.Err() == nil {
		s.web.move()
		s.again("-a", "-m")
		s.again("-D")
		v := s.web.version.Load()
		for i := range movingPages {
			s.only(versionWord("moving", i, v), versionWord("moving", i, v-1))
		}
		done <- struct{}{}
	}
}

// realtime changes a page and runs index -T on it, until ctx ends.
func (s *soak) realtime(ctx context.Context, done chan<- struct{}) {
	for v := int64(1); ctx.Err() == nil; v++ {
		for i := range instantPages {
			s.web.write("instant", i, v)
			s.again("-T", fmt.Sprintf("%s/instant/%d", s.web.site.URL, i))
			s.only(versionWord("instant", i, v), versionWord("instant", i, v-1))
		}
		done <- struct{}{}
	}
}

// again runs index, and runs it once more if the outage interrupted it.
func (s *soak) again(args ...string) {
	for {
		begin := time.Now()
		code, out := s.try(args...)
		if code == cli.ExitDone {
			return
		}
		if !s.wasAway(begin) {
			s.wrong("index %s: exit code %d\n%s", strings.Join(args, " "), code, out)
			return
		}
	}
}

// only searches for the word of the newest version, which must be found, and for that of the previous one,
// which must not.
func (s *soak) only(newest, before string) {
	for word, want := range map[string]int{newest: 1, before: 0} {
		for {
			begin := time.Now()
			q := question{text: word, found: want, shown: want}
			p, err := s.ask(context.Background(), q.target())
			if err != nil || p.status != 503 || !s.wasAway(begin) {
				if _, problem := q.check(p); err != nil || problem != "" {
					s.wrong("%s is the newest: %s: %v %s\n%d %s", newest, word, err, problem, p.status, p.body)
				}
				break
			}
		}
	}
}
