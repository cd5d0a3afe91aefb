package query

import "slices"

// Append appends the steps of another sequence, behind the Tail places of s.
func (s *Sequence) Append(next Sequence) {
	for i, step := range next.Steps {
		if i == 0 {
			step.Skip += s.Tail
			s.Tail = 0
		}
		s.Steps = append(s.Steps, step)
	}
	s.Tail += next.Tail
}

// phrase parses the text behind a quotation mark, up to the next one or the end.
func (p *parser) phrase(opened *lexeme) (seq Sequence, leftOut bool, err error) {
	depth := p.depth
	seq, leftOut, err = p.sequence(depth)
	if err == nil && p.take().kind == lexEnd {
		p.note(UnclosedQuote, opened.at, "", "The quotation mark at byte %d is not closed. The phrase ends at the end of the query.", opened.at+1)
	}
	return seq, leftOut, err
}

// sequence parses words that follow each other, up to the end of the phrase or, in parentheses (those beyond
// depth), an OR or ).
func (p *parser) sequence(depth int) (seq Sequence, leftOut bool, err error) {
	for {
		x := p.peek()
		switch x.kind {
		case lexUnit:
			seq.Append(x.unit.seq)
			leftOut = leftOut || x.unit.leftOut
		case lexOpen:
			choice, left, err := p.choice(depth)
			if err != nil {
				return seq, false, err
			}
			seq.Append(choice)
			leftOut = leftOut || left
			continue
		case lexEnd, lexQuote:
			return seq, leftOut, nil
		case lexClose:
			if p.depth > depth {
				return seq, leftOut, nil
			}
			p.extra(x)
		case lexOr:
			if p.depth > depth {
				return seq, leftOut, nil
			}
		}
		p.i++
	}
}

// choice parses parentheses inside of a phrase.
func (p *parser) choice(depth int) (seq Sequence, leftOut bool, err error) {
	opened := p.take()
	if err := p.open(opened); err != nil {
		return seq, false, err
	}
	var alts []Sequence
	for {
		s, left, err := p.sequence(depth)
		if err != nil {
			return seq, false, err
		}
		alts = append(alts, s)
		leftOut = leftOut || left
		if p.peek().kind != lexOr {
			break
		}
		p.i++
	}
	p.shut(opened)
	return choose(alts), leftOut, nil
}

// choose returns a sequence in normal form that matches where any of the given ones does. Empty ones, as in
// (|a), are dropped. If none has a word, the result has as many places as the longest.
func choose(sequences []Sequence) Sequence {
	var alts []Sequence
	words := false
	for _, s := range sequences {
		if s.Width() == 0 {
			continue
		}
		words = words || len(s.Steps) > 0
		if len(s.Steps) == 1 && s.Steps[0].Skip == 0 && s.Tail == 0 {
			if inner, ok := s.Steps[0].Item.(Choice); ok {
				alts = append(alts, inner.Any...)
				continue
			}
		}
		alts = append(alts, s)
	}
	switch {
	case !words:
		width := 0
		for _, s := range alts {
			width = max(width, s.Tail)
		}
		return Sequence{Tail: width}
	case len(alts) == 1:
		return alts[0]
	}
	return Sequence{Steps: []PhraseStep{{Item: Choice{Any: alts}}}}
}

// needsWord reports whether every way to match the steps has a word in it.
func needsWord(steps []PhraseStep) bool {
	return slices.ContainsFunc(steps, func(s PhraseStep) bool {
		choice, ok := s.Item.(Choice)
		return !ok || !slices.ContainsFunc(choice.Any, func(a Sequence) bool { return !needsWord(a.Steps) })
	})
}

// prune removes the alternatives without a word from all choices of a sequence, so that it needs a word.
// Nothing could be looked up for those alternatives: "(the OR a)" of two words that are not indexed is not a
// query.
func prune(s Sequence) Sequence {
	var out Sequence
	for _, step := range s.Steps {
		one := Sequence{Steps: []PhraseStep{step}}
		if choice, ok := step.Item.(Choice); ok {
			var alts []Sequence
			for _, a := range choice.Any {
				if a = prune(a); len(a.Steps) > 0 {
					alts = append(alts, a)
				}
			}
			one = choose(alts)
			one.Steps[0].Skip += step.Skip
		}
		out.Append(one)
	}
	out.Tail += s.Tail
	return out
}

// inSections returns the steps with their words in the given sections.
func inSections(steps []PhraseStep, sections Sections) []PhraseStep {
	out := slices.Clone(steps)
	for i, s := range out {
		switch item := s.Item.(type) {
		case Word:
			item.Sections = sections
			out[i].Item = item
		case Pattern:
			item.Sections = sections
			out[i].Item = item
		case Choice:
			alts := slices.Clone(item.Any)
			for j := range alts {
				alts[j].Steps = inSections(alts[j].Steps, sections)
			}
			out[i].Item = Choice{Any: alts}
		}
	}
	return out
}
