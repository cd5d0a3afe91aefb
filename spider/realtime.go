package spider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// Real-time mode (index -T): URLs are visited and decided on as in a crawl, but without a schedule.
// Searches find the result of each when it is reported.
//
// Workers fetch and read in parallel. One recorder writes their outcomes (realtime_record.go).

// Visited is the result of one URL of index -T.
type Visited struct {
	URL   string
	Steps []RedirectHop // never empty: the URL itself, then what its redirects lead to
	Site  store.SiteID
	Found bool // searches find the document at the end of its steps
}

// RedirectHop is one URL on the way of redirects.
type RedirectHop struct {
	URL    string
	Status int    // extended status of the answer, 406 when it is not to be indexed; 0 without a request
	Rule   string // that decided; empty when nothing was recorded
	Cause  string // what went wrong, or why
	Site   store.SiteID
	Target string // of a redirect that is followed
}

// realtime is one call of index -T.
type realtime struct {
	*crawler
	fetching chan struct{} // attempts under way
	recorder *recorder

	mu         sync.Mutex
	slots      map[string]chan struct{} // by host: requests under way
	asked      map[string]bool          // hosts whose stored pause was read
	dirtySites map[store.SiteID]bool
	moves      map[store.SiteID]*siteMoves
}

// Realtime visits URLs of the command line, some at once, and calls report with the result of each, in
// their order. A URL that occurs twice is visited once. After stop ends no further URL is taken. An error
// is a fault of the program or of the database.
func Realtime(ctx, stop context.Context, s *crawl.Store, run crawl.Crawl, o Options, urls []weburl.URL, report func(Visited)) (Progress, error) {
	c := &crawler{
		o: o, store: s, process: &crawl.Process{Run: run}, run: run.ID, start: run.Start, polite: newPoliteness(o.Load), soft: stop,
		idle: newIdle(), largeBodies: newLargeBodies(), parsers: newParsers(),
	}
	c.join(ctx)
	c.robots, c.limits, c.soft404 = newRobotsCache(c), newSiteLimits(s), newSoft404(&o)
	c.robots.sweep = nil // the next crawl sweeps: here it is about these URLs
	c.counts.began = time.Now()
	r := &realtime{
		crawler: c, fetching: make(chan struct{}, o.Workers),
		slots: make(map[string]chan struct{}), asked: make(map[string]bool), dirtySites: make(map[store.SiteID]bool),
		moves: make(map[store.SiteID]*siteMoves),
	}
	c.realtime = r
	r.recorder = newRecorder(0, semaphore.NewWeighted(maxWaitingBytes), r.recordTogether)
	err := r.run(ctx, urls, report)
	r.keepDelays(ctx)
	return c.counts.progress(), err
}

func (r *realtime) run(ctx context.Context, urls []weburl.URL, report func(Visited)) error {
	visits, err := r.manual(ctx, urls)
	if err != nil {
		return err
	}
	done := make([]chan Visited, len(visits))
	for i := range done {
		done[i] = make(chan Visited, 1)
	}
	var next atomic.Int64
	group, working := errgroup.WithContext(ctx)
	var recording sync.WaitGroup
	recording.Go(func() { r.recorder.run(ctx) })
	for range min(recordedAhead*r.o.Workers, len(visits)) {
		group.Go(func() error {
			for r.soft.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(visits) {
					return nil
				}
				v, err := r.follow(working, visits[i])
				if err != nil {
					return fmt.Errorf("%s: %w", printable.Log(visits[i].due.URL), err)
				}
				done[i] <- v
			}
			return nil
		})
	}
	ended := make(chan struct{})
	go func() {
		err = group.Wait()
		close(r.recorder.found)
		recording.Wait()
		close(ended)
	}()
	for i := range done {
		select {
		case v := <-done[i]:
			report(v)
			continue
		case <-ended:
		}
		select { // what was recorded before the end is reported, too
		case v := <-done[i]:
			report(v)
		default:
		}
	}
	<-ended
	return err
}

