package program

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// purgeLost is --purge-lost: it ends the documents that were lost too often, as the merge does before its batches, or with a
// number those that were lost that often.
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
		fmt.Fprintf(p.out, "purged %d lost documents%s\n", n, laterMerged(n))
	}
	return err
}

// purge ends the documents that were lost often enough (T-18). The caller holds the merge's lock.
func (p *program) purge(ctx context.Context, s *store.DB, atLeast int) (n int, err error) {
	options, err := p.spiderOptions()
	if err != nil {
		return 0, err
	}
	n, err = p.underPurge(ctx, s, func(ctx context.Context, begin spider.Begin) (int, error) {
		return spider.Purge(ctx, crawl.New(s), *options, atLeast, begin)
	})
	if n > 0 {
		slog.InfoContext(ctx, "lost documents purged", "documents", n)
	}
	return n, err
}

// underPurge runs what purges documents, as one row of reindexing when there is something to purge. A signal ends it
// after the document that is under way.
func (p *program) underPurge(ctx context.Context, s *store.DB, work func(context.Context, spider.Begin) (int, error)) (n int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stop, cancel)()
	var run store.RunID
	n, err = work(ctx, func(ctx context.Context) (_ store.RunID, err error) {
		run, err = s.StartRun(ctx, "purge", programName(), strings.Join(p.o.text, " "), false, p.cfg.Hash[:])
		return run, err
	})
	reason := spider.EndComplete
	switch {
	case err != nil && p.stop.Err() != nil:
		reason, err = spider.EndStopped, errInterrupted
	case err != nil:
		reason = spider.EndFailed
	}
	if run == 0 {
		return n, err
	}
	closing, closed := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer closed()
	if ended := s.EndRun(closing, run, reason, store.Counts{Documents: int64(n)}); ended != nil && err == nil {
		err = ended
	}
	return n, err
}

// laterMerged says what is left to do after a purge.
func laterMerged(n int) string {
	if n == 0 {
		return ""
	}
	return "; the next merge (index -D) takes their words out of the index"
}
