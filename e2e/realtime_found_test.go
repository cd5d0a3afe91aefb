package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider/spidertest"
)

// realtimeCase is a way to an OK of index -T. The site has / with links to /a, /b and /c, so their ids ascend. Nothing of it is known
// before.
type realtimeCase struct {
	name   string
	rule   string              // that -T tells
	path   string              // that it is asked for
	args   []string            // more of its arguments
	before func(*realtimeTest) // what was before
	beside func(*realtimeTest) // happens while path is asked for, once
	at     string              // while this one is asked for instead
	finds  []string            // paths that are found after it, too
}

// realtimeTest is a running realtimeCase.
type realtimeTest struct {
	*world
	site  *spidertest.Site
	mu    sync.Mutex
	plain map[string]string // the pages by path
	bares map[string]bool   // those without a validator
}

// says keeps what a path answers, of one that interrupted serves.
func (p *realtimeTest) says(path, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plain[path] = text
}

func (p *realtimeTest) text(path string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.plain[path]
}

func tagOf(text string) string { return fmt.Sprintf("%q", crcOf(text)) }

// page gives a path a page, sent with a validator.
func (p *realtimeTest) page(path, text string) {
	p.says(path, text)
	p.bares[path] = false
	p.site.Set(path, spidertest.Page{Body: text, ETag: tagOf(text)})
}

// bare gives a path a page that is sent again each time.
func (p *realtimeTest) bare(path, text string) {
	p.says(path, text)
	p.bares[path] = true
	p.site.Set(path, spidertest.Page{Body: text})
}

func (p *realtimeTest) crawled() { p.index("-a", "--no-merge") }

func (p *realtimeTest) realtime(paths ...string) {
	for _, path := range paths {
		if code, out, errOut := p.try("-T", p.site.URL+path); code != exitDone && code != exitFailed {
			p.t.Fatalf("-T %s: exit %d\n%s%s", path, code, out, errOut)
		}
	}
}

func (p *realtimeTest) rules(sets string) { p.sets(sets + "\nServer " + p.site.URL + "/\n") }

// holds says that the index has of a page, or of the original that stands for it, the words that it was sent with, neither more nor less.
func (p *realtimeTest) holds(when, path string) {
	p.t.Helper()
	rules, err := document.NewRules(document.Rules{})
	if err != nil {
		p.t.Fatal(err)
	}
	doc, err := document.Parse([]byte(p.text(path)), "text/html; charset=utf-8", rules)
	if err != nil {
		p.t.Fatal(err)
	}
	want := map[string][]uint16{}
	for _, w := range doc.Words {
		want[w.Text] = w.Positions
	}
	shown := p.one(`SELECT coalesce(o.url, w.url) FROM urlword w LEFT JOIN urlword o ON o.url_id = w.origin WHERE w.url = $1`, p.site.URL+path)
	if diff := gocmp.Diff(want, p.postings()[shown]); diff != "" {
		p.t.Errorf("%s: %s, found as %s (-page +index):\n%s", when, path, shown, diff)
	}
}

