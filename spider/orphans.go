package spider

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pgseek/pgseek/store/crawl"
)

// ErrNoRespider says that no index --respider has come to its end without limits: nobody knows what is an orphan.
var ErrNoRespider = errors.New("no index --respider run has completed without limits")

// Orphans hands all documents that no link reaches to f, the highest ids first, and says since when: the start of the
// run that did not come to them (SR-09). What a page links to by now that was visited since is none: it waits for the
// next such run.
func Orphans(ctx context.Context, s *crawl.Store, o Options, f func(crawl.Orphan) error) (since time.Time, err error) {
	since, err = s.LastRespider(ctx)
	if err != nil {
		return since, err
	}
	if since.IsZero() {
		return since, ErrNoRespider
	}
	ids, err := s.OrphanIDs(ctx)
	if err != nil {
		return since, err
	}
	for page := range slices.Chunk(ids, purgePage) {
		orphans, err := s.Orphans(ctx, page, o.OrphanPeriod, o.LostPeriod)
		if err != nil {
			return since, err
		}
		for _, orphan := range orphans {
			if err := f(orphan); err != nil {
				return since, err
			}
		}
	}
	return since, nil
}

// PurgeOrphans takes the orphans out whose time has come: OrphanPeriod after their last answer, for lost ones LostPeriod
// more (SR-09). Sites on hold are left alone. It returns how many it took out; after an error these stay out. Whoever calls
// it keeps crawls away.
func PurgeOrphans(ctx context.Context, s *crawl.Store, o Options, begin Begin) (n int, err error) {
	if err := s.ExpireHolds(ctx, o.LostPeriod); err != nil {
		return 0, err
	}
	p := purger{crawler: atRest(s, o), begin: begin}
	_, err = Orphans(ctx, s, o, func(orphan crawl.Orphan) error {
		if !orphan.Ripe || orphan.Held {
			return nil
		}
		if err := p.open(ctx); err != nil {
			return err
		}
		rule, err := p.decideWithoutFetch(ctx, orphan.ID, nil, &outcome{status: statusOrphaned, cause: "no link reaches it"})
		if err == nil {
			p.count(ctx, orphan.ID, rule)
		}
		return err
	})
	return p.purged, err
}
