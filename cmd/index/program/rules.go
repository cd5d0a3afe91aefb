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

// dryRunRules is --dry-run-rules: what the next crawl would hide or bring back under the sets.cnf of now, by the line that
// decides. It changes nothing.
func (p *program) dryRunRules(ctx context.Context, s *store.DB) error {
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stop, cancel)()
	swept, err := spider.DryRun(ctx, crawl.New(s), *options)
	if err != nil {
		if p.stop.Err() != nil && errors.Is(err, context.Canceled) {
			return errInterrupted
		}
		return err
	}
	p.tellLines("Hides", swept.Hidden)
	p.tellLines("Brings back", swept.Back)
	fmt.Fprintf(p.out, "%d known URLs were tested; nothing was changed.\n", swept.Looked)
	return nil
}

// tellLines prints what lines of sets.cnf would do, the one with the most documents first.
func (p *program) tellLines(what string, lines []spider.SweptLine) {
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
		line := l.Where
		if l.Why != "refused by "+l.Where {
			line = strings.TrimSpace(line + " " + l.Why)
		}
		fmt.Fprintf(p.out, "  %s: %d documents (%d URLs)\n", line, l.Documents, l.URLs)
		for _, example := range l.Examples {
			fmt.Fprintf(p.out, "    %s\n", clean(example))
		}
	}
}
