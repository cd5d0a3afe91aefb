package foreign

import (
	"slices"
	"strings"
)

// rule says what becomes of some directives.
type rule struct {
	names  string  // separated by blanks, in the spelling of their manuals
	in     program // that have them
	here   string  // what there is here, for the documentation and for comments
	spider bool    // it is of spider.cnf
	do     action  // nil: the directive is left out
}

// action writes the new lines of a directive.
type action func(*importer, *entry, *rule)

// table has all directives. A name may stand in several rows, each for other programs.
var table = slices.Concat(carriedRules, changedRules, leftOutRules)

// find returns the rule of a directive, nil if the program has none.
func find(keyword string, in program) *rule {
	for i := range table {
		if table[i].in&in != 0 && table[i].has(keyword) {
			return &table[i]
		}
	}
	return nil
}

func (r *rule) has(keyword string) bool {
	for name := range strings.FieldsSeq(r.names) {
		if strings.EqualFold(name, keyword) {
			return true
		}
	}
	return false
}

// owners returns the programs that have a directive.
func owners(keyword string) (in program) {
	for i := range table {
		if table[i].has(keyword) {
			in |= table[i].in
		}
	}
	return in
}

// known reports whether a word is a directive of any of the programs.
func known(word string) bool {
	return owners(word) != 0 || strings.EqualFold(word, "Include")
}
