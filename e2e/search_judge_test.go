package e2e

import (
	"math"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/search/query"
)

// judge compares one document with a query, word by word and place by place. It follows the comment at the
// head of search/rank.go.
type judge struct {
	d    *oracleDoc
	flat bool
}

// verdict says how a document matches a node.
type verdict struct {
	ok      bool
	bits    uint32 // the 16 bits, without the exact one
	section int
	count   int   // how often it is there, as far as that counts in the body
	places  []int // section*apart + ordinal, ascending
	times   []int // of a phrase: the same with those twice from which it matches in two ways
}

// apart is a distance between sections that no distance of ordinals reaches.
const apart = 1 << 20

// rank returns the final rank. No request of these tests has other forms of words, so all matches are exact.
func (v verdict) rank(link uint32) uint32 {
	w := v.bits | 1<<15
	if v.section == 0 && v.count > 1 {
		link = min(link+uint32(2000*math.Log(float64(v.count))), 65535)
	}
	if w>>13&3 != 0 {
		return w<<16 + link
	}
	return w>>11<<27 + link<<11
}

func (j judge) node(n query.Node) verdict {
	switch n := n.(type) {
	case query.Word:
		return j.word(n.Text, n.Sections)
	case query.Pattern:
		var all []verdict
		for text := range j.d.words {
			if n.Matches(text) {
				all = append(all, j.word(text, n.Sections))
			}
		}
		return best(all)
	case query.Phrase:
		return j.phrase(n)
	case query.Or:
		var all []verdict
		for _, a := range n.Any {
			all = append(all, j.node(a))
		}
		return best(all)
	case query.And:
		return j.and(n)
	}
	panic("a node of no kind")
}

// word judges one word: the best section counts, and outside the body the first place in it.
func (j judge) word(text string, sections query.Sections) (v verdict) {
	first := [4]int{-1, -1, -1, -1}
	for _, p := range j.d.words[text] {
		section, ordinal := int(p>>14), int(p&16383)
		if !sections.Has(section) {
			continue
		}
		v.ok = true
		v.places = append(v.places, section*apart+ordinal)
		v.section = max(v.section, section)
		if first[section] < 0 {
			first[section] = ordinal
		}
	}
	if !v.ok {
		return v
	}
	v.bits = uint32(v.section) << 13
	if v.section == 0 {
		v.count = len(v.places)
	} else {
		if j.flat {
			first[v.section] = 0
		}
		v.bits |= uint32(8191 - min(first[v.section], 8191))
	}
	return v
}

// best returns the verdict of alternatives. Their numbers of occurrences are added up.
func best(all []verdict) (v verdict) {
	for _, a := range all {
		if !a.ok {
			continue
		}
		v.ok = true
		v.places = append(v.places, a.places...)
		v.count += a.count
		if a.bits > v.bits || a.bits == v.bits && a.section > v.section {
			v.bits, v.section = a.bits, a.section
		}
	}
	slices.Sort(v.places)
	v.places = slices.Compact(v.places)
	return v
}

// some reports whether a document meets the conditions of a query and, if it has none, has any of its words.
func (j judge) some(root query.Node) bool {
	and, ok := root.(query.And)
	if !ok {
		and.Terms = []query.Term{{Node: root}}
	}
	conditions := query.And{Not: and.Not, Sites: and.Sites}
	found := false
	for _, t := range and.Terms {
		if t.Condition() {
			conditions.Terms = append(conditions.Terms, t)
			continue
		}
		for leaf := range query.Leaves(t.Node) {
			found = found || j.node(leaf.(query.Node)).ok
		}
	}
	if len(conditions.Terms) == 0 {
		return found && j.passes(conditions)
	}
	return j.and(conditions).ok
}

// passes reports whether a document passes the exclusions and site filters of an And.
func (j judge) passes(n query.And) bool {
	for _, f := range n.Sites {
		if slices.ContainsFunc(f.Any, func(s query.Site) bool { return j.onSite(s.Labels()) }) == f.Not {
			return false
		}
	}
	return !slices.ContainsFunc(n.Not, func(x query.Node) bool { return j.node(x).ok })
}

func (j judge) and(n query.And) (v verdict) {
	if !j.passes(n) {
		return verdict{}
	}
	terms := make([]verdict, len(n.Terms))
	for i, t := range n.Terms {
		if terms[i] = j.node(t.Node); !terms[i].ok {
			return verdict{}
		}
	}
	if len(terms) == 1 {
		return terms[0]
	}
	v = verdict{ok: true, section: 3}
	for _, t := range terms {
		v.section = min(v.section, t.section)
	}
	first := 2047
	for _, t := range terms {
		for _, p := range t.places {
			if p/apart == v.section {
				first = min(first, p%apart)
			}
		}
	}
	phrase, phrases := quality(terms, distances(n))
	v.bits = uint32(v.section)<<13 | phrase<<11
	if v.count = phrases; phrases == 0 {
		v.count = math.MaxInt
		for _, t := range terms {
			v.count = min(v.count, max(t.count, 1))
		}
	}
	if v.section > 0 {
		v.bits |= uint32(2047 - first)
	}
	return v
}

