package spider

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pgseek/pgseek/store/crawl"
)

// ErrNoRespider says that no index --respider has completed without limits, so orphans are not known.
var ErrNoRespider = errors.New("no index --respider run has completed without limits")

// Orphans calls f for each document that no link reaches, the highest ids first (SR-09). It returns the
// start of the last complete --respider run, which did not reach them. A page that a page visited since
// then links to is no orphan: it waits for the next such run.
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

// PurgeOrphans removes orphans OrphanPeriod after their last answer, lost ones LostPeriod later (SR-09).
// Sites on hold are left alone. It returns the number removed; after an error these stay removed. The
// caller keeps crawls away.
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
