package wording

import (
	"slices"
	"strings"
)

// Bits of urlstate.index_mode.
const (
	ModeWords       = 1
	modeExcludes    = 4
	ModeIgnoreMeta  = 8
	ModeTagNoIndex  = 16
	ModeTagNoFollow = 32
)

// SaysNoIndex reports whether META robots of a page with status 406 forbids its words: neither the configuration nor the header
// nor NofollowExcludes does. A server's own 406 is not asked about.
func SaysNoIndex(mode int, marks []string, checkOnly bool) bool {
	excluded := mode&modeExcludes != 0 && slices.Contains(marks, "nofollow")
	return mode&ModeWords != 0 && mode&ModeTagNoIndex == 0 && !checkOnly && !excluded
}

// Instructions returns what a page says to robots: "noindex, nofollow (META robots)". Empty when it forbids nothing. noIndex is
// that of META robots.
func Instructions(mode int, marks []string, noIndex bool) string {
	var parts []string
	for _, source := range []struct {
		name              string
		noIndex, noFollow bool
	}{
		{"META robots", noIndex, slices.Contains(marks, "nofollow")},
		{"X-Robots-Tag", mode&ModeTagNoIndex != 0, mode&ModeTagNoFollow != 0},
	} {
		var words []string
		if source.noIndex {
			words = append(words, "noindex")
		}
		if source.noFollow {
			words = append(words, "nofollow")
		}
		if words != nil {
			parts = append(parts, strings.Join(words, ", ")+" ("+source.name+")")
		}
	}
	return strings.Join(parts, ", ")
}
