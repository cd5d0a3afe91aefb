package e2e

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// oracle derives what a search has to find from the stored contents and plain columns, without postings and
// without the code and the queries of the engine.
//
// The index shows a document as it was when its words came in: at the last merge, or at its last index -T. So
// the oracle records the contents after each of them.
type oracle struct {
	w     *world
	words document.Rules

	merged   map[string]map[string][]uint16 // by URL: as of the last merge
	kinds    map[string]oracleKind          // likewise
	realtime map[string]shown               // those in the real-time index
	links    map[int32][]int32              // hrefs as of the last merge

	// The state at the last look.
	docs    []*oracleDoc // what a search may find, by ascending id
	byURL   map[string]int32
	redir   map[int32]int32
	subsets map[string][]int32 // the ids that each mask fits
	spaces  map[int32][]int32  // site ids
	weights map[string]int
	weigh   func(url string) float64 // Weight

	languages []string // of stop words
	documents int64    // of totals
	average   float64
	urlcount  map[string]int64 // of wordurl
}

// shown is a version in the real-time index.
type shown struct {
	seq   string // rt_urls.seq
	words map[string][]uint16
	kind  oracleKind
}

// oracleKind is the language, content type and tag of a document.
type oracleKind struct{ lang, contentType, tag string }

// oracleDoc is a document as a search sees it.
type oracleDoc struct {
	id, site int32
	url      string
	name     string // http://host[:port]/
	labels   []string
	words    map[string][]uint16
	text     [4][]string // by section and ordinal; empty where no word is stored
	link     uint32
	date     int64
	length   int16
	kind     oracleKind
}

func newOracle(w *world, words document.Rules) *oracle {
	return &oracle{w: w, weigh: func(string) float64 { return 1 }, words: words, merged: map[string]map[string][]uint16{}, realtime: map[string]shown{}, links: map[int32][]int32{}}
}

// look records the present state. merged says that nothing waits for the merge. dates are the dates of
// documents in the real-time index, as the merge will set them.
func (o *oracle) look(merged bool, dates map[string]int64) {
	o.w.t.Helper()
	contents, kinds := o.w.contentsBy(o.words), map[string]oracleKind{}
	scanRows(o.w, `SELECT w.url, concat_ws('|', c.lang, c.content_type, w.tag) FROM urlword w JOIN urlwords c USING (url_id)`, func(url, kind string) {
		of := strings.Split(kind, "|")
		kinds[url] = oracleKind{of[0], of[1], of[2]}
	})
	if merged {
		if got := o.w.one(`SELECT (SELECT count(*) FROM journal), (SELECT count(*) FROM markdel), (SELECT count(*) FROM rt_urls)`); got != "0 0 0" {
			o.w.t.Fatalf("journal, markdel and rt_urls have %s rows after a merge", got)
		}
		o.merged, o.kinds = contents, kinds
		o.links = map[int32][]int32{}
		scanRows(o.w, `SELECT url_id, h FROM urlwords CROSS JOIN unnest(hrefs) h WHERE deleted = 0`, func(from, to int32) {
			o.links[to] = append(o.links[to], from)
		})
	}
	now := map[string]shown{}
	scanRows(o.w, `SELECT w.url, r.seq::text FROM rt_urls r JOIN urlword w USING (url_id)`, func(url, seq string) {
		if now[url] = o.realtime[url]; now[url].seq != seq {
			now[url] = shown{seq, contents[url], kinds[url]}
		}
	})
	o.realtime = now
	o.lookAtURLs(dates)
	o.lookAtGroups()
}

