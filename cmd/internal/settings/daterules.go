package settings

import (
	"fmt"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/document"
)

// DateRules returns the DateRule lines.
func DateRules(lines []config.DateRule) (rules document.DateRules) {
	for _, l := range lines {
		rules = append(rules, document.DateRule{
			Fits: l.Pattern.MatchString, Place: document.DatePlace(l.Place), Name: l.Name, Order: document.DateOrders[l.Order],
			Where: fmt.Sprintf("%s:%d", l.File, l.Line),
		})
	}
	return rules
}
