package spider

import (
	"cmp"
	"context"
	"log/slog"
	"strings"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/failpoint"
)

// A redirect takes a document out of the index at once, and a login in front of a site redirects all of them. So the redirect
// of a live document is counted for its site first: until the end of the run the document stays as it is (T-10). Then the
// redirects of the site are carried out without another request (T-05), or, when they are too many, the site is put on hold.

// Words at the beginning of crawl_history.cause.
const (
	OnHold         = "site on hold: " // the document was not lost for that
	uncountedWords = "not carried out yet: "
)

// uncounted reports whether the redirect of a live document waits until those of its site are counted, or for the end of the
// site's hold.
func uncounted(o *outcome, p *crawl.Previous) bool {
	switch {
	case o.settled || p.Gate == nil || o.opt.MaxLostShare >= 1:
		return false
	case onHold(p):
		return true
	case p.Gate.RedirectsFree:
		return false
	}
	return !o.manual || o.tooMany
}

// current reports whether a redirect that is carried out now, without an attempt, is still what the document answered last.
func current(o *outcome, p *crawl.Previous) bool {
	return !o.settled || live(p) && !onHold(p) && p.Redirect == o.status && p.RedirectTo == o.target
}

// awaitCount leaves a live document that redirects as it is (T-10).
func (a *application) awaitCount() {
	a.row.Redirect, a.row.RedirectTo = a.o.status, a.o.target
	a.row.Cause = uncountedWords + a.o.failure()
	if onHold(&a.d.Prev) {
		a.row.Cause = OnHold + a.o.failure()
	}
	a.o.waits = a.row.Cause
	a.d.Postpone(a.nextError(classUnreachable))
}

// keepRedirect keeps a redirect that is not carried out, because nothing was learned about the document.
func (a *application) keepRedirect() {
	if p := &a.d.Prev; live(p) {
		a.row.Redirect, a.row.RedirectTo, a.row.RedirectRun = p.Redirect, p.RedirectTo, p.RedirectRun
	}
}

// siteMoves counts the redirects of a site that index -T has seen.
type siteMoves struct {
	live int                  // documents when it met the first one
	urls map[store.URLID]bool // live documents that redirected
}

