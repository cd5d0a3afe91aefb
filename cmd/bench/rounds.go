package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
)

const (
	rounds      = 20 // of 5 % changed documents
	roundFloors = 5  // how often the floor is measured beside them
	smallRounds = 10 // of 0.1 %
)

// rounds changes documents, crawls them and merges, repeatedly. Only the merges are measured. PostgreSQL's own
// index takes the same changes. The floor of the merge alternates with them: other work on the machine adds to
// each round, so a mean of rounds is compared with a mean of floors.
func (b *bench) rounds(ctx context.Context, r *results) error {
	edit, err := b.editor()
	if err != nil {
		return err
	}
	texts, err := os.ReadFile(b.textFile)
	if err != nil {
		return err
	}
	step("%d rounds of 5 %% changed documents", rounds)
	for n := range rounds {
		if n%(rounds/roundFloors) == 0 {
			floor, err := b.floorOf(ctx, r, "floor-index", texts)
			if err != nil {
				return err
			}
			r.roundFloor = r.roundFloor.add(floor)
		}
		ours, ids, err := b.round(ctx, edit, len(edit.urls)/20)
		if err != nil {
			return err
		}
		r.round = r.round.add(ours)
		theirs, err := b.updateVectors(ctx, ids, func(id int32, text string) {
			r.roundText += int64(len(text) - b.textSize[id])
			b.textSize[id] = len(text)
		})
		if err != nil {
			return err
		}
		r.vectorRound = r.vectorRound.add(theirs)
	}
	r.roundText += r.textBytes
	if r.roundSize, r.roundWords, err = b.main.indexSize(ctx); err != nil {
		return err
	}
	r.changed = int64(len(edit.urls) / 20)
	step("%d rounds of 0.1 %%", smallRounds)
	for range smallRounds {
		ours, _, err := b.round(ctx, edit, max((len(edit.urls)+500)/1000, 1))
		if err != nil {
			return err
		}
		r.smallRound = r.smallRound.add(ours)
	}
	return nil
}

// editor returns the editor of the crawl's pages.
func (b *bench) editor() (*editor, error) {
	if b.edit != nil {
		return b.edit, nil
	}
	texts, err := os.ReadFile(b.textFile)
	b.edit = newEditor(b.pages, slices.Sorted(maps.Keys(b.urls)), texts)
	return b.edit, err
}

// round changes n documents, crawls them, and measures the merge.
func (b *bench) round(ctx context.Context, edit *editor, n int) (u usage, ids []int32, err error) {
	changed, err := edit.change(n)
	if err != nil {
		return u, nil, err
	}
	for _, url := range changed {
		ids = append(ids, b.urls[url])
	}
	if err := b.main.exec(ctx, `TRUNCATE tmpurl`); err != nil {
		return u, nil, err
	}
	if _, err := b.main.conn.Exec(ctx, `INSERT INTO tmpurl (url_id, thread) SELECT unnest($1::integer[]), 1`, ids); err != nil {
		return u, nil, err
	}
	if _, err := b.main.quietly(ctx, "-a", "-M", "-q", "--no-merge"); err != nil {
		return u, nil, err
	}
	var there int
	if err := b.main.conn.QueryRow(ctx, `SELECT count(*) FROM journal WHERE words IS NOT NULL`).Scan(&there); err != nil {
		return u, nil, err
	}
	if there < n {
		return u, nil, fmt.Errorf("%d documents changed, and the journal has %d versions", n, there)
	}
	u, err = b.main.quietly(ctx, "-D")
	return u, ids, err
}
