package spider

import (
	"context"
	"slices"

	"github.com/pgseek/pgseek/store"
)

// reach makes due in this run what an outcome leads to, if it is a --respider run: new links when the document was read, the
// target of a redirect, else the links that are stored, and after an error or no answer the stored target of a redirect, too
// (rules.md 4.3). What a rule forbids leads nowhere, and what comes back (T-15) is visited first.
//
// It comes before the document transaction: a fetcher that dies between the two leaves a URL that is visited in vain, never one
// that nobody came to, and so no orphan.
func (c *crawler) reach(ctx context.Context, o *outcome) error {
	if !c.o.Respider || o.settled {
		return nil
	}
	var links []store.URLID
	switch {
	case o.status == statusConfigForbidden, o.status == statusRobotsForbidden, o.status == statusAllowedAgain:
		return nil
	case o.read, o.relinked:
		links = o.links
	case redirect(o, nil):
		if o.target != 0 {
			links = []store.URLID{o.target}
		}
	default:
		var err error
		if links, err = c.store.StoredLinks(ctx, o.due.ID); err != nil {
			return err
		}
	}
	sites, err := c.store.Reach(ctx, c.run, o.due.ID, o.due.Hops+1, links)
	if err != nil {
		return err
	}
	slices.Sort(sites)
	return c.wake(ctx, slices.Compact(sites), o.due.Site)
}
