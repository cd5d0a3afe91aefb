package merge

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/pgseek/pgseek/merge/extsort"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// Relinking (-H). citation is the inverse of all hrefs that are not deleted, and the merge keeps it so by
// differences. Relink reads all links, compares them with citation, and writes the rows that differ.
//
// For a page with an unmerged entry, hrefs are ahead of citation. The merge will look at the links that its
// entries name, and relies on citation having the others as at the previous merge. So the links of such a
// page are left as they are in citation; a wrong link there is found by -H after the merge.
//
// Both sides become ascending pairs (target, page), the links through an external sort (merge/extsort), so
// memory is bounded; rows that differ are held one at a time.

// LinkDifference is a row of citation that differed from the links.
type LinkDifference struct {
	URL    store.URLID
	Lacked int  // pages that link to it and were missing in the row
	Extra  int  // pages in the row that do not link to it
	Broken bool // the row itself was bad: empty, not ascending, or with invalid ids
}

// Relinked counts what Relink found and mended.
type Relinked struct {
	Rows    int64            // rows of citation that differed
	Links   int64            // links that were added or removed
	Waiting int64            // links that differ and are unmerged; they were left as they were
	First   []LinkDifference // the first rows, by URL: at most shownDifferences
	Dates   int64            // documents that lacked a row in docdates and got one
}

// shownDifferences bounds Relinked.First.
const shownDifferences = 10

// Relink makes citation the inverse of all links, and gives dates to documents that have none (-H). It holds
// the merge's lock: when another process does, the error is a *store.HeldError; when others change the index
// repeatedly, because the lock was lost, store.ErrIndexChanged. It uses only Memory of the options. It may
// run during a crawl, and after any error be called again.
func Relink(ctx context.Context, s *index.Store, o Options) (Relinked, error) {
	held, err := s.Lock(ctx, "merge")
	if err != nil {
		return Relinked{}, err
	}
	defer held.Release()
	var done Relinked
	err = retryOnChange(ctx, "index -H", func() (err error) {
		done, err = relink(ctx, s, held, o, func() {})
		return err
	})
	return done, err
}

// relink does the work of Relink; the caller holds the merge's lock. compared is called after the links have
// been read and compared with citation.
func relink(ctx context.Context, s *index.Store, held *store.SessionLocks, o Options, compared func()) (done Relinked, err error) {
	memory := o.withDefaults().Memory
	var c *comparison
	var since store.Changes
	defer func() { c.close() }()
	err = s.ReadLinks(ctx, func(r *index.LinkReader) error {
		c.close() // of an attempt that failed
		c, since = newComparison(int(memory/32)), r.Changes
		return c.read(ctx, r)
	})
	if err != nil {
		return done, err
	}
	compared()
	if err := held.Keep(ctx); err != nil {
		return done, err
	}
	if c.found() {
		err = s.MergeBatch(ctx, index.MergeRange{}, since, func(b *index.MergeBatch) error {
			done, err = c.write(ctx, &batch{MergeBatch: b, lim: &standard})
			return err
		})
		if err != nil {
			return done, err
		}
	}
	done.Waiting = c.waiting
	done.Dates, err = s.AddMissingDates(ctx, func(last string, indexed time.Time) (time.Time, string) {
		// The spider's rule for the header, with the stored time of the answer (docs/reference/behavior.md,
		// Dates).
		t, err := http.ParseTime(last)
		if err != nil || t.Before(time.Unix(0, 0)) || !t.Before(indexed.Add(-2*time.Second)) {
			return indexed, index.FromFetch
		}
		return t, index.FromLastModified
	})
	return done, err
}

// comparison compares citation with the links.
type comparison struct {
	limit   int             // largest number of values that a sorter holds in memory
	linked  *extsort.Sorter // target << 32 | page, from hrefs
	differs *extsort.Sorter // page << 33 | target << 1 | linked
	changes *extsort.Sorter // target << 32 | page << 1 | linked, without unmerged ones
	broken  *extsort.Sorter // targets whose row is bad
	waiting int64
}

func newComparison(limit int) *comparison {
	return &comparison{
		limit: limit, linked: extsort.New(limit), differs: extsort.New(limit), changes: extsort.New(limit), broken: extsort.New(limit),
	}
}

func (c *comparison) close() {
	if c == nil {
		return
	}
	for _, s := range []*extsort.Sorter{c.linked, c.differs, c.changes, c.broken} {
		s.Close()
	}
}