func (o *oracle) lookAtURLs(dates map[string]int64) {
	o.w.t.Helper()
	rank, date, sites := map[int32]float64{}, map[int32]int64{}, map[int32]string{}
	scanRows(o.w, `SELECT url_id, rank::float8 FROM urlrank`, func(id int32, r float64) { rank[id] = r })
	scanRows(o.w, `SELECT url_id, floor(extract(epoch FROM modified))::bigint FROM docdates`, func(id int32, at int64) { date[id] = at })
	length := map[int32]int16{}
	scanRows(o.w, `SELECT url_id, coalesce(length, 0) FROM docdates`, func(id int32, n int16) { length[id] = n })
	scanRows(o.w, `SELECT documents, positions FROM totals`, func(documents, positions int64) {
		o.documents, o.average = documents, float64(positions)/float64(documents)
	})
	o.urlcount = map[string]int64{}
	scanRows(o.w, `SELECT word, urlcount::bigint FROM wordurl`, func(word string, n int64) { o.urlcount[word] = n })
	scanRows(o.w, `SELECT site_id, site FROM sites`, func(id int32, site string) { sites[id] = site })
	o.docs, o.byURL, o.redir = nil, map[string]int32{}, map[int32]int32{}
	scanRows(o.w, `SELECT url_id, url FROM urlword`, func(id int32, url string) { o.byURL[url] = id })
	scanRows(o.w, `SELECT url_id, redir FROM urlword WHERE redir <> 0`, func(id, to int32) { o.redir[id] = to })
	type key struct{ id, site int32 }
	live := map[string]key{}
	var urls []string
	scanRows(o.w, `
		SELECT url, url_id::text || ' ' || site_id FROM urlword
		WHERE deleted = 0 AND (status & 65535) = 200 AND origin = 0 ORDER BY url_id`, func(url, ids string) {
		var k key
		if _, err := fmt.Sscan(ids, &k.id, &k.site); err != nil {
			o.w.t.Fatal(err)
		}
		live[url] = k
		urls = append(urls, url)
	})
	for _, u := range urls {
		k := live[u]
		d := &oracleDoc{id: k.id, site: k.site, url: u, name: sites[k.site], words: o.merged[u], link: linkPoints(rank[k.id]), date: date[k.id], length: length[k.id], kind: o.kinds[u]}
		if rt, ok := o.realtime[u]; ok {
			d.words, d.kind = rt.words, rt.kind
			if at, ok := dates[u]; ok {
				d.date = at
			}
		}
		address, err := url.Parse(d.name)
		if err != nil {
			o.w.t.Fatal(err)
		}
		d.labels = strings.Split(address.Host, ".")
		for word, positions := range d.words {
			for _, p := range positions {
				section, ordinal := p>>14, int(p&16383)
				for len(d.text[section]) <= ordinal {
					d.text[section] = append(d.text[section], "")
				}
				d.text[section][ordinal] = word
			}
		}
		o.docs = append(o.docs, d)
	}
}

func (o *oracle) lookAtGroups() {
	o.w.t.Helper()
	o.subsets, o.spaces = map[string][]int32{}, map[int32][]int32{}
	scanRows(o.w, `SELECT s.mask, w.url_id FROM subsets s JOIN urlword w ON w.url LIKE s.mask`, func(mask string, id int32) {
		o.subsets[mask] = append(o.subsets[mask], id)
	})
	scanRows(o.w, `SELECT '#' || s.subset_id, w.url_id FROM subsets s JOIN urlword w ON w.url LIKE s.mask`, func(number string, id int32) {
		o.subsets[number] = append(o.subsets[number], id)
	})
	scanRows(o.w, `SELECT space_id, site_id FROM spaces`, func(space, site int32) { o.spaces[space] = append(o.spaces[space], site) })
}

// linkPoints returns the points of a link rank (docs/reference/behavior.md, Ranking).
func linkPoints(rank float64) uint32 {
	points := 2000 * math.Log(10*float64(float32(rank)))
	if rank == 0 || points < 0 {
		return 0
	}
	return uint32(min(points, 65535))
}

// scanRows calls f for each row of two columns.
func scanRows[A, B any](w *world, query string, f func(A, B)) {
	w.t.Helper()
	rows, err := w.pool.Query(w.t.Context(), query)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, query)
	}
	defer rows.Close()
	for rows.Next() {
		var a A
		var b B
		if err := rows.Scan(&a, &b); err != nil {
			w.t.Fatalf("%v\n%s", err, query)
		}
		f(a, b)
	}
	if rows.Err() != nil {
		w.t.Fatalf("%v\n%s", rows.Err(), query)
	}
}

// answer is a document that a search finds, as the result must show it.
type answer struct {
	URLID  int32
	Site   int32
	Rank   uint32
	InSite int
	First  bool
	All    bool // it has all words
	weight int
}

