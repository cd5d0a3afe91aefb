package spider

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// Begin opens the run under which documents are purged. It is called at most once, before the first
// document.
type Begin func(context.Context) (store.RunID, error)

// Purge removes the live documents that were lost as often as their error class allows (T-18), and with
// UnreachableRemove those that did not answer four times in a row. With atLeast above 0 it removes those
// lost at least that often, whatever the error. Sites on hold are left alone. It returns the number
// removed; after an error these stay removed. The caller holds the lock of the merge.
func Purge(ctx context.Context, s *crawl.Store, o Options, atLeast int, begin Begin) (n int, err error) {
	if err := s.ExpireHolds(ctx, o.LostPeriod); err != nil {
		return 0, err
	}
	if _, err := holdNoIndex(ctx, s, o); err != nil {
		return 0, err
	}
	p := purger{crawler: atRest(s, o), begin: begin}
	limits := crawl.PurgeLimits{Lost: atLeast, Gone: o.LostLimit}
	err = p.each(ctx, "lost", func(upto store.URLID) ([]crawl.LostDocument, error) {
		return s.LostDocuments(ctx, upto, purgePage, limits)
	})
	if err == nil && o.UnreachableRemove && atLeast == 0 {
		err = p.each(ctx, "not reached", func(upto store.URLID) ([]crawl.LostDocument, error) {
			return s.UnreachableDocuments(ctx, upto, purgePage)
		})
	}
	if err == nil {
		err = p.removeKept(ctx)
	}
	return p.purged, err
}

// atRest returns a crawler that fetches nothing and decides about registered URLs only.
func atRest(s *crawl.Store, o Options) *crawler {
	c := &crawler{o: o, store: s, process: &crawl.Process{}, start: time.Now().Unix()}
	c.robots = newRobotsCache(c)
	return c
}

// purgePage is how many documents are read at once.
const purgePage = 1000

// purger takes documents out without a crawl.
type purger struct {
	*crawler
	begin  Begin
	purged int
}

// each purges the documents that next returns, page by page. what describes their state: "lost", "not
// reached".
func (p *purger) each(ctx context.Context, what string, next func(upto store.URLID) ([]crawl.LostDocument, error)) error {
	upto := store.URLID(math.MaxInt32)
	for {
		lost, err := next(upto)
		if err != nil || len(lost) == 0 {
			return err
		}
		if err := p.open(ctx); err != nil {
			return err
		}
		for _, d := range lost {
			rule, err := p.decideWithoutFetch(ctx, d.ID, nil, &outcome{
				status: statusPurged, purge: d.As, cause: fmt.Sprintf("%s %s, last status %d", what, times(d.Times), d.As),
			})
			if err != nil {
				return err
			}
			p.count(ctx, d.ID, rule)
		}
		upto = lost[len(lost)-1].ID - 1
	}
}

// open opens the run before the first document.
func (p *purger) open(ctx context.Context) (err error) {
	if p.run == 0 {
		p.run, err = p.begin(ctx)
	}
	return err
}

func (p *purger) count(ctx context.Context, id store.URLID, rule string) {
	if rule != "" {
		p.purged++
		slog.DebugContext(ctx, "purged", "url_id", id, "rule", rule)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
