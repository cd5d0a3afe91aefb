package program

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/report"
)

// never is the urlword.next_index_time of a URL that is visited only when a link reaches it again.
const never = int64(1) << 62

// explain is --explain: it prints everything about a URL and why it is in the index or not. For a URL that is not
// registered it prints what the rules say of it, and fails.
func (p *program) explain(ctx context.Context, s *store.DB) error {
	u, err := weburl.Typed(p.o.explain, p.cfg.Spider.MaxURLLength)
	if err != nil {
		return wrongURL(p.o.explain, err)
	}
	rules, err := p.matchRules(ctx, u)
	if err != nil {
		return err
	}
	e, err := report.New(s).Explain(ctx, u.Text, u.Site, u.HostInfo)
	if err != nil {
		return err
	}
	x := &explanation{Explanation: e, labeledText: labeledText{now: e.Now}, url: u, rules: rules, dating: dateRules(p.cfg.Sets.DateRules)}
	if x.parse, err = settings.WordRules(&p.cfg.Spider, p.cfg.SpiderFile); err != nil {
		return err
	}
	if x.limited, err = crawl.New(s).LimitedHosts(ctx, u.Host); err != nil {
		return err
	}
	x.name(p.o.explain)
	x.rulesPart()
	if e.ID == 0 {
		x.admission()
		x.gate()
		x.pause()
		if err := x.pattern(ctx, p, s); err != nil {
			return err
		}
		x.write(p.out)
		return fmt.Errorf("%s is not registered", clean(u.Text))
	}
	for _, part := range []func(){x.status, x.group, x.redirects, x.instructions, x.canonical, x.path} {
		part()
	}
	if err := x.named(ctx, s); err != nil {
		return err
	}
	for _, part := range []func(){x.links, x.content, x.found, x.dates, x.next, x.gate, x.pause, x.orphan, x.ranked} {
		part()
	}
	if err := x.pattern(ctx, p, s); err != nil {
		return err
	}
	x.history()
	x.write(p.out)
	return nil
}

// explanation is the report of --explain.
type explanation struct {
	*report.Explanation
	labeledText
	url     weburl.URL
	rules   *ruleMatch
	limited []crawl.LimitedHost // its host, when that asked for a pause
	parse   *document.Rules     // the word rules
	dating  document.DateRules
}

// name adds the URL and how it was registered.
func (x *explanation) name(typed string) {
	x.line("URL", "%s", x.url.Text)
	if typed != x.url.Text {
		x.detail("given as %q", withoutPassword(typed))
	}
	if x.ID == 0 {
		x.line("Registered", "no: it is not a start URL, and no fetched page links to it (or a rule refused the link)")
		return
	}
	from := plural(x.Hops, "hop") + " from a start URL"
	if x.Hops == 0 {
		from = "start URL"
	}
	x.line("Registered", "id %d, %s, tag %d", x.ID, from, x.Tag)
}

func (x *explanation) status() {
	text := describeStatus(x.Status)
	if x.Status.Lost() != 0 && !x.Deleted {
		text += "; still found"
	}
	x.line("Status", "%s", text)
	if x.Deleted {
		x.line("Removed", "%s", x.takenOut())
	}
}

// describeStatus returns urlword.status in words.
func describeStatus(s store.Status) string {
	text := numbered(s.Base())
	if s.Base() == 0 {
		text = "not fetched yet"
	}
	if s.Lost() != 0 {
		text += fmt.Sprintf(", lost: answered %s in %s", numbered(s.Lost()), plural(s.LostCount(), "run"))
	}
	return text
}

// numbered returns an extended status with its name.
func numbered(status int) string { return fmt.Sprintf("%d %s", status, statusText(status)) }

