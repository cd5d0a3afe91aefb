package search

import (
	"slices"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// outside accepts what another filter does not.
type outside struct{ filter }

func (o outside) next(p place) place {
	for o.filter.next(p) == p && p != noPlace {
		p++
	}
	return p
}

// documentFilter returns the filter of a condition of the query: documents whose language (its primary subtag) or type
// (document_type in SQL) is among the values, or that have one of them in their address. With Not it accepts all others,
// also those whose language or type is unknown. A value that no document has gives a note.
func (p *plan) documentFilter(f query.Filter) filter {
	if f.Kind == query.ByURL {
		if set := p.inURL[f.String()]; f.Not {
			return outside{set}
		} else {
			return set
		}
	}
	of := func(k kind) string { return k.language }
	if f.Kind == query.ByType {
		of = func(k kind) string { return k.docType }
	}
	for _, value := range f.Any {
		n := query.NewNote(query.UnknownPlace, "The index has no documents in the language %s.", query.Quote(value))
		if f.Kind == query.ByType {
			n = query.NewNote(query.UnknownPlace, "The index has no documents of the type %s.", query.Quote(value))
		}
		known := slices.ContainsFunc(p.kindsOf, func(k kind) bool { return of(k) == value })
		if !known {
			p.note(n)
		}
	}
	return p.kindFilter(func(k kind) bool { return f.Accepts(of(k)) })
}

// askKinds queues requests for what filters compare and the engine does not have in memory.
func (p *plan) askKinds() {
	r := p.req
	kinds := r.Facets || p.weigh != nil || len(r.Languages) > 0 || len(r.Types) > 0 || len(r.Tags) > 0
	query.Walk(p.tree, func(n query.Node, _ bool) bool {
		and, _ := n.(query.And)
		for _, f := range and.Filters {
			if f.Kind == query.ByURL {
				p.askURLs(f)
			} else {
				kinds = true
			}
		}
		return true
	})
	if kinds {
		p.look.RealtimeKinds(func(k lookup.Kind) { p.kinds[int32(k.URL)] = newKind(k, p.weightOf(k.Address)) })
	}
}

// askURLs queues a request for the documents that have one of some texts in their addresses.
func (p *plan) askURLs(f query.Filter) {
	if p.inURL[f.String()] != nil {
		return
	}
	set := &documentSet{}
	p.inURL[f.String()] = set
	p.look.InURL(f.Any, func(site store.SiteID, urls []store.URLID) { set.add(int32(site), urls) })
}
