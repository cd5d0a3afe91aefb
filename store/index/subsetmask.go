package index

import "strings"

// maskProblem returns why a LIKE pattern cannot be used, empty when it can: the server refuses one that ends
// in its escape character.
func maskProblem(mask string) string {
	if trailingBackslashes(mask)%2 == 1 {
		return "the mask ends in a backslash without a character to escape"
	}
	return ""
}

// maskEndsOpen reports whether a LIKE pattern ends in a % that is a wildcard. Then a site whose name matches
// is in the subset with all its URLs, because each of them begins with that name.
func maskEndsOpen(mask string) bool {
	rest, ok := strings.CutSuffix(mask, "%")
	return ok && trailingBackslashes(rest)%2 == 0
}

// maskPrefix returns the text before the first wildcard of a LIKE pattern: every matching URL begins with it.
func maskPrefix(mask string) string {
	var b strings.Builder
	for i := 0; i < len(mask); i++ {
		switch c := mask[i]; c {
		case '%', '_':
			return b.String()
		case '\\':
			if i++; i < len(mask) {
				b.WriteByte(mask[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func trailingBackslashes(s string) int { return len(s) - len(strings.TrimRight(s, `\`)) }
