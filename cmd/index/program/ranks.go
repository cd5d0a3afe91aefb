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
	tellRanked(ctx, &done)
	return nil
}

// tellRanked is the summary of a computation of ranks; of none it says nothing.
func tellRanked(ctx context.Context, r *merge.Ranked) {
	if r != nil {
		slog.InfoContext(ctx, "ranks computed", "documents", r.Documents, "links", r.Links, "edges", r.Edges, "written", r.Written,
			"elapsed", r.Elapsed.Round(10*time.Millisecond))
	}
}

// relink is -H: it makes citation anew of the links of all documents, and tells what differed.
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
		fmt.Fprintf(p.out, "citation: %d rows differed, by %d links; they are right now\n", done.Rows, done.Links)
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
		fmt.Fprintf(p.out, "docdates: %d documents had no dates; they have those of their last answer\n", done.Dates)
	} else {
		fmt.Fprintln(p.out, "docdates: nothing is missing")
	}
	return nil
}

// difference says what a row of citation lacked, and what it had beyond the links.
func difference(d merge.LinkDifference) string {
	text := fmt.Sprintf("lacked %d pages that link to it, had %d that do not", d.Lacked, d.Extra)
	if d.Broken {
		text += "; the row was damaged"
	}
	return text
}

// stoppable is a context that ends when the user asks to stop: what is under way rolls back.
func (p *program) stoppable(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(p.stop, cancel)
	return ctx, func() { stop(); cancel() }
}
