package spider

import (
	"context"
	"log/slog"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/failpoint"
)

// A mistake in a template can name one page as the canonical page of all others. So the pages of a site that name others are counted
// before they leave the index. They are counted at the end of a run, when their canonical pages have been fetched.

// settleCanonical unites pages with their canonical pages, site by site, or puts a site on hold. It runs at the end of a run. It also
// runs at the beginning, because a run that was killed or stopped did not come to it. A site that was released waits for the end: the visits
// of this run see what its pages say now.
func (c *crawler) settleCanonical(ctx context.Context, begins bool) error {
	if err := failpoint.Hit("canonical.before-count"); err != nil {
		return err
	}
	sites, err := c.store.CanonicalSites(ctx)
	if err != nil {
		return err
	}
	for i := range sites {
		if begins && sites[i].Free {
			continue
		}
		if err := c.settleCanonicalSite(ctx, &sites[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *crawler) settleCanonicalSite(ctx context.Context, s *crawl.CanonicalSite) error {
	share := c.o.MaxLostShare
	held := s.Hold == crawl.HoldCanonical
	switch {
	case held && float64(s.Pages) <= share*float64(s.Most)+shareSlack:
		slog.InfoContext(ctx, "few pages of a site name others as canonical now; its hold ends", "site", printable.Log(s.Site))
		return c.store.EndCanonicalHold(ctx, s.ID, "recovered", nil)
	case s.Pages == 0:
		return nil
	case held || !s.Free && tooManyUnited(s, share):
		return c.holdCanonical(ctx, s, !held)
	case s.Hold != "" || !s.Free && share < 1 && undecided(s):
		return nil
	}
	return c.uniteSite(ctx, s)
}

// tooManyUnited reports whether too many pages of a site name others: of its documents from before the run, of those that answered in
// the run if these are not few, or of all its documents if they name the same page.
func tooManyUnited(s *crawl.CanonicalSite, share float64) bool {
	return s.Old > 0 && mostOfSite(s.Old, s.Live, share) ||
		s.Named > 0 && s.Answered >= crawl.SmallSite && mostOfSite(s.Named, s.Answered, share) || oneForAll(s, share)
}

// oneForAll reports whether a large part of a site names the same page from other paths. That is a mistake of the site.
func oneForAll(s *crawl.CanonicalSite, share float64) bool {
	return s.Total >= crawl.SmallSite && mostOfSite(s.Top, s.Total, share)
}

// undecided reports whether all documents from before the run that answered name other pages. They are too few to judge the site by.
func undecided(s *crawl.CanonicalSite) bool { return s.Old > 0 && s.Named > 0 && s.Named >= s.Answered }

// holdCanonical puts a site on hold. It ends a hold that has lasted long enough, unless one page is named for all.
func (c *crawler) holdCanonical(ctx context.Context, s *crawl.CanonicalSite, begins bool) error {
	days, err := c.store.HoldCanonical(ctx, c.run, s)
	if err != nil || days == 0 {
		return err
	}
	site := printable.Log(s.Site)
	if days >= c.o.LostLimit && !oneForAll(s, c.o.MaxLostShare) {
		slog.WarnContext(ctx, "many pages of a site have named others as canonical on LostLimit days; they are united with them",
			"site", site, "pages", s.Pages, "documents", s.Total, "days", days)
		if err := c.store.EndCanonicalHold(ctx, s.ID, "expired", &c.o.LostPeriod); err != nil {
			return err
		}
		return c.uniteSite(ctx, s)
	}
	if begins {
		slog.WarnContext(ctx, "more than MaxLostShare of the documents of a site name other pages as canonical; they stay in the index",
			"site", site, "pages", s.Pages, "documents", s.Total, "example", printable.Log(s.URL), "canonical", printable.Log(s.Target),
			"remedy", "index --release "+site+" unites them; Canonical no above its Server line keeps them")
	}
	return nil
}

// uniteSite unites the pages of a site with their canonical pages (T-19). The highest ids come first, so the original of a clone group
// leaves it last.
func (c *crawler) uniteSite(ctx context.Context, s *crawl.CanonicalSite) error {
	return highestFirst(ctx, c.o.Workers, func(upto store.URLID) ([]crawl.Named, error) {
		return c.store.NamedPages(ctx, s.ID, upto, sweepPage)
	}, func(n *crawl.Named) store.URLID { return n.ID }, c.uniteOne)
}

func (c *crawler) uniteOne(ctx context.Context, n *crawl.Named) error {
	due, err := c.store.Look(ctx, n.ID)
	if err != nil {
		return err
	}
	match := c.o.Scope.rule(due.URL, due.Hops)
	if match.refused != "" || !match.server.Canonical { // left to the sweep, or to the next visit
		return nil
	}
	rule, err := c.decideWithoutFetch(ctx, n.ID, &match, &outcome{
		status: statusCanonical, target: n.Canonical, cause: canonicalWords + n.URL, answer: &fetch.Answer{Status: statusCanonical}, server: match.server,
	})
	if err == nil && rule != "" {
		c.counts.united(n.New)
	}
	return err
}

// canonicalWords is the beginning of the cause of T-19.
const canonicalWords = "canonical: "
