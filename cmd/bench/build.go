package main

import (
	"context"
	"os"
	"strconv"
)

// smallMemory is the MergeMemory of the builds with little memory.
const smallMemory = 64 << 20

// turns is how often the builds and the floor of the merge alternate. The lowest measurement of each counts: other
// work on the machine only adds.
const turns = 5

// build merges the crawl's documents: in one batch, in five, and with little memory. Each build has a database of
// its own and alternates with the minimal code for the same job. Then it crawls again.
func (b *bench) build(ctx context.Context, r *results) error {
	if err := b.texts(ctx, r); err != nil {
		return err
	}
	texts, err := os.ReadFile(b.textFile)
	if err != nil {
		return err
	}
	if err := b.main.waitIdle(ctx); err != nil {
		return err
	}
	b.main.disconnect(ctx)
	one := func(name, memory string, args ...string) (u usage, err error) {
		d, err := b.openDatabase(ctx, name, b.main, memory)
		if err != nil {
			return u, err
		}
		if err := d.waitIdle(ctx); err != nil {
			return u, err
		}
		if u, err = d.index(ctx, args...); err != nil {
			return u, err
		}
		if name == "five" {
			if r.fiveSize, _, err = d.indexSize(ctx); err != nil {
				return u, err
			}
		}
		return u, d.drop(ctx)
	}
	five := strconv.FormatInt((r.fetched+4)/5, 10)
	for range turns {
		for _, part := range []struct {
			sum *usage
			run func() (usage, error)
		}{
			{&r.floorIndex, func() (usage, error) { return b.floorOf(ctx, r, "floor-index", texts) }},
			{&r.merge, func() (usage, error) { return one("one", "", "-D") }},
			{&r.mergeFive, func() (usage, error) { return one("five", "", "-D", "--batch-documents", five) }},
		} {
			u, err := part.run()
			if err != nil {
				return err
			}
			*part.sum = part.sum.least(u)
		}
	}
	if r.mergeSmall, err = one("little", "64 MB", "-D"); err != nil {
		return err
	}
	if err := b.main.connect(ctx); err != nil {
		return err
	}
	if err := b.main.waitIdle(ctx); err != nil {
		return err
	}
	if err := b.main.watchStatements(ctx); err != nil {
		return err
	}
	u, err := b.main.index(ctx, "-D")
	if err != nil {
		return err
	}
	r.merge = r.merge.least(u)
	if err := b.main.showStatements(ctx, "index -D"); err != nil {
		return err
	}
	if r.freshSize, r.words, err = b.main.indexSize(ctx); err != nil {
		return err
	}
	if r.oursTables, err = b.main.tables(ctx); err != nil {
		return err
	}
	if err := b.main.waitIdle(ctx); err != nil {
		return err
	}
	if err := b.main.watchStatements(ctx); err != nil {
		return err
	}
	if r.again, err = b.main.index(ctx, "-a", "--no-merge"); err != nil {
		return err
	}
	return b.main.showStatements(ctx, "index -a --no-merge, nothing changed")
}
