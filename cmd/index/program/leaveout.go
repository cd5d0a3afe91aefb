package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
)

// leaveOut returns what a Server leaves out of its pages.
func leaveOut(s config.Server) spider.LeaveOut {
	l := spider.LeaveOut{Navigation: !s.KeepNavigation}
	l.Selectors, _ = document.ParseSelectors(s.LeaveOut.Selectors) // badSelectors has the error
	return l
}

// badSelectors returns the mistakes of the LeaveOut lines, each line once, and of the DateRule lines.
func (p *program) badSelectors() (problems config.Errors) {
	for _, s := range append(slices.Clip(p.cfg.Sets.Servers), p.cfg.Sets.Outside) {
		_, err := document.ParseSelectors(s.LeaveOut.Selectors)
		if err == nil {
			continue
		}
		e := config.Error{File: s.LeaveOut.File, Line: s.LeaveOut.Line, Keyword: "LeaveOut", Reason: err.Error()}
		if !slices.Contains(problems, e) {
			problems = append(problems, e)
		}
	}
	for _, r := range p.cfg.Sets.DateRules {
		if r.Place != string(document.DateBody) || r.Name == "" {
			continue
		}
		if _, err := document.ParseSelectors([]string{r.Name}); err != nil {
			problems = append(problems, config.Error{File: r.File, Line: r.Line, Keyword: "DateRule", Reason: err.Error()})
		}
	}
	return problems
}

// leftOut adds how many words of the page are no content, and why. It reads the stored content as its words were read.
func (x *explanation) leftOut() {
	c := x.Content
	body, err := store.UnpackContent(c.Packed, document.MaxIndexLimit)
	if err != nil || x.State.IndexMode&modeWords == 0 || x.Status.Base() != 200 {
		return
	}
	how := c.How
	rules := x.parse.WithoutMeta().WithCharset(store.CharsetOfMode(how.Mode))
	doc, err := document.Parse(body, c.ReadAs, rules.LeavingOutBy(how.Mode&store.ModeMain != 0, how.Mode&store.ModeStart != 0, how.Selectors))
	if err != nil {
		return
	}
	words, parts := 0, []string{}
	for _, l := range doc.LeftOut {
		words += l.Words
		parts = append(parts, fmt.Sprintf("%s %d", l.By, l.Words))
	}
	switch {
	case doc.Whole:
		x.detail("nothing left out, since too little would remain: %s", strings.Join(parts, ", "))
	case words > 0:
		x.detail("left out as no content: %s (%s)", plural(words, "word"), strings.Join(parts, ", "))
	}
	if x.rules.server == nil || x.Origin != 0 {
		return
	}
	const flags = store.ModeMain | store.ModeStart
	if today := x.rules.server.Reading(x.url.Text); today.Mode&flags != how.Mode&flags || today.Selectors != how.Selectors {
		x.detail("by other rules than KeepNavigation and LeaveOut say now: read again at its next visit, or by index --rebuild-index")
	}
}
