package crawl

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// PausedPattern is a URL pattern of which no new URLs are fetched.
type PausedPattern struct {
	Pattern string // begins with the site
	Site    store.SiteID
	Run     store.RunID
	Except  []string // patterns within it that are not paused
	Regexp  string   // for a line of sets.cnf
	Example string   // a URL of it
	At      time.Time
	Fetched int // pages of it that the process had fetched in its run
}

const pausePatternSQL = `
	INSERT /* store.PausePattern */ INTO paused_pattern (pattern, site_id, run_id, regexp, example, fetched, except_patterns)
	VALUES ($1, $2, $3, $4, $5, $6, $7)
	ON CONFLICT DO NOTHING`

// PausePattern pauses a pattern. fresh is false when it was paused already.
func (s *Store) PausePattern(ctx context.Context, p PausedPattern) (fresh bool, err error) {
	err = s.InTx(ctx, "pause pattern", func(tx pgx.Tx) error {
		except := append([]string{}, p.Except...) // not nil, which would be NULL
		done, err := tx.Exec(ctx, pausePatternSQL, p.Pattern, p.Site, p.Run, p.Regexp, p.Example, p.Fetched, except)
		fresh = done.RowsAffected() == 1
		return err
	})
	return fresh, err
}

const pausedPatternsSQL = `
	SELECT /* store.PausedPatterns */ pattern, site_id, run_id, regexp, example, fetched, except_patterns, paused_at
	FROM paused_pattern
	ORDER BY pattern`

// PausedPatterns returns all paused patterns.
func (s *Store) PausedPatterns(ctx context.Context) (list []PausedPattern, err error) {
	err = s.InTx(ctx, "paused patterns", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, pausedPatternsSQL)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p PausedPattern, err error) {
			err = row.Scan(&p.Pattern, &p.Site, &p.Run, &p.Regexp, &p.Example, &p.Fetched, &p.Except, &p.At)
			return p, err
		})
		return err
	})
	return list, err
}

const liftPatternSQL = `DELETE /* store.LiftPattern */ FROM paused_pattern WHERE pattern = $1`

// putBackSQL makes the URLs of a pattern due that were never fetched: they were put off. One that another pattern pauses, too, is
// put off again by its visit. A document keeps its time.
const putBackSQL = `
	UPDATE /* store.LiftPattern */ urlword SET next_index_time = $3          -- urlword_new
	WHERE site_id = $1 AND deleted = 0 AND status = 0 AND next_index_time > $3 AND url ~* $2`

// LiftPattern ends the pause of a pattern. Its URLs that wait are due at the given time.
func (s *Store) LiftPattern(ctx context.Context, p PausedPattern, due int64) error {
	return s.InTx(ctx, "lift pattern", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, liftPatternSQL, p.Pattern); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, putBackSQL, p.Site, p.Regexp, due)
		return err
	})
}
