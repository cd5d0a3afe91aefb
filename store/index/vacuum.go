package index

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// DeadRows counts, by table, rows that updates and deletions left dead and that only a vacuum removes.
type DeadRows struct{ Wordurl, Wordfile, Docwords int64 }

// Dead rows of updates that stay in their page are removed by the next access to the page.
const countChurnSQL = `
	SELECT /* store.CountChurn */ pg_stat_get_xact_tuples_updated('wordurl'::regclass)
		- pg_stat_get_xact_tuples_hot_updated('wordurl'::regclass)`

// CountChurn subtracts the updates that stayed in their page of wordurl from Churned. It must be called after
// the last update.
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

// deadRowsSQL reads the dead rows of earlier merges and the sizes of the tables, as far as the server knows
// them. The statistics views cost ten times as much.
const deadRowsSQL = `
	SELECT /* store.Vacuum */ name, pg_stat_get_dead_tuples(name::regclass), pg_stat_get_live_tuples(name::regclass)
	FROM unnest($1::text[]) AS name`

// fewDead is the number of dead rows below which a vacuum never pays.
const fewDead = 50

// vacuumed lists the tables in which merges leave dead rows. The limits are one dead row in this many: one
// for the rows that this merge left, known for all that the server knows of. Most dead rows of wordurl go
// without a vacuum (CountChurn), so the server's number means less there: a vacuum after every round with 5 %
// changed documents cost a fifteenth of the round.
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

// Vacuum cleans the tables in which merges have left many dead rows, and subtracts those from c. Without it a
// build in batches leaves tables up to twice as large as needed, and later rounds do, too. Smaller numbers
// are left to autovacuum. It may be slower than many small merges, so the dead rows of earlier merges count,
// too.
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
		// The server's number may or may not include our own.
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