// distances returns the places from each term to the next, if the text were the query as typed.
func distances(n query.And) (list []int) {
	for i, t := range n.Terms {
		if i > 0 {
			list = append(list, query.Width(n.Terms[i-1].Node)+t.Skip)
		}
	}
	return list
}

// quality returns 3 and the number of places if all terms occur as typed, otherwise the number of neighbors
// that do, at most 2.
func quality(terms []verdict, distances []int) (phrase uint32, phrases int) {
	for _, p := range terms[0].places {
		whole := true
		for i, distance := range distances {
			p += distance
			whole = whole && slices.Contains(terms[i+1].places, p)
		}
		if whole {
			phrases++
		}
	}
	if phrases > 0 {
		return 3, phrases
	}
	pairs := 0
	for i, distance := range distances {
		if slices.ContainsFunc(terms[i].places, func(p int) bool { return slices.Contains(terms[i+1].places, p+distance) }) {
			pairs++
		}
	}
	return uint32(min(pairs, 2)), 0
}

// onSite reports whether the labels occur one behind the other in the host's name, with its port or without.
func (j judge) onSite(labels []string) bool {
	host := strings.Join(j.d.labels, ".")
	name, _, _ := strings.Cut(host, ":")
	pattern := "." + strings.Join(labels, ".") + "."
	return strings.Contains("."+host+".", pattern) || strings.Contains("."+name+".", pattern)
}

// stretch is a part of a text that a phrase matches: from its first word, -1 without one, to the place behind
// it.
type stretch struct{ word, end int }

// phrase tries every place where the phrase might begin. Of the stretches that end at one place, the one with
// the latest first word counts. The best section counts, and in it the first stretch.
func (j judge) phrase(n query.Phrase) (v verdict) {
	latest := map[int]int{} // by end
	for _, at := range j.begins(n.Steps[0].Item) {
		if !n.Sections.Has(at / apart) {
			continue
		}
		for _, s := range j.stretches(n.Steps, stretch{-1, at}) {
			if was, ok := latest[s.end]; !ok || s.word > was {
				latest[s.end] = s.word
			}
		}
	}
	counts := [4]int{}
	for _, word := range latest {
		v.ok = true
		v.places = append(v.places, word)
		v.section = max(v.section, word/apart)
		counts[word/apart]++
	}
	v.count = counts[v.section]
	if !v.ok {
		return v
	}
	slices.Sort(v.places)
	v.times = slices.Clone(v.places)
	v.places = slices.Compact(v.places)
	if v.section == 0 {
		v.bits = 0x3000
		return v
	}
	i, _ := slices.BinarySearch(v.places, v.section*apart)
	v.bits = uint32(v.section)<<13 | uint32(8191-min(v.places[i]%apart, 8191))
	return v
}

// begins returns the places of a first step: those of a word, all places for a choice.
func (j judge) begins(item query.Item) (places []int) {
	switch item := item.(type) {
	case query.Word:
		return j.word(item.Text, 0).places
	case query.Pattern:
		return j.node(query.Pattern{Text: item.Text}).places
	}
	for section, text := range j.d.text {
		for at := range text {
			places = append(places, section*apart+at)
		}
	}
	return places
}

// stretches returns the continuations of a stretch by the remaining steps.
func (j judge) stretches(steps []query.PhraseStep, from stretch) []stretch {
	ways := []stretch{from}
	for _, step := range steps {
		var next []stretch
		for _, way := range ways {
			way.end += step.Skip
			choice, ok := step.Item.(query.Choice)
			if !ok {
				if j.fits(step.Item, way.end) {
					if way.word < 0 {
						way.word = way.end
					}
					next = append(next, stretch{way.word, way.end + 1})
				}
				continue
			}
			for _, a := range choice.Any {
				for _, s := range j.stretches(a.Steps, way) {
					next = append(next, stretch{s.word, s.end + a.Tail})
				}
			}
		}
		ways = next
	}
	return ways
}

// fits reports whether a word occurs at a place. Each word that shares the last ordinal of a section does.
func (j judge) fits(item query.Item, at int) bool {
	if at%apart >= 1<<14 {
		return false
	}
	position := uint16(at/apart<<14 | at%apart)
	switch item := item.(type) {
	case query.Word:
		_, found := slices.BinarySearch(j.d.words[item.Text], position)
		return found
	case query.Pattern:
		if position&(1<<14-1) < 1<<14-1 {
			text := j.d.text[at/apart]
			return at%apart < len(text) && text[at%apart] != "" && item.Matches(text[at%apart])
		}
		for text := range j.d.words {
			if item.Matches(text) && j.fits(query.Word{Text: text}, at) {
				return true
			}
		}
	}
	return false
}