// read compares both sides in one snapshot.
func (c *comparison) read(ctx context.Context, r *index.LinkReader) error {
	err := r.CitingLinks(ctx, func(page store.URLID, links []store.URLID) error {
		for _, t := range links {
			if t > 0 && t != page {
				if err := c.linked.Add(uint64(t)<<32 | uint64(page)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.compare(ctx, r); err != nil {
		return err
	}
	return c.dropUnmerged(ctx, r)
}

// compare finds the pairs that only one side has.
func (c *comparison) compare(ctx context.Context, r *index.LinkReader) error {
	linked, err := c.linked.Sorted()
	if err != nil {
		return err
	}
	pair, more := linked.Next()
	differs := func(pair, is uint64) error {
		return c.differs.Add(pair&0xffffffff<<33 | pair>>32<<1 | is)
	}
	// upTo skips the pairs that are linked and not cited.
	upTo := func(cited uint64) error {
		for more && pair < cited {
			if err := differs(pair, 1); err != nil {
				return err
			}
			pair, more = linked.Next()
		}
		return linked.Err
	}
	err = r.AllCitations(ctx, func(target store.URLID, pages []store.URLID) error {
		if sound := normal(target, pages); len(sound) != len(pages) || len(sound) == 0 || !slices.Equal(sound, pages) {
			if err := c.broken.Add(uint64(uint32(target))); err != nil {
				return err
			}
			pages = sound
		}
		for _, page := range pages {
			cited := uint64(target)<<32 | uint64(page)
			if err := upTo(cited); err != nil {
				return err
			}
			if more && pair == cited {
				pair, more = linked.Next()
				continue
			}
			if err := differs(cited, 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return upTo(1 << 63)
}

// normal returns a list of referrers in its valid form: ascending, without duplicates and without the target
// itself. A valid list is returned unchanged.
func normal(target store.URLID, pages []store.URLID) []store.URLID {
	last, sound := store.URLID(0), target > 0
	for _, p := range pages {
		sound = sound && p > last && p != target
		last = p
	}
	if sound {
		return pages
	}
	if target <= 0 {
		return nil
	}
	list := slices.Clone(pages)
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(p store.URLID) bool { return p <= 0 || p == target })
}

// dropUnmerged leaves out the differences of pages with unmerged entries.
func (c *comparison) dropUnmerged(ctx context.Context, r *index.LinkReader) error {
	differs, err := c.differs.Sorted()
	if err != nil {
		return err
	}
	d, more := differs.Next()
	// upTo takes over the differences of pages below a given one.
	upTo := func(below uint64) error {
		for more && d>>33 < below {
			target, page, is := d>>1&0xffffffff, d>>33, d&1
			if err := c.changes.Add(target<<32 | page<<1 | is); err != nil {
				return err
			}
			d, more = differs.Next()
		}
		return differs.Err
	}
	err = r.WaitingURLs(ctx, func(u store.URLID) error {
		if err := upTo(uint64(u)); err != nil {
			return err
		}
		for more && d>>33 == uint64(u) {
			c.waiting++
			d, more = differs.Next()
		}
		return differs.Err
	})
	if err != nil {
		return err
	}
	return upTo(1 << 31)
}

// found reports whether anything is to be written.
func (c *comparison) found() bool {
	some := func(s *extsort.Sorter) bool { return len(s.Pending) > 0 || len(s.Runs) > 0 }
	return some(c.changes) || some(c.broken)
}

// write writes the rows that differ, in one transaction.
func (c *comparison) write(ctx context.Context, m *batch) (done Relinked, err error) {
	broken, err := c.broken.Sorted()
	if err != nil {
		return done, err
	}
	changes, err := c.changes.Sorted()
	if err != nil {
		return done, err
	}
	note := func(u store.URLID) *LinkDifference {
		if n := len(done.First); n > 0 && done.First[n-1].URL == u {
			return &done.First[n-1]
		}
		done.Rows++
		if len(done.First) < shownDifferences {
			done.First = append(done.First, LinkDifference{URL: u})
			return &done.First[len(done.First)-1]
		}
		return &LinkDifference{URL: u}
	}
	mend := func(rows []store.URLID) error {
		return m.MendCitations(ctx, rows, func(x index.Citation) []store.URLID { return normal(x.URL, x.Referrers) })
	}
	var rows []store.URLID
	for b, ok := broken.Next(); ok; b, ok = broken.Next() {
		if rows = append(rows, store.URLID(int32(uint32(b)))); len(rows) == setSize {
			if err := mend(rows); err != nil {
				return done, err
			}
			rows = rows[:0]
		}
	}
	if broken.Err != nil {
		return done, broken.Err
	}
	if err := mend(rows); err != nil {
		return done, err
	}
	if broken, err = c.broken.Sorted(); err != nil {
		return done, err
	}
	// Reported by URL: bad rows and others in turn.
	row, more := broken.Next()
	markBroken := func(below uint64) {
		for ; more && row < below; row, more = broken.Next() {
			note(store.URLID(int32(uint32(row)))).Broken = true
		}
	}
	var set []uint64
	targets, last, at := 0, uint64(0), (*LinkDifference)(nil)
	for x, ok := changes.Next(); ok; x, ok = changes.Next() {
		if x>>32 != last || at == nil {
			if last = x >> 32; targets == setSize || len(set) >= max(c.limit, setSize) {
				if err := m.cite(ctx, set); err != nil {
					return done, err
				}
				set, targets = set[:0], 0
			}
			targets++
			markBroken(last)
			at = note(store.URLID(last))
			if more && row == last {
				at.Broken = true
				row, more = broken.Next()
			}
		}
		if x&1 == 1 {
			at.Lacked++
		} else {
			at.Extra++
		}
		set = append(set, x)
	}
	markBroken(1 << 63)
	if changes.Err != nil {
		return done, changes.Err
	}
	if broken.Err != nil {
		return done, broken.Err
	}
	if err := m.cite(ctx, set); err != nil {
		return done, err
	}
	done.Links = m.sum.Links
	if err := m.CountLinks(ctx, m.sum.Links); err != nil {
		return done, err
	}
	return done, m.Notify(ctx)
}
