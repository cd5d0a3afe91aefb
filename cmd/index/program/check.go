package program

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// errDamaged ends a check that found damage, after all of it was told (exit code 6).
var errDamaged = errors.New("the database is damaged")

// checkIndex is -X1: a line for each finding, a summary, and exit code 6 when there is damage. Notes are no damage.
func (p *program) checkIndex(ctx context.Context, s *store.DB) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stop, cancel)()
	o, err := p.checkOptions()
	if err != nil {
		return err
	}
	began := time.Now()
	sum, err := merge.Check(ctx, index.New(s), o)
	switch {
	case err != nil && p.stop.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	p.tellCheck(&sum, time.Since(began))
	if sum.Findings > 0 {
		return errDamaged
	}
	return nil
}

// checkOptions are those of a check with this configuration; findings go to standard output as they come.
func (p *program) checkOptions() (merge.CheckOptions, error) {
	options, err := p.spiderOptions()
	if err != nil {
		return merge.CheckOptions{}, err
	}
	return merge.CheckOptions{
		Memory: p.cfg.Spider.MergeMemory, Rules: options.Rules, Clones: p.cfg.Spider.Clones,
		Report: func(f index.Finding) error {
			_, err := fmt.Fprintln(p.out, f)
			return err
		},
		Progress: func(part string) { p.log.Debug("check", "part", part) },
	}, nil
}

// tellCheck is the last line of a check.
func (p *program) tellCheck(sum *merge.CheckSummary, elapsed time.Duration) {
	verdict := "no damage"
	if sum.Findings > 0 {
		verdict = fmt.Sprintf("%d findings", sum.Findings)
	}
	if sum.Notes > 0 {
		verdict += fmt.Sprintf(", %d notes", sum.Notes)
	}
	fmt.Fprintf(p.out, "checked %d URLs, %d contents, %d words with %d postings, %d links: %s (%v)\n",
		sum.URLs, sum.Documents, sum.Words, sum.Postings, sum.Links, verdict, elapsed.Round(10*time.Millisecond))
}
