package program

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/index"
)

// rebuildIndex is --rebuild-index: it rebuilds the inverted index from the stored contents. Contents that cannot
// be read are reported, and are exit code 6.
func (p *program) rebuildIndex(ctx context.Context, s *store.DB) error {
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	show := p.newProgress()
	var sum merge.RebuildSummary
	err = p.changeIndex(ctx, s, func(ctx context.Context, begin spider.Begin) (counts store.Counts, err error) {
		began := time.Now()
		sum, err = merge.Rebuild(ctx, index.New(s), merge.RebuildOptions{
			Memory: p.cfg.Spider.MergeMemory, Rules: options.Rules, Reading: options.Scope.Reading, Dates: options.DateRules,
			Begin: func(ctx context.Context) error {
				if _, err := begin(ctx); err != nil {
					return err
				}
				return p.storeWordRules(ctx, s, options.Scope, true)
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
			err = index.New(s).RaiseWordRules(ctx, document.WordRules)
		}
		if err == nil {
			_, err = crawl.New(s).SetReadingHash(ctx, p.cfg.ReadingHash[:])
		}
		if err == nil {
			slog.InfoContext(ctx, "index rebuilt", "documents", sum.Documents, "unread", sum.Unread, "batches", sum.Batches, "words", sum.Words,
				"files", sum.Files, "realtime", sum.Realtime, "recounted", sum.Recounted, "redated", sum.Redated, "elapsed", time.Since(began).Round(10*time.Millisecond))
		}
		return store.Counts{Documents: sum.Documents, Failed: sum.Unread, Words: sum.Words}, err
	})
	if err == nil && sum.Unread > 0 {
		return errDamaged
	}
	return err
}

// changeIndex calls work, which changes the index under the merge's lock, as one run of kind "merge". A signal
// cancels it.
func (p *program) changeIndex(ctx context.Context, s *store.DB, work func(context.Context, spider.Begin) (store.Counts, error)) error {
	ctx, cancel := p.stoppable(ctx)
	defer cancel()
	return p.asRun(ctx, func(ctx context.Context, run *openRun) (store.Counts, error) {
		return work(ctx, p.beginRun(s, run, "merge"))
	})
}

// rebuild shows the progress of a rebuild.
func (s *progress) rebuild(documents, total int64) {
	rate := s.rate(documents)
	rest := timeLeft(total-documents, rate)
	if s.live {
		s.terminal.show(fmt.Sprintf("rebuild  %d%%  %d/%d documents  %.0f/s  left %s", 100*documents/max(total, 1), documents, total, rate, rest))
	} else if s.due() {
		s.log.Info("rebuild", "documents", documents, "of", total, "rate", int(rate), "left", rest)
	}
}
