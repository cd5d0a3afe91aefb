package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestRealtimeAnswersAsTheMerge makes two copies of an index. One gets new versions of its pages by index -T,
// the other by a crawl and index -D. Both must answer every request alike, to the last field of a hit, and so
// must the first after its own -D. Link ranks are those of the last merge, so they are left out.
func TestRealtimeAnswersAsTheMerge(t *testing.T) {
	t.Parallel()
	l := newSearchWorld(t, 11, 25, true)
	l.spider(searchSpider + "RankShare 100%\n") // the ranks stay those of the first merge
	l.index()
	l.rows(`INSERT INTO subsets (mask) VALUES ($1), ($2), ('%7%')`, l.urls[0]+"/a%", l.urls[1]+"/%")
	l.index("-B")
	l.index("-A", "1", "-u", l.urls[0]+"/%")
	crawled := l.copy("RankShare 100%\n")

	var args []string
	for s := range 3 {
		for i, path := range l.paths[:25] {
			switch (i + s) % 10 {
			case 1, 3, 5:
				l.edit(s, path)
			case 2:
				l.set(s, path, `<meta name="robots" content="noindex">`+l.text(9))
			case 4:
				l.sites[s].Set(path, spidertest.Page{Status: 301, Header: map[string]string{"Location": l.urls[s] + "/"}})
			case 6:
				l.sites[s].Remove(path)
			default:
				continue
			}
			args = append(args, "-T", l.urls[s]+path)
		}
	}
	if code, out, errOut := l.try(args...); code != exitFailed { // some are gone
		t.Fatalf("exit %d\n%s%s", code, out, errOut)
	}
	crawled.index("-a")

	o := newOracle(crawled, l.rules)
	o.look(true, nil)
	queries := 100
	if soak() {
		queries = 1000
	}
	want := answers(t, o, crawled, queries)
	found := 0
	for _, r := range want {
		if r.URLs > 0 {
			found++
		}
	}
	if 2*found < queries {
		t.Errorf("%d of %d requests find something", found, queries)
	}
	for _, stage := range []string{"-T", "-T and -D"} {
		if stage != "-T" {
			l.index("-D")
		}
		for i, got := range answers(t, o, l.world, queries) {
			request, text := o.request(t, i)
			want := want[i]
			switch {
			case stage != "-T" || request.Ranking != search.ByRelevance:
			case request.Order == search.ByRank:
				want, got = unranked(want), unranked(got)
			default: // documents with any word have parts in every order
				want, got = withoutParts(want), withoutParts(got)
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(search.Result{}, "Took", "Words")); diff != "" {
				t.Fatalf("%s, %s\nrequest: %+v\n(-crawl and -D +%s):\n%s", stage, text, request, stage, diff)
			}
		}
	}
}

// unranked is a result without what depends on how rare words are and how long documents: the merge counts that. Which documents of a
// site are shown, or on the first page, depends on it, too.
func unranked(r *search.Result) *search.Result {
	u := *r
	u.Hits = nil
	if r.Grouped || r.Pages > 1 {
		u.Spell = nil
	} else {
		for _, h := range r.Hits {
			h.Rank, h.Parts = 0, nil
			u.Hits = append(u.Hits, h)
		}
		slices.SortFunc(u.Hits, func(a, b search.Hit) int { return int(a.URLID - b.URLID) })
	}
	if u.More {
		u.AnyURLs = 0
	}
	return &u
}

// withoutParts is a result without the explanation of its ranks.
func withoutParts(r *search.Result) *search.Result {
	u := *r
	u.Hits = slices.Clone(r.Hits)
	for i := range u.Hits {
		u.Hits[i].Parts = nil
	}
	return &u
}

// request returns the i-th request of a series.
func (o *oracle) request(t testing.TB, i int) (search.Request, string) {
	t.Helper()
	rules, err := document.NewRules(o.words)
	if err != nil {
		t.Fatal(err)
	}
	a := &queryGenerator{
		Rand: rand.New(rand.NewPCG(31, uint64(i))), o: o, addresses: []string{"http://nowhere.example/"},
		rules: query.Options{MinFixedPatternLength: 3, Stored: rules.Stored},
	}
	r, text := a.request()
	r.Explain, r.PerPage = true, search.MaxPerPage
	return r, text
}

// answers returns a database's answers to a series of requests.
func answers(t testing.TB, o *oracle, w *world, n int) (list []*search.Result) {
	t.Helper()
	e := engine(t, w.dsn, search.EngineOptions{})
	for i := range n {
		request, text := o.request(t, i)
		r, err := e.Search(t.Context(), request)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		list = append(list, r)
	}
	return list
}

// copy returns a separate world with a copy of the database.
func (l *searchWorld) copy(spider string) *world {
	l.t.Helper()
	w := *l.world
	w.dsn, w.dir = storetest.Copy(l.t, l.dsn), l.t.TempDir()
	l.pool.Reset() // it has ended their sessions
	w.pool = storetest.Connect(l.t, w.dsn)
	w.write("stop.en", searchStop)
	w.sets(l.config)
	w.spider(searchSpider + spider)
	return &w
}

// TestRealtimeOfANewSite verifies that documents that index -T indexed of sites without a merge are found
// with every filter, and counted, as after the merge.
func TestRealtimeOfANewSite(t *testing.T) {
	t.Parallel()
	l := newSearchWorld(t, 13, 8, false)
	l.rows(`INSERT INTO subsets (mask) VALUES ($1), ($2), ('%7%')`, l.urls[0]+"/a%", l.urls[1]+"/%")
	args := []string{"-A", "2"}
	for _, path := range l.paths {
		args = append(args, "-T", l.urls[1]+path)
	}
	l.index(args...)
	args = nil
	for s := range 3 {
		for _, path := range l.paths[:8] {
			args = append(args, "-T", l.urls[s]+path)
		}
	}
	l.index(args...)
	o := newOracle(l.world, l.rules)
	o.look(false, l.mergedDates())
	const queries = 100
	realtime := answers(t, o, l.world, queries)
	l.index("-D")
	for i, want := range answers(t, o, l.world, queries) {
		request, text := o.request(t, i)
		got := realtime[i]
		ids := func(r *search.Result) (list []int32) {
			for _, h := range r.Hits {
				list = append(list, h.URLID)
			}
			slices.Sort(list)
			return list
		}
		if request.Group != search.NoGroups {
			request.Group = search.NoGroups // who is shown depends on the ranks, which come with the merge
			ids = func(r *search.Result) []int32 { return nil }
		}
		if diff := cmp.Diff(fmt.Sprint(ids(want)), fmt.Sprint(ids(got))); diff != "" {
			t.Fatalf("%s\nrequest: %+v\n(-merged +realtime):\n%s", text, request, diff)
		}
		if diff := cmp.Diff(want.Words, got.Words); diff != "" || want.URLs != got.URLs || want.Sites != got.Sites {
			t.Fatalf("%s\nrequest: %+v\n%d documents on %d sites, want %d on %d; words (-merged +realtime):\n%s", text, request,
				got.URLs, got.Sites, want.URLs, want.Sites, diff)
		}
	}
}
