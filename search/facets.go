package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/pgseek/pgseek/store"
)

// A Facet is the values by which a result can be narrowed, with the number of documents of each (docs/http.md, Facets).
type Facet struct {
	Name   string // one of FacetNames
	Values []FacetValue
	More   int // number of further values
}

// A FacetValue is a value of a facet. URLs counts the documents that would be the result if the value were the only one
// chosen in its facet.
type FacetValue struct {
	Value  string // site, language, type, name of a span, folder or tag
	Site   int32  // of a site, its id
	URLs   int
	Chosen bool // never set for a span
}

// FacetNames are the names of the facets in their order.
var FacetNames = []string{"site", "lang", "type", "date", "path", "tag"}

// Indices in FacetNames.
const (
	facetSite = iota
	facetLang
	facetType
	facetDate
	facetPath
	facetTag
	facetCount
)

// Spans are the values of the facet of dates: of the last days, and before the last of these spans.
var Spans = []struct {
	Name string
	Days int // negative: before
}{{"day", 1}, {"week", 7}, {"month", 30}, {"year", 365}, {"older", -365}}

// The numbers of values that are listed.
const (
	facetSites  = 10
	facetValues = 20
	facetURLs   = 10_000 // documents whose folders are counted
)

// tally is a number of documents: with any word, and of these with all words.
type tally [2]int

func (t *tally) add(all bool) {
	t[0]++
	if all {
		t[1]++
	}
}

// A facetCounter counts the documents that meet the conditions of a query and all filters but at most one. found.miss has
// the filter that a document does not pass.
type facetCounter struct {
	plan   *plan
	values *docValues
	since  []int64 // of Spans

	plain []tally    // by the number of the kind: documents that pass all filters
	but   [3][]tally // language, type, tag: those that only this filter excludes
	spans []tally    // by the shortest one of Spans

	site    int32 // current
	ofSite  tally
	sites   [2]topSites // with any word, with all words
	several [2]int      // number of sites
	chosen  map[int32]tally

	paths [2]onePlace
}

// onePlace is documents of one site whose folders are going to be counted.
type onePlace struct {
	site    int32
	several bool
	urls    []store.URLID
}

var kindFacets = [3]int{facetLang, facetType, facetTag}

func newFacetCounter(p *plan, f *docValues) *facetCounter {
	c := &facetCounter{plan: p, values: f, plain: make([]tally, len(p.kindsOf)), spans: make([]tally, len(Spans)), chosen: map[int32]tally{}}
	for i := range c.but {
		c.but[i] = make([]tally, len(p.kindsOf))
	}
	now := p.req.Now
	if now.IsZero() {
		now = time.Now()
	}
	for _, s := range Spans {
		c.since = append(c.since, now.Add(-time.Duration(max(s.Days, -s.Days))*24*time.Hour).Unix())
	}
	return c
}

// add counts a document.
func (c *facetCounter) add(h *found) {
	switch h.miss {
	case 0:
		c.plain[c.plan.kindNumber(h.at.url())].add(h.all)
		c.addDate(h)
		c.addSite(h)
		c.addPath(h)
	case 1 << facetSite:
		c.addSite(h)
	case 1 << facetDate:
		c.addDate(h)
	case 1 << facetPath:
		c.addPath(h)
	default:
		for i, facet := range kindFacets {
			if h.miss == 1<<facet {
				c.but[i][c.plan.kindNumber(h.at.url())].add(h.all)
			}
		}
	}
}

func (c *facetCounter) addSite(h *found) {
	if site := h.at.site(); site != c.site {
		c.endSite()
		c.site = site
	}
	c.ofSite.add(h.all)
}

func (c *facetCounter) addPath(h *found) {
	if !c.paths[0].several {
		c.paths[0].add(h.at)
	}
	if h.all && !c.paths[1].several {
		c.paths[1].add(h.at)
	}
}

