package program

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// ranks is -K: it computes the link ranks of all documents.
func (p *program) ranks(ctx context.Context, s *store.DB) error {
	ctx, cancel := p.stoppable(ctx)
	defer cancel()
	done, err := merge.Ranks(ctx, index.New(s), merge.Options{Memory: p.cfg.Spider.MergeMemory})
	if p.stop.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	logRanks(ctx, &done)
	return nil
}

// logRanks logs the summary of a computation of ranks, if there was one.
func logRanks(ctx context.Context, r *merge.Ranked) {
	if r != nil {
		slog.InfoContext(ctx, "ranks computed", "documents", r.Documents, "links", r.Links, "edges", r.Edges, "written", r.Written,
			"elapsed", r.Elapsed.Round(10*time.Millisecond))
	}
}

// relink is -H: it recomputes citation from the links of all documents and reports the differences.
func (p *program) relink(ctx context.Context, s *store.DB) error {
	ctx, cancel := p.stoppable(ctx)
	defer cancel()
	done, err := merge.Relink(ctx, index.New(s), merge.Options{Memory: p.cfg.Spider.MergeMemory})
	if p.stop.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	if done.Rows == 0 {
		fmt.Fprintln(p.out, "citation: nothing differs")
	} else {
		fmt.Fprintf(p.out, "citation: %d rows differed, by %d links; all corrected\n", done.Rows, done.Links)
	}
	ids := make([]store.URLID, len(done.First))
	for i := range done.First {
		ids[i] = done.First[i].URL
	}
	names, err := index.New(s).URLTexts(ctx, ids)
	if err != nil {
		return err
	}
	for _, d := range done.First {
		name := names[d.URL]
		if name == "" {
			name = "unknown"
		}
		fmt.Fprintf(p.out, "  url %d %s: %s\n", d.URL, clean(name), difference(d))
	}
	if rest := done.Rows - int64(len(done.First)); rest > 0 {
		fmt.Fprintf(p.out, "  and %d more\n", rest)
	}
	if done.Waiting > 0 {
		fmt.Fprintf(p.out, "citation: %d links wait for the merge (index -D)\n", done.Waiting)
	}
	if done.Dates > 0 {
		fmt.Fprintf(p.out, "docdates: %d documents had no dates; those of their last answer were added\n", done.Dates)
	} else {
		fmt.Fprintln(p.out, "docdates: nothing is missing")
	}
	return nil
}

// difference formats what was wrong with a row of citation.
func difference(d merge.LinkDifference) string {
	text := fmt.Sprintf("%d linking pages missing, %d extra", d.Lacked, d.Extra)
	if d.Broken {
		text += "; the row was damaged"
	}
	return text
}
