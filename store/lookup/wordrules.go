package lookup

import (
	"context"
	"fmt"
)

const wordRulesVersionSQL = `SELECT /* store.WordRulesVersion */ version FROM wordrules`

// WordRulesVersion returns by which rules the texts of the index were cut into words (document.WordRules).
func (s *Store) WordRulesVersion(ctx context.Context) (version int, err error) {
	if err = s.Pool.QueryRow(ctx, wordRulesVersionSQL).Scan(&version); err != nil {
		return 0, fmt.Errorf("rules of words: %w", err)
	}
	return version, nil
}
