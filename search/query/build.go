package query

// A value is the result of parsing a term, a group or a whole text: a node, or none if it has nothing to
// find. Only a value without a node has exclusions and site filters, which then belong to the And around it.
type value struct {
	node       Node
	lead, tail int // places before and behind the node; without a node, lead is all of them
	not        []Node
	sites      []SiteFilter
	filters    []Filter
	leftOut    bool // it has words that are not indexed
	at         int  // its offset in the text
}

// unitValue returns the value of a unit: a word, or several words without a blank.
func unitValue(x *lexeme, sections Sections) value {
	v := phraseValue(x.unit.seq, x.unit.leftOut, x.at, sections)
	if phrase, ok := v.node.(Phrase); ok {
		if phrase.Unit = len(phrase.Steps) > 1; phrase.Unit {
			phrase.Name = x.unit.name
			v.node = phrase
		} else {
			v.node = phrase.Steps[0].Item.(Node) // a unit has no Choice
		}
	}
	return v
}

// phraseValue returns the value of a phrase. Places before its first word and behind its last are not part of
// it.
func phraseValue(seq Sequence, leftOut bool, at int, sections Sections) value {
	if !needsWord(seq.Steps) {
		seq = prune(seq)
	}
	v := value{leftOut: leftOut, at: at}
	if len(seq.Steps) == 0 {
		v.lead = seq.Tail
		return v
	}
	steps := inSections(seq.Steps, sections)
	v.lead, v.tail = steps[0].Skip, seq.Tail
	steps[0].Skip = 0
	v.node = Phrase{Steps: steps, Sections: sections}
	return v
}

// A part is an And under construction.
type part struct {
	terms   []Term
	pending int // free places behind the last term
	not     []Node
	sites   []SiteFilter
	filters []Filter
	leftOut bool
	at      int
}

// require makes the last term a condition.
func (p *part) require() {
	if n := len(p.terms); n > 0 {
		p.terms[n-1].Must = free(p.terms[n-1].Node)
	}
}

// add adds a value. It reports whether that is a term.
func (p *part) add(v value) bool {
	p.leftOut = p.leftOut || v.leftOut
	p.not = append(p.not, v.not...)
	p.sites = append(p.sites, v.sites...)
	p.filters = append(p.filters, v.filters...)
	p.pending += v.lead
	if v.node == nil {
		return false
	}
	if len(p.terms) == 0 {
		p.pending = 0
	}
	p.terms = append(p.terms, Term{Skip: p.pending, Node: v.node})
	p.pending = v.tail
	return true
}

// exclude adds a value that must not match. An excluded value takes no place.
func (s *session) exclude(p *part, v value) error {
	switch {
	case v.node != nil:
		p.not = append(p.not, v.node)
	case len(v.not) == 0 && len(v.sites) == 1 && len(v.filters) == 0:
		f := v.sites[0]
		f.Not = !f.Not
		p.sites = append(p.sites, f)
	case len(v.not) == 0 && len(v.sites) == 0 && len(v.filters) == 1:
		f := v.filters[0]
		f.Not = !f.Not
		p.filters = append(p.filters, f)
	case len(v.not) > 0 || len(v.sites) > 0 || len(v.filters) > 0:
		return s.onlyExclusions(v.at)
	}
	return nil
}

// value returns the value of the part.
func (p *part) value() value {
	v := value{leftOut: p.leftOut, at: p.at}
	if len(p.terms) == 1 {
		p.terms[0].Must = false // it is the only one
	}
	switch {
	case len(p.terms) == 0:
		v.lead, v.not, v.sites, v.filters = p.pending, p.not, p.sites, p.filters
	case len(p.terms) > 1:
		v.node = And{Terms: p.terms, Not: p.not, Sites: p.sites, Filters: p.filters}
	case len(p.not) == 0 && len(p.sites) == 0 && len(p.filters) == 0:
		v.node = p.terms[0].Node
	default:
		v.node = And{Terms: p.terms, Not: p.not, Sites: p.sites, Filters: p.filters}
		// (a b) -c means a b -c.
		if inner, ok := p.terms[0].Node.(And); ok {
			v.node = And{
				Terms:   inner.Terms,
				Not:     append(inner.Not[:len(inner.Not):len(inner.Not)], p.not...),
				Sites:   append(inner.Sites[:len(inner.Sites):len(inner.Sites)], p.sites...),
				Filters: append(inner.Filters[:len(inner.Filters):len(inner.Filters)], p.filters...),
			}
		}
	}
	return v
}

