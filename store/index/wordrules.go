package index

import (
	"context"
	"fmt"
	"slices"

	"github.com/pgseek/pgseek/store"
)

// WordRules are the settings for words that the index leaves out (MinWordLength, MaxWordLength,
// StopwordFile). Searches in SQL cannot read spider.cnf, so table wordrules has them.
type WordRules struct {
	MinLength, MaxLength int      // characters, 1 to 32
	Stopwords            []string // as words of documents; in any order
}

// An index without documents has the present way of cutting words, whatever it had before.
const keepWordRulesSQL = `
	WITH empty AS (
		SELECT NOT EXISTS (SELECT 1 FROM docwords) AND NOT EXISTS (SELECT 1 FROM journal) AND NOT EXISTS (SELECT 1 FROM rt_urls) AS yes)
	UPDATE /* store.KeepWordRules */ wordrules
	SET min_length = $1, max_length = $2, stopwords = $3, version = CASE WHEN empty.yes THEN $4 ELSE version END
	FROM empty
	WHERE (min_length, max_length, stopwords) IS DISTINCT FROM ($1, $2, $3) OR version <> $4 AND empty.yes`

const raiseWordRulesSQL = `UPDATE /* store.RaiseWordRules */ wordrules SET version = $1 WHERE version <> $1`

const wordRulesVersionSQL = `SELECT /* store.WordRulesVersion */ version FROM wordrules`

// KeepWordRules stores the settings by which documents are indexed from now on. It writes nothing when they
// are stored already. present numbers the way in which this program cuts texts into words (document.WordRules); the result is
// that of the index, which is older until the index is rebuilt.
func (s *Store) KeepWordRules(ctx context.Context, r WordRules, present int) (version int, err error) {
	stopwords := append([]string{}, r.Stopwords...) // not nil, which is NULL
	slices.Sort(stopwords)
	stopwords = slices.Compact(stopwords)
	err = s.Retry(ctx, "keep word rules", func() error {
		if _, err := s.Pool.Exec(ctx, keepWordRulesSQL, r.MinLength, r.MaxLength, stopwords, present); err != nil {
			return fmt.Errorf("%d stop words: %w", len(stopwords), err)
		}
		return s.Pool.QueryRow(ctx, wordRulesVersionSQL).Scan(&version)
	})
	return version, err
}

const keepLeaveOutSQL = `
	UPDATE /* store.KeepLeaveOut */ wordrules SET leave_out = leave_out || $1::text
	WHERE $1 <> ALL (leave_out)`

const leaveOutSQL = `SELECT /* store.KeepLeaveOut */ leave_out FROM wordrules`

// KeepLeaveOut stores lists of selectors (LeaveOut) and returns the number of every one. Numbers of the stored lists stay.
func (s *Store) KeepLeaveOut(ctx context.Context, lists []string) (numbers map[string]int, err error) {
	numbers = map[string]int{}
	if len(lists) == 0 {
		return numbers, nil
	}
	err = s.Retry(ctx, "keep lists of selectors", func() error {
		for _, list := range lists {
			if _, err := s.Pool.Exec(ctx, keepLeaveOutSQL, list); err != nil {
				return err
			}
		}
		var stored []string
		if err := s.Pool.QueryRow(ctx, leaveOutSQL).Scan(&stored); err != nil {
			return err
		}
		if len(stored) > store.MaxLeaveOut {
			return fmt.Errorf("%d lists of LeaveOut selectors are more than %d; index -C, which empties the database, forgets old ones", len(stored), store.MaxLeaveOut)
		}
		for i, list := range stored {
			numbers[list] = i + 1
		}
		return nil
	})
	return numbers, err
}

// WordRulesVersion returns by which rules the texts of the index were cut into words (document.WordRules).
func (s *Store) WordRulesVersion(ctx context.Context) (version int, err error) {
	err = s.Retry(ctx, "rules of words", func() error { return s.Pool.QueryRow(ctx, wordRulesVersionSQL).Scan(&version) })
	return version, err
}

// RaiseWordRules records that all words of the index are cut in the present way: it was rebuilt.
func (s *Store) RaiseWordRules(ctx context.Context, present int) error {
	return s.Retry(ctx, "raise word rules", func() error {
		_, err := s.Pool.Exec(ctx, raiseWordRulesSQL, present)
		return err
	})
}