// manual registers the URLs and returns a visit for each, once, in their order. New URLs have no hops and
// no referrer. A URL that the configuration refuses and that nobody has registered stays so; its visit has no id.
func (r *realtime) manual(ctx context.Context, urls []weburl.URL) ([]*visit, error) {
	for i := range urls {
		urls[i] = r.o.Scope.Unduplicated(urls[i])
	}
	list := make([]crawl.NewURL, 0, len(urls))
	strange := make(map[string]bool)
	for _, u := range urls {
		if r.o.Scope.match(u, 0).refused != "" {
			if id, err := r.store.FindURL(ctx, u.Text); err != nil {
				return nil, err
			} else if id == 0 {
				strange[u.Text] = true
				continue
			}
		}
		site, err := r.store.RegisterSite(ctx, u.Site, u.Host)
		if err != nil {
			return nil, err
		}
		n := crawl.NewURL{URL: u.Text, Hash: store.HashURL(u.Text), Site: site}
		if server := r.o.Scope.Server(u); server != nil {
			n.Tag = server.Tag
		}
		list = append(list, n)
	}
	ids, created, err := r.store.RegisterURLs(ctx, list, r.start)
	if err != nil {
		return nil, err
	}
	r.counts.found.Add(int64(created))
	if _, err := r.store.Readmit(ctx, ids, r.start); err != nil {
		return nil, err
	}
	details, err := r.store.Details(ctx, ids)
	if err != nil {
		return nil, err
	}
	if err := r.markDirty(ctx, details); err != nil {
		return nil, err
	}
	byID := make(map[store.URLID]*crawl.Due, len(details))
	for i := range details {
		byID[details[i].ID] = &details[i]
	}
	visits := make([]*visit, 0, len(urls))
	for _, u := range urls {
		if first, ok := strange[u.Text]; ok {
			if first {
				visits = append(visits, r.newParsedVisit(r.token(), &crawl.Due{URL: u.Text}, u))
				strange[u.Text] = false
			}
			continue
		}
		id := ids[0]
		ids = ids[1:]
		if due, ok := byID[id]; ok {
			visits = append(visits, r.newParsedVisit(r.token(), due, u))
			delete(byID, id)
		}
	}
	return visits, nil
}

// token returns the token of a visit without a schedule.
func (r *realtime) token() crawl.Token { return crawl.Token{Run: r.crawler.run} }

// markDirty marks the sites of URLs, each once, as having work that may be due. No schedule holds them, so
// no acknowledgement would do it after the visit.
func (r *realtime) markDirty(ctx context.Context, list []crawl.Due) error {
	var sites []store.SiteID
	r.mu.Lock()
	for i := range list {
		if site := list[i].Site; !r.dirtySites[site] {
			r.dirtySites[site] = true
			sites = append(sites, site)
		}
	}
	r.mu.Unlock()
	return r.wake(ctx, sites)
}

// follow visits a URL and its redirect targets, as long as the document set contains them.
func (r *realtime) follow(ctx context.Context, v *visit) (visited Visited, err error) {
	visited = Visited{URL: v.due.URL, Site: v.due.Site}
	if v.due.ID == 0 {
		visited.Steps = []RedirectHop{{URL: v.due.URL, Status: statusConfigForbidden, Cause: v.refused}}
		return visited, nil
	}
	seen := map[store.URLID]bool{}
	for {
		seen[v.due.ID] = true
		step, next, err := r.visitOne(ctx, v)
		if err != nil {
			return visited, err
		}
		on := next != 0 && !seen[next] && len(visited.Steps) < maxRedirects
		visited.Site, visited.Found = step.Site, found[step.Rule] && step.Status != statusNotIndexed
		if next != 0 && !on && step.Cause == "" {
			step.Cause = fmt.Sprintf("redirect loop, or more than %d redirects", maxRedirects)
		}
		if on {
			list, err := r.store.Details(ctx, []store.URLID{next})
			if err != nil {
				return visited, err
			}
			if err := r.markDirty(ctx, list); err != nil {
				return visited, err
			}
			if on = len(list) == 1; on {
				page, err := weburl.ParseNormalized(list[0].URL)
				if err != nil {
					return visited, err
				}
				v, step.Target = r.newParsedVisit(r.token(), &list[0], page), list[0].URL
			}
		}
		visited.Steps = append(visited.Steps, step)
		if !on {
			return visited, nil
		}
	}
}

// found has the rules after which a document is in the index, itself or by its original.
var found = map[string]bool{
	"T-01": true, "T-01c": true, "T-01o": true, "T-02": true, "T-03": true, "T-04": true, "T-16": true, "T-17": true,
}