// or returns the value of factors that are joined by OR.
func (s *session) or(factors []value) (value, error) {
	if len(factors) == 1 {
		return factors[0], nil
	}
	if sites, ok := onlySites(factors); ok {
		return value{sites: []SiteFilter{{Any: sites}}, at: factors[0].at}, nil
	}
	if f, ok := oneKind(factors); ok {
		return value{filters: []Filter{f}, at: factors[0].at}, nil
	}
	out := value{at: factors[0].at}
	var alts []Node
	for _, f := range factors {
		out.leftOut = out.leftOut || f.leftOut
		if inner, ok := f.node.(Or); ok {
			alts = append(alts, inner.Any...)
			continue
		}
		switch {
		case f.node != nil:
			alts = append(alts, f.node)
		case f.leftOut: // there is a note already
			out.lead = max(out.lead, f.lead)
		case len(f.not) > 0:
			return value{}, s.onlyExclusions(f.at)
		case len(f.sites) > 0:
			return value{}, s.fault(ErrOnlySites, f.at, "The alternative at byte %d consists of site filters only. To search several sites, "+
				"write word (site:a.example OR site:b.example).", f.at+1)
		case len(f.filters) > 0:
			return value{}, s.onlyFilters(f.at)
		default: // a lone * or ()
			out.lead = max(out.lead, f.lead)
		}
	}
	switch len(alts) {
	case 0:
	case 1:
		out.node, out.lead = alts[0], 0
	default:
		out.node, out.lead = Or{Any: alts}, 0
	}
	return out, nil
}

// onlySites returns the sites of site:a OR site:b.
func onlySites(factors []value) ([]Site, bool) {
	var sites []Site
	for _, f := range factors {
		if f.node != nil || f.leftOut || len(f.not) > 0 || len(f.filters) > 0 || len(f.sites) != 1 || f.sites[0].Not {
			return nil, false
		}
		sites = append(sites, f.sites[0].Any...)
	}
	return sites, true
}

func (s *session) onlyExclusions(at int) error {
	return s.fault(ErrOnlyExclusions, at, "The part from byte %d on has only exclusions. Add a word to search for.", at+1)
}

func (s *session) onlyFilters(at int) error {
	return s.fault(ErrOnlySites, at, "The part from byte %d on only limits the search. Add a word to search for.", at+1)
}

// spare returns the number of words of which the search may choose the best: they are no conditions.
func spare(n Node) (words int) {
	and, ok := Flat(n).(And)
	if !ok {
		and.Terms = []Term{{Node: n}}
	}
	for _, t := range and.Terms {
		if t.Condition() {
			continue
		}
		switch n := t.Node.(type) {
		case Word:
			words++
		case Phrase:
			words += len(n.Steps)
		}
	}
	return words
}

// alone returns a text that is nothing but -header as the word: an exclusion alone finds nothing.
func alone(v value) value {
	if v.node == nil && len(v.not) == 1 && len(v.sites) == 0 && len(v.filters) == 0 && !v.leftOut {
		switch v.not[0].(type) {
		case Word, Pattern, Phrase:
			v.node, v.not = v.not[0], nil
		}
	}
	return v
}

// finish makes a query of the value of the whole text, or returns the reason why there is nothing to find.
func (s *session) finish(v value) (*Query, error) {
	if s.surplus != nil && s.terms-spare(v.node) > MaxTerms {
		return nil, s.surplus
	}
	switch {
	case v.node != nil:
		return &Query{Root: v.node, Notes: s.notes}, nil
	case v.leftOut:
		return nil, s.fault(ErrOnlyStopWords, v.at, "The index contains none of these words, because they are too common, too short or too long. "+
			"Add another word.")
	case len(v.not) > 0:
		return nil, s.onlyExclusions(v.at)
	case len(v.sites) > 0:
		return nil, s.fault(ErrOnlySites, v.at, "From byte %d on the query has only a site filter. Add a word to search for.", v.at+1)
	}
	if len(v.filters) > 0 {
		return nil, s.onlyFilters(v.at)
	}
	return nil, s.fault(ErrEmpty, v.at, "There is no word to search for.")
}
