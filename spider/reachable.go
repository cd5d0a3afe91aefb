package spider

import (
	"context"
	"errors"
	"log/slog"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// reach marks the links of an outcome as reached, and so due, in a --respider run: the links of a document
// that was read, the target of a redirect, with the stored links of a live document, which may stay as it is (T-10),
// otherwise the stored links, and after an error also the stored target of a redirect. The links of a clone are resolved from the original's content against the clone's
// own URL. A forbidden URL and a page of an infinite space (T-14) reach nothing, and a URL that comes back
// (T-15) is visited first.
//
// reach runs before the document transaction. A fetcher that dies between the two leaves a URL that is
// visited in vain, but never a reachable one that no run has reached, which would be an orphan.
func (v *visit) reach(ctx context.Context, o *outcome) error {
	c := v.c
	if !c.o.Respider || o.settled {
		return nil
	}
	var links []store.URLID
	switch {
	case o.status == statusConfigForbidden, o.status == statusPrivate, o.status == statusNoFile, o.status == statusRobotsForbidden && !o.banHeld, o.status == statusAllowedAgain:
		return nil
	case o.repeated: // its links are not followed
		return nil
	case o.read, o.relinked:
		links = o.links
	case redirect(o, nil):
		if live(&crawl.Previous{Status: o.due.Status, Deleted: o.due.Deleted}) {
			var err error
			if links, err = v.storedLinks(ctx); err != nil {
				return err
			}
		}
		if o.target != 0 {
			links = append(links, o.target)
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
	return c.wake(ctx, sites)
}

// storedLinks returns the stored links of a document, and the target of a stored redirect.
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
	if err != nil || doc == nil {
		return nil, err
	}
	var links []store.URLID
	if v.follows(doc, due.IndexMode) {
		links, err = v.links(ctx, doc)
	}
	return withLink(links, due.Canonical), err
}
