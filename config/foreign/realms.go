package foreign

import (
	"slices"
	"strings"
)

// hasRealm reports whether a line anywhere sets the scope by patterns.
func (im *importer) hasRealm() bool {
	return slices.ContainsFunc(im.lines, func(l line) bool { return strings.EqualFold(l.keyword, "Realm") })
}

// realm reads a Realm line: patterns of the URLs in scope. One line for all of them is written at the end (limitRealms).
func realm(im *importer, e *entry, _ *rule) {
	args := im.fields(e)
	method := "allow"
	var rest []string
	for i, arg := range args { // methods and words of patterns stand in any order
		w := strings.ToLower(arg)
		if serverWord[w] && i+1 < len(args) && len(rest) == 0 {
			method = w
			continue
		}
		rest = append(rest, arg)
		if !filterWord[w] {
			rest = append(rest, args[i+1:]...)
			break
		}
	}
	f := readFilter(rest)
	switch {
	case len(f.args) == 0:
		e.leave("it has no pattern")
		return
	case f.noMatch:
		e.leave("the scope cannot be all but a pattern: write FollowOutside yes and a Disallow line with the pattern")
		return
	}
	pattern := f.pattern(f.args[0])
	if !compiles(pattern) {
		e.leave("not a regular expression of RE2")
		return
	}
	switch method {
	case "allow":
	case "disallow":
		e.write("Disallow", pattern)
		e.why = byPattern
		return
	case "checkonly":
		e.write("CheckOnly", pattern)
	default:
		e.leave("no counterpart for " + method)
		return
	}
	im.realms = append(im.realms, pattern)
	e.outcome, e.why = Changed, "the DisallowNoMatch line at the beginning has the pattern"
	if im.realm == nil {
		im.realm = e
		e.why = "links to all sites are followed, and the DisallowNoMatch line at the beginning limits them to the scope"
	}
	if len(f.args) > 1 {
		e.why += "; the second URL is left out"
	}
}

// limitRealms writes the lines for all Realm lines: everything is followed that matches one of them or is of a Server line.
func (im *importer) limitRealms() {
	if im.realm == nil {
		return
	}
	list := im.realms
	for _, scope := range im.scopes {
		if p := "^" + literal(scope); !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	e := im.realm
	at := len(e.out)
	e.write("FollowOutside", "yes")
	e.write("DisallowNoMatch", list...)
	for i := at; i < len(e.out); i++ {
		e.out[i].first = true
	}
}
