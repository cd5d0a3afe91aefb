package explain

import (
	"strings"
	"time"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// dates adds the dates of the document, and what each DateRule that fits it found in it.
func (x *explanation) dates() {
	d := x.Dates
	if d == nil {
		x.Line("Dates", "none")
	} else {
		x.Line("Created", "%s, from the %s", x.When(d.Created), sources[d.CreatedFrom])
		x.Line("Modified", "%s, from the %s", x.When(d.Modified), sources[d.ModifiedFrom])
	}
	at := x.ruled()
	if d != nil && d.ModifiedFrom == index.FromRule {
		x.Detail("without a DateRule: %s, from the %s", x.When(d.Unruled), sources[d.UnruledFrom])
	}
	switch stored := x.State.Dated; {
	case x.Content == nil || !x.Content.HasContent:
	case !at.Equal(stored):
		x.Detail("the DateRule lines of now find another date: it counts from the next visit on, or from index --rebuild-index")
	case d != nil && (d.ModifiedFrom == index.FromRule) == stored.IsZero(), d != nil && !stored.IsZero() && !d.Modified.Equal(stored):
		x.Detail("it counts from the next merge on")
	}
}

// ruled adds what the DateRule lines of now find in the stored content, and returns the date.
func (x *explanation) ruled() (at time.Time) {
	c := x.Content
	if c == nil || !c.HasContent || len(x.dating) == 0 {
		return at
	}
	body, err := store.UnpackContent(c.Packed, document.MaxIndexLimit)
	if err != nil {
		return x.State.Dated
	}
	rules := x.parse.WithoutMeta().LeavingOutBy(c.How.Mode&store.ModeMain != 0, c.How.Mode&store.ModeStart != 0, c.How.Selectors)
	doc, err := document.Parse(body, c.ReadAs, rules)
	if err != nil {
		return x.State.Dated
	}
	tries := x.dating.Try(&document.DatedPage{
		URL: x.url.Text, LastModified: x.LastModified, Body: body, ContentType: c.ReadAs, Charset: doc.Charset, Title: doc.Title,
		Rules: rules, Now: x.Now,
	})
	for _, t := range tries {
		place := strings.TrimSpace(string(t.Rule.Place) + " " + t.Rule.Name)
		switch {
		case !t.At.IsZero():
			x.Detail("%s: DateRule, %s: %q is %s", t.Rule.Where, place, t.Text, x.When(t.At))
			return t.At
		case t.Text == "":
			x.Detail("%s: DateRule, %s: there is none", t.Rule.Where, place)
		default:
			x.Detail("%s: DateRule, %s: no valid date in %q", t.Rule.Where, place, t.Text)
		}
	}
	return at
}

// sources are the names of the sources of dates.
var sources = map[string]string{index.FromFetch: "fetch", index.FromLastModified: "Last-Modified header", index.FromRule: "document, by a DateRule"}
