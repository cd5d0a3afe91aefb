package document

import "slices"

// Gap is the byte of Text.Body that stands where words were left out. Text.Body has it nowhere else.
const Gap = '\v'

// out reports whether the text that follows is left out.
func (p *parser) out() bool { return p.hidden || p.now.rule != 0 && p.class(p.now) == leftOut }

// omit counts the words of text that is left out.
func (p *parser) omit(text []byte) {
	if p.visits() {
		p.reader.visitor.Text(text, -1)
	}
	if !p.rules.leave.active() {
		return
	}
	by := int(p.now.rule)
	if p.hidden {
		by = 0
	}
	p.scan.reset(text)
	n := p.left[by]
	for p.scan.next() {
		n++
	}
	p.gap = p.gap || n > p.left[by]
	p.left[by] = n
}

// fillGap skips one ordinal for the words that were left out before the following text.
func (p *parser) fillGap() {
	if !p.gap {
		return
	}
	p.gap = false
	p.separate()
	p.flush()
	switch {
	case p.reader != nil:
		p.reader.note(p.class(p.now), 1)
		p.reader.text[sectionBody] = append(p.reader.text[sectionBody], Gap)
	case !p.noIndex:
		p.table.ordinal[sectionBody]++
		p.gaps++
	}
}

// htmlOrWhole reads the content of an HTML document, or the whole document when too little would be left.
func (p *parser) htmlOrWhole(text []byte, xml bool) {
	p.html(text, xml)
	if out := p.omitted(); out == 0 || !tooLittle(p.words(out), out) || p.late() {
		return
	}
	left, again := slices.Clone(p.left), p.reader
	p.begin(p.rules, p.deadline)
	if p.whole = true; again != nil {
		p.reader = &reader{}
	}
	p.html(text, xml)
	copy(p.left[1:], left[1:])
}

// omitted counts the words that rules left out, without those between comments: their author never wants them indexed.
func (p *parser) omitted() (n int) {
	for _, words := range p.left[1:] {
		n += words
	}
	return n
}

// words counts the words of the body, up to the number that decides when out words were left out.
func (p *parser) words(out int) (n int) {
	if p.reader == nil {
		return p.table.ordinal[sectionBody] - p.gaps
	}
	most := max(leastLeft, out/(leastShare-1)+1)
	p.scan.reset(p.reader.text[sectionBody])
	for n < most && p.scan.next() {
		n++
	}
	return n
}

// leftOut returns the numbers of words that were left out, by rule.
func (p *parser) leftOut() (list []LeftOut) {
	for rule, words := range p.left {
		if words > 0 {
			list = append(list, LeftOut{p.rules.leave.name(rule), words})
		}
	}
	return list
}

// note records that the next bytes of the body are of a class.
func (r *reader) note(class, bytes int) {
	from := len(r.text[sectionBody])
	switch class {
	case asideText:
		r.aside = addRange(r.aside, from, from+bytes)
	case quietText:
		r.quiet = addRange(r.quiet, from, from+bytes)
	}
}

// addRange adds a range behind the others.
func addRange(list [][2]int, from, to int) [][2]int {
	if n := len(list); n > 0 && list[n-1][1] == from {
		list[n-1][1] = to
		return list
	}
	return append(list, [2]int{from, to})
}
