package spider

import (
	"context"
	"errors"
	"log/slog"
	"math"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// What leaves the index because a rule or the page itself asks for it is kept for LostPeriod: content, digest, validators and dates
// (docs/reference/behavior.md, What is kept). What comes back within that time needs no new fetch.

// kept reports whether the document has left the index and its content is kept.
func kept(p *crawl.Previous) bool { return p.Kept }

// noLongerKept reports whether a rule took the document out and T-20 has removed what was kept of it: nothing is in the index.
func noLongerKept(p *crawl.Previous) bool {
	base := p.Status.Base()
	return p.Deleted && p.CRC == "" && !p.HasRow && (base == 200 || base == statusNotIndexed)
}

// keptLongEnough reports whether the content of a document is to be removed. That of a site on hold stays.
func keptLongEnough(o *outcome, p *crawl.Previous) bool {
	return o.status == statusKeptLongEnough && !onHold(p)
}

// stillKept reports whether the document can come back with its stored contents.
var stillKept result = func(o *outcome, p *crawl.Previous) bool {
	if !p.Kept || o.kept == nil || o.kept.CRC != p.CRC {
		return false
	}
	if p.Status.Base() == statusNotIndexed {
		return p.HasContent
	}
	return p.HasContent || o.opt.Clones && (p.Twin != 0 || p.KeptBy != 0)
}

// keepsOn has the rules after which the content of a document that left the index is kept as before.
var keepsOn = map[string]bool{"T-10": true, "T-02": true, "T-03": true}

// recordKept records whether the content of a document that left the index is kept from now on, or no longer.
func (a *application) recordKept() {
	switch p := &a.d.Prev; {
	case a.kept && !p.Kept:
		a.d.Keep(a.o.server != nil && a.o.server.DeleteBad)
	case !a.kept && p.Kept && !keepsOn[a.rule]:
		a.d.EndKeeping()
	}
}

// mayReturn reports whether there is something from which a document that a rule takes out can come back.
func (a *application) mayReturn() bool {
	p := &a.d.Prev
	switch p.Status.Base() {
	case 200:
		return p.Kept || !p.Deleted && (p.HasContent || p.Origin != 0)
	case statusNotIndexed:
		return p.Kept || !p.Deleted && p.HasContent && p.CRC != ""
	}
	return false
}

// keepExcluded decides what is stored of a page that is not to be indexed (T-06). Of one that was indexed everything is kept. When
// the page itself says noindex, its body is another one: then the version before is kept with its digest and its validators, so
// that an answer that equals it ends the noindex.
func (a *application) keepExcluded(v *crawl.Version) {
	p, o := &a.d.Prev, a.o
	was := live(p) || p.Kept
	switch {
	case o.doc == nil: // CheckOnly: nothing was read
	case was && o.doc.NoIndex && p.CRC != "" && !equalCRC(o, p) && (p.HasContent || p.Origin != 0 && p.CRC == o.due.CRC):
		a.kept, a.row.Read = true, false
		v.KeepContent, v.KeepFrom, v.Same, v.CRC = true, p.Origin, true, p.CRC
		v.ETag, v.LastModified = distinct(p.ETag, o.answer.ETag), distinct(p.LastModified, o.answer.LastModified)
		a.d.KeepEarlier(o.mode() | modeEarlier)
	case was:
		a.kept = true
	case len(v.Links) == 0:
		v.Content = nil
	case p.Status.Base() == statusNotIndexed && p.HasRow && !p.HasContent: // it was removed
		v.Content = &crawl.Content{ContentType: v.Content.ContentType}
	}
}

// distinct returns a validator of the version before, empty when the present one does not differ from it.
func distinct(before, now string) string {
	if before == now {
		return ""
	}
	return before
}

// keptGroups returns the clone group of a document that is allowed again, and prepares what it comes back from.
func (v *visit) keptGroups(ctx context.Context, o *outcome) (g crawl.Groups, err error) {
	o.kept, o.words = nil, nil
	due := o.due
	if !due.Deleted || due.CRC == "" || v.server == nil {
		return g, nil
	}
	if v.c.o.Clones {
		g.New, g.Kept = due.CRC, true
	}
	if due.Status.Base() == statusNotIndexed {
		o.kept = &crawl.Kept{CRC: due.CRC}
		return g, nil
	}
	if due.Status.Base() != 200 || !v.server.Index || v.verdict == CheckOnly { // the page is to be read under the rules of now
		return g, nil
	}
	stored, err := v.c.store.KeptContent(ctx, due.ID, due.CRC)
	if err != nil || stored == nil {
		return g, err
	}
	body, err := v.unpack(stored)
	if errors.As(err, new(*store.Damaged)) {
		slog.WarnContext(ctx, "kept content is damaged; fetching the document again", "url", printable.Log(due.URL), "cause", err)
		return g, nil
	}
	if err != nil {
		return g, err
	}
	doc, err := v.parseStored(ctx, stored, body)
	if err != nil || doc == nil || doc.NoIndex {
		return g, err
	}
	o.words = store.PackWords(words(doc))
	o.kept = &crawl.Kept{CRC: due.CRC, Words: o.words, WordCount: doc.WordCount, TotalCount: doc.TotalCount, Mode: v.readingStored()}
	return g, nil
}

// revive lets a document that a rule had taken out come back with its stored contents, due at once (T-15).
func (a *application) revive() {
	p := &a.d.Prev
	a.row.NewStatus, a.row.NextWhy, a.row.WithdrawnBy = store.Status(p.Status.Base()), "allowed again", ""
	next := a.dueAgain()
	switch {
	case p.Status.Base() == statusNotIndexed:
		a.kept = true
		a.keepSeries()
		a.d.Revive(*a.o.kept, 0, a.rule, next)
	case p.Twin != 0 && p.Twin < a.d.ID:
		a.d.ReviveAsClone(next)
	case p.HasContent:
		a.d.Revive(*a.o.kept, 0, a.rule, next)
	case p.Twin != 0:
		a.d.Revive(*a.o.kept, p.Twin, a.rule, next)
	default:
		a.d.Revive(*a.o.kept, p.KeptBy, a.rule, next)
	}
}

// removeKept removes the stored contents of a document that left the index (T-20). What a rule took out is fetched as new when it is
// allowed again, so the merge has to remove its dates.
func (a *application) removeKept() {
	p := &a.d.Prev
	a.keepSeries()
	a.row.NewStatus, a.row.NextWhy = p.Status, "as before"
	if p.Deleted {
		a.d.MarkDeleted(a.rule)
	}
	a.d.RemoveKept()
}

// removeKept removes the contents that were kept for LostPeriod, and at once those that DeleteBad does not let stay.
func (p *purger) removeKept(ctx context.Context) error {
	upto, removed := store.URLID(math.MaxInt32), 0
	for {
		list, err := p.store.KeptDocuments(ctx, upto, purgePage, p.o.LostPeriod)
		if err != nil || len(list) == 0 {
			if removed > 0 {
				slog.InfoContext(ctx, "contents of documents that had left the index removed", "documents", removed)
			}
			return err
		}
		if err := p.open(ctx); err != nil {
			return err
		}
		for _, d := range list {
			cause := "kept for LostPeriod"
			if d.Brief {
				cause = "DeleteBad: nothing is kept"
			}
			rule, err := p.decideWithoutFetch(ctx, d.ID, nil, &outcome{status: statusKeptLongEnough, cause: cause})
			if err != nil {
				return err
			}
			if rule != "" {
				removed++
			}
		}
		upto = list[len(list)-1].ID - 1
	}
}
