package e2e

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// queryGenerator makes random requests of the whole grammar that mostly find something: its words are drawn
// from the running text of the documents, so that common ones are frequent, and its phrases occur in one of
// them, exactly or nearly.
type queryGenerator struct {
	*rand.Rand
	o         *oracle
	addresses []string // of all URLs
	rules     query.Options
}

// request returns a request, with its query as text.
func (a *queryGenerator) request() (search.Request, string) {
	for {
		d := a.document()
		text := (&query.Query{Root: a.node(0, d)}).String()
		if a.IntN(25) == 0 {
			text = "link:" + a.address()
		}
		q, err := query.Parse(text, a.rules)
		if err != nil {
			continue // too long, or of too many words
		}
		r := search.Request{Query: q, Group: search.Grouping(a.IntN(3)), Flat: a.IntN(5) == 0, PerPage: 1 + a.IntN(100)}
		if a.IntN(3) == 0 {
			r.Ranking = search.ByASPseek
		}
		r.All = a.IntN(3) == 0
		a.limit(&r, d)
		a.narrow(&r, d)
		return r, text
	}
}

// limit adds limits to a request, in one of three such that the document of the query passes.
func (a *queryGenerator) limit(r *search.Request, d *oracleDoc) {
	if a.IntN(6) == 0 {
		r.Order = search.ByDate
	}
	if a.IntN(3) > 0 {
		return
	}
	for range 1 + a.IntN(2) {
		switch a.IntN(5) {
		case 0:
			r.Sites = append(r.Sites, a.document().name)
			if a.IntN(2) == 0 {
				r.Sites = append(r.Sites, d.name, "http://nowhere.example/")
			}
		case 1:
			for _, mask := range slices.Sorted(maps.Keys(a.o.subsets)) {
				if a.IntN(2) == 0 {
					r.Subsets = append(r.Subsets, mask)
				}
			}
		case 2:
			r.Spaces = append(r.Spaces, 1+a.Int32N(3))
		case 3:
			r.SiteIDs = append(r.SiteIDs, d.site)
		case 4:
			from, to := time.Unix(d.date, 0), time.Unix(a.document().date, 0)
			if a.IntN(3) > 0 {
				r.Dates.From = from
			}
			if !to.Before(from) && a.IntN(3) > 0 {
				r.Dates.To = to
			}
		}
	}
}

// address returns an address in the index, as people type it.
func (a *queryGenerator) address() string {
	u := a.addresses[a.IntN(len(a.addresses))]
	if a.IntN(3) == 0 {
		return strings.TrimSuffix(strings.TrimPrefix(u, "http://"), "/")
	}
	return u
}

func (a *queryGenerator) document() *oracleDoc { return a.o.docs[a.IntN(len(a.o.docs))] }

// place returns the place of a word in the running text of a document: mostly in the body, sometimes near its
// end, where ordinals are saturated in the longest documents. ok is false for a document without words.
func (a *queryGenerator) place(d *oracleDoc) (section, at int, ok bool) {
	for range 100 {
		section = max(0, a.IntN(9)-5)
		text := d.text[section]
		if len(text) == 0 {
			continue
		}
		at = a.IntN(len(text))
		if a.IntN(10) == 0 {
			at = max(0, len(text)-1-a.IntN(5))
		}
		if text[at] != "" {
			return section, at, true
		}
	}
	return 0, 0, false
}

// word returns a word of the document, seldom one that no document has.
func (a *queryGenerator) word(d *oracleDoc) string {
	section, at, ok := a.place(d)
	if !ok || a.IntN(40) == 0 {
		return "zzqx"
	}
	return d.text[section][at]
}

func (a *queryGenerator) sections() query.Sections {
	if a.IntN(3) > 0 {
		return 0
	}
	return query.Sections(a.IntN(15))
}

// pattern returns a pattern that matches a word.
func (a *queryGenerator) pattern(word string) (string, bool) {
	r := []rune(word)
	if len(r) < 4 || r[0] > 0x2000 {
		return "", false
	}
	n := 3 + a.IntN(len(r)-3)
	text := string(r[:n])
	for _, c := range r[n:] {
		switch a.IntN(4) {
		case 0:
			return text + "*", true
		case 1:
			text += "?"
		default:
			text += string(c)
		}
	}
	return text + "*", true
}

func (a *queryGenerator) node(depth int, d *oracleDoc) query.Node {
	switch kind := a.IntN(12); {
	case depth < 3 && kind < 4:
		return a.and(depth, d)
	case depth < 3 && kind < 6:
		or := query.Or{}
		for range 2 + a.IntN(2) {
			or.Any = append(or.Any, a.node(depth+1, a.document()))
		}
		return or
	case kind < 9:
		return a.phrase(d)
	}
	word, sections := a.word(d), a.sections()
	if text, ok := a.pattern(word); ok && a.IntN(5) == 0 {
		return query.Pattern{Text: text, Sections: sections}
	}
	return query.Word{Text: word, Sections: sections}
}

