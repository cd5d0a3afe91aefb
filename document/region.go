package document

import (
	"bytes"
	"slices"
	"strings"
)

// A region has the properties of a part of a page that decide whether its text is indexed and shown in excerpts.
type region struct {
	rule  uint8 // why it is not content: 0, the number of a leaveRule from 1 on, then of a selector
	main  bool  // in main or article
	quiet bool  // data-nosnippet
	own   bool  // a link of the page's table of contents
}

// The classes of text.
const (
	mainText  = iota
	asideText // indexed although it is not content; excerpts show it when there is nothing else
	quietText // indexed, and not in excerpts
	leftOut
)

// class returns the class of the text of a region.
func (p *parser) class(r region) int {
	switch {
	case r.rule == 0 && r.quiet:
		return quietText
	case r.rule == 0:
		return mainText
	case p.whole, r.own:
	case p.rules.leave.Start && p.rules.leave.ofSite(r.rule):
	default:
		return leftOut
	}
	if r.quiet {
		return quietText
	}
	return asideText
}

// An openElement is an element that is open and has a meaning for regions.
type openElement struct {
	name uint64 // as the tokenizer has it
	kind uint8
	now  region // of its text
}

// Kinds of open elements by how they end.
const (
	openBlock  = iota // by their end tag, or by the end of one around them
	openInline        // the same, but not by an end tag beyond a block
	openFlow          // may be left open: p, li, td
)

// inElements reads on for a start tag: it decides in which region the element's text is.
func (p *parser) inElements(z *tokenizer, flags uint8) {
	if p.odd > 0 {
		p.endFlow(z.name)
	}
	now := p.regionOf(z)
	changed := now != p.now
	e := openElement{name: z.name, kind: openBlock, now: now}
	switch {
	case z.closed && (z.xml || z.foreign), z.tag == tagHTML, z.tag == tagBody:
		return
	case flags&(nests|raw) == 0:
		if z.tag != tagFlow || !changed {
			return // void, or without a meaning
		}
		e.kind = openFlow
	case flags&(inline|raw) != 0:
		if !changed && p.now.rule == 0 && !p.now.quiet {
			return
		}
		e.kind = openInline
	}
	if len(p.open) == nestedDepth { // B25: deeper elements are in the region of this one
		if e.kind == openBlock {
			p.over++
		}
		return
	}
	if e.kind != openBlock {
		p.odd++
	}
	p.open = append(p.open, e)
	p.enter(now)
}

// outOfElements ends the elements that an end tag ends.
func (p *parser) outOfElements(z *tokenizer, flags uint8) {
	if len(p.open) == 0 || flags&(inline|raw) != 0 && p.odd == 0 {
		return
	}
	if p.over > 0 {
		if flags&nests != 0 && flags&inline == 0 {
			p.over--
		}
		return
	}
	if p.odd > 0 {
		p.endFlow(z.name)
	}
	flow, within := z.tag == tagFlow, flags&(inline|raw) != 0
	for i := len(p.open) - 1; i >= 0; i-- {
		e := &p.open[i]
		if e.name == z.name {
			p.endFrom(i)
			return
		}
		// A cell keeps the end tags in it from ending what is around its table.
		if (within || flow) && e.kind == openBlock || e.name == nameTable {
			return
		}
	}
}

// endFrom ends open elements from one on.
func (p *parser) endFrom(i int) {
	for _, e := range p.open[i:] {
		if e.kind != openBlock {
			p.odd--
		}
	}
	p.open = p.open[:i]
	var now region
	if i > 0 {
		now = p.open[i-1].now
	}
	p.enter(now)
}

// endFlow ends an element that may be left open, when a tag of this name ends it: <li> another <li>.
func (p *parser) endFlow(name uint64) {
	i := len(p.open) - 1
	for i >= 0 && p.open[i].kind == openInline {
		i--
	}
	if i >= 0 && p.open[i].kind == openFlow && slices.Contains(flowEnds[p.open[i].name], name) {
		p.endFrom(i)
	}
}

var nameTable = packName("table")

// flowEnds has the tags that end elements without an end tag of their own.
var flowEnds = func() map[uint64][]uint64 {
	ends := map[uint64][]uint64{}
	cells, rows := "td th tr tbody thead tfoot", "tr tbody thead tfoot"
	for _, line := range [][2]string{
		{"li", "li"},
		{"dt", "dt dd"},
		{"dd", "dt dd"},
		{"option", "option optgroup"},
		{"optgroup", "optgroup"},
		{"td", cells},
		{"th", cells},
		{"tr", rows},
		{"tbody", "tbody thead tfoot"},
		{"thead", "tbody tfoot"},
		{"tfoot", "tbody thead"},
		{"caption", "thead tbody tr td th"},
		{"colgroup", "thead tbody tr td th"},
		{"p", "address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre section table ul"},
	} {
		for name := range strings.FieldsSeq(line[1]) {
			ends[packName(line[0])] = append(ends[packName(line[0])], packName(name))
		}
	}
	return ends
}()

