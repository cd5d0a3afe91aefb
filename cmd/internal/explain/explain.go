// Package explain writes the report of one URL: what the rules, robots.txt and the tables say of it, and why searches find it or not.
// index --explain prints it, searchd shows it at /explain.
package explain

import (
	"context"
	"fmt"
	"io"

	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/report"
)

// Write writes everything about a URL and why it is in the index or not. For a URL that is not registered it writes what the rules say
// of it, and returns an error.
func Write(ctx context.Context, to io.Writer, cfg *config.Config, s *store.DB, typed string) error {
	u, err := weburl.Typed(typed, cfg.Spider.MaxURLLength)
	if err != nil {
		return wording.WrongURL(typed, err)
	}
	rules, err := matchRules(ctx, cfg, u)
	if err != nil {
		return err
	}
	e, err := report.New(s).Explain(ctx, u.Text, u.Site, u.HostInfo)
	if err != nil {
		return err
	}
	x := &explanation{Explanation: e, Labeled: wording.NewLabeled(e.Now), url: u, rules: rules, dating: settings.DateRules(cfg.Sets.DateRules)}
	if x.parse, err = settings.WordRules(&cfg.Spider, cfg.SpiderFile); err != nil {
		return err
	}
	if x.limited, err = crawl.New(s).LimitedHosts(ctx, u.Host); err != nil {
		return err
	}
	x.name(typed)
	x.rulesPart()
	if e.ID == 0 {
		x.admission()
		x.gate()
		x.pause()
		if err := x.pattern(ctx, &cfg.Sets, s); err != nil {
			return err
		}
		x.Write(to)
		return fmt.Errorf("%s is not registered", wording.Clean(u.Text))
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
	if err := x.pattern(ctx, &cfg.Sets, s); err != nil {
		return err
	}
	x.history()
	x.Write(to)
	return nil
}

// explanation is the report of one URL.
type explanation struct {
	*report.Explanation
	wording.Labeled
	url     weburl.URL
	rules   *ruleMatch
	limited []crawl.LimitedHost // its host, when that asked for a pause
	parse   *document.Rules     // the word rules
	dating  document.DateRules
}

// name adds the URL and how it was registered.
func (x *explanation) name(typed string) {
	x.Line("URL", "%s", x.url.Text)
	if typed != x.url.Text {
		x.Detail("given as %q", wording.WithoutPassword(typed))
	}
	if x.ID == 0 {
		x.Line("Registered", "no: it is not a start URL, and no fetched page links to it (or a rule refused the link)")
		return
	}
	from := wording.Plural(x.Hops, "hop") + " from a start URL"
	if x.Hops == 0 {
		from = "start URL"
	}
	x.Line("Registered", "id %d, %s, tag %d", x.ID, from, x.Tag)
}

func (x *explanation) orphan() {
	switch {
	case x.Orphan != nil:
		x.Line("Orphan", "yes: no link reaches it and no sitemap names it; the index --respider of %s did not visit it", x.When(*x.Orphan))
	case x.Reached == nil:
		x.Line("Orphan", "unknown: no index --respider has visited everything yet")
	default:
		x.Line("Orphan", "no")
	}
}

func (x *explanation) ranked() {
	if x.Rank != nil {
		x.Line("Rank", "%g", *x.Rank)
	}
}
