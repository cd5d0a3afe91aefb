package merge

import (
	"context"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// Groups has the functions that Regroup calls with its results.
type Groups struct {
	Labels func(index.LabelDiff)                 // wordsite was compared
	Subset func(index.Subset, index.SubsetBuilt) // a subset was built
	Gone   func(store.SubsetID)                  // the documents of a subset that no longer exists were dropped
	Spaces func(spaces, sites, removed int64)    // web spaces were compared
}

// Regroup builds wordsite, all subsets and all web spaces again and writes the differences (index -B). When a
// merge runs, the error is a *store.HeldError. Each subset is one transaction; when it is killed and run
// again, it ends in the same rows.
func Regroup(ctx context.Context, s *index.Store, report Groups) error {
	held, err := s.Lock(ctx, "merge")
	if err != nil {
		return err
	}
	defer held.Release()
	if _, err := labelSites(ctx, s); err != nil {
		return err
	}
	labels, err := s.Relabel(ctx)
	if err != nil {
		return err
	}
	report.Labels(labels)
	_, gone, err := s.StaleSubsets(ctx)
	if err != nil {
		return err
	}
	for _, id := range gone {
		if err := s.DropSubset(ctx, id); err != nil {
			return err
		}
		report.Gone(id)
	}
	all, err := s.Subsets(ctx)
	if err != nil {
		return err
	}
	for _, subset := range all {
		if err := held.Keep(ctx); err != nil {
			return err
		}
		built, err := s.BuildSubset(ctx, subset)
		if err != nil {
			return err
		}
		report.Subset(subset, built)
	}
	spaces, sites, removed, err := s.CheckSpaces(ctx)
	if err != nil {
		return err
	}
	report.Spaces(spaces, sites, removed)
	return nil
}
