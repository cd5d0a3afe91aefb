package program

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// dryRunRules is --dry-run-rules: it prints, by line of sets.cnf, which documents the next crawl would hide or
// bring back. It changes nothing.
func (p *program) dryRunRules(ctx context.Context, s *store.DB) error {
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	swept, err := p.sweepDry(ctx, s, options)
	if err != nil {
		return err
	}
	p.printLines("Hides", swept.Hidden)
	p.printLines("Brings back", swept.Back)
	fmt.Fprintf(p.out, "%d known URLs were tested; nothing was changed.\n", swept.Looked)
	if known, err := crawl.New(s).RulesKnown(ctx, p.cfg.Hash[:]); err != nil {
		return err
	} else if !known && swept.TooMuch(options.MaxLostShare) {
		fmt.Fprintf(p.out, "A crawl would stop before it takes them out; index --accept-rules=%s accepts this configuration.\n", p.rulesHash())
	}
	return nil
}

// sweepDry counts what the configuration would hide and bring back.
func (p *program) sweepDry(ctx context.Context, s *store.DB, options *spider.Options) (spider.Swept, error) {
	ctx, cancel := p.stoppable(ctx)
	defer cancel()
	swept, err := spider.DryRun(ctx, crawl.New(s), *options)
	if err != nil && p.stop.Err() != nil && errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	return swept, err
}

// printLines prints the effects of lines of sets.cnf, most documents first.
func (p *program) printLines(what string, lines []spider.SweptLine) {
	var urls, documents int64
	for _, l := range lines {
		urls, documents = urls+l.URLs, documents+l.Documents
	}
	if urls == 0 {
		fmt.Fprintf(p.out, "%s nothing.\n", what)
		return
	}
	fmt.Fprintf(p.out, "%s %d documents (%d URLs):\n", what, documents, urls)
	for _, l := range lines {
		fmt.Fprintf(p.out, "  %s: %d documents (%d URLs)\n", lineText(l), l.Documents, l.URLs)
		for _, example := range l.Examples {
			fmt.Fprintf(p.out, "    %s\n", clean(example))
		}
	}
}

// lineText names the line of sets.cnf that decides, and why unless it says so itself.
func lineText(l spider.SweptLine) string {
	if l.Why == "refused by "+l.Where {
		return l.Where
	}
	return strings.TrimSpace(l.Where + " " + l.Why)
}