// takenOut returns which rule removed a deleted URL, and why.
func (x *explanation) takenOut() string {
	rule := x.State.WithdrawnBy
	switch rule {
	case "":
		return "by a rule"
	case "T-13":
		return fmt.Sprintf("by T-13: answered %s", numbered(x.Status.Base()))
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

// list adds a list of URLs and how many of them it omits.
func (x *explanation) list(l report.StepList) {
	for _, step := range l.First {
		x.detail("  %s", step.URL)
	}
	if left := l.Count - len(l.First); left > 0 {
		x.detail("  and %d more", left)
	}
}

func (x *explanation) group() {
	switch {
	case x.Original != nil:
		x.line("Clones", "clone of %s (%s)", x.Original.URL, describeStatus(x.Original.Status))
		x.detail("clones of the original: %d", x.Clones.Count)
	case x.Origin != 0:
		x.line("Clones", "clone of id %d, which does not exist", x.Origin)
	case x.Clones.Count > 0:
		x.line("Clones", "original of %s", plural(x.Clones.Count, "clone"))
	default:
		x.line("Clones", "none")
	}
	x.list(x.Clones)
}

func (x *explanation) redirects() {
	base := x.Status.Base()
	switch {
	case base != 301 && base != 302:
		x.line("Redirects", "nowhere")
	case x.Redir == 0:
		x.line("Redirects", "%s", x.notFollowed())
	case x.Redir == x.ID:
		x.line("Redirects", "to itself")
	default:
		x.line("Redirects", "to")
		for _, step := range x.RedirectsTo {
			x.detail("  %s (%s)", step.URL, describeStatus(step.Status))
		}
		if x.Looped {
			x.detail("  and on in a loop, or beyond the longest chain that is followed")
		}
	}
	if x.RedirectedBy.Count > 0 {
		x.detail("redirects to it: %s", plural(x.RedirectedBy.Count, "URL"))
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

// says returns what the page says to robots.
func (x *explanation) says() string {
	s := &x.State
	hidden := x.Status.Base() == statusNotIndexed && s.ErrorClass != "server" && !x.Deleted
	return instructions(s.IndexMode, s.Marks, hidden && saysNoIndex(s.IndexMode, s.Marks, x.rules.verdict == spider.CheckOnly))
}

// instructions adds what the page says to robots, and whether it is heeded.
func (x *explanation) instructions() {
	says := x.says()
	switch {
	case x.State.IndexMode&modeIgnoreMeta != 0:
		x.line("To robots", "%s; noindex and nofollow of META robots are ignored (IgnoreMeta yes)", cmp.Or(says, "nothing"))
	case says != "":
		x.line("To robots", "%s", says)
		if strings.Contains(says, "nofollow") {
			x.detail("its links are not followed")
		}
	case x.State.Unavailable != nil:
		x.line("To robots", "noindex, after a date")
	}
	if date := x.State.Unavailable; date != nil {
		x.detail("unavailable_after %s: as noindex from then on", x.when(*date))
	}
}

// path adds how the URL was found, as -P does.
func (x *explanation) path() {
	x.line("Found by", "Hops Status URL")
	for _, step := range x.Path {
		x.detail("%4d %6d %s", step.Hops, shownStatus(step.Status), step.URL)
	}
}

func (x *explanation) links() {
	x.line("Linked from", "%s", plural(x.LinkedFrom.Count, "page"))
	x.list(x.LinkedFrom)
	if x.Unmerged.Count > 0 {
		x.detail("not merged yet: %s", plural(x.Unmerged.Count, "page"))
		x.list(x.Unmerged)
	}
}

func (x *explanation) content() {
	c := x.Content
	if c == nil {
		x.line("Content", "none")
		return
	}
	of := ""
	if x.Origin != 0 {
		of = " (of its original)"
	}
	if !c.HasContent {
		x.line("Content", "none, %s%s", plural(c.Links, "link"), of)
		return
	}
	x.line("Content", "%q%s", c.Title, of)
	kind := fmt.Sprintf("type %q", c.Type)
	for _, more := range [][2]string{{", charset ", c.Charset}, {", language ", c.Language}} {
		if more[1] != "" {
			kind += more[0] + more[1]
		}
	}
	x.detail("%s", kind)
	x.detail("%s, %d different words, %s in all, %s", plural(c.Size, "byte"), c.Words, plural(c.Occurrences, "word"), plural(c.Links, "link"))
	x.leftOut()
	switch {
	case x.State.KeptSince != nil:
		x.detail("kept for its return since %s, for LostPeriod", x.when(*x.State.KeptSince))
	case x.State.Kept:
		x.detail("kept until the next merge: DeleteBad")
	}
	if len(x.State.Marks) > 0 {
		x.detail("marks: %s", strings.Join(x.State.Marks, ", "))
	}
}

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
	case !t.After(x.now):
		text = "due since " + x.when(t)
	default:
		text = x.when(t)
	}
	if why := x.State.NextWhy; why != "" && x.NextIndex > 0 {
		text += ": " + why
	}
	x.line("Next visit", "%s", text)
	if x.State.ErrorClass == "" {
		x.line("Errors", "none")
		return
	}
	if len(x.Fetches) > 0 && x.State.ErrorClass == "unreachable" {
		if f := &x.Fetches[0]; strings.HasPrefix(f.Cause, spider.OnHold) && f.Result < 700 {
			x.line("Errors", "%d in a row, the last: answered %s, kept back by the hold of its site", x.State.ErrorCount, numbered(f.Result))
			return
		}
	}
	x.line("Errors", "%d in a row, class %s", x.State.ErrorCount, x.State.ErrorClass)
}

// gate adds what the safety gate does to the site.
func (x *explanation) gate() {
	g := x.Gate
	switch {
	case g == nil:
	case g.HeldAt != nil:
		x.line("Site", "%s, %s", x.url.Site, holdText(&report.Hold{Since: *g.HeldAt, Reason: g.Reason}))
		x.detail("it ends %s", holdEnds(g.Reason, x.when(g.HeldAt.Add(x.rules.lostPeriod)), x.rules.lostLimit, x.url.Site))
		x.detail("none of its documents becomes lost or is purged meanwhile; the hold began with %s", strings.TrimSuffix(g.URL+": "+g.Cause, ": "))
	case g.State == crawl.GateOpen:
		x.line("Site", "%s, released from its hold; no new one before it has recovered", x.url.Site)
	default:
		x.line("Site", "%s, not on hold", x.url.Site)
	}
}

// pause adds the pause that the host asked for.
func (x *explanation) pause() {
	for i := range x.limited {
		x.line("Host", "%s limits requests and is not asked %s", x.limited[i].Host, pauseText(&x.limited[i]))
	}
}

func (x *explanation) orphan() {
	switch {
	case x.Orphan != nil:
		x.line("Orphan", "yes: no link reaches it and no sitemap names it; the index --respider of %s did not visit it", x.when(*x.Orphan))
	case x.Reached == nil:
		x.line("Orphan", "unknown: no index --respider has visited everything yet")
	default:
		x.line("Orphan", "no")
	}
}

func (x *explanation) ranked() {
	if x.Rank != nil {
		x.line("Rank", "%g", *x.Rank)
	}
}

// history adds the last fetches, newest first.
func (x *explanation) history() {
	if len(x.Fetches) == 0 {
		x.line("Fetches", "none")
		return
	}
	x.line("Fetches", "%s; history, newest first:", plural(x.State.Attempts, "attempt"))
	var results, changes []string
	for _, f := range x.Fetches {
		result := "not fetched"
		if f.Result != 0 {
			result = numbered(f.Result)
		}
		results, changes = append(results, result), append(changes, shortStatus(f.Old)+" -> "+shortStatus(f.New))
	}
	for i, f := range x.Fetches {
		x.detail("  %s  %-5s  %-*s  %-*s  %8d bytes  %6d ms  %s", f.At.Local().Format(time.DateTime), f.Rule,
			longest(results), results[i], longest(changes), changes[i], f.Bytes, f.Elapsed.Milliseconds(), f.Cause)
	}
}

// shortStatus returns urlword.status in a few characters: "200", "200 lost 404 x2".
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
