package program

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/report"
)

// never is urlword.next_index_time of a URL that is not visited before a link reaches it.
const never = int64(1) << 62

// explain is --explain: everything about a URL on one page, and why it is (not) in the index. A URL that is not
// registered has a page too, with what the rules say of it, and exit code 1.
func (p *program) explain(ctx context.Context, s *store.DB) error {
	u, err := weburl.Normalize(p.o.explain, p.cfg.Spider.MaxURLLength)
	if err != nil {
		return fmt.Errorf("%q: %w", withoutPassword(p.o.explain), err)
	}
	rules, err := p.ruling(u)
	if err != nil {
		return err
	}
	e, err := report.New(s).Explain(ctx, u.Text, u.Site, u.HostInfo)
	if err != nil {
		return err
	}
	x := &explanation{Explanation: e, sheet: sheet{now: e.Now}, url: u, rules: rules}
	x.name(p.o.explain)
	x.rulesPart()
	if e.ID == 0 {
		x.admission()
		x.gate()
		x.write(p.out)
		return fmt.Errorf("%s is not registered", clean(u.Text))
	}
	for _, part := range []func(){
		x.status, x.group, x.redirects, x.canonical, x.path, x.links, x.content, x.found, x.dates, x.next, x.gate, x.orphan,
		x.ranked, x.history,
	} {
		part()
	}
	x.write(p.out)
	return nil
}

// explanation is the page of --explain.
type explanation struct {
	*report.Explanation
	sheet
	url   weburl.URL
	rules *ruling
}

// name says which URL it is.
func (x *explanation) name(typed string) {
	x.say("URL", "%s", x.url.Text)
	if typed != x.url.Text {
		x.more("typed as %q", withoutPassword(typed))
	}
	if x.ID == 0 {
		x.say("Registered", "no: it is no start URL, and no page that was read links to it (or a rule refused it)")
		return
	}
	from := plural(x.Hops, "hop") + " from a start URL"
	if x.Hops == 0 {
		from = "start URL"
	}
	x.say("Registered", "id %d, %s, tag %d", x.ID, from, x.Tag)
}

func (x *explanation) status() {
	text := statusWords(x.Status)
	if x.Status.Lost() != 0 && !x.Deleted {
		text += "; still found"
	}
	x.say("Status", "%s", text)
	if x.Deleted {
		x.say("Taken out", "%s", x.takenOut())
	}
}

// statusWords is urlword.status in words.
func statusWords(s store.Status) string {
	text := numbered(s.Base())
	if s.Base() == 0 {
		text = "not fetched yet"
	}
	if s.Lost() != 0 {
		text += fmt.Sprintf(", lost: answered %s in %s", numbered(s.Lost()), plural(s.LostCount(), "run"))
	}
	return text
}

// numbered is an extended status with its name.
func numbered(status int) string { return fmt.Sprintf("%d %s", status, statusText(status)) }

// takenOut is the rule behind a deleted URL, and what it said.
func (x *explanation) takenOut() string {
	rule := x.State.WithdrawnBy
	switch rule {
	case "":
		return "by a rule"
	case "T-13":
		return fmt.Sprintf("by T-13: answered %s", numbered(x.Status.Base()))
	case "SR-09":
		return "by SR-09: no link reached it"
	}
	for _, f := range x.Fetches {
		if f.Rule == rule && f.Cause != "" {
			return fmt.Sprintf("by %s: %s", rule, f.Cause)
		}
	}
	return "by " + rule
}

// list says a list of URLs, and how much of it is left out.
func (x *explanation) list(l report.StepList) {
	for _, step := range l.First {
		x.more("  %s", step.URL)
	}
	if left := l.Count - len(l.First); left > 0 {
		x.more("  and %d more", left)
	}
}

func (x *explanation) group() {
	switch {
	case x.Original != nil:
		x.say("Clones", "it is a clone of %s (%s)", x.Original.URL, statusWords(x.Original.Status))
		x.more("clones of that: %d", x.Clones.Count)
	case x.Origin != 0:
		x.say("Clones", "it is a clone of id %d, which is not there", x.Origin)
	case x.Clones.Count > 0:
		x.say("Clones", "it is the original of %s", plural(x.Clones.Count, "clone"))
	default:
		x.say("Clones", "none")
	}
	x.list(x.Clones)
}

func (x *explanation) redirects() {
	base := x.Status.Base()
	switch {
	case base != 301 && base != 302:
		x.say("Redirects", "nowhere")
	case x.Redir == 0:
		x.say("Redirects", "to what the rules refuse, or too often in a row: not followed")
	case x.Redir == x.ID:
		x.say("Redirects", "to itself")
	default:
		x.say("Redirects", "to")
		for _, step := range x.RedirectsTo {
			x.more("  %s (%s)", step.URL, statusWords(step.Status))
		}
		if x.Looped {
			x.more("  and in a circle, or longer than is followed")
		}
	}
	if x.RedirectedBy.Count > 0 {
		x.more("redirects to it: %s", plural(x.RedirectedBy.Count, "URL"))
		x.list(x.RedirectedBy)
	}
}

// canonical says what the page calls its own URL (GSA-60).
func (x *explanation) canonical() {
	var heads []document.HeadLink
	if json.Unmarshal(x.State.Meta, &heads) != nil {
		return // NULL, or not as this version writes it
	}
	for _, h := range heads {
		if !slices.Contains(strings.Fields(strings.ToLower(h.Rel)), "canonical") {
			continue
		}
		same := ""
		if to, err := weburl.NewResolver(x.url, "", 0).Resolve(h.Href); err == nil && to.Text == x.url.Text {
			same = ": this URL"
		}
		x.say("Canonical", "%q%s", h.Href, same)
	}
}