func (o *onePlace) add(at place) {
	switch {
	case o.site == 0:
		o.site = at.site()
	case o.site != at.site():
		o.several, o.urls = true, nil
		return
	}
	if len(o.urls) < facetURLs {
		o.urls = append(o.urls, store.URLID(at.url()))
	}
}

// addDate counts a document for the shortest span that it is in. The longer ones follow from these numbers.
func (c *facetCounter) addDate(h *found) {
	at := c.plan.date(c.values, h.at.url())
	if at == 0 {
		return
	}
	span := len(c.since) - 1 // before all of them
	if at >= c.since[span] {
		for span = 0; at < c.since[span]; span++ {
		}
	}
	c.spans[span].add(h.all)
}

// span returns the number of documents of a span.
func (c *facetCounter) span(i, mode int) (n int) {
	if Spans[i].Days < 0 {
		return c.spans[i][mode]
	}
	for k := range i + 1 {
		n += c.spans[k][mode]
	}
	return n
}

// endSite ends the current site.
func (c *facetCounter) endSite() {
	for i, n := range c.ofSite {
		if n > 0 {
			c.several[i]++
			c.sites[i].add(siteTotal{c.site, n})
		}
	}
	if slices.Contains(c.plan.req.SiteIDs, c.site) {
		c.chosen[c.site] = c.ofSite
	}
	c.ofSite = tally{}
}

type siteTotal struct {
	site int32
	n    int
}

// topSites are the sites with the most documents, in order.
type topSites []siteTotal

func (t *topSites) add(s siteTotal) {
	i, _ := slices.BinarySearchFunc(*t, s, func(a, b siteTotal) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.site, b.site)) })
	if i < facetSites {
		*t = slices.Insert(*t, i, s)
		*t = (*t)[:min(len(*t), facetSites)]
	}
}

// facets returns the facets of a result. all says that documents with all words count.
func (c *facetCounter) facets(ctx context.Context, all bool) (list []Facet, err error) {
	mode := 0
	if all {
		mode = 1
	}
	c.endSite()
	names, folders := c.ask(mode)
	if err := c.plan.look.Send(ctx); err != nil {
		return nil, err
	}
	r := c.plan.req
	by := [facetCount]Facet{
		facetSite: c.siteFacet(mode, names),
		facetLang: c.kindFacet(0, mode, r.Languages, func(k kind) string { return k.language }),
		facetType: c.kindFacet(1, mode, r.Types, func(k kind) string { return k.docType }),
		facetTag:  c.kindFacet(2, mode, tagNames(r.Tags), func(k kind) string { return tagName(k.tag) }),
	}
	for i, s := range Spans {
		by[facetDate].Values = append(by[facetDate].Values, FacetValue{Value: s.Name, URLs: c.span(i, mode)})
	}
	if !c.paths[mode].several {
		var chosen []string
		if r.Path != "" {
			chosen = []string{r.Path}
		}
		by[facetPath] = listed(folders, chosen, facetValues)
	}
	for i, facet := range by {
		if facet.Name = FacetNames[i]; len(facet.Values) > 0 {
			list = append(list, facet)
		}
	}
	return list, nil
}

// ask queues requests for names of sites and numbers of documents in folders.
func (c *facetCounter) ask(mode int) (names map[int32]string, folders map[string]int) {
	names, folders = map[int32]string{}, map[string]int{}
	ids := slices.Clone(c.plan.req.SiteIDs)
	for _, s := range c.sites[mode] {
		ids = append(ids, s.site)
	}
	if len(ids) > 0 {
		c.plan.look.SiteNames(ids, func(id store.SiteID, name string) { names[int32(id)] = name })
	}
	if one := &c.paths[mode]; !one.several && len(one.urls) > 0 {
		c.plan.look.Folders(one.urls, func(folder string, n int) { folders[folder] = n })
	}
	return names, folders
}

