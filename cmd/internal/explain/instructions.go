package explain

import (
	"cmp"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/spider"
)

// says returns what the page says to robots.
func (x *explanation) says() string {
	s := &x.State
	hidden := x.Status.Base() == wording.NotIndexed && s.ErrorClass != "server" && !x.Deleted
	return wording.Instructions(s.IndexMode, s.Marks, hidden && wording.SaysNoIndex(s.IndexMode, s.Marks, x.rules.verdict == spider.CheckOnly))
}

// instructions adds what the page says to robots, and whether it is heeded.
func (x *explanation) instructions() {
	says := x.says()
	switch {
	case x.State.IndexMode&wording.ModeIgnoreMeta != 0:
		x.Line("To robots", "%s; noindex and nofollow of META robots are ignored (IgnoreMeta yes)", cmp.Or(says, "nothing"))
	case says != "":
		x.Line("To robots", "%s", says)
		if strings.Contains(says, "nofollow") {
			x.Detail("its links are not followed")
		}
	case x.State.Unavailable != nil:
		x.Line("To robots", "noindex, after a date")
	}
	if date := x.State.Unavailable; date != nil {
		x.Detail("unavailable_after %s: as noindex from then on", x.When(*date))
	}
}