// and returns terms that occur in one document, half the time next to each other.
func (a *queryGenerator) and(depth int, d *oracleDoc) query.Node {
	var and query.And
	section, at, ok := a.place(d)
	running := ok && a.IntN(2) == 0
	for i := range 1 + a.IntN(3) {
		t := query.Term{Node: a.node(depth+1, d)}
		if running && a.IntN(4) > 0 {
			if text := d.text[section]; at < len(text) && text[at] != "" {
				t.Node = query.Word{Text: text[at], Sections: a.sections()}
			}
			at++
		}
		if i > 0 && a.IntN(6) == 0 {
			t.Skip = 1 + a.IntN(2)
			at += t.Skip
		}
		and.Terms = append(and.Terms, t)
	}
	if a.IntN(3) == 0 {
		and.Not = append(and.Not, a.node(depth+2, a.document()))
	}
	if a.IntN(6) == 0 {
		for range 1 + a.IntN(2) {
			and.Sites = append(and.Sites, a.sites(d))
		}
	}
	return and
}

// sites returns a filter for the document's host, or another one's.
func (a *queryGenerator) sites(d *oracleDoc) query.SiteFilter {
	f := query.SiteFilter{Not: a.IntN(4) == 0}
	for range 1 + a.IntN(2) {
		labels := d.labels
		from := a.IntN(len(labels))
		to := from + 1 + a.IntN(len(labels)-from)
		name := strings.Join(labels[from:to], ".")
		if a.IntN(2) == 0 {
			name, _, _ = strings.Cut(name, ":")
		}
		f.Any = append(f.Any, query.Site(name))
		d = a.document()
	}
	return f
}

// phrase returns a phrase of the document, with an occasional replaced word.
func (a *queryGenerator) phrase(d *oracleDoc) query.Node {
	section, at, ok := a.place(d)
	if !ok {
		return query.Word{Text: a.word(d)}
	}
	p := query.Phrase{Steps: a.steps(d.text[section], &at, 1+a.IntN(4), 0)}
	p.Steps[0].Skip = 0
	if a.IntN(4) == 0 {
		p.Sections = query.Sections(1<<section | a.IntN(16))
	}
	return p
}

// steps returns n steps of the text from a place on, and moves the place behind them.
func (a *queryGenerator) steps(text []string, at *int, n, depth int) (steps []query.PhraseStep) {
	skip := 0
	for len(steps) < n {
		if *at >= len(text) {
			steps = append(steps, query.PhraseStep{Skip: skip, Item: query.Word{Text: "zzqx"}})
			break
		}
		word := text[*at]
		switch kind := a.IntN(20); {
		case word == "" || kind < 2:
			skip++
			*at++
			continue
		case kind < 4 && depth < 2:
			steps = append(steps, query.PhraseStep{Skip: skip, Item: a.choice(text, at, depth)})
		case kind == 4:
			if pattern, ok := a.pattern(word); ok {
				steps = append(steps, query.PhraseStep{Skip: skip, Item: query.Pattern{Text: pattern}})
				*at++
				break
			}
			fallthrough
		default:
			if kind == 5 {
				word = a.word(a.document())
			}
			steps = append(steps, query.PhraseStep{Skip: skip, Item: query.Word{Text: word}})
			*at++
		}
		skip = 0
	}
	return steps
}

// choice returns the text at a place and alternatives of any width, in any order.
func (a *queryGenerator) choice(text []string, at *int, depth int) query.Choice {
	var c query.Choice
	from := *at
	right := query.Sequence{Steps: a.steps(text, at, 1+a.IntN(2), depth+1)}
	if a.IntN(6) == 0 {
		right.Tail = 1 + a.IntN(2)
		*at += right.Tail
	}
	c.Any = append(c.Any, right)
	for range 1 + a.IntN(2) {
		var other query.Sequence
		switch a.IntN(5) {
		case 0: // any words
			other.Tail = 1 + a.IntN(3)
		case 1: // the same place, another width
			again := from
			other.Steps = a.steps(text, &again, 1+a.IntN(3), depth+1)
		default:
			d := a.document()
			if section, place, ok := a.place(d); ok {
				other.Steps = a.steps(d.text[section], &place, 1+a.IntN(2), depth+1)
			} else {
				other.Tail = 1
			}
		}
		c.Any = append(c.Any, other)
	}
	a.Shuffle(len(c.Any), func(i, k int) { c.Any[i], c.Any[k] = c.Any[k], c.Any[i] })
	return c
}
