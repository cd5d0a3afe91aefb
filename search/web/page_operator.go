package web

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pgseek/pgseek/store/report"
)

// OperatorView has the values of the operator's part of the status page. It is in English in every language, like the messages
// and commands that it shows.
type OperatorView struct {
	Phase    string // what the crawl does, in a few words
	Facts    []Fact // about it
	Plot     *Plot  // nil = there are too few points
	Holds    []HoldLine
	Errors   []report.SiteErrors
	Failures []FailureLine
	Unread   []report.UnreadType
	Slow     []report.SlowHost
}

// A Fact has a name and a time, a text, or both.
type Fact struct {
	Name string
	At   time.Time
	Text string
}

// phases are the values of crawl_state.phase in words.
var phases = map[string]string{
	"stopped": "no program crawls", "crawling": "it is crawling", "merging": "it is merging", "waiting": "it waits for the next round",
	"paused": "it is paused", "outage": "it waits for the network: the start URLs do not answer",
}

func crawlFacts(c *report.CrawlState) (facts []Fact) {
	for _, f := range []Fact{
		{"Next round", c.NextRound, ""},
		{"Window ends", c.WindowEnds, ""},
		{"Last crawl began", c.Began, ""},
		{"Last crawl ended", c.Ended, c.EndReason},
		{"Last merge ended", c.Merged, ""},
		{"Paused", c.PausedAt, "by " + c.PausedBy},
		{"Configuration refused; the one before goes on", c.RefusedAt, c.Refused},
	} {
		if !f.At.IsZero() {
			facts = append(facts, f)
		}
	}
	return facts
}

// A HoldLine is a site on hold.
type HoldLine struct {
	Site    string
	Since   time.Time
	Why     string
	Began   string // what the hold began with
	Command string // that ends it
}

// A FailureLine is a URL whose last visit failed.
type FailureLine struct {
	report.Failure
	When time.Time // zero = unknown
}

// A Plot is a line of documents over time, in a box of PlotWidth x PlotHeight.
type Plot struct {
	Line, Area  string // attribute d of the two paths
	From, Until time.Time
	First, Last int64 // documents at both ends
	Low, High   int64 // documents at the lower and upper edge
}

// Size of a Plot.
const (
	PlotWidth  = 600
	PlotHeight = 140
)

// ExplainView has the values of the page that explains a URL.
type ExplainView struct {
	Frame
	URL  string // as it was asked for; empty = none yet
	Text string // of index --explain
}

func newOperatorView(x *report.OperatorStatus) *OperatorView {
	if x == nil {
		return nil
	}
	v := &OperatorView{
		Phase: phases[x.Crawl.Phase], Facts: crawlFacts(&x.Crawl),
		Plot: newPlot(x.Growth), Errors: x.Errors, Unread: x.Unread, Slow: x.Slow,
	}
	for i := range x.Holds {
		h := &x.Holds[i]
		v.Holds = append(v.Holds, HoldLine{
			Site: h.Site, Since: h.Since, Why: report.HoldReasons[h.Reason], Began: strings.TrimSuffix(h.URL+": "+h.Cause, ": "),
			Command: "index --release " + shellWord(h.Site),
		})
	}
	for _, f := range x.Failures {
		v.Failures = append(v.Failures, FailureLine{Failure: f, When: orZero(f.At)})
	}
	return v
}

// shellWord returns a word of a command, in quotes if it needs them.
func shellWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/.-_") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// newPlot returns the plot of points in the order of time; nil if they make no line.
func newPlot(points []report.GrowthPoint) *Plot {
	if len(points) < 2 || !points[len(points)-1].At.After(points[0].At) {
		return nil
	}
	first, last := points[0], points[len(points)-1]
	p := &Plot{From: first.At, Until: last.At, First: first.Documents, Last: last.Documents, High: 1}
	for _, x := range points {
		p.High = max(p.High, x.Documents)
	}
	all := last.At.Sub(first.At).Seconds()
	var b strings.Builder
	for i, x := range points {
		across := x.At.Sub(first.At).Seconds() / all * PlotWidth
		up := PlotHeight - float64(x.Documents)/float64(p.High)*PlotHeight
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(i, 1)], across, up)
	}
	p.Line = b.String()
	p.Area = fmt.Sprintf("%sL%d %dL0 %dZ", p.Line, PlotWidth, PlotHeight, PlotHeight)
	return p
}

// Explain writes the page that explains a URL.
func (p *Pages) Explain(w io.Writer, v ExplainView) error {
	in := p.in(v.Frame)
	f := in.frame(v.Frame, "", "Explain a URL")
	f.Ask.None = true
	lines := strings.Split(v.Text, "\n")
	for i := range lines {
		lines[i] = plain(lines[i])
	}
	return in.render(w, "explain", struct {
		frame
		E     ExplainView
		Lines string
	}{f, v, strings.Join(lines, "\n")})
}
