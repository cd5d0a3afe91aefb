package merge

import (
	"context"
	"errors"
	"log/slog"

	"github.com/pgseek/pgseek/store"
)

// maxAttempts bounds how often work begins that others change the index under. It takes a lock that is lost with its connection and
// a merge in the moment before it is ours again, so twice in one run something else is wrong.
const maxAttempts = 3

// retryOnChange does work that writes what follows from the index as it was read, and does all of it again when another program has
// changed the index meanwhile. Nothing of an attempt is written then.
func retryOnChange(ctx context.Context, what string, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if !errors.Is(err, store.ErrIndexChanged) || try == maxAttempts {
			return err
		}
		slog.WarnContext(ctx, "the merge lock was lost and another program changed the index; starting over", "what", what)
	}
}
