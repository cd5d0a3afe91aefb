package merge

import (
	"context"
	"math"
	"time"

	"github.com/pgseek/pgseek/merge/extsort"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// Link ranks.
//
//	rank(u) = 0.15 + 0.85 · sum over the documents v that link to u of rank(v) / out(v)
//
// A document is a live original: its base status is 200, no rule has withdrawn it, it is no clone. All ranks
// begin with 1. Each of ten rounds computes all ranks from those of the previous one, and the last result
// goes to urlrank. Nothing is divided by the number of documents, and the rank of a document without links is
// passed to none: the mean is 1 where all links lead to documents, else less. Of ASPseek's two variants this
// is the full one, which depends on the last round only and needs no earlier result, so the same links always
// give the same ranks. Unlike there, documents without incoming links have 0.15 as the formula says, not the
// initial 1.
//
// A link counts for its final target: the end of a chain of at most ten redirects, and the original of a
// clone. A chain that is longer or circular is not followed. out(v) is the number of different targets after
// that, without v itself; targets that are no documents are included, and their share is lost. The rows of
// redirects are no sources, and neither are pages that are not to be indexed.
//
// The links are read once, in one snapshot, by ascending source, and kept in files of edges (edges.go). A
// round holds as many sums as memory allows, and reads the edges to these. Contributions to a sum are always
// added by ascending source, so the ranks do not depend on the memory, to the last bit.

const (
	rankRounds = 10
	rankBase   = 0.15
	rankShare  = 0.85
)

// Ranked counts the results of a computation of link ranks.
type Ranked struct {
	Documents int64 // documents with a rank
	Links     int64 // their links in hrefs
	Edges     int64 // different links between two URLs, after redirects and clones
	Written   int64 // rows of urlrank inserted, changed or deleted
	Elapsed   time.Duration
}

// Ranks computes the link ranks (-K), whether many links have changed or not. It holds the merge's lock: when
// another process does, the error is a *store.HeldError. It uses only Memory of the options.
func Ranks(ctx context.Context, s *index.Store, o Options) (Ranked, error) {
	held, err := s.Lock(ctx, "merge")
	if err != nil {
		return Ranked{}, err
	}
	defer held.Release()
	return rank(ctx, s, held, o)
}

// ranksDue reports whether a merge has to compute the ranks: when more than a share of the links has changed
// since the last time, and after the first merge.
func ranksDue(state index.RankState, share float64, merged bool) bool {
	if state.Computed.IsZero() && (merged || state.Changed > 0) {
		return true
	}
	return state.Changed > 0 && float64(state.Changed) > share*float64(state.Links)
}

// ranksIfDue computes the ranks when ranksDue returns true; else it returns nil.
func ranksIfDue(ctx context.Context, s *index.Store, held *store.SessionLocks, o Options, merged bool) (*Ranked, error) {
	state, err := s.RankState(ctx)
	if err != nil || !ranksDue(state, o.RankShare, merged) {
		return nil, err
	}
	done, err := rank(ctx, s, held, o)
	return &done, err
}

// dropRanks removes the ranks of documents that leave the index, because the next computation may be much
// later.
func (m *batch) dropRanks(ctx context.Context) error {
	var gone []store.URLID
	for i := range m.docs {
		if m.docs[i].fate == removed {
			gone = append(gone, m.docs[i].url)
		}
	}
	return m.DropRanks(ctx, gone)
}

// rank computes the ranks under the merge's lock.
func rank(ctx context.Context, s *index.Store, held *store.SessionLocks, o Options) (done Ranked, err error) {
	began := time.Now()
	memory := o.withDefaults().Memory
	var g *graph
	defer func() { g.close() }()
	var state index.RankState
	err = s.ReadLinks(ctx, func(r *index.LinkReader) error {
		g.close() // of an attempt that failed
		g = &graph{width: int(max(memory/16, 1)), hold: int(max(memory/16, 1))}
		if state, err = r.RankState(ctx); err != nil {
			return err
		}
		return g.read(ctx, r)
	})
	if err != nil {
		return done, err
	}
	for range rankRounds {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if err := g.round(); err != nil {
			return done, err
		}
	}
	if err := held.Keep(ctx); err != nil {
		return done, err
	}
	done = Ranked{Documents: g.documents, Links: g.links, Edges: g.edges}
	var ranks *extsort.TempFileReader
	done.Written, err = s.PutRanks(ctx, state, g.links, func() (err error) {
		ranks, err = g.ranks.All()
		return err
	}, func() (r index.Rank, ok bool, err error) {
		if !ranks.More() {
			return r, false, ranks.Err
		}
		r = index.Rank{URL: store.URLID(ranks.Next()), Rank: math.Float32frombits(ranks.Next())}
		return r, true, ranks.Err
	})
	done.Elapsed = time.Since(began)
	return done, err
}
