package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// TestSearchEqualsTheContents verifies that random queries of the whole grammar find what an independent
// evaluation of the stored contents finds, in its order and with its ranks: after a crawl and its merge,
// while changes wait for the merge, with documents in the real-time index, and merged again.
func TestSearchEqualsTheContents(t *testing.T) {
	t.Parallel()
	queries := 60 // at each of six stages
	if soak() {
		queries = 400
	}
	l := newSearchWorld(t, 7, 40, false)
	x := &queryChecker{searchWorld: l, o: newOracle(l.world, l.rules), queries: queries}

	l.index()
	l.rows(`INSERT INTO subsets (mask) VALUES ($1), ($2), ('%7%')`, l.urls[0]+"/a%", l.urls[1]+"/%")
	l.index("-B")
	l.index("-A", "1", "-u", l.urls[0]+"/%")
	l.index("-A", "1", "-u", l.urls[2]+"/%")
	l.index("-A", "2", "-u", l.urls[1]+"/%")
	x.o.look(true, nil)
	x.ask("crawled and merged")

	l.change(50)
	l.sets(l.config + "Disallow /b1.$\n")
	l.index("-a", "--no-merge")
	x.o.look(false, nil)
	x.ask("changes wait for the merge")

	l.change(20)
	l.showAtOnce(30)
	x.o.look(false, l.mergedDates())
	x.ask("some of them shown by -T")

	l.index("-D", "--batch-documents", "15")
	x.o.look(true, nil)
	x.ask("merged")

	l.sets(l.config)
	l.change(30)
	l.showAtOnce(25)
	x.o.look(false, nil)
	l.change(10)
	l.index("-a", "--no-merge")
	x.o.look(false, l.mergedDates())
	x.ask("shown by -T, then crawled")

	l.index("-D")
	l.index("-K")
	x.o.look(true, nil)
	x.ask("merged again")
	x.complete()
}

// queryChecker runs random queries and compares the results.
type queryChecker struct {
	*searchWorld
	o       *oracle
	queries int
	stages  uint64
	kinds   map[string]int
	asked   int
	found   int
	facets  int // requests with facets
	inSQL   int // documents found by search() in SQL
}

// ask compares the results of random requests at a stage.
func (x *queryChecker) ask(stage string) {
	x.t.Helper()
	x.stages++
	x.o.weights = nil
	if x.stages%2 == 0 {
		x.o.weights = map[string]int{x.urls[1] + "/": 2, x.urls[2] + "/": -1}
	}
	options := search.EngineOptions{SiteWeights: x.o.weights}
	if x.o.weigh = func(string) float64 { return 1 }; x.stages%3 != 1 {
		x.o.weigh = func(url string) float64 { // powers of two, so that sums are rounded alike
			switch url[len(url)-1] {
			case '1', '4', '7':
				return 0.5
			case '2', 'g':
				return 4
			}
			return 1
		}
		options.Weigh = x.o.weigh
	}
	e := engine(x.t, x.dsn, options)
	x.o.languages = e.Languages()
	rules, err := document.NewRules(x.rules)
	if err != nil {
		x.t.Fatal(err)
	}
	parse := query.Options{MinFixedPatternLength: 3, Stored: rules.Stored}
	addresses := append(slices.Sorted(maps.Keys(x.o.byURL)), "http://nowhere.example/")
	for i := range x.queries {
		a := &queryGenerator{Rand: rand.New(rand.NewPCG(x.stages, uint64(i))), o: x.o, addresses: addresses, rules: parse}
		request, text := a.request()
		x.note(request.Query)
		if problem := x.compare(e, request); problem != "" {
			x.t.Fatalf("%s, query %d: %s\ntree: %+v\nrequest: %+v\n%s", stage, i, text, request.Query.Root, request, problem)
		}
	}
	x.askSQL(stage, parse)
}

// note counts the kinds of queries that were run.
func (x *queryChecker) note(q *query.Query) {
	if x.kinds == nil {
		x.kinds = map[string]int{}
	}
	if q.Link != "" {
		x.kinds["link"]++
	}
	query.Walk(q.Root, func(n query.Node, positive bool) bool {
		x.kinds[fmt.Sprintf("%T %v", n, positive)]++
		if and, ok := n.(query.And); ok && len(and.Sites) > 0 {
			x.kinds["site"]++
		}
		return true
	})
}

