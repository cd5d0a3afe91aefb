package explain

import (
	"fmt"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store/report"
)

func (x *explanation) group() {
	switch {
	case x.Original != nil:
		x.Line("Clones", "clone of %s (%s)", x.Original.URL, describeStatus(x.Original.Status))
		x.Detail("clones of the original: %d", x.Clones.Count)
	case x.Origin != 0:
		x.Line("Clones", "clone of id %d, which does not exist", x.Origin)
	case x.Clones.Count > 0:
		x.Line("Clones", "original of %s", wording.Plural(x.Clones.Count, "clone"))
	default:
		x.Line("Clones", "none")
	}
	x.list(x.Clones)
}

func (x *explanation) redirects() {
	base := x.Status.Base()
	switch {
	case base != 301 && base != 302:
		x.Line("Redirects", "nowhere")
	case x.Redir == 0:
		x.Line("Redirects", "%s", x.notFollowed())
	case x.Redir == x.ID:
		x.Line("Redirects", "to itself")
	default:
		x.Line("Redirects", "to")
		for _, step := range x.RedirectsTo {
			x.Detail("  %s (%s)", step.URL, describeStatus(step.Status))
		}
		if x.Looped {
			x.Detail("  and on in a loop, or beyond the longest chain that is followed")
		}
	}
	if x.RedirectedBy.Count > 0 {
		x.Detail("redirects to it: %s", wording.Plural(x.RedirectedBy.Count, "URL"))
		x.list(x.RedirectedBy)
	}
}

// notFollowed returns where a redirect leads that is not followed, and why, from the newest visit that saw it.
func (x *explanation) notFollowed() string {
	for _, f := range x.Fetches {
		if to, why, ok := spider.RefusedTarget(f.Cause); ok && f.Rule == "T-05" {
			return fmt.Sprintf("not followed, to %s: %s", to, why)
		}
	}
	return "not followed: a rule refuses the target, or the chain is too long"
}

// path adds how the URL was found, as -P does.
func (x *explanation) path() {
	x.Line("Found by", "Hops Status URL")
	for _, step := range x.Path {
		x.Detail("%4d %6d %s", step.Hops, wording.ShownStatus(step.Status), step.URL)
	}
}

func (x *explanation) links() {
	x.Line("Linked from", "%s", wording.Plural(x.LinkedFrom.Count, "page"))
	x.list(x.LinkedFrom)
	if x.Unmerged.Count > 0 {
		x.Detail("not merged yet: %s", wording.Plural(x.Unmerged.Count, "page"))
		x.list(x.Unmerged)
	}
}

// list adds a list of URLs and how many of them it omits.
func (x *explanation) list(l report.StepList) {
	for _, step := range l.First {
		x.Detail("  %s", step.URL)
	}
	if left := l.Count - len(l.First); left > 0 {
		x.Detail("  and %d more", left)
	}
}
