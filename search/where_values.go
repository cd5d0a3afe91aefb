package search

import (
	"slices"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// named are values of documents that have few different ones, such as languages: a byte a document. The names beyond the
// 254th have one code together, which no name finds.
type named struct {
	codes []byte   // by url_id; 0 = no value
	names []string // by code
	known map[string]byte
}

const otherName = 255

func newNamed(before []byte) named {
	return named{codes: make([]byte, 0, len(before)), names: []string{""}, known: map[string]byte{"": 0}}
}

func (n *named) set(u store.URLID, name string) {
	code, ok := n.known[name]
	if !ok {
		code = otherName
		if len(n.names) < otherName {
			code = byte(len(n.names))
			n.names = append(n.names, name)
		}
		n.known[name] = code
	}
	n.codes = put(n.codes, u, code)
}

// A kind is the language and type of a document of the real-time index.
type kind struct{ language, docType string }

func kindOf(language, docType string) kind {
	code, _ := query.Language(language)
	return kind{code, docType}
}

// A valueFilter accepts documents by their language or type. A document of which that is unknown has neither.
type valueFilter struct {
	codes  []byte
	accept [otherName + 1]bool
	live   map[int32]bool // documents of the real-time index: whether they pass
}

func (f *valueFilter) next(p place) place {
	if f.passes(p.url()) {
		return p
	}
	return p + 1
}

func (f *valueFilter) passes(url int32) bool {
	if ok, live := f.live[url]; live {
		return ok
	}
	code := byte(0)
	if int(url) < len(f.codes) {
		code = f.codes[url]
	}
	return f.accept[code]
}

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
	values := &p.values.languages
	if f.Kind == query.ByType {
		values = &p.values.types
	}
	out := &valueFilter{codes: values.codes, live: map[int32]bool{}}
	for code, name := range values.names {
		out.accept[code] = f.Accepts(name)
	}
	out.accept[otherName] = f.Not
	seen := map[string]bool{}
	for url, k := range p.kinds {
		name := k.language
		if f.Kind == query.ByType {
			name = k.docType
		}
		seen[name] = true
		out.live[url] = f.Accepts(name)
	}
	for _, value := range f.Any {
		if slices.Contains(values.names, value) || seen[value] {
			continue
		}
		n := query.NewNote(query.UnknownPlace, "The index has no documents in the language %s.", query.Quote(value))
		if f.Kind == query.ByType {
			n = query.NewNote(query.UnknownPlace, "The index has no documents of the type %s.", query.Quote(value))
		}
		if !slices.ContainsFunc(p.notes, func(o query.Note) bool { return o.Text == n.Text }) {
			p.notes = append(p.notes, n)
		}
	}
	return out
}

// askKinds queues requests for what the filters of the query compare and the engine does not have in memory.
func (p *plan) askKinds() {
	kinds := false
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
		p.look.RealtimeKinds(func(k lookup.Kind) { p.kinds[int32(k.URL)] = kindOf(k.Language, k.Type) })
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
