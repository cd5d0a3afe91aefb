package spider

import "strconv"

// maxLogged bounds what a log line shows of a URL (reliability.md 5, 12).
const maxLogged = 512

// logged makes a value from outside fit for a log line: no control character or escape reaches a terminal raw.
func logged(s string) string {
	if len(s) > maxLogged {
		s = s[:maxLogged] + "..."
	}
	q := strconv.QuoteToGraphic(s)
	return q[1 : len(q)-1]
}
