package explain

import (
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
)

func (x *explanation) content() {
	c := x.Content
	if c == nil {
		x.Line("Content", "none")
		return
	}
	of := ""
	if x.Origin != 0 {
		of = " (of its original)"
	}
	if !c.HasContent {
		x.Line("Content", "none, %s%s", wording.Plural(c.Links, "link"), of)
		return
	}
	x.Line("Content", "%q%s", c.Title, of)
	kind := fmt.Sprintf("type %q", c.Type)
	for _, more := range [][2]string{{", charset ", c.Charset}, {", language ", c.Language}} {
		if more[1] != "" {
			kind += more[0] + more[1]
		}
	}
	x.Detail("%s", kind)
	x.Detail("%s, %d different words, %s in all, %s", wording.Plural(c.Size, "byte"), c.Words, wording.Plural(c.Occurrences, "word"), wording.Plural(c.Links, "link"))
	x.leftOut()
	switch {
	case x.State.KeptSince != nil:
		x.Detail("kept for its return since %s, for LostPeriod", x.When(*x.State.KeptSince))
	case x.State.Kept:
		x.Detail("kept until the next merge: DeleteBad")
	}
	if len(x.State.Marks) > 0 {
		x.Detail("marks: %s", strings.Join(x.State.Marks, ", "))
	}
}

// leftOut adds how many words of the page are no content, and why. It reads the stored content as its words were read.
func (x *explanation) leftOut() {
	c := x.Content
	body, err := store.UnpackContent(c.Packed, document.MaxIndexLimit)
	if err != nil || x.State.IndexMode&wording.ModeWords == 0 || x.Status.Base() != 200 {
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
		x.Detail("nothing left out, since too little would remain: %s", strings.Join(parts, ", "))
	case words > 0:
		x.Detail("left out as no content: %s (%s)", wording.Plural(words, "word"), strings.Join(parts, ", "))
	}
	if x.rules.server == nil || x.Origin != 0 {
		return
	}
	const flags = store.ModeMain | store.ModeStart
	if today := x.rules.server.Reading(x.url.Text); today.Mode&flags != how.Mode&flags || today.Selectors != how.Selectors {
		x.Detail("by other rules than KeepNavigation and LeaveOut say now: read again at its next visit, or by index --rebuild-index")
	}
}
