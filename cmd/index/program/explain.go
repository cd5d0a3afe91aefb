package program

import (
	"context"

	"github.com/pgseek/pgseek/cmd/internal/explain"
	"github.com/pgseek/pgseek/store"
)

// explain is --explain: it prints everything about a URL and why it is in the index or not. For a URL that is not
// registered it prints what the rules say of it, and fails.
func (p *program) explain(ctx context.Context, s *store.DB) error {
	return explain.Write(ctx, p.out, p.cfg, s, p.o.explain)
}
