package program

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/index"
)

// regroup is -B: it rebuilds subsets, web spaces and the labels of sites.
func (p *program) regroup(ctx context.Context, s *store.DB) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stop, cancel)() // a subset is one transaction: what is under way rolls back
	err := merge.Regroup(ctx, index.New(s), merge.Groups{
		Labels: func(r index.LabelDiff) {
			fmt.Fprintf(p.out, "labels of sites: %d%s\n", r.Labels,
				differences(diff{r.Missing, "missing"}, diff{r.Wrong, "wrong"}, diff{r.Foreign, "of no site"}))
		},
		Subset: p.printSubset,
		Gone:   func(id store.SubsetID) { fmt.Fprintf(p.out, "subset %d: deleted, with its documents\n", id) },
		Spaces: func(spaces, sites, removed int64) {
			fmt.Fprintf(p.out, "web spaces: %d with %d sites%s\n", spaces, sites, differences(diff{removed, "missing sites removed"}))
		},
	})
	if err != nil && p.stop.Err() != nil {
		return errInterrupted
	}
	return err
}

// printSubset prints a line about a subset.
func (p *program) printSubset(subset index.Subset, b index.SubsetBuilt) {
	if b.Problem != "" {
		fmt.Fprintf(p.out, "subset %d %s: no documents, %s\n", subset.ID, clean(subset.Mask), b.Problem)
		return
	}
	fmt.Fprintf(p.out, "subset %d %s: %s, %s of others%s\n", subset.ID, clean(subset.Mask), plural(int(b.WholeSites), "whole site"),
		plural(int(b.Documents), "document"),
		differences(diff{b.AddedWhole, "sites added"}, diff{b.RemovedWhole, "sites removed"}, diff{b.Added, "documents added"}, diff{b.Removed, "documents removed"}))
	switch {
	case b.WholeSites == 0 && b.Documents == 0 && !strings.ContainsAny(subset.Mask, "%_"):
		fmt.Fprintf(p.out, "warning: the mask of subset %d has no %%, so it fits one URL at most; for all below it write %s%%\n", subset.ID, clean(subset.Mask))
	case b.WholeSites == 0 && b.Documents == 0:
		fmt.Fprintf(p.out, "warning: no document fits subset %d; searches within it find nothing\n", subset.ID)
	}
}

// diff is a number of differences of one kind.
type diff struct {
	n    int64
	what string
}

// differences formats what differed: ", nothing differed", or "; 3 missing, 1 wrong".
func differences(list ...diff) (text string) {
	for _, d := range list {
		if d.n != 0 {
			if text == "" {
				text = "; "
			} else {
				text += ", "
			}
			text += fmt.Sprintf("%d %s", d.n, d.what)
		}
	}
	if text == "" {
		return ", nothing differed"
	}
	return text
}

// countTotals is -U: it recounts documents, words and postings.
func (p *program) countTotals(ctx context.Context, s *store.DB) error {
	was, is, err := merge.CountTotals(ctx, index.New(s))
	if err != nil {
		return err
	}
	line := func(what string, is, was int64) {
		fmt.Fprintf(p.out, "%-10s %12d", what, is)
		if is != was {
			fmt.Fprintf(p.out, "  was %d", was)
		}
		fmt.Fprintln(p.out)
	}
	line("documents", is.Documents, was.Documents)
	line("words", is.Words, was.Words)
	line("postings", is.Postings, was.Postings)
	line("positions", is.Positions, was.Positions)
	return nil
}

// spaceMode is -A with -u: it adds the sites of the URLs to a web space, or removes them. If one of the sites is
// unknown it changes nothing.
func (p *program) spaceMode(ctx context.Context, s *store.DB) error {
	var sites []store.SiteID
	names := map[store.SiteID]string{}
	for _, line := range p.o.urls {
		u, err := weburl.Typed(line, p.cfg.Spider.MaxURLLength)
		if err != nil {
			return fmt.Errorf("%q: %w", withoutPassword(line), err)
		}
		id, err := crawl.New(s).FindSite(ctx, u.Site)
		if err != nil {
			return err
		}
		if id == 0 {
			return fmt.Errorf("the site %s is not registered", u.Site)
		}
		if names[id] == "" {
			sites, names[id] = append(sites, id), u.Site
		}
	}
	return p.changeSpace(ctx, s, sites, names)
}

// changeSpace adds sites to the web space of -A, or removes them, and prints a line for each, as ASPseek does.
func (p *program) changeSpace(ctx context.Context, s *store.DB, sites []store.SiteID, names map[store.SiteID]string) error {
	change, space, otherwise := index.New(s).JoinSpace, p.o.space, "is already"
	if space < 0 {
		change, space, otherwise = index.New(s).LeaveSpace, -space, "is not"
	}
	changed, err := change(ctx, space, sites)
	if err != nil {
		return err
	}
	for _, id := range sites {
		if slices.Contains(changed, id) {
			fmt.Fprintln(p.out, "Status: OK")
		} else {
			fmt.Fprintf(p.out, "Warning: the site %s %s in space %d\n", clean(names[id]), otherwise, space)
		}
	}
	return nil
}