// packName returns the first eight bytes of a name, as the tokenizer has it.
func packName(name string) uint64 { return prefixOf([]byte(name)) }

// enter begins or continues the region of the text that follows.
func (p *parser) enter(now region) {
	from, to := p.class(p.now), p.class(now)
	if from != to {
		p.separate()
		p.flush()
	}
	p.now = now
}

// regionOf returns the region of an element that begins.
func (p *parser) regionOf(z *tokenizer) region {
	now, leave := p.now, &p.rules.leave
	var values [leaveAttrs][]byte
	if now.rule != 0 {
		r := leave.of(int(now.rule))
		headings := r != nil && r.headings
		switch {
		case headings && z.tag == tagHeading:
			now.rule = 0
			return now
		case r != nil && r.contents && z.tag == tagA:
			p.leaveAttributes(z, &values)
			now.own = now.own || bytes.HasPrefix(values[leaveHref], []byte("#"))
			return now
		case !headings && p.class(now) == leftOut:
			return now
		}
	}
	switch z.tag {
	case tagHTML, tagBody:
		return now
	case tagMain, tagArticle:
		now.main = true
	}
	present, matched := p.leaveAttributes(z, &values)
	now.quiet = now.quiet || values[leaveSnippet] != nil
	if role := values[leaveRole]; len(role) == len("main") && equalFold(role, "main") {
		now.main = true
	}
	if leave.Navigation && present&ruleAttrs[z.tag] != 0 {
		// An element in a header or footer may have a rule of its own, such as a navigation.
		if rule := ruleOf(z.tag, &values, now); now.rule == 0 || rule > 0 && !leaveRules[rule-1].ofSite {
			now.rule = rule
		}
	}
	if matched == 0 && len(leave.selectors) > 0 {
		matched = leave.tagSelector(z)
	}
	if matched > 0 && (now.rule == 0 || leave.ofSite(now.rule)) {
		now.rule = uint8(len(leaveRules) + matched)
	}
	return now
}

// ruleAttrs has for each tag one bit for each attribute that a rule for it asks for.
var ruleAttrs = func() (attrs [tagCount]uint8) {
	for tag := range attrs {
		for i := range leaveRules {
			if r := &leaveRules[i]; r.tag == tagOther || r.tag == tagID(tag) {
				attrs[tag] |= 1 << r.attr
			}
		}
	}
	return attrs
}()

// ruleOf returns the number of the first rule of the table that fits an element, 0 for none.
func ruleOf(tag tagID, values *[leaveAttrs][]byte, in region) uint8 {
	for i := range leaveRules {
		r := &leaveRules[i]
		if r.tag != tagOther && r.tag != tag || r.outer && in.main || r.within && in.rule == 0 || r.attr != leaveNone && !r.has(values) {
			continue
		}
		return uint8(i + 1)
	}
	return 0
}

// has reports whether an element has the attribute that a rule asks for.
func (r *leaveRule) has(values *[leaveAttrs][]byte) bool {
	value := values[r.attr]
	switch {
	case value == nil:
		return false
	case r.attr == leaveHidden && hasToken(values[leaveRole], "tabpanel"):
		return false
	case r.value == "":
		for not := range strings.FieldsSeq(r.not) {
			if value = bytes.TrimSpace(value); len(value) >= len(not) && equalFold(value[:len(not)], not) {
				return false
			}
		}
		return true
	}
	return hasToken(value, r.value)
}

// tagSelector returns the number of the first selector that names the tag alone, 0 for none.
func (l *leaving) tagSelector(z *tokenizer) int {
	for i := range l.selectors {
		if s := &l.selectors[i]; s.attr == "" && s.ofTag(z) {
			return i + 1
		}
	}
	return 0
}

// ofTag reports whether the selector may name an element of the current tag.
func (s *selector) ofTag(z *tokenizer) bool {
	return s.tag == "" || equalFold(z.raw[len("<"):][:z.nameLen], s.tag)
}

// leaveAttributes finds the attributes of the current tag that leaveRules ask for. It returns one bit for each that is there, that of
// leaveNone always, and the number of the first selector with an attribute that fits it, 0 for none. It copies nothing.
func (p *parser) leaveAttributes(z *tokenizer, values *[leaveAttrs][]byte) (present uint8, matched int) {
	present = 1 << leaveNone
	rest := z.raw[len("<")+z.nameLen:]
	if len(rest) < len(" id>") {
		return present, 0
	}
	selectors := p.rules.leave.selectors
	for {
		name, value, next, ok := nextAttribute(rest)
		if !ok {
			return present, matched
		}
		rest = next
		if id := leaveAttrNamed(name); id != leaveNone && values[id] == nil {
			present |= 1 << id
			if values[id] = value; value == nil {
				values[id] = noValue
			}
		}
		for i := range selectors {
			if s := &selectors[i]; s.fits(name, value) && s.ofTag(z) && (matched == 0 || i+1 < matched) {
				matched = i + 1
			}
		}
	}
}

var noValue = []byte{}