// visitOne attempts one URL and records what visited of it. next is the target of its redirect, 0 for none.
func (r *realtime) visitOne(ctx context.Context, v *visit) (step RedirectHop, next store.URLID, err error) {
	step = RedirectHop{URL: v.due.URL, Site: v.due.Site}
	if r.o.Load(v.page.Host, time.Now()) <= 0 {
		step.Cause = "HostLoad allows no requests to this host at this time of day"
		return step, 0, nil
	}
	defer v.large.release()
	var before *outcome // a refusal after which the URL is asked again
	for {
		free, err := r.slot(ctx, v.page.Host)
		if err != nil {
			return step, 0, err
		}
		o, err := v.attempt(ctx)
		free()
		if errors.Is(err, errHostPaused) {
			if before == nil {
				step.Cause = "not asked: the host limits requests and asked for a pause"
				return step, 0, nil
			}
			o, err = before, nil
		} else if err == nil && r.mayAskAgain(v, o) {
			before = o
			continue
		}
		if store.BadValue(err) {
			o, err = v.faulty(err), nil
		}
		var rule string
		if err == nil {
			o, rule, err = v.record(ctx, o)
		}
		if err != nil {
			return step, 0, err
		}
		if rule != "" {
			r.counts.add(rule, o)
		}
		slog.DebugContext(ctx, "visited", "url", printable.Log(v.due.URL), "url_id", v.due.ID, "rule", rule, "status", o.status, "cause", o.cause,
			"bytes", o.bytes(), "elapsed", o.elapsed())
		if rule == "T-15" || rule == "" { // a URL that comes back is fetched as a new one
			list, err := r.store.Details(ctx, []store.URLID{v.due.ID})
			if err != nil {
				return step, 0, err
			}
			if len(list) == 1 && !list[0].Deleted {
				v = r.newParsedVisit(v.token, &list[0], v.page)
				continue
			}
		}
		if rule == "" {
			step.Cause = "removed from the index during the visit"
			return step, 0, nil
		}
		step.Status, step.Rule, step.Cause = o.status, rule, o.cause
		if o.became == statusNotIndexed || o.excluded { // an unchanged page keeps its status
			step.Status = o.became
		}
		if rule == "T-10" && o.waits != "" {
			step.Cause = o.waits
		}
		switch rule {
		case "T-05":
			next = o.target
		case "T-19":
			next, step.Status = o.named(), statusCanonical
		}
		return step, next, nil
	}
}

// mayAskAgain reports whether a URL whose host refused it is asked again after a pause. The last answer decides: a 503 in doubt
// is an error then.
func (r *realtime) mayAskAgain(v *visit, o *outcome) bool {
	switch {
	case o.refused == notRefused:
		return false
	case v.requests >= crawl.MaxRefused:
	case o.refused == inDoubt:
		r.polite.pause(v.page.Host, shortPause)
		return true
	case r.polite.rest(v.page.Host) <= crawl.LongestWait:
		return true
	}
	if o.refused == inDoubt {
		o.refused = notRefused
	}
	return false
}

// slot waits until this process may start another attempt, at the host and in total. The returned function
// gives the slot back.
func (r *realtime) slot(ctx context.Context, host string) (func(), error) {
	r.mu.Lock()
	slots := r.slots[host]
	if slots == nil {
		slots = make(chan struct{}, max(1, int(r.o.Load(host, time.Now()))))
		r.slots[host] = slots
	}
	r.mu.Unlock()
	for i, c := range []chan struct{}{slots, r.fetching} {
		select {
		case c <- struct{}{}:
		case <-ctx.Done():
			if i > 0 {
				<-slots
			}
			return nil, ctx.Err()
		}
	}
	return func() { <-r.fetching; <-slots }, nil
}

// turn waits until the host's pause that a crawl or another index -T has stored is over, and starts its
// own. It does not wait for a crawl that holds the host at this moment: the operator's request is sent in
// parallel.
func (r *realtime) turn(ctx context.Context, host string, delay time.Duration) error {
	r.mu.Lock()
	known := r.asked[host]
	r.asked[host] = true
	r.mu.Unlock()
	for !known || delay > 0 {
		wait, err := r.store.ClaimHost(ctx, host, delay)
		if err != nil {
			slog.WarnContext(ctx, "cannot read the host's delay", "host", host, "cause", err)
		}
		if err != nil || wait <= 0 {
			return err
		}
		if wait > crawl.LongestWait {
			return errHostPaused
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// keepDelays stores the rest of the hosts' pauses for other processes.
func (r *realtime) keepDelays(ctx context.Context) {
	for host := range r.asked {
		if rest := r.polite.rest(host); rest > 0 {
			if err := r.store.PauseHost(ctx, host, rest); err != nil {
				slog.WarnContext(ctx, "cannot store the host's delay", "host", host, "cause", err)
			}
		}
	}
}
