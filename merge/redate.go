package merge

import (
	"time"

	parser "github.com/pgseek/pgseek/document"
)

// findDate returns the date of a document by the rules. A panic means that there is none (F21).
func findDate(rules parser.DateRules, page *parser.DatedPage) (at time.Time) {
	if len(rules) == 0 {
		return at
	}
	defer func() { _ = recover() }()
	return rules.Find(page)
}
