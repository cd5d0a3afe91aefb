package index

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// AskedQuery is a text of table stat and who has searched for it.
type AskedQuery struct {
	Text      string // in lower case, blanks as one
	Searches  int64
	Addresses []string // each once
	Days      int      // number of days (UTC)
}

// SuggestedQuery is a row of suggestions.
type SuggestedQuery struct {
	Text     string
	Searches int64
}

// Limits of what is read from stat.
const (
	askedDays = 90
	askedMost = 20000 // texts, the most frequent ones
)

const suggestionsDueSQL = `
	SELECT /* store.FillSuggestions */ has_table_privilege('stat', 'SELECT')
		AND coalesce((SELECT filled_at IS NULL OR took < interval '500 ms' OR clock_timestamp() >= filled_at + 50 * took FROM suggestionstate), true)`

// A text counts if its last search, without any filter, found something.
const askedSQL = `
	SELECT /* store.FillSuggestions */ q, n, addresses, days
	FROM (
		SELECT lower(btrim(regexp_replace(query, '\s+', ' ', 'g'))) AS q, count(*) AS n, array_agg(DISTINCT addr) AS addresses,
			count(DISTINCT floor(start / 86400)) AS days, (array_agg(urls ORDER BY start DESC))[1] > 0 AS found
		FROM stat                                                                -- stat_start
		WHERE start >= extract(epoch FROM now()) - $1 * 86400 AND np = 0 AND addr <> '' AND octet_length(query) BETWEEN 1 AND 256
			AND coalesce(ul, '') = '' AND coalesce(sp, '') = '' AND coalesce(site, 0) = 0
		GROUP BY 1) s
	WHERE found AND days >= 2 AND cardinality(addresses) >= 3
	ORDER BY n DESC, q
	LIMIT $2`

const (
	dropSuggestionsSQL = `DELETE /* store.FillSuggestions */ FROM suggestions WHERE query <> ALL($1)`
	putSuggestionsSQL  = `
	INSERT /* store.FillSuggestions */ INTO suggestions (query, searches)
	SELECT query, least(searches, 2147483647) FROM unnest($1::text[], $2::bigint[]) AS i (query, searches)
	ON CONFLICT (query) DO UPDATE SET searches = EXCLUDED.searches WHERE suggestions.searches <> EXCLUDED.searches`
	suggestionsFilledSQL = `
	INSERT /* store.FillSuggestions */ INTO suggestionstate (filled_at, took) VALUES (clock_timestamp(), $1)
	ON CONFLICT (only_row) DO UPDATE SET filled_at = EXCLUDED.filled_at, took = EXCLUDED.took`
)

// FillSuggestions replaces the rows of suggestions by those that choose makes of what people searched for, and returns
// their number. It does nothing (-1) if it did so a short time ago, or may not read stat.
func (s *Store) FillSuggestions(ctx context.Context, choose func([]AskedQuery) []SuggestedQuery) (n int, err error) {
	err = s.InTx(ctx, "fill suggestions", func(tx pgx.Tx) error {
		n = -1
		var due bool
		if err := tx.QueryRow(ctx, suggestionsDueSQL).Scan(&due); err != nil || !due {
			return err
		}
		begin := time.Now()
		rows, err := tx.Query(ctx, askedSQL, askedDays, askedMost)
		if err != nil {
			return err
		}
		asked, err := pgx.CollectRows(rows, pgx.RowToStructByPos[AskedQuery])
		if err != nil {
			return err
		}
		chosen := choose(asked)
		texts, searches := make([]string, len(chosen)), make([]int64, len(chosen))
		for i, q := range chosen {
			texts[i], searches[i] = q.Text, q.Searches
		}
		dropped, err := tx.Exec(ctx, dropSuggestionsSQL, texts)
		if err != nil {
			return err
		}
		put, err := tx.Exec(ctx, putSuggestionsSQL, texts, searches)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, suggestionsFilledSQL, time.Since(begin)); err != nil {
			return err
		}
		n = len(chosen)
		if dropped.RowsAffected()+put.RowsAffected() == 0 {
			return nil
		}
		_, err = tx.Exec(ctx, notifyIndexSQL, store.SuggestionsChanged)
		return err
	})
	return n, err
}
