package main

import (
	"context"
	"strings"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/store"
)

// merge is -D, and the end of a crawl that ended by itself.
func (p *program) merge(ctx context.Context, s *store.Store) error {
	run, err := s.StartRun(ctx, "merge", programName(), strings.Join(p.o.text, " "), false, p.cfg.Hash[:])
	if err != nil {
		return err
	}
	_ = run
	_, err = merge.Run(ctx, s, merge.Options{Memory: p.cfg.Spider.MergeMemory})
	return err
}
