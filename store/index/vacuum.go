package index

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// DeadRows counts rows that updates and deletions left dead and that only a vacuum removes, by table.
type DeadRows struct{ Wordurl, Wordfile, Docwords int64 }

// Updates that stay in their page leave rows which the next visitor of the page removes.
const countChurnSQL = `
	SELECT /* store.CountChurn */ pg_stat_get_xact_tuples_updated('wordurl'::regclass)
		- pg_stat_get_xact_tuples_hot_updated('wordurl'::regclass)`

// CountChurn takes the updates that stayed in their page of wordurl out of Churned. It comes after the last update.
func (b *MergeBatch) CountChurn(ctx context.Context) error {
	if b.Churned.Wordurl < fewDead {
		return nil
	}
	var moved int64
	if err := b.tx.QueryRow(ctx, countChurnSQL).Scan(&moved); err != nil {
		return err
	}
	b.Churned.Wordurl = min(b.Churned.Wordurl, moved)
	return nil
}

// deadRowsSQL tells what earlier merges left, and how large the tables are, as far as the server knows. The views of the
// statistics cost ten times as much.
const deadRowsSQL = `
	SELECT /* store.Vacuum */ name, pg_stat_get_dead_tuples(name::regclass), pg_stat_get_live_tuples(name::regclass)
	FROM unnest($1::text[]) AS name`

// fewDead rows are never worth a vacuum.
const fewDead = 50

// vacuumed are the tables in which merges leave dead rows. One row in so many may be dead: one, of those that this merge left,
// known, of all that the server knows of. Most of those in wordurl go without a vacuum (CountChurn), so there the server's number
// means less: a vacuum after every round of 5 % changed documents was a fifteenth of the round.
var vacuumed = []struct {
	name       string
	one, known int64
	dead       func(*DeadRows) *int64
	sql        string
}{
	{"wordurl", 10, 3, func(c *DeadRows) *int64 { return &c.Wordurl }, `VACUUM /* store.Vacuum */ (PARALLEL 0) wordurl`},
	{"wordfile", 10, 10, func(c *DeadRows) *int64 { return &c.Wordfile }, `VACUUM /* store.Vacuum */ (PARALLEL 0) wordfile`},
	{"docwords", 10, 10, func(c *DeadRows) *int64 { return &c.Docwords }, `VACUUM /* store.Vacuum */ (PARALLEL 0) docwords`},
}

// Vacuum cleans the tables in which merges have left many dead rows, and takes them out of c (without it a build
// in batches leaves tables up to twice too big, and the rounds after it as well). What is less is autovacuum's: it comes when
// it comes, and many small merges may be quicker, so what those before left counts, too.
func (s *Store) Vacuum(ctx context.Context, c *DeadRows) error {
	type rows struct{ dead, live int64 }
	known := map[string]rows{}
	var names []string
	for _, t := range vacuumed {
		names = append(names, t.name)
	}
	err := s.Retry(ctx, "count dead rows", func() error {
		answer, err := s.Pool.Query(ctx, deadRowsSQL, names)
		if err != nil {
			return err
		}
		var name string
		var r rows
		_, err = pgx.ForEachRow(answer, []any{&name, &r.dead, &r.live}, func() error { known[name] = r; return nil })
		return err
	})
	if err != nil {
		return err
	}
	for _, t := range vacuumed {
		r, dead := known[t.name], t.dead(c)
		// Our own may be among what the server counts, or not yet.
		if *dead < max(fewDead, r.live/t.one) && r.dead < max(fewDead, r.live/t.known) {
			continue
		}
		err := s.Retry(ctx, "vacuum", func() error {
			_, err := s.Pool.Exec(ctx, t.sql)
			return err
		})
		if err != nil {
			return err
		}
		*dead = 0
	}
	return nil
}