// realtimeCases returns all transitions by which -T can say that a page is in the index, from every place where its words may be.
func realtimeCases() (list []realtimeCase) {
	add := func(x realtimeCase) { list = append(list, x) }
	with := func(steps ...func(*realtimeTest)) func(*realtimeTest) {
		return func(p *realtimeTest) {
			for _, step := range steps {
				step(p)
			}
		}
	}
	crawled, merge := (*realtimeTest).crawled, func(p *realtimeTest) { p.index("-D") }
	page := func(path, text string) func(*realtimeTest) { return func(p *realtimeTest) { p.page(path, text) } }
	bare := func(path, text string) func(*realtimeTest) { return func(p *realtimeTest) { p.bare(path, text) } }
	realtime := func(paths ...string) func(*realtimeTest) { return func(p *realtimeTest) { p.realtime(paths...) } }
	rules := func(sets string) func(*realtimeTest) { return func(p *realtimeTest) { p.rules(sets) } }
	gone := func(path string) func(*realtimeTest) { return func(p *realtimeTest) { p.site.Remove(path) } }
	status := func(path string, page spidertest.Page) func(*realtimeTest) {
		return func(p *realtimeTest) { p.site.Set(path, page) }
	}

	add(realtimeCase{name: "new", rule: "T-01", path: "/b", before: page("/b", "apple pie")})
	add(realtimeCase{name: "found by a crawl meanwhile", rule: "T-03", path: "/b", before: bare("/b", "apple pie"), beside: crawled})
	add(realtimeCase{name: "found and merged by a crawl meanwhile", rule: "T-03", path: "/b", before: bare("/b", "apple pie"), beside: with(crawled, merge)})
	add(realtimeCase{
		name: "changed by a crawl meanwhile", rule: "T-03", path: "/b", before: with(bare("/b", "apple pie"), crawled, merge, bare("/b", "banana")),
		beside: crawled,
	})
	add(realtimeCase{name: "changed", rule: "T-04", path: "/b", before: with(page("/b", "apple pie"), crawled, page("/b", "banana"))})
	add(realtimeCase{
		name: "changed after another change", rule: "T-04", path: "/b",
		before: with(page("/b", "apple pie"), crawled, merge, page("/b", "cherry"), crawled, page("/b", "banana")),
	})
	add(realtimeCase{
		name: "changed by a crawl since the last -T", rule: "T-02", path: "/b",
		before: with(page("/b", "apple pie"), realtime("/b"), page("/b", "banana"), crawled),
	})
	add(realtimeCase{
		name: "an original that a crawl took out and brought back", rule: "T-03", path: "/b",
		before: with(rules("DeleteBad yes"), bare("/b", "apple pie"), crawled, merge, gone("/b"), realtime("/b"), bare("/b", "apple pie"), crawled, crawled),
	})
	add(realtimeCase{
		name: "a redirect that ends", rule: "T-04", path: "/b",
		before: with(status("/b", spidertest.Page{Status: 302, Header: map[string]string{"Location": "/a"}}), crawled, merge, page("/b", "apple pie")),
	})
	add(realtimeCase{
		name: "not to be indexed before", rule: "T-04", path: "/b",
		before: with(page("/b", `<meta name="robots" content="noindex">apple`), crawled, page("/b", "apple pie")),
	})
	add(realtimeCase{name: "lost, and back", rule: "T-03", path: "/b", before: with(bare("/b", "apple pie"), crawled, gone("/b"), crawled, bare("/b", "apple pie"))})
	add(realtimeCase{
		name: "forbidden before", rule: "T-02", path: "/b",
		before: with(page("/b", "apple pie"), crawled, rules("Disallow /b"), realtime("/b"), rules("")),
	})
	add(realtimeCase{
		name: "gone before", rule: "T-01", path: "/b",
		before: with(page("/b", "apple pie"), crawled, rules("DeleteBad yes"), gone("/b"), realtime("/b"), page("/b", "apple pie")),
	})
	add(realtimeCase{
		name: "another mode and back", rule: "T-16", path: "/b",
		before: with(page("/b", "apple pie"), crawled, merge, rules("Index no"), realtime("/b"), rules("")),
	})
	for i, where := range []struct {
		name string
		put  func(path string) func(*realtimeTest)
	}{
		{"waits", func(string) func(*realtimeTest) { return crawled }},
		{"is merged", func(string) func(*realtimeTest) { return with(crawled, merge) }},
		{"is in real time", func(path string) func(*realtimeTest) { return realtime("/a", "/b", "/c") }},
		{"waits and is merged in an older version", func(path string) func(*realtimeTest) {
			return func(p *realtimeTest) {
				text := p.text(path)
				with(page(path, "an older text"), crawled, merge, page(path, text), crawled)(p)
			}
		}},
		{"waits and is in real time in an older version", func(path string) func(*realtimeTest) {
			return func(p *realtimeTest) {
				text := p.text(path)
				with(page(path, "an older text"), realtime("/a", "/b", "/c"), page(path, text), crawled)(p)
			}
		}},
	} {
		combination := 0
		add := func(x realtimeCase) { // of the five places each combination is tried at one in make test, by turns, and at all in make soak
			if combination++; soak() || (combination+i)%5 < 1 {
				add(x)
			}
		}
		for _, rule := range []string{"T-02", "T-03"} {
			put := map[string]func(string, string) func(*realtimeTest){"T-02": page, "T-03": bare}[rule]
			add(realtimeCase{name: "unchanged, and " + where.name, rule: rule, path: "/b", before: with(put("/b", "apple pie"), where.put("/b"), put("/b", "apple pie"))})
			add(realtimeCase{
				name: "a clone whose original " + where.name, rule: rule, path: "/b", finds: []string{"/a"},
				before: with(put("/a", "apple pie"), put("/b", "apple pie"), where.put("/a"), put("/a", "apple pie")),
			})
		}
		add(realtimeCase{
			name: "a new clone of one that " + where.name, rule: "T-01c", path: "/b", finds: []string{"/a"},
			before: with(page("/a", "apple pie"), where.put("/a"), page("/b", "apple pie")),
		})
		add(realtimeCase{
			name: "becomes the original of one that " + where.name, rule: "T-01o", path: "/b", finds: []string{"/c"},
			before: with(page("/c", "apple pie"), where.put("/c"), page("/b", "apple pie")),
		})
		add(realtimeCase{
			name: "leaves clones behind, and " + where.name, rule: "T-04", path: "/a", finds: []string{"/b", "/c"},
			before: with(page("/a", "apple pie"), page("/b", "apple pie"), page("/c", "apple pie"), where.put("/a"), page("/a", "banana")),
		})
		add(realtimeCase{
			name: "forced, and " + where.name, rule: "T-17", path: "/b", args: []string{"-m"},
			before: with(page("/b", "apple pie"), where.put("/b")),
		})
		add(realtimeCase{
			name: "a forced clone of one that " + where.name, rule: "T-01c", path: "/b", args: []string{"-m"}, finds: []string{"/a"},
			before: with(page("/a", "apple pie"), page("/b", "apple pie"), where.put("/a")),
		})
	}
	says := func(path, text string) func(*realtimeTest) { return func(p *realtimeTest) { p.says(path, text) } }
	clones := with(bare("/a", "apple pie"), bare("/b", "apple pie"))
	add(realtimeCase{
		name: "withdrawn meanwhile, and allowed again", rule: "T-03", path: "/b",
		before: with(bare("/b", "apple pie"), crawled, merge), beside: with(rules("Disallow /b"), realtime("/b"), rules("")),
	})
	add(realtimeCase{
		name: "brought back meanwhile", rule: "T-02", path: "/b", at: "/robots.txt",
		before: with(page("/b", "apple pie"), crawled, rules("Disallow /b"), realtime("/b"), rules(""), says("/robots.txt", "User-agent: none"), func(p *realtimeTest) {
			p.rows(`DELETE FROM robots_cache`)
		}),
		beside: realtime("/b"),
	})
	add(realtimeCase{
		name: "unchanged, but another version was recorded meanwhile", rule: "T-04", path: "/b",
		before: with(page("/b", "apple pie"), crawled), beside: with(says("/b", "banana"), crawled, says("/b", "apple pie")),
	})
	add(realtimeCase{
		name: "new, but meanwhile the original of clones", rule: "T-04", path: "/a", finds: []string{"/b", "/c"},
		before: with(bare("/a", "apple pie"), bare("/b", "apple pie"), bare("/c", "apple pie")),
		beside: with(crawled, says("/a", "banana")),
	})
	add(realtimeCase{
		name: "a clone whose original is purged meanwhile", rule: "T-03", path: "/b",
		before: with(clones, crawled, merge, gone("/a"), crawled), beside: func(p *realtimeTest) { p.index("--purge-lost=1") },
	})
	for name, beside := range map[string]func(*realtimeTest){"a crawl": crawled, "another -T": realtime("/a")} {
		add(realtimeCase{
			name: "made a clone meanwhile by " + name, rule: "T-03", path: "/b", finds: []string{"/a"},
			before: with(bare("/b", "apple pie"), crawled, merge, bare("/a", "apple pie")), beside: beside,
		})
		add(realtimeCase{
			name: "new, and an original comes meanwhile by " + name, rule: map[string]string{"a crawl": "T-03", "another -T": "T-01c"}[name],
			path: "/b", finds: []string{"/a"}, before: clones, beside: beside,
		})
	}
	add(realtimeCase{
		name: "new, and a clone comes meanwhile", rule: "T-01o", path: "/a", finds: []string{"/b"}, before: clones, beside: realtime("/b"),
	})
	add(realtimeCase{
		name: "a clone whose original is asked for meanwhile, and has changed", rule: "T-03", path: "/b", finds: []string{"/a", "/c"},
		before: with(clones, bare("/c", "apple pie"), crawled, bare("/a", "banana")), beside: realtime("/a"),
	})
	return list
}

