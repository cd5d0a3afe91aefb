package merge

import (
	"context"
	"errors"
	"log/slog"

	"github.com/pgseek/pgseek/store"
)

// maxAttempts bounds the attempts. A repetition requires that the lock's connection breaks and that a merge
// runs before the lock is held again; twice in one run means another problem.
const maxAttempts = 3

// retryOnChange calls do, which writes results computed from the index, and calls it again when another
// program has changed the index meanwhile. An attempt that fails so has written nothing.
func retryOnChange(ctx context.Context, what string, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if !errors.Is(err, store.ErrIndexChanged) || try == maxAttempts {
			return err
		}
		slog.WarnContext(ctx, "the merge lock was lost and another program changed the index; starting over", "what", what)
	}
}
