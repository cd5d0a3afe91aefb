package spider

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/store"
)

// reach makes due in this run what an outcome leads to, if it is a --respider run: new links when the document was read, the
// target of a redirect, else the links that are stored, and after an error or no answer the stored target of a redirect, too. A clone's are those that its original's content gives it from its own URL. What a rule forbids leads nowhere, and
// what comes back (T-15) is visited first.
//
// It comes before the document transaction: a fetcher that dies between the two leaves a URL that is visited in vain, never one
// that nobody came to, and so no orphan.
func (v *visit) reach(ctx context.Context, o *outcome) error {
	c := v.c
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
		if links, err = v.storedLinks(ctx); err != nil {
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

// storedLinks are the links of what is stored of a document, and the target of a redirect.
func (v *visit) storedLinks(ctx context.Context) ([]store.URLID, error) {
	c, due := v.c, v.due
	if due.Origin == 0 || due.Deleted {
		return c.store.StoredLinks(ctx, due.ID)
	}
	if v.refused != "" {
		return nil, nil
	}
	doc, err := v.storedDocument(ctx)
	if errors.As(err, new(*store.Damaged)) {
		slog.WarnContext(ctx, "stored content is damaged; using the links of the original for a clone", "url", printable.Log(due.URL), "cause", err)
		return c.store.StoredLinks(ctx, due.Origin)
	}
	if err != nil || doc == nil || !v.server.Follow || doc.NoFollow {
		return nil, err
	}
	return v.links(ctx, doc)
}
