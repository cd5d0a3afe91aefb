package program

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// purgeLost is --purge-lost: it ends the documents that were lost too often, as a merge does before its batches.
// With a number it ends those that were lost that often.
func (p *program) purgeLost(ctx context.Context, s *store.DB) error {
	lock, err := s.Lock(ctx, "merge")
	if err != nil {
		return err
	}
	defer lock.Release()
	atLeast := 0
	if p.o.purgeLost != "limit" {
		if atLeast, err = strconv.Atoi(p.o.purgeLost); err != nil {
			return err
		}
	}
	n, err := p.purge(ctx, s, atLeast)
	if n > 0 || err == nil {
		fmt.Fprintf(p.out, "purged %d lost documents%s\n", n, mergeHint(n))
	}
	return err
}

// purge ends the documents that were lost often enough (T-18). The caller holds the merge's lock.
func (p *program) purge(ctx context.Context, s *store.DB, atLeast int) (n int, err error) {
	options, err := p.spiderOptions()
	if err != nil {
		return 0, err
	}
	n, err = p.asPurge(ctx, s, func(ctx context.Context, begin spider.Begin) (int, error) {
		return spider.Purge(ctx, crawl.New(s), *options, atLeast, begin)
	})
	if n > 0 {
		slog.InfoContext(ctx, "lost documents purged", "documents", n)
	}
	return n, err
}

// asPurge calls work, which purges documents, as one run of kind "purge" when there is something to purge. A signal ends it
// after the document in progress.
func (p *program) asPurge(ctx context.Context, s *store.DB, work func(context.Context, spider.Begin) (int, error)) (n int, err error) {
	ctx, cancel := p.stoppable(ctx)
	defer cancel()
	err = p.asRun(ctx, func(ctx context.Context, run *openRun) (_ store.Counts, err error) {
		n, err = work(ctx, p.beginRun(s, run, "purge"))
		return store.Counts{Documents: int64(n)}, err
	})
	return n, err
}

// mergeHint returns what remains to be done after n documents were purged.
func mergeHint(n int) string {
	if n == 0 {
		return ""
	}
	return "; the next merge (index -D) removes their words from the index"
}
