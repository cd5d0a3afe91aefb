package explain

import (
	"fmt"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/store"
)

func (x *explanation) status() {
	text := describeStatus(x.Status)
	if x.Status.Lost() != 0 && !x.Deleted {
		text += "; still found"
	}
	x.Line("Status", "%s", text)
	if x.Deleted {
		x.Line("Removed", "%s", x.takenOut())
	}
}

// describeStatus returns urlword.status in words.
func describeStatus(s store.Status) string {
	text := wording.Numbered(s.Base())
	if s.Base() == 0 {
		text = "not fetched yet"
	}
	if s.Lost() != 0 {
		text += fmt.Sprintf(", lost: answered %s in %s", wording.Numbered(s.Lost()), wording.Plural(s.LostCount(), "run"))
	}
	return text
}

// takenOut returns which rule removed a deleted URL, and why.
func (x *explanation) takenOut() string {
	rule := x.State.WithdrawnBy
	switch rule {
	case "":
		return "by a rule"
	case "T-13":
		return fmt.Sprintf("by T-13: answered %s", wording.Numbered(x.Status.Base()))
	case "SR-09":
		return "as an orphan: no link reached it"
	}
	for _, f := range x.Fetches {
		if f.Rule == rule && f.Cause != "" {
			return fmt.Sprintf("by %s: %s", rule, f.Cause)
		}
	}
	return "by " + rule
}