// path is how the URL was found, as -P shows it.
func (x *explanation) path() {
	x.say("Found by", "Hops Status URL")
	for _, step := range x.Path {
		x.more("%4d %6d %s", step.Hops, shownStatus(step.Status), step.URL)
	}
}

func (x *explanation) links() {
	x.say("Linked from", "%s", plural(x.LinkedFrom.Count, "page"))
	x.list(x.LinkedFrom)
	if x.Unmerged.Count > 0 {
		x.more("not merged yet: %s", plural(x.Unmerged.Count, "page"))
		x.list(x.Unmerged)
	}
}

func (x *explanation) content() {
	c := x.Content
	if c == nil {
		x.say("Content", "none")
		return
	}
	of := ""
	if x.Origin != 0 {
		of = " (of its original)"
	}
	if !c.HasContent {
		x.say("Content", "none, %s%s", plural(c.Links, "link"), of)
		return
	}
	x.say("Content", "%q%s", c.Title, of)
	kind := fmt.Sprintf("type %q", c.Type)
	for _, more := range [][2]string{{", charset ", c.Charset}, {", language ", c.Language}} {
		if more[1] != "" {
			kind += more[0] + more[1]
		}
	}
	x.more("%s", kind)
	x.more("%s, %d different words, %s in all, %s", plural(c.Size, "byte"), c.Words, plural(c.Occurrences, "word"), plural(c.Links, "link"))
	if len(x.State.Marks) > 0 {
		x.more("marks: %s", strings.Join(x.State.Marks, ", "))
	}
}

func (x *explanation) dates() {
	if x.Dates == nil {
		x.say("Dates", "none")
		return
	}
	x.say("Created", "%s, from the %s", x.when(x.Dates.Created), sources[x.Dates.CreatedFrom])
	x.say("Modified", "%s, from the %s", x.when(x.Dates.Modified), sources[x.Dates.ModifiedFrom])
}

// sources name what a date was taken from.
var sources = map[string]string{index.FromFetch: "fetch", index.FromLastModified: "Last-Modified header"}

func (x *explanation) next() {
	t := time.Unix(x.NextIndex, 0)
	var text string
	switch {
	case x.NextIndex == 0:
		text = "in the next run, before all others: a start URL"
	case x.NextIndex == -1:
		text = "in the next run, before all others: --recrawl"
	case x.NextIndex < 0:
		text = "in the run that goes on: a link reached it"
	case x.NextIndex >= never:
		text = "never"
	case !t.After(x.now):
		text = "due since " + x.when(t)
	default:
		text = x.when(t)
	}
	if why := x.State.NextWhy; why != "" && x.NextIndex > 0 {
		text += ": " + why
	}
	x.say("Next visit", "%s", text)
	if x.State.ErrorClass == "" {
		x.say("Errors", "none")
		return
	}
	x.say("Errors", "%d in a row, class %s", x.State.ErrorCount, x.State.ErrorClass)
}

// gate says what the safety gate does to the site.
func (x *explanation) gate() {
	g := x.Gate
	switch {
	case g == nil:
	case g.HeldAt != nil:
		x.say("Site", "%s, %s", x.url.Site, holdWords(&report.Hold{Since: *g.HeldAt, Reason: g.Reason}))
		x.more("nothing of it is lost or purged while that lasts; it began with %s", strings.TrimSuffix(g.URL+": "+g.Cause, ": "))
	case g.State == crawl.GateOpen:
		x.say("Site", "%s, was on hold; not held again before it has recovered", x.url.Site)
	default:
		x.say("Site", "%s, not on hold", x.url.Site)
	}
}

func (x *explanation) orphan() {
	switch {
	case x.Orphan != nil:
		x.say("Orphan", "yes: no link reaches it; the index --respider of %s did not come to it", x.when(*x.Orphan))
	case x.Reached == nil:
		x.say("Orphan", "not known: no index --respider has visited everything yet")
	default:
		x.say("Orphan", "no")
	}
}

func (x *explanation) ranked() {
	if x.Rank != nil {
		x.say("Rank", "%g", *x.Rank)
	}
}

// history is the last fetches, newest first.
func (x *explanation) history() {
	if len(x.Fetches) == 0 {
		x.say("Fetches", "none")
		return
	}
	x.say("Fetches", "%s; history, newest first:", plural(x.State.Attempts, "attempt"))
	var results, changes []string
	for _, f := range x.Fetches {
		result := "not asked"
		if f.Result != 0 {
			result = numbered(f.Result)
		}
		results, changes = append(results, result), append(changes, shortStatus(f.Old)+" -> "+shortStatus(f.New))
	}
	for i, f := range x.Fetches {
		x.more("  %s  %-5s  %-*s  %-*s  %8d bytes  %6d ms  %s", f.At.Local().Format(time.DateTime), f.Rule,
			longest(results), results[i], longest(changes), changes[i], f.Bytes, f.Elapsed.Milliseconds(), f.Cause)
	}
}

// shortStatus is urlword.status in a few characters: "200", "200 lost 404 x2".
func shortStatus(s store.Status) string {
	if s.Lost() != 0 {
		return fmt.Sprintf("%d lost %d x%d", s.Base(), s.Lost(), s.LostCount())
	}
	return fmt.Sprint(s.Base())
}

func longest(list []string) (n int) {
	for _, s := range list {
		n = max(n, len(s))
	}
	return n
}