// find returns all documents that a request matches, best first, and the hits that the engine must show: in
// groups, two of each site.
func (o *oracle) find(req *search.Request) (shown []answer, all []answer, sites int, grouped bool) {
	root := query.Flat(req.Query.Root)
	if req.Ranking == search.ByASPseek {
		root = req.Query.Root
	} else if !req.All {
		root = search.WithoutStopWords(search.WithOptions(root), o.languages)
	}
	all = o.matches(req, root)
	if loose, phrases := search.Relaxed(root); len(all) == 0 && len(phrases) > 0 && o.anyWord(req) && hasChoice(root) {
		root = loose
		all = o.matches(req, root)
	}
	before := func(a, b answer) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.URLID, b.URLID))
	}
	words := slices.ContainsFunc(all, func(a answer) bool { return a.All })
	if words && req.Order != search.ByRank {
		all = slices.DeleteFunc(all, func(a answer) bool { return !a.All })
	}
	if req.Ranking == search.ByRelevance && req.Order == search.ByRank && req.Query.Link == "" {
		o.rankByRelevance(root, all, before)
	}
	slices.SortFunc(all, before)
	of := map[int32][]answer{}
	for _, a := range all {
		of[a.Site] = append(of[a.Site], a)
	}
	counted := func(list []answer) (n int) {
		for _, a := range list {
			if a.All || !words {
				n++
			}
		}
		return n
	}
	for site := range of {
		if counted(of[site]) > 0 {
			sites++
		}
	}
	if req.Group == search.MixedSites && req.Order == search.ByRank {
		mixed, grouped := o.mix(all, of, counted)
		return mixed, all, sites, grouped
	}
	if req.Group != search.SiteGroups || len(of) < 2 {
		return all, all, sites, false
	}
	var heads []answer
	for site := range of {
		slices.SortFunc(of[site], before)
		heads = append(heads, of[site][0])
	}
	slices.SortFunc(heads, before)
	for _, head := range heads {
		for i, a := range of[head.Site] {
			if i == 2 {
				break
			}
			if a.First = i == 0; a.First {
				a.InSite = counted(of[head.Site])
			}
			shown = append(shown, a)
		}
	}
	return shown, all, sites, true
}

func (o *oracle) anyWord(req *search.Request) bool {
	return !req.All && req.Ranking == search.ByRelevance && req.Query.Link == ""
}

// hasChoice reports whether any term is no condition.
func hasChoice(root query.Node) bool {
	and, ok := root.(query.And)
	return ok && slices.ContainsFunc(and.Terms, func(t query.Term) bool { return !t.Condition() })
}

// matches returns all documents that match a tree, with their ranks by date or by ASPseek's ranking, by ascending id.
func (o *oracle) matches(req *search.Request, root query.Node) (all []answer) {
	linking := o.linking(req.Query.Link)
	for _, d := range o.docs {
		if !o.passes(req, d) {
			continue
		}
		var rank uint32
		strict := true
		if req.Query.Link != "" {
			if !linking[d.id] {
				continue
			}
			rank = 1<<31 + d.link<<11
		} else {
			j := judge{d: d, flat: req.Flat}
			v := j.node(root)
			if strict = v.ok; !v.ok && !(o.anyWord(req) && j.some(root)) {
				continue
			}
			rank = v.rank(d.link)
		}
		if req.Order == search.ByDate {
			rank = uint32(d.date)
		}
		a := answer{URLID: d.id, Site: d.site, Rank: rank, First: true, All: strict, weight: o.weights[d.name]}
		all = append(all, a)
	}
	return all
}

// passes reports whether a document meets the limits of a request (docs/http.md, parameters).
func (o *oracle) passes(req *search.Request, d *oracleDoc) bool {
	in := func(ids []int32, id int32) bool { return slices.Contains(ids, id) }
	switch {
	case len(req.Sites) > 0 && !slices.Contains(req.Sites, d.name),
		len(req.Subsets) > 0 && !slices.ContainsFunc(req.Subsets, func(s string) bool { return in(o.subsets[s], d.id) }),
		len(req.Spaces) > 0 && !slices.ContainsFunc(req.Spaces, func(s int32) bool { return in(o.spaces[s], d.site) }),
		len(req.SiteIDs) > 0 && !slices.Contains(req.SiteIDs, d.site),
		len(req.Languages) > 0 && !slices.Contains(req.Languages, d.kind.lang),
		len(req.Types) > 0 && !slices.Contains(req.Types, d.kind.docType()),
		len(req.Tags) > 0 && !slices.ContainsFunc(req.Tags, func(tag int32) bool { return fmt.Sprint(tag) == d.kind.tag }),
		!strings.HasPrefix(d.path(), req.Path):
		return false
	}
	at := time.Unix(d.date, 0)
	limited := !req.Dates.From.IsZero() || !req.Dates.To.IsZero()
	return !limited || d.date != 0 &&
		(req.Dates.From.IsZero() || !at.Before(req.Dates.From)) && (req.Dates.To.IsZero() || !at.After(req.Dates.To))
}

// linking returns the documents that link to an address, or to the target of its redirects.
func (o *oracle) linking(address string) map[int32]bool {
	found := map[int32]bool{}
	target, ok := o.byURL[address]
	if !ok {
		target, ok = o.byURL[address+"/"]
	}
	for seen := map[int32]bool{}; ok && !seen[target]; target, ok = o.redir[target] {
		seen[target] = true
		for _, from := range o.links[target] {
			found[from] = true
		}
	}
	return found
}