// complete checks the test itself: every kind of query was run, and most found something.
func (x *queryChecker) complete() {
	x.t.Helper()
	x.t.Logf("%d queries, %d with an answer: %v", x.asked, x.found, x.kinds)
	if x.inSQL < 500 {
		x.t.Errorf("search() in SQL found only %d documents", x.inSQL)
	}
	if x.facets < 50 {
		x.t.Errorf("only %d requests with facets", x.facets)
	}
	if x.asked < 300 || 100*x.found < 55*x.asked {
		x.t.Errorf("%d queries, %d with an answer", x.asked, x.found)
	}
	excluded := 0 // kinds that were behind a minus
	for _, kind := range []string{"Word", "Pattern", "Phrase", "And", "Or"} {
		behind := x.kinds["query."+kind+" false"]
		excluded += min(behind, 1)
		if x.kinds["query."+kind+" true"] < 20 || soak() && behind < 2 {
			x.t.Errorf("%s was asked too seldom: %v", kind, x.kinds)
		}
	}
	if x.kinds["link"] == 0 || x.kinds["site"] == 0 || excluded < 3 {
		x.t.Errorf("too seldom: %v", x.kinds)
	}
}

// compare returns what is wrong with the result of a request, or an empty string.
func (x *queryChecker) compare(e *search.Engine, request search.Request) string {
	x.t.Helper()
	want, all, sites, grouped := x.o.find(&request)
	x.asked++
	if len(all) > 0 {
		x.found++
	}
	var got []answer
	for {
		r, err := e.Search(x.t.Context(), request)
		if err != nil {
			return err.Error()
		}
		complete := 0
		for _, a := range all {
			if a.All {
				complete++
			}
		}
		urls := complete
		if complete == 0 {
			urls = len(all)
		}
		if r.URLs != urls || r.AllURLs != complete || r.AnyURLs != len(all) || r.More || r.Sites != sites || r.Grouped != grouped {
			return fmt.Sprintf("%d documents (%d, %d) on %d sites, grouped %v; want %d (%d, %d) on %d, %v\n%s",
				r.URLs, r.AllURLs, r.AnyURLs, r.Sites, r.Grouped, urls, complete, len(all), sites, grouped, x.differ(e, request, all))
		}
		if request.Facets && request.Page == 0 {
			if diff := cmp.Diff(x.o.facets(&request, all), shownFacets(r), cmpopts.EquateEmpty()); diff != "" {
				return fmt.Sprintf("facets (-contents +engine):\n%s", diff)
			}
			x.facets++
		}
		for _, h := range r.Hits {
			got = append(got, answer{URLID: h.URLID, Site: h.SiteID, Rank: h.Rank, InSite: h.InSite, First: h.First, All: h.All})
		}
		if request.Page++; request.Page >= r.Pages {
			break
		}
	}
	for i := range want {
		want[i].weight = 0
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			return fmt.Sprintf("first difference at %d of %d and %d (-contents +engine):\n%s\n%s", i, len(want), len(got),
				cmp.Diff(want[min(i, len(want)):min(i+3, len(want))], got[min(i, len(got)):min(i+3, len(got))], cmp.AllowUnexported(answer{})),
				x.differ(e, request, all))
		}
	}
	return ""
}

// differ returns which documents only one of the two sides has.
func (x *queryChecker) differ(e *search.Engine, request search.Request, all []answer) string {
	request.Group, request.Page, request.PerPage = search.NoGroups, 0, search.MaxPerPage
	var got, want []string
	for {
		r, err := e.Search(x.t.Context(), request)
		if err != nil {
			return err.Error()
		}
		for _, h := range r.Hits {
			got = append(got, fmt.Sprintf("%d %s", h.URLID, h.URL))
		}
		if request.Page++; request.Page >= r.Pages {
			break
		}
	}
	for _, d := range x.o.docs {
		if slices.ContainsFunc(all, func(a answer) bool { return a.URLID == d.id }) {
			want = append(want, fmt.Sprintf("%d %s", d.id, d.url))
		}
	}
	var missing, surplus []string
	for _, w := range want {
		if !slices.Contains(got, w) {
			missing = append(missing, w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			surplus = append(surplus, g)
		}
	}
	return fmt.Sprintf("missing: %q\nsurplus: %q", missing, surplus)
}
