package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store/crawl"
)

// canonical adds the canonical page that the page names, and why it is united with that or not.
func (x *explanation) canonical() {
	c := &x.State.Canonical
	switch why := x.notUnited(); {
	case c.ID > 0 && x.Status.Base() == crawl.StatusCanonical:
		x.Line("Canonical", "%s (%s)", c.URL, describeStatus(c.Status))
		x.Detail("this page is found by it only; links to this page count for it")
		if why != "" {
			x.Detail("to be indexed again at its next visit: %s", why)
		}
	case c.ID > 0:
		x.Line("Canonical", "%s (%s)", c.URL, describeStatus(c.Status))
		x.Detail("not united with it: %s", why)
	case c.ID < 0:
		x.Line("Canonical", "not followed, %s", c.Cause)
	default:
		x.written()
	}
	if x.UnitedBy.Count > 0 {
		x.Line("United", "with %s, of which this is the canonical page", wording.Plural(x.UnitedBy.Count, "URL"))
		x.list(x.UnitedBy)
	}
}

// notUnited returns why a page is not united with the canonical page that it names.
func (x *explanation) notUnited() string {
	c := &x.State.Canonical
	united := x.Status.Base() == crawl.StatusCanonical
	switch {
	case c.Deleted:
		return "that is removed by a rule"
	case c.Status == 0:
		return "that is not fetched yet"
	case c.Status.Base() == 301 || c.Status.Base() == 302:
		return "that redirects"
	case c.Status.Base() == crawl.StatusCanonical, c.Names > 0:
		return "that names another page itself"
	case c.Names < 0:
		return "that names another page itself, which is not followed"
	case c.Status.Base() != 200:
		return "that answered " + wording.Numbered(c.Status.Base())
	case united:
		return ""
	case c.Status.Lost() != 0:
		return "that is lost: it answered " + wording.Numbered(c.Status.Lost())
	case x.rules.server != nil && !x.rules.server.Canonical:
		return "Canonical no of its Server"
	case x.Gate != nil && x.Gate.State == crawl.GateHeld:
		return "the site is on hold"
	case x.Deleted || x.Status.Base() != 200:
		return "this URL is no document"
	case x.Status.Lost() != 0:
		return "this page is lost"
	}
	return "that happens when the next crawl begins or ends"
}

// written adds the canonical URLs that the page has, where they make no difference.
func (x *explanation) written() {
	var heads []document.HeadLink
	if json.Unmarshal(x.State.Meta, &heads) != nil {
		return // NULL, or not as this version writes it
	}
	for i := range heads {
		h := &heads[i]
		if !slices.Contains(strings.Fields(strings.ToLower(h.Rel)), "canonical") {
			continue
		}
		what := ""
		if to, err := weburl.NewResolver(x.url, "", 0).Resolve(h.Href); err == nil && to.Text == x.url.Text {
			what = ": this URL"
		} else if h.Body {
			what = ": ignored, because it stands in the body"
		}
		x.Line("Canonical", "%s%s", fmt.Sprintf("%q", h.Href), what)
	}
}
