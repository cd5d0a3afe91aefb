package program

import (
	"time"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/store/crawl"
)

// step is what a crawl without end does next.
type step int

const (
	stepWait step = iota
	stepRound
	stepMerge
)

// plan is a step, and what is known of the later ones.
type plan struct {
	step   step
	wait   time.Duration // at most, before it looks again
	round  time.Time     // when the next round begins; zero = not known
	window time.Time     // when the present window ends; zero = there is none
}

// past is what a crawl without end remembers of its rounds and merges, by its clock.
type past struct {
	starts    bool          // the next round visits the start URLs
	open      bool          // a window was open at the last look
	began     time.Time     // of the last round
	checked   time.Time     // begin of the last round that computed the state of all sites again
	notBefore time.Time     // no round begins earlier by itself
	heldUntil time.Time     // no round begins earlier, because another crawl runs
	patience  time.Duration // after rounds without work
	merged    time.Time     // end of the last merge that was tried here
	mergeTook time.Duration
}

const (
	// look is the longest time between two looks at the database. A notification comes earlier.
	look = 15 * time.Second
	// A round without work, because all hosts are closed or paused, is tried again after minPatience, then after twice that, and so on.
	minPatience = time.Minute
	maxPatience = 30 * time.Minute
	// held is how long a program waits for another one that has the crawl or the merge.
	heldPatience = 5 * time.Second
	// mergeShare bounds the time that merges take: a merge begins at the earliest mergeShare times its length after the one before.
	mergeShare = 10
)

// roundDistance is the shortest time between the beginnings of two rounds. URLs that become due one by one share a round.
func roundDistance(mergeInterval time.Duration) time.Duration {
	return min(max(mergeInterval/30, time.Second), time.Minute)
}

// mergeDue returns when the merge is due: as soon as merges have had their share of the time, and after MergeInterval at the latest.
func (r *rounds) mergeDue(o *crawl.Outlook, now time.Time) time.Time {
	last := r.past.merged
	if ago := o.Now.Sub(o.Merged); !o.Merged.IsZero() && now.Add(-ago).After(last) { // another program's
		last = now.Add(-ago)
	}
	interval := r.p.cfg.Spider.MergeInterval
	return last.Add(min(interval, max(mergeShare*r.past.mergeTook, heldPatience)))
}

// plan decides what to do next. A window that opens begins as index does: its first round visits the start URLs.
func (r *rounds) plan(o crawl.Outlook) plan {
	now := r.clock.Now()
	next := plan{wait: look}
	at := func(t time.Time) { next.wait = max(0, min(next.wait, t.Sub(now))) }
	mergeAt := r.mergeDue(&o, now)
	merge := o.Unmerged && !now.Before(mergeAt)
	if o.Unmerged {
		at(mergeAt)
	}
	open := true
	if r.mode() == config.CrawlScheduled {
		var until time.Time
		open, until = config.CrawlWindow(r.p.cfg.Spider.Windows, now)
		if open {
			next.window = until
		} else {
			next.round = until
		}
		if !until.IsZero() {
			at(until)
		}
		if open && !r.past.open {
			r.past.starts = true
		}
		r.past.open = open
	}
	asked := !o.Asked.IsZero()
	if asked && r.past.heldUntil.After(now) {
		at(r.past.heldUntil)
	}
	switch {
	case o.Paused || r.rules.stale:
		next.round = time.Time{}
	case asked && !now.Before(r.past.heldUntil):
		next.step = stepRound
		return next
	case open:
		if r.due(&o, now, &next) && !merge {
			next.step = stepRound
			return next
		}
		if !next.round.IsZero() {
			at(next.round)
		}
	}
	if merge {
		next.step = stepMerge
	}
	return next
}

// due reports whether a round may begin now, and sets when the next one may.
func (r *rounds) due(o *crawl.Outlook, now time.Time, next *plan) bool {
	earliest := r.past.began.Add(roundDistance(r.p.cfg.Spider.MergeInterval))
	if r.past.starts || !o.NextDue.IsZero() && o.NextDue.Unix() <= 0 { // index --recrawl
		earliest = now
	}
	for _, t := range []time.Time{r.past.notBefore, r.past.heldUntil} {
		if t.After(earliest) {
			earliest = t
		}
	}
	switch {
	case r.past.starts || o.Late:
		next.round = earliest
	case o.NextDue.IsZero():
		return false
	default:
		next.round = now.Add(o.NextDue.Sub(o.Now))
		if earliest.After(next.round) {
			next.round = earliest
		}
	}
	return !next.round.After(now)
}
