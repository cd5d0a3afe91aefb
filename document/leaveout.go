package document

import "strings"

// A LeaveOut has the rules for parts of an HTML page that are not content. Their words are not indexed, and excerpts do not show them.
// Their links count all the same. The zero value leaves out only parts between <!--noindex--> and its end.
type LeaveOut struct {
	// Navigation leaves out the elements of leaveRules and parts that <!--googleoff: index--> begins.
	Navigation bool
	// Start is set for the start page of a site. Its header and footer are indexed, except for links.
	Start bool
	// Selectors are more elements to leave out, with blanks between them, as Selectors writes them.
	Selectors string
}

// A leaveRule names elements that are not content.
type leaveRule struct {
	name string // as index --explain shows it
	// The elements: those of a tag, those with an attribute, or those of a tag with an attribute.
	tag   tagID // tagOther = any
	attr  leaveAttr
	value string // one of the words of the attribute, in any case; "" = any value
	not   string // values, or beginnings of an href, with which the rule does not hold

	outer    bool // only outside of main and article
	ofSite   bool // indexed on the start page of a site
	headings bool // h1 to h3 in it are content
	within   bool // only within what the start page keeps
	contents bool // links to parts of the same page (#part) stay indexed: they repeat its headings
}

// leaveRules lists the elements that are not content. The first rule that fits an element counts. The element is left out with all that
// it contains. No rule applies to html and body.
var leaveRules = []leaveRule{
	{name: "nav", tag: tagNav, contents: true},
	{name: "header", tag: tagHeader, outer: true, ofSite: true, headings: true},
	{name: "footer", tag: tagFooter, outer: true, ofSite: true},
	{name: "role=navigation", attr: leaveRole, value: "navigation", contents: true},
	{name: "role=banner", attr: leaveRole, value: "banner", ofSite: true, headings: true},
	{name: "role=contentinfo", attr: leaveRole, value: "contentinfo", ofSite: true},
	{name: "div.navheader", tag: tagDiv, attr: leaveClass, value: "navheader"}, // DocBook
	{name: "div.navfooter", tag: tagDiv, attr: leaveClass, value: "navfooter"},
	{name: "hidden", attr: leaveHidden, not: "until-found"}, // not those of role=tabpanel, which a click shows
	{name: "aria-hidden", attr: leaveAria, value: "true"},
	// The footer of a start page has names and addresses. The pages behind its links have their own words.
	{name: "a in header or footer", tag: tagA, attr: leaveHref, not: "mailto: tel:", within: true},
}

// Names of the rules that are no elements.
const (
	byComment  = "noindex, googleoff"
	bySelector = "LeaveOut "
)

// leaveAttr names the attributes that leaveRules ask for.
type leaveAttr uint8

const (
	leaveNone leaveAttr = iota
	leaveRole
	leaveClass
	leaveHidden
	leaveAria
	leaveHref
	leaveSnippet // data-nosnippet: indexed, and not in excerpts
	leaveAttrs
)

// leaveAttrNamed returns the attribute of a name in any case.
func leaveAttrNamed(name []byte) leaveAttr {
	switch len(name) {
	case len("href"): // and role
		if equalFold(name, "role") {
			return leaveRole
		}
		if equalFold(name, "href") {
			return leaveHref
		}
	case len("class"):
		if equalFold(name, "class") {
			return leaveClass
		}
	case len("hidden"):
		if equalFold(name, "hidden") {
			return leaveHidden
		}
	case len("aria-hidden"):
		if equalFold(name, "aria-hidden") {
			return leaveAria
		}
	case len("data-nosnippet"):
		if equalFold(name, "data-nosnippet") {
			return leaveSnippet
		}
	}
	return leaveNone
}

// A page with fewer words left than this is indexed whole: its markup is wrong.
const (
	leastLeft  = 20 // words
	leastShare = 10 // one word in so many
)

// tooLittle reports whether too little would be left of a page.
func tooLittle(left, out int) bool {
	return out > 0 && (left < leastLeft || left*leastShare < left+out)
}

// A LeftOut has the number of words that a rule left out of a page.
type LeftOut struct {
	By    string // "nav", "LeaveOut .menu"
	Words int
}

// leaving is a LeaveOut made ready.
type leaving struct {
	LeaveOut
	selectors []selector
}

// LeavingOut returns the same rules with those of a LeaveOut added. Invalid selectors are ignored here; ParseSelectors reports them.
func (r *Rules) LeavingOut(l LeaveOut) *Rules {
	if l == r.leave.LeaveOut {
		return r
	}
	p := *r
	p.leave = leaving{LeaveOut: l}
	for text := range strings.FieldsSeq(l.Selectors) {
		s, err := parseSelector(text)
		if err != nil {
			continue
		}
		p.leave.selectors = append(p.leave.selectors, s)
	}
	return &p
}

// LeavingOutBy is LeavingOut by the numbers of a database.
func (r *Rules) LeavingOutBy(navigation, start bool, selectors string) *Rules {
	return r.LeavingOut(LeaveOut{Navigation: navigation, Start: start, Selectors: selectors})
}

// active reports whether elements can be left out.
func (l *leaving) active() bool { return l.Navigation || len(l.selectors) > 0 }

// name returns the name of a rule by its number in a region.
func (l *leaving) name(rule int) string {
	switch {
	case rule == 0:
		return byComment
	case rule <= len(leaveRules):
		return leaveRules[rule-1].name
	}
	return bySelector + l.selectors[rule-1-len(leaveRules)].text
}

// of returns the rule of a number; nil for a selector of the configuration.
func (l *leaving) of(rule int) *leaveRule {
	if rule == 0 || rule > len(leaveRules) {
		return nil
	}
	return &leaveRules[rule-1]
}

// ofSite reports whether a rule leaves out what the start page of a site keeps.
func (l *leaving) ofSite(rule uint8) bool {
	r := l.of(int(rule))
	return r != nil && r.ofSite
}
