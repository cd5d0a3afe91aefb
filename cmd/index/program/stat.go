package program

import (
	"context"
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/report"
)

// statistics is -S, in ASPseek's layout, with separate lines for lost documents.
func (p *program) statistics(ctx context.Context, s *store.DB) error {
	if p.o.sites {
		return p.sites(ctx, s)
	}
	limits, err := p.limits()
	if err != nil {
		return err
	}
	lines, err := report.New(s).Statistics(ctx, limits)
	if err != nil {
		return err
	}
	rule := "   " + strings.Repeat("-", 46)
	fmt.Fprintf(p.out, "\n          pgseek database statistics\n\n%10s%10s%10s\n%s\n", "Status", "Expired", "Total", rule)
	var expired, total int64
	for _, l := range lines {
		text := wording.StatusText(l.Status)
		if l.Status == wording.NotIndexed {
			text = notIndexedText
		}
		if l.Lost {
			text += " (lost, still found)"
		}
		fmt.Fprintf(p.out, "%10d%10d%10d %s\n", l.Status, l.Expired, l.Total, text)
		expired, total = expired+l.Expired, total+l.Total
	}
	fmt.Fprintf(p.out, "%s\n%10s%10d%10d\n\n\n", rule, "Total", expired, total)
	if err := p.unreadTypes(ctx, s, limits); err != nil {
		return err
	}
	if err := p.leftOutFiles(ctx, s, limits); err != nil {
		return err
	}
	if err := p.documentLimit(ctx, s); err != nil {
		return err
	}
	if err := p.holds(ctx, s); err != nil {
		return err
	}
	if err := p.limited(ctx, s); err != nil {
		return err
	}
	if err := p.pausedPatterns(ctx, s); err != nil {
		return err
	}
	if err := p.badSitemaps(ctx, s, false); err != nil {
		return err
	}
	return p.deferredHosts(ctx, s)
}

// unreadTypes prints the types that nothing reads, if there are any.
func (p *program) unreadTypes(ctx context.Context, s *store.DB, limits crawl.Limits) error {
	numbers, err := report.New(s).UnreadTypes(ctx, limits)
	if err != nil || len(numbers) == 0 {
		return err
	}
	fmt.Fprintf(p.out, "          Types that nothing reads (no errors; view unread_documents)\n\n   %s\n\n\n", byNumber(numbers))
	return nil
}

// holds prints which sites are on hold, if any: their failures do not count as losses.
func (p *program) holds(ctx context.Context, s *store.DB) error {
	list, err := report.New(s).Holds(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	fmt.Fprintf(p.out, "          Sites on hold (index --release SITE ends that)\n\n")
	for i := range list {
		h := &list[i]
		fmt.Fprintf(p.out, "   %s  %s\n   began with %s\n", clean(h.Site), wording.HoldText(h), clean(strings.TrimSuffix(h.URL+": "+h.Cause, ": ")))
	}
	fmt.Fprint(p.out, "\n\n")
	return nil
}

// notIndexedText is the name of 406 in -S. Few servers answer it themselves: most such URLs were received.
const notIndexedText = "Not indexed (noindex, Index no, CheckOnly, list of an archive or a directory)"

// path is -P: it prints how a URL was found, from itself back to a start URL.
func (p *program) path(ctx context.Context, s *store.DB) error {
	u, err := weburl.Typed(p.o.path, p.cfg.Spider.MaxURLLength)
	if err != nil {
		return wrongURL(p.o.path, err)
	}
	id, err := crawl.New(s).FindURL(ctx, u.Text)
	if err != nil {
		return err
	}
	if id == 0 {
		return fmt.Errorf("%s is not registered", u.Text)
	}
	steps, err := crawl.New(s).Path(ctx, id)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "URL Id: %d\nHops Status URL\n", id)
	for _, step := range steps {
		fmt.Fprintf(p.out, "%4d %6d %s\n", step.Hops, wording.ShownStatus(step.Status), clean(step.URL))
	}
	return nil
}
