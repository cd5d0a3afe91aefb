package merge

import (
	"errors"
	"fmt"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/posting"
)

// ErrDamaged is returned when a packed column (journal.words, docwords, a blob) does not follow its format.
// The error that wraps it names the row and the offset. Batches before it are kept, nothing of its own batch
// (F11, exit code 6).
var ErrDamaged = errors.New("damaged index data")

// damaged returns an error about a row of a table.
func damaged(table, format string, args ...any) error {
	return &store.Damaged{Table: table, Err: fmt.Errorf(format, args...)}
}

// damagedFile names the word of rows that cannot be read; other errors are returned unchanged.
func damagedFile(id store.WordID, err error) error {
	if errors.Is(err, posting.ErrCorrupt) {
		return damaged("wordfile", "wordfile.urls of word %d: %w: %w", id, ErrDamaged, err)
	}
	return err
}
