package program

import (
	"slices"
	"strings"
)

// Bits of urlstate.index_mode.
const (
	modeWords       = 1
	modeIgnoreMeta  = 8
	modeTagNoIndex  = 16
	modeTagNoFollow = 32
)

// instructions returns what a page says to robots: "noindex, nofollow (META robots)". Empty when it forbids nothing.
func instructions(mode int, marks []string) string {
	var parts []string
	for _, source := range []struct {
		name              string
		noIndex, noFollow bool
	}{
		{"META robots", has(marks, "noindex"), has(marks, "nofollow")},
		{"X-Robots-Tag", mode&modeTagNoIndex != 0, mode&modeTagNoFollow != 0},
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

func has(list []string, s string) bool { return slices.Contains(list, s) }
