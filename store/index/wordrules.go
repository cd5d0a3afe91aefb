package index

import (
	"context"
	"fmt"
	"slices"
)

// WordRules are the settings for words that the index leaves out (MinWordLength, MaxWordLength,
// StopwordFile). Searches in SQL cannot read spider.cnf, so table wordrules has them.
type WordRules struct {
	MinLength, MaxLength int      // characters, 1 to 32
	Stopwords            []string // as words of documents; in any order
}

const keepWordRulesSQL = `
	UPDATE /* store.KeepWordRules */ wordrules
	SET min_length = $1, max_length = $2, stopwords = $3
	WHERE (min_length, max_length, stopwords) IS DISTINCT FROM ($1, $2, $3)`

// KeepWordRules stores the settings by which documents are indexed from now on. It writes nothing when they
// are stored already.
func (s *Store) KeepWordRules(ctx context.Context, r WordRules) error {
	stopwords := append([]string{}, r.Stopwords...) // not nil, which is NULL
	slices.Sort(stopwords)
	stopwords = slices.Compact(stopwords)
	return s.Retry(ctx, "keep word rules", func() error {
		_, err := s.Pool.Exec(ctx, keepWordRulesSQL, r.MinLength, r.MaxLength, stopwords)
		if err != nil {
			return fmt.Errorf("%d stop words: %w", len(stopwords), err)
		}
		return nil
	})
}