// TestWhatRealtimePromisesIsFound verifies that whatever index -T reports as OK is found when it returns,
// with the words of the version that it received and no others, itself or by its original, and still after
// -D.
func TestWhatRealtimePromisesIsFound(t *testing.T) {
	t.Parallel()
	for _, x := range append(realtimeCases(), modeCases()...) {
		t.Run(x.rule+": "+x.name, func(t *testing.T) {
			t.Parallel()
			x.try(t)
		})
	}
}

// try runs a case: index -T must say OK, and searches must find the page.
func (x *realtimeCase) try(t *testing.T) {
	site := spidertest.NewSite(t)
	p := &realtimeTest{world: newWorld(t, "Server "+site.URL+"/\n"), site: site, plain: map[string]string{}, bares: map[string]bool{}}
	p.spider("MaxLostShare 100%\n")
	p.page("/", `<a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a>`)
	p.write("known", fmt.Sprintf("%[1]s/a\n%[1]s/b\n%[1]s/c\n", site.URL))
	p.index("-i", "-f", p.dir+"/known")
	x.before(p)
	if x.beside != nil {
		p.interrupted(cmp.Or(x.at, x.path), func() { x.beside(p) })
	}
	args := append(append([]string{}, x.args...), "-T", site.URL+x.path)
	code, out, errOut := p.try(args...)
	if code != exitDone || !strings.Contains(out, "Status: OK ("+x.rule+")") {
		t.Fatalf("exit %d, want OK (%s)\n%s%s", code, x.rule, out, errOut)
	}
	for _, when := range []string{"told of", "merged"} {
		for _, path := range append([]string{x.path}, x.finds...) {
			p.holds(when, path)
		}
		p.check()
		if when == "told of" {
			p.merged()
		}
	}
}

// interrupted lets something happen while a path is asked for, the first time.
func (p *realtimeTest) interrupted(path string, beside func()) {
	bare := p.bares[path]
	var met atomic.Bool
	p.site.Set(path, spidertest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
		if met.CompareAndSwap(false, true) {
			beside()
		}
		text := p.text(path)
		if !bare {
			w.Header().Set("ETag", tagOf(text))
			if r.Header.Get("If-None-Match") == tagOf(text) {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(text)) // a client that went away is part of it
	}})
}
