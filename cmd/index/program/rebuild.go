package program

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// rebuildIndex is --rebuild-index: the inverted index anew from the stored contents, as one row of reindexing. Contents that
// cannot be read are told, and the exit code is 6 then.
func (p *program) rebuildIndex(ctx context.Context, s *store.DB) error {
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	show := p.newProgress()
	var sum merge.RebuildSummary
	err = p.mending(ctx, s, func(ctx context.Context, begin func(context.Context) (store.RunID, error)) (counts store.Counts, err error) {
		began := time.Now()
		sum, err = merge.Rebuild(ctx, index.New(s), merge.RebuildOptions{
			Memory: p.cfg.Spider.MergeMemory, Rules: options.Rules,
			Begin: func(ctx context.Context) error {
				if _, err := begin(ctx); err != nil {
					return err
				}
				return p.keepWordRules(ctx, s)
			},
			Progress: show.rebuild,
			Unread:   func(f index.Finding) { fmt.Fprintln(p.out, f) },
			Realtime: func(f index.Finding) {
				f.Do = "mended from the journal"
				fmt.Fprintln(p.out, f)
			},
		})
		show.end()
		if err == nil {
			slog.InfoContext(ctx, "index rebuilt", "documents", sum.Documents, "unread", sum.Unread, "batches", sum.Batches, "words", sum.Words,
				"files", sum.Files, "realtime", sum.Realtime, "recounted", sum.Recounted, "elapsed", time.Since(began).Round(10*time.Millisecond))
		}
		return store.Counts{Documents: sum.Documents, Failed: sum.Unread, Words: sum.Words}, err
	})
	if err == nil && sum.Unread > 0 {
		return errDamaged
	}
	return err
}

// mending runs what alters the index under the merge's lock, as one row of reindexing. A signal drops what is under way.
func (p *program) mending(ctx context.Context, s *store.DB,
	work func(context.Context, func(context.Context) (store.RunID, error)) (store.Counts, error),
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stop, cancel)()
	var run store.RunID
	counts, err := work(ctx, func(ctx context.Context) (_ store.RunID, err error) {
		run, err = s.StartRun(ctx, "merge", programName(), strings.Join(p.o.text, " "), false, p.cfg.Hash[:])
		return run, err
	})
	if run == 0 {
		return err
	}
	reason := spider.EndComplete
	switch {
	case err != nil && p.stop.Err() != nil:
		reason, err = spider.EndStopped, errInterrupted
	case err != nil:
		reason = spider.EndFailed
	}
	closing, closed := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer closed()
	if ended := s.EndRun(closing, run, reason, counts); ended != nil && err == nil {
		err = ended
	}
	return err
}

// rebuild shows how far a rebuild is.
func (s *progress) rebuild(documents, total int64) {
	rate := s.rate(documents)
	rest := left(total-documents, rate)
	if s.live {
		s.terminal.show(fmt.Sprintf("rebuild  %d%%  %d/%d documents  %.0f/s  left %s", 100*documents/max(total, 1), documents, total, rate, rest))
	} else if s.due() {
		s.log.Info("rebuild", "documents", documents, "of", total, "rate", int(rate), "left", rest)
	}
}
