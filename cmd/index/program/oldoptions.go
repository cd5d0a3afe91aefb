package program

import (
	"context"
	"log/slog"
)

// tellOldOptions says why options of ASPseek that are accepted have no effect.
func (p *program) tellOldOptions(ctx context.Context) {
	if p.o.resolvers != 0 {
		slog.InfoContext(ctx, "-R has no effect: each fetcher looks up names itself, and there are no processes for it", "number", p.o.resolvers)
	}
	if p.o.statisticsLog != "" {
		slog.InfoContext(ctx, "-g has no effect: the counts of a run are in the log (-r FILE), in table reindexing and in index -S",
			"file", clean(p.o.statisticsLog))
	}
}
