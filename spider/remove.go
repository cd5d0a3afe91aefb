package spider

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strings"

	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// Removals by the operator (T-21): index --remove and the button of the admin page take out one page for good, index -C with limits
// takes out many that may come back by a link.

// ErrNotRegistered says that a URL that was to be removed is not registered.
var ErrNotRegistered = errors.New("the URL is not registered")

// Removed is the result of RemoveURL.
type Removed struct {
	URL       string // normalized
	Already   bool   // it was removed before
	Successor string // URL of the page with the same content that searches find in its place after the next merge; empty for none
	RobotsTxt string // URL of the robots.txt that can keep the page out
	Robots    string // its line, below User-agent: *
	Sets      string // the line of sets.cnf that keeps the page out
}

// RemoveURL takes a page out of the index at once, with all that is stored of its contents (T-21). Searches do not find it after the
// commit. It stays out until --recrawl, -T or -i names it. why goes to crawl_history. The result has the lines that keep the page out
// also when the error is ErrNotRegistered. begin opens the run of the removal.
func RemoveURL(ctx context.Context, s *crawl.Store, o Options, u weburl.URL, why string, begin Begin) (r Removed, err error) {
	r = keepingOut(u)
	id, err := s.FindURL(ctx, u.Text)
	if err != nil {
		return r, err
	}
	if id == 0 {
		return r, ErrNotRegistered
	}
	successor, err := s.Successor(ctx, id)
	if err != nil {
		return r, err
	}
	p := purger{crawler: atRest(s, o), begin: begin}
	if err := p.open(ctx); err != nil {
		return r, err
	}
	rule, err := p.decideWithoutFetch(ctx, id, nil, &outcome{status: statusRemoved, removeForGood: true, cause: why})
	r.Already = rule == ""
	if err == nil && successor != 0 && !r.Already {
		var next crawl.Due
		if next, err = s.Look(ctx, successor); err == nil && !next.Deleted && next.Status.Base() == 200 {
			r.Successor = next.URL
		}
	}
	return r, err
}

// keepingOut returns the lines that keep a URL out: of its robots.txt for everybody who obeys it, and of sets.cnf.
func keepingOut(u weburl.URL) Removed {
	r := Removed{URL: u.Text, Sets: "Disallow " + setsPattern(u.Text)}
	if at, err := url.Parse(u.Text); err == nil && !u.IsFile() {
		r.RobotsTxt = (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/robots.txt"}).String()
		r.Robots = "Disallow: " + strings.NewReplacer("*", "%2A", "$", "%24").Replace(u.Path) + "$"
	}
	return r
}

// setsPattern returns the pattern of sets.cnf that matches one URL only.
func setsPattern(text string) string { return "^" + regexp.QuoteMeta(text) + "$" }

// RemoveChosen takes out all URLs within the limits (T-21). They may come back by a link, a sitemap or a Server line. It returns the
// number removed; after an error these stay removed. The caller keeps crawls away.
func RemoveChosen(ctx context.Context, s *crawl.Store, o Options, limits crawl.Limits, why string, begin Begin) (n int, err error) {
	p := purger{crawler: atRest(s, o), begin: begin}
	upto := store.URLID(math.MaxInt32)
	for {
		ids, err := s.ChosenURLs(ctx, limits, upto, purgePage)
		if err != nil || len(ids) == 0 {
			return p.purged, err
		}
		if err := p.open(ctx); err != nil {
			return p.purged, err
		}
		for _, id := range ids {
			if err := ctx.Err(); err != nil {
				return p.purged, err
			}
			rule, err := p.decideWithoutFetch(ctx, id, nil, &outcome{status: statusRemoved, cause: why})
			if err != nil {
				return p.purged, fmt.Errorf("url %d: %w", id, err)
			}
			p.count(ctx, id, rule)
		}
		upto = ids[len(ids)-1] - 1
	}
}

// removed reports whether the operator removes the URL. What is out for good stays so.
func removed(o *outcome, p *crawl.Previous) bool {
	return o.status == statusRemoved && !p.KeptOut() && (o.removeForGood || p.WithdrawnBy != "T-21")
}

// remove takes a URL out because the operator asked for it (T-21).
func (a *application) remove() {
	if a.hadEntries() {
		a.d.MarkDeleted(a.rule)
	}
	a.row.WithdrawnBy, a.row.NewStatus = a.rule, store.Status(a.d.Prev.Status.Base())
	if a.row.NextWhy = "not until a link reaches it"; a.o.removeForGood {
		a.row.NextWhy = "not until it is asked for by name"
	}
	a.d.Remove(a.o.removeForGood)
}
