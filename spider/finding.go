package spider

import (
	"context"
	"errors"
	"strconv"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// finding is an outcome that waits for its transaction.
type finding struct {
	v   *visit
	o   *outcome
	doc crawl.Recording

	// unchanged is the row of a document that has not changed since its lease; nil for others. It is recorded without another look at
	// the previous state.
	unchanged *crawl.Unchanged

	// What the document may change, and what its transition depends on. A document that meets something of an earlier one is
	// recorded after that.
	writes, reads []string

	bytes int64          // of memory, about
	done  func(*finding) // called once, when err is known

	tries int
	prev  crawl.Previous // the state that the decision saw
	rule  string         // that decided
	err   error          // nil: it is recorded
}

// finding prepares the recording of an outcome: what needs queries is done before the transaction.
func (v *visit) finding(ctx context.Context, o *outcome) (*finding, error) {
	groups, err := v.groups(ctx, o)
	if err != nil {
		return nil, err
	}
	now := v.c.now()
	f := &finding{v: v, o: o, bytes: o.memory()}
	f.doc = crawl.Recording{ID: o.due.ID, Held: v.token, Now: now.Unix(), Groups: groups, Decide: func(d *crawl.DocumentTx) (err error) {
		f.prev = d.Prev
		f.rule, err = apply(d, o, now)
		return err
	}}
	f.writes = append(f.writes, urlKey(o.due.ID))
	for _, crc := range []string{groups.New, groups.Old, o.due.CRC} {
		if crc != "" {
			f.writes = append(f.writes, crc)
		}
	}
	if groups.Gate != 0 {
		f.writes = append(f.writes, "gate "+strconv.Itoa(int(groups.Gate)))
	}
	for _, id := range []store.URLID{groups.Canonical, o.target} {
		if id != 0 && id != o.due.ID {
			f.reads = append(f.reads, urlKey(id))
		}
	}
	return f, nil
}

// registerFound registers the links of the pages among some findings together.
func (c *crawler) registerFound(ctx context.Context, list []*finding) error {
	if err := c.leaveOutRepeats(ctx, list); err != nil {
		return err
	}
	var pages []*pageLinks
	var of []*outcome
	for _, f := range list {
		if f.o.found != nil {
			pages, of = append(pages, &pageLinks{v: f.v, found: *f.o.found}), append(of, f.o)
		}
	}
	if err := c.registerLinks(ctx, pages); err != nil {
		return err
	}
	for i, p := range pages {
		o := of[i]
		if o.links, o.found = p.ids, nil; !o.excluded {
			o.linkCanonical()
		}
	}
	return nil
}

func urlKey(id store.URLID) string { return "url " + strconv.Itoa(int(id)) }

// maxTries is how often a finding is recorded before it is left to its fetcher.
const maxTries = 10

// repeated returns the finding to be recorded again at once, if it needs nothing but another look at its clone group or its gate; else
// nil. What needs another request is left to the fetcher, and so is all of index -T.
func (f *finding) repeated(ctx context.Context) *finding {
	if f.tries++; f.tries >= maxTries || f.unchanged != nil || f.v.c.realtime != nil {
		return nil
	}
	switch {
	case errors.Is(f.err, crawl.ErrDependent):
		f.err = nil
		return f
	case errors.Is(f.err, errNotRead) && !errors.Is(f.err, errOvertaken) && !f.prev.Deleted && f.o.complete():
		f.v.takeOver(f.o, &f.prev)
		next, err := f.v.finding(ctx, f.o)
		if err != nil {
			return nil
		}
		next.bytes, next.done, next.tries = f.bytes, f.done, f.tries
		return next
	}
	return nil
}

// memory returns about how many bytes an outcome keeps in memory.
func (o *outcome) memory() int64 {
	n := len(o.words) + len(o.packed) + 8*len(o.links) + len(o.content.body)
	if o.answer != nil {
		n += len(o.answer.Body)
	}
	if o.doc != nil {
		n += 3 * len(o.doc.Text)
	}
	return int64(n)
}

// independent splits findings into those that may be recorded together, and those that depend on an earlier one. The order of
// dependent findings stays.
func independent(list []*finding) (group, rest []*finding) {
	written, read := make(map[string]bool), make(map[string]bool)
	for _, f := range list {
		if f.meets(written, read) {
			rest = append(rest, f)
		} else {
			group = append(group, f)
		}
		for _, k := range f.writes {
			written[k] = true
		}
		for _, k := range f.reads {
			read[k] = true
		}
	}
	return group, rest
}

// meets reports whether a finding depends on what earlier ones change, or changes what they depend on.
func (f *finding) meets(written, read map[string]bool) bool {
	for _, k := range f.writes {
		if written[k] || read[k] {
			return true
		}
	}
	for _, k := range f.reads {
		if written[k] {
			return true
		}
	}
	return false
}
