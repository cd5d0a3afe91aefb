package main

import (
	"context"
	"strconv"
)

// smallMemory is the MergeMemory of the builds that have little.
const smallMemory = 64 << 20

// build merges what was crawled: in one batch, in five, and with little memory, each in a database of its own. Then it
// crawls again.
func (b *bench) build(ctx context.Context, r *results) error {
	b.main.disconnect(ctx)
	one := func(name, memory string, args ...string) (u usage, err error) {
		d, err := b.openDatabase(ctx, name, b.main, memory)
		if err != nil {
			return u, err
		}
		if err := d.settle(ctx); err != nil {
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
	var err error
	if r.mergeFive, err = one("five", "", "-D", "--batch-documents", strconv.FormatInt((r.fetched+4)/5, 10)); err != nil {
		return err
	}
	if r.mergeSmall, err = one("little", "64 MB", "-D"); err != nil {
		return err
	}
	if err := b.main.connect(ctx); err != nil {
		return err
	}
	if err := b.main.settle(ctx); err != nil {
		return err
	}
	if err := b.main.watchStatements(ctx); err != nil {
		return err
	}
	if r.merge, err = b.main.index(ctx, "-D"); err != nil {
		return err
	}
	if err := b.main.showStatements(ctx, "index -D"); err != nil {
		return err
	}
	if r.freshSize, r.words, err = b.main.indexSize(ctx); err != nil {
		return err
	}
	if r.oursTables, err = b.main.tables(ctx); err != nil {
		return err
	}
	if err := b.main.settle(ctx); err != nil {
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
