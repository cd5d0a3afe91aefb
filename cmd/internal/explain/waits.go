package explain

import (
	"strings"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/report"
)

// never is the urlword.next_index_time of a URL that is visited only when a link reaches it again.
const never = int64(1) << 62

func (x *explanation) next() {
	t := time.Unix(x.NextIndex, 0)
	var text string
	switch {
	case x.NextIndex == 0:
		text = "in the next run, before all others: a start URL"
	case x.NextIndex == -1:
		text = "in the next run, before all others: --recrawl"
	case x.NextIndex < 0:
		text = "in the running crawl: a link reached it"
	case x.NextIndex >= never:
		text = "never"
	case !t.After(x.Now):
		text = "due since " + x.When(t)
	default:
		text = x.When(t)
	}
	if why := x.State.NextWhy; why != "" && x.NextIndex > 0 {
		text += ": " + why
	}
	x.Line("Next visit", "%s", text)
	if x.State.ErrorClass == "" {
		x.Line("Errors", "none")
		return
	}
	if len(x.Fetches) > 0 && x.State.ErrorClass == "unreachable" {
		if f := &x.Fetches[0]; strings.HasPrefix(f.Cause, spider.OnHold) && f.Result < 700 {
			x.Line("Errors", "%d in a row, the last: answered %s, kept back by the hold of its site", x.State.ErrorCount, wording.Numbered(f.Result))
			return
		}
	}
	x.Line("Errors", "%d in a row, class %s", x.State.ErrorCount, x.State.ErrorClass)
}

// gate adds what the safety gate does to the site.
func (x *explanation) gate() {
	g := x.Gate
	switch {
	case g == nil:
	case g.HeldAt != nil:
		x.Line("Site", "%s, %s", x.url.Site, wording.HoldText(&report.Hold{Since: *g.HeldAt, Reason: g.Reason}))
		x.Detail("it ends %s", wording.HoldEnds(g.Reason, x.When(g.HeldAt.Add(x.rules.lostPeriod)), x.rules.lostLimit, x.url.Site))
		x.Detail("none of its documents becomes lost or is purged meanwhile; the hold began with %s", strings.TrimSuffix(g.URL+": "+g.Cause, ": "))
	case g.State == crawl.GateOpen:
		x.Line("Site", "%s, released from its hold; no new one before it has recovered", x.url.Site)
	default:
		x.Line("Site", "%s, not on hold", x.url.Site)
	}
}

// pause adds the pause that the host asked for.
func (x *explanation) pause() {
	for i := range x.limited {
		x.Line("Host", "%s limits requests and is not asked %s", x.limited[i].Host, wording.PauseText(&x.limited[i]))
	}
}