func (c *facetCounter) siteFacet(mode int, names map[int32]string) (f Facet) {
	others := c.several[mode]
	for _, s := range c.sites[mode] {
		if names[s.site] != "" {
			f.Values = append(f.Values, FacetValue{names[s.site], s.site, s.n, slices.Contains(c.plan.req.SiteIDs, s.site)})
			others--
		}
	}
	for _, id := range c.plan.req.SiteIDs {
		if names[id] != "" && !slices.ContainsFunc(f.Values, func(v FacetValue) bool { return v.Site == id }) {
			n := c.chosen[id][mode]
			f.Values = append(f.Values, FacetValue{names[id], id, n, true})
			others -= min(n, 1)
		}
	}
	slices.SortFunc(f.Values, func(a, b FacetValue) int { return cmp.Or(cmp.Compare(b.URLs, a.URLs), cmp.Compare(a.Value, b.Value)) })
	f.More = max(others, 0)
	return f
}

// kindFacet returns a facet of values of kinds.
func (c *facetCounter) kindFacet(i, mode int, chosen []string, value func(kind) string) Facet {
	sums := map[string]int{}
	for number, k := range c.plan.kindsOf {
		if n := c.plain[number][mode] + c.but[i][number][mode]; n > 0 {
			sums[value(k)] += n
		}
	}
	delete(sums, "")
	return listed(sums, chosen, facetValues)
}

// listed returns the most frequent values and all that are chosen.
func listed(sums map[string]int, chosen []string, most int) (f Facet) {
	for _, value := range chosen {
		if value != "" {
			sums[value] += 0
		}
	}
	for value, n := range sums {
		f.Values = append(f.Values, FacetValue{Value: value, URLs: n, Chosen: slices.Contains(chosen, value)})
	}
	slices.SortFunc(f.Values, func(a, b FacetValue) int { return cmp.Or(cmp.Compare(b.URLs, a.URLs), cmp.Compare(a.Value, b.Value)) })
	if len(f.Values) > most {
		rest := f.Values[most:]
		f.Values, f.More = f.Values[:most:most], len(rest)
		for _, v := range rest {
			if v.Chosen {
				f.Values, f.More = append(f.Values, v), f.More-1
			}
		}
	}
	return f
}

// tagName returns a tag as text, and an empty one for 0.
func tagName(tag int32) string {
	if tag == 0 {
		return ""
	}
	return strconv.Itoa(int(tag))
}

func tagNames(tags []int32) (names []string) {
	for _, tag := range tags {
		if tag != 0 {
			names = append(names, tagName(tag))
		}
	}
	return names
}

// ownFilters returns the filters of the request that belong to a facet; that of the path is applied by collect.
func (p *plan) ownFilters(f *docValues) (own [facetCount]filter) {
	r := p.req
	if len(r.SiteIDs) > 0 {
		own[facetSite] = newSiteSet(slices.Clone(r.SiteIDs), false)
	}
	if len(r.Languages) > 0 {
		own[facetLang] = p.kindFilter(func(k kind) bool { return slices.Contains(r.Languages, k.language) })
	}
	if len(r.Types) > 0 {
		own[facetType] = p.kindFilter(func(k kind) bool { return slices.Contains(r.Types, k.docType) })
	}
	if len(r.Tags) > 0 {
		own[facetTag] = p.kindFilter(func(k kind) bool { return slices.Contains(r.Tags, k.tag) })
	}
	if r.Dates != (Dates{}) {
		filter := &dateFilter{from: 0, to: math.MaxInt64, of: func(url int32) int64 { return p.date(f, url) }}
		if !r.Dates.From.IsZero() {
			filter.from = r.Dates.From.Unix()
		}
		if !r.Dates.To.IsZero() {
			filter.to = r.Dates.To.Unix()
		}
		own[facetDate] = filter
	}
	return own
}

// missed returns the filters that a document does not pass as bits.
func missed(own *[facetCount]filter, at place) (miss uint8) {
	for i, f := range own {
		if f != nil && f.next(at) != at {
			miss |= 1 << i
		}
	}
	return miss
}
