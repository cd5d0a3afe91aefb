package program

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// errDamaged is returned by a check that found damage, after the findings were printed (exit code 6).
var errDamaged = errors.New("the database is damaged")

// checkIndex is -X1. It prints a line for each finding and a summary; damage is exit code 6, a note is not.
func (p *program) checkIndex(ctx context.Context, s *store.DB) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stop, cancel)()
	o, err := p.checkOptions(ctx, s)
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
	p.printCheck(&sum, time.Since(began))
	if sum.Findings > 0 {
		return errDamaged
	}
	return nil
}

// checkOptions returns the options of a check under this configuration. Findings are printed as they are found.
func (p *program) checkOptions(ctx context.Context, s *store.DB) (merge.CheckOptions, error) {
	options, err := p.spiderOptions()
	if err != nil {
		return merge.CheckOptions{}, err
	}
	version, err := index.New(s).WordRulesVersion(ctx)
	if err != nil {
		return merge.CheckOptions{}, err
	}
	return merge.CheckOptions{
		Memory: p.cfg.Spider.MergeMemory, Rules: options.Rules, Clones: p.cfg.Spider.Clones, OlderWords: version < document.WordRules,
		Report: func(f index.Finding) error {
			_, err := fmt.Fprintln(p.out, f)
			return err
		},
		Progress: func(part string) { p.log.DebugContext(ctx, "check", "part", part) },
	}, nil
}

// printCheck prints the summary of a check.
func (p *program) printCheck(sum *merge.CheckSummary, elapsed time.Duration) {
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
