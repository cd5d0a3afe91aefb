package program

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// shownHash is how many hexadecimal digits of the configuration's hash are shown and wanted.
const shownHash = 12

// rulesHash returns the hash of this configuration as --accept-rules wants it.
func (p *program) rulesHash() string { return hex.EncodeToString(p.cfg.Hash[:])[:shownHash] }

// rulesError refuses a configuration that would take out too many documents.
type rulesError struct {
	text, hash string
}

func (e *rulesError) Error() string { return e.text }

// hint says how to look at it, and how to go on.
func (e *rulesError) hint() string {
	return fmt.Sprintf("index --dry-run-rules shows which; if that is intended, index --accept-rules=%s accepts this configuration and crawls", e.hash)
}

// checkRules stops a crawl whose configuration would take out too many documents, before anything is changed. It counts
// only after a change of the configuration, and not when the operator has accepted exactly this one. Other processes of
// the run read the acceptance from the database.
func (p *program) checkRules(ctx context.Context, s *store.DB, options *spider.Options) error {
	known, err := crawl.New(s).RulesKnown(ctx, p.cfg.Hash[:])
	switch {
	case err != nil || known:
		return err
	case p.accepted():
		return crawl.New(s).AcceptRules(ctx, p.cfg.Hash[:])
	}
	swept, err := p.sweepDry(ctx, s, options)
	if err != nil || !swept.TooMuch(options.MaxLostShare) {
		return err
	}
	text := p.tooMuch(&swept)
	if p.o.acceptRules != "" {
		text += fmt.Sprintf("; --accept-rules=%s accepts another configuration", p.o.acceptRules)
	}
	return &rulesError{text, p.rulesHash()}
}

// accepted reports whether --accept-rules names exactly this configuration.
func (p *program) accepted() bool { return p.o.acceptRules == p.rulesHash() }

// namedLines is how many lines and sites a refusal names.
const namedLines = 5

// tooMuch says what the configuration would take out, by which lines.
func (p *program) tooMuch(swept *spider.Swept) string {
	var lines, sites []string
	for _, l := range swept.Hidden {
		if l.Documents > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d", p.quoteLine(l), l.Documents))
		}
	}
	for _, site := range swept.Emptied {
		sites = append(sites, fmt.Sprintf("%s (%d)", site.Site, site.Documents))
	}
	text := fmt.Sprintf("%s would take %d of %d documents out of the index: %s", p.setsFile(), swept.Out, swept.Live, enumerate(lines))
	if len(sites) > 0 {
		text += "; no document would be left of " + enumerate(sites)
	}
	return text + "; nothing was changed"
}

// setsFile names sets.cnf, which may be missing.
func (p *program) setsFile() string {
	return cmp.Or(p.cfg.SetsFile, "a configuration without sets.cnf")
}

// enumerate joins the first texts of a list and counts the others.
func enumerate(list []string) string {
	if more := len(list) - namedLines; more > 0 {
		list = append(list[:namedLines:namedLines], fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

// quoteLine names a line of sets.cnf with its text, as far as it is an Allow, Disallow or CheckOnly line.
func (p *program) quoteLine(l spider.SweptLine) string {
	for i := range p.cfg.Sets.Filters {
		f := &p.cfg.Sets.Filters[i]
		if l.Where == fmt.Sprintf("%s:%d", f.File, f.Line) {
			return fmt.Sprintf("%s %s", l.Where, clean(f.Text))
		}
	}
	return lineText(l)
}
