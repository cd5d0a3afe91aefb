package settings

import (
	"slices"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider"
)

// leaveOut returns what a Server leaves out of its pages.
func leaveOut(s config.Server) spider.LeaveOut {
	l := spider.LeaveOut{Navigation: !s.KeepNavigation}
	l.Selectors, _ = document.ParseSelectors(s.LeaveOut.Selectors) // badSelectors has the error
	return l
}

// badSelectors returns the mistakes of the LeaveOut lines, each line once, and of the DateRule lines.
func badSelectors(sets *config.Sets) (problems config.Errors) {
	for _, s := range append(slices.Clip(sets.Servers), sets.Outside) {
		_, err := document.ParseSelectors(s.LeaveOut.Selectors)
		if err == nil {
			continue
		}
		e := config.Error{File: s.LeaveOut.File, Line: s.LeaveOut.Line, Keyword: "LeaveOut", Reason: err.Error()}
		if !slices.Contains(problems, e) {
			problems = append(problems, e)
		}
	}
	for _, r := range sets.DateRules {
		if r.Place != string(document.DateBody) || r.Name == "" {
			continue
		}
		if _, err := document.ParseSelectors([]string{r.Name}); err != nil {
			problems = append(problems, config.Error{File: r.File, Line: r.Line, Keyword: "DateRule", Reason: err.Error()})
		}
	}
	return problems
}