// tooManyWith reports whether too many documents of a site would redirect with this one. A single one never is too many.
func (r *realtime) tooManyWith(ctx context.Context, o *outcome) (bool, error) {
	others, live, err := r.store.SiteRedirects(ctx, o.due.Site, r.crawler.run, o.due.ID)
	if err != nil {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.moves[o.due.Site]
	if m == nil {
		m = &siteMoves{live: live, urls: make(map[store.URLID]bool)}
		r.moves[o.due.Site] = m
	}
	m.urls[o.due.ID] = true
	n := others + len(m.urls)
	return n > 1 && mostOfSite(n, m.live, r.o.MaxLostShare), nil
}

// settleRedirects decides about the redirects that are not carried out yet, site by site. It runs when a run ends, and, for what
// a killed or stopped run has left, when the next one begins.
func (c *crawler) settleRedirects(ctx context.Context) error {
	if err := failpoint.Hit("redirects.before-count"); err != nil {
		return err
	}
	sites, err := c.store.RedirectingSites(ctx)
	if err != nil {
		return err
	}
	for i := range sites {
		if err := c.settleSite(ctx, &sites[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *crawler) settleSite(ctx context.Context, r *crawl.RedirectingSite) error {
	held := r.Hold == crawl.HoldRedirects
	switch {
	case held && fewLeft(r, c.o.MaxLostShare):
		slog.InfoContext(ctx, "the documents of a site answer again; its hold for redirects ends", "site", printable.Log(r.Site))
		return c.store.EndRedirectsHold(ctx, r.ID, "recovered", nil, 0)
	case r.Redirecting == 0:
		return nil
	case held || !r.Free && tooManyRedirect(r, c.o.MaxLostShare):
		return c.holdRedirects(ctx, r, !held)
	case r.Hold != "" || !r.Free && c.o.MaxLostShare < 1 && onlyRedirects(r):
		return nil
	}
	return c.carryOut(ctx, r)
}

// holdRedirects puts a site on hold, or ends its hold when it has lasted long enough.
func (c *crawler) holdRedirects(ctx context.Context, r *crawl.RedirectingSite, begins bool) error {
	r.Cause = strings.TrimPrefix(strings.TrimPrefix(r.Cause, uncountedWords), OnHold)
	if r.Target != "" {
		r.Cause = redirectsTo + r.Target
	}
	days, err := c.store.HoldRedirects(ctx, c.run, r)
	if err != nil || days == 0 {
		return err
	}
	site := printable.Log(r.Site)
	if days >= c.o.LostLimit {
		slog.WarnContext(ctx, "most documents of a site have redirected on LostLimit days; they leave the index as they are visited",
			"site", site, "redirecting", r.Redirecting, "live", r.Live, "days", days)
		if err := c.store.EndRedirectsHold(ctx, r.ID, "expired", &c.o.LostPeriod, r.Run); err != nil {
			return err
		}
		return c.carryOut(ctx, r)
	}
	if begins {
		slog.WarnContext(ctx, "more than MaxLostShare of the documents of a site redirect; they are kept as they were",
			"site", site, "redirecting", r.Redirecting, "live", r.Live, "example", printable.Log(r.URL),
			"to", printable.Log(cmp.Or(r.Target, r.Cause)), "until_day", c.o.LostLimit,
			"remedy", "index --release "+site+" lets the redirects take effect")
	}
	return nil
}

// tooManyRedirect reports whether so many documents of a site redirect that it is put on hold: of all, or of those that answered
// in the run, when these are some. So a site of which each run visits a part is recognized, too. Redirects that were carried out within a
// day count with all.
func tooManyRedirect(r *crawl.RedirectingSite, share float64) bool {
	return mostOfSite(r.Redirecting+r.Left, r.Live+r.Left, share) || r.Answered >= crawl.SmallSite && mostOfSite(r.Redirected, r.Answered, share)
}

// onlyRedirects reports whether every document that answered redirected. They were too few to tell how the rest of the site is.
func onlyRedirects(r *crawl.RedirectingSite) bool { return r.Redirected >= r.Answered }

// fewLeft reports whether most of the documents for which a site is on hold do not redirect any more.
func fewLeft(r *crawl.RedirectingSite, share float64) bool {
	return float64(r.Redirecting) <= share*float64(r.Most)+shareSlack
}

// carryOut records the redirects of a site (T-05), the highest ids first, so that the clones of a group leave one by one.
func (c *crawler) carryOut(ctx context.Context, r *crawl.RedirectingSite) error {
	return highestFirst(ctx, c.o.Workers, func(upto store.URLID) ([]crawl.Redirect, error) {
		return c.store.Redirects(ctx, r.ID, upto, sweepPage)
	}, func(r *crawl.Redirect) store.URLID { return r.ID }, c.carryOutOne)
}

func (c *crawler) carryOutOne(ctx context.Context, r *crawl.Redirect) error {
	due, err := c.store.Look(ctx, r.ID)
	if err != nil {
		return err
	}
	match := c.o.Scope.rule(due.URL, due.Hops)
	if match.refused != "" { // left to the sweep
		return nil
	}
	cause, ok := strings.CutPrefix(r.Cause, uncountedWords)
	if !ok || strings.HasPrefix(cause, answeredWords) {
		cause = ""
	}
	rule, err := c.decideWithoutFetch(ctx, r.ID, &match, &outcome{
		status: r.Status, target: r.Target, cause: cause, answer: &fetch.Answer{Status: r.Status}, server: match.server,
	})
	if err == nil && rule != "" {
		c.counts.carriedOut(r.Run == c.run)
	}
	return err
}
