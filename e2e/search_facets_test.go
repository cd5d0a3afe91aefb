package e2e

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/search"
)

// docType returns the short name of the type (docs/http.md), for the types that the pages have.
func (k oracleKind) docType() string {
	name, _, _ := strings.Cut(k.contentType, ";")
	return map[string]string{"text/html": "html", "text/plain": "text"}[name]
}

// path returns the path and query of the document's URL.
func (d *oracleDoc) path() string { return "/" + strings.TrimPrefix(d.url, d.name) }

// folder returns the first folder of the document's path, or an empty text.
func (d *oracleDoc) folder() string {
	path, _, _ := strings.Cut(d.path(), "?")
	first, _, ok := strings.Cut(path[1:], "/")
	if !ok {
		return ""
	}
	return "/" + first + "/"
}

// mix puts sorted documents into the order of search.MixedSites (docs/http.md, Sites among the results).
func (o *oracle) mix(sorted []answer, of map[int32][]answer, counted func([]answer) int) (list []answer, mixed bool) {
	best := slices.Clone(sorted[:min(100, len(sorted))])
	sites := map[int32]bool{}
	for _, a := range best {
		sites[a.Site] = true
	}
	if len(sites) <= 3 {
		return sorted, false
	}
	begin := 0 // of the documents of the same weight
	for len(best) > 0 {
		if len(list) > 0 && list[len(list)-1].weight != best[0].weight {
			begin = len(list)
		}
		take := 0
		for i, a := range best {
			if a.weight != best[0].weight {
				break
			}
			near := 0
			for _, before := range list[max(begin, len(list)-9):] {
				if before.Site == a.Site {
					near++
				}
			}
			if near < 3 {
				take = i
				break
			}
		}
		for _, passed := range best[:take] {
			for i := len(list) - 1; i >= begin; i-- {
				if list[i].Site == passed.Site {
					if list[i].InSite = counted(of[passed.Site]); list[i].InSite == 0 {
						list[i].InSite = len(of[passed.Site])
					}
					break
				}
			}
		}
		list = append(list, best[take])
		best = slices.Delete(best, take, take+1)
	}
	return append(list, sorted[len(list):]...), true
}

// narrow adds filters of facets to a request, in two of three such that the document of the query passes.
func (a *queryGenerator) narrow(r *search.Request, d *oracleDoc) {
	r.Facets = a.IntN(3) == 0
	r.Now = time.Unix(d.date, 0).Add(time.Duration(a.IntN(40)) * 9 * time.Hour)
	if a.IntN(3) > 0 {
		return
	}
	if a.IntN(3) == 0 {
		d = a.document()
	}
	for range 1 + a.IntN(2) {
		other := a.document()
		switch a.IntN(5) {
		case 0:
			r.Languages = append(r.Languages, d.kind.lang, other.kind.lang)
		case 1:
			r.Types = []string{d.kind.docType()}
		case 2:
			r.Tags = []int32{[]int32{0, 5, 7}[a.IntN(3)], 9}
		case 3:
			r.Path = d.path()[:1+a.IntN(len(d.path()))]
		case 4:
			r.SiteIDs = append(r.SiteIDs, d.site, other.site)
		}
	}
}

// facets returns the facets of a request: by name and value the number of documents. all has the documents of its result.
func (o *oracle) facets(req *search.Request, all []answer) map[string]map[string]int {
	complete := slices.ContainsFunc(all, func(a answer) bool { return a.All })
	docs := map[int32]*oracleDoc{}
	for _, d := range o.docs {
		docs[d.id] = d
	}
	counts := map[string]map[string]int{}
	count := func(facet, value string, n int) {
		if counts[facet] == nil {
			counts[facet] = map[string]int{}
		}
		counts[facet][value] += n
	}
	// without calls f with the documents of a request that lacks a filter.
	without := func(lack func(*search.Request), f func(*oracleDoc)) {
		r := *req
		r.Order = search.ByRank
		lack(&r)
		_, found, _, _ := o.find(&r)
		for _, a := range found {
			if a.All || !complete {
				f(docs[a.URLID])
			}
		}
	}
	without(func(r *search.Request) { r.SiteIDs = nil }, func(d *oracleDoc) { count("site", d.name, 1) })
	without(func(r *search.Request) { r.Languages = nil }, func(d *oracleDoc) { count("lang", d.kind.lang, 1) })
	without(func(r *search.Request) { r.Types = nil }, func(d *oracleDoc) { count("type", d.kind.docType(), 1) })
	without(func(r *search.Request) { r.Tags = nil }, func(d *oracleDoc) { count("tag", d.kind.tag, 1) })
	sites := map[int32]bool{}
	without(func(r *search.Request) { r.Path = "" }, func(d *oracleDoc) {
		sites[d.site] = true
		count("path", d.folder(), 1)
	})
	if len(sites) > 1 {
		delete(counts, "path")
	} else if req.Path != "" {
		count("path", req.Path, 0)
	}
	for _, s := range []string{"day", "week", "month", "year", "older"} {
		count("date", s, 0)
	}
	without(func(r *search.Request) { r.Dates = search.Dates{} }, func(d *oracleDoc) {
		if d.date == 0 {
			return
		}
		age := req.Now.Unix() - d.date
		for i, s := range []string{"day", "week", "month", "year"} {
			if age <= int64([]int{1, 7, 30, 365}[i])*86400 {
				count("date", s, 1)
			} else if s == "year" {
				count("date", "older", 1)
			}
		}
	})
	for _, d := range o.docs {
		if slices.Contains(req.SiteIDs, d.site) {
			count("site", d.name, 0)
		}
	}
	for _, lang := range req.Languages {
		count("lang", lang, 0)
	}
	for _, docType := range req.Types {
		count("type", docType, 0)
	}
	for _, tag := range req.Tags {
		count("tag", fmt.Sprint(tag), 0)
	}
	delete(counts["tag"], "0")
	for name, facet := range counts {
		if delete(facet, ""); len(facet) == 0 {
			delete(counts, name)
		}
	}
	return counts
}

// shownFacets returns the facets of a result likewise.
func shownFacets(r *search.Result) map[string]map[string]int {
	counts := map[string]map[string]int{}
	for _, f := range r.Facets {
		counts[f.Name] = map[string]int{}
		for _, v := range f.Values {
			counts[f.Name][v.Value] = v.URLs
		}
	}
	return counts
}
