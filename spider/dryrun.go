package spider

import (
	"cmp"
	"context"
	"slices"

	"github.com/pgseek/pgseek/store/crawl"
)

// Swept is the result of a dry run: the changes that a sweep under the present configuration would make.
type Swept struct {
	Looked       int64 // URLs tested
	Hidden, Back []SweptLine
	Live         int64         // documents
	Out          int64         // of them, those that would leave the index: hidden, or no longer indexed when they are visited
	Emptied      []EmptiedSite // sites with a Server line that would have no document left
}

// EmptiedSite is a site that would lose all its documents.
type EmptiedSite struct {
	Site      string
	Documents int64
}

// SweptLine counts the URLs that one line of sets.cnf would change. Documents are those that a search finds
// (after they came back).
type SweptLine struct {
	Where           string // file:line that decides, empty when none does
	Why             string // in words, empty for what would come back
	URLs, Documents int64
	Examples        []string // some of the URLs, documents first

	documents, others []string // the last ones that were looked at
}

// sweptExamples is how many URLs a SweptLine shows.
const sweptExamples = 10

// DryRun tests all registered URLs as a sweep does, and changes nothing (index --dry-run-rules). Of the
// options it uses those that decide about URLs and robots.txt.
func DryRun(ctx context.Context, s *crawl.Store, o Options) (Swept, error) {
	d := dryRun{scope: o.Scope, lines: make(map[sweptKey]*SweptLine), sites: make(map[string]*siteCount)}
	w := sweeper{c: atRest(s, o), policies: make(map[string]*policy), looked: d.look}
	err := w.walk(ctx, func(int, []decision) (bool, error) { return true, nil })
	return d.end(), err
}

// dryRun collects the result of a dry run.
type dryRun struct {
	scope *Scope
	swept Swept
	lines map[sweptKey]*SweptLine
	sites map[string]*siteCount // with live documents
}

// sweptKey distinguishes two lines of a dry run.
type sweptKey struct {
	back       bool
	where, why string
}

// siteCount counts the live documents of a site, and those that would leave the index.
type siteCount struct{ live, out int64 }

// look counts a URL. changed says whether the sweep would change it.
func (r *dryRun) look(d *decision, changed bool) {
	r.swept.Looked++
	live := !d.url.Deleted && d.url.Status.Base() == 200
	back := changed && d.status == statusAllowedAgain
	if !changed && live { // not the sweep, but the next visit makes it a 406
		d.where, d.cause = d.unindexed()
		changed = d.cause != ""
	}
	if changed {
		key := sweptKey{back, d.where, d.cause}
		if r.lines[key] == nil {
			r.lines[key] = &SweptLine{Where: d.where, Why: d.cause}
		}
		r.lines[key].add(d.url)
	}
	if !live {
		return
	}
	site := r.sites[d.page.Site]
	if site == nil {
		site = &siteCount{}
		r.sites[d.page.Site] = site
	}
	site.live++
	if changed && !d.duplicate { // the same page is in the index, by its canonical host
		site.out++
	}
}

// unindexed returns the line because of which a URL that the configuration allows is not indexed, and why; why is
// empty when it is.
func (r *ruleMatch) unindexed() (where, why string) {
	switch {
	case r.verdict == CheckOnly:
		return r.where, "CheckOnly"
	case r.server != nil && !r.server.Index && r.server.JumpPage:
		return r.server.Where, "JumpPage"
	case r.server != nil && !r.server.Index:
		return r.server.Where, "Index no"
	}
	return "", ""
}

// end returns the result.
func (r *dryRun) end() Swept {
	for key, l := range r.lines {
		l.end()
		if key.back {
			r.swept.Back = append(r.swept.Back, *l)
		} else {
			r.swept.Hidden = append(r.swept.Hidden, *l)
		}
	}
	for _, list := range [][]SweptLine{r.swept.Hidden, r.swept.Back} {
		slices.SortFunc(list, func(a, b SweptLine) int {
			return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(b.URLs, a.URLs), cmp.Compare(a.Where, b.Where), cmp.Compare(a.Why, b.Why))
		})
	}
	for name, site := range r.sites {
		r.swept.Live += site.live
		r.swept.Out += site.out
		if site.out == site.live && r.scope.hasServer(name) {
			r.swept.Emptied = append(r.swept.Emptied, EmptiedSite{name, site.live})
		}
	}
	slices.SortFunc(r.swept.Emptied, func(a, b EmptiedSite) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Site, b.Site))
	})
	return r.swept
}

// TooMuch reports whether the configuration would take out more than an operator changes on purpose without being
// asked: more than a share of all live documents, or all of a site that still has a Server line, however small.
func (s *Swept) TooMuch(share float64) bool {
	return float64(s.Out) > share*float64(s.Live)+shareSlack || len(s.Emptied) > 0
}

// add counts a URL. The walk goes down the ids, and the examples are those with the lowest ones.
func (l *SweptLine) add(k crawl.RegisteredURL) {
	l.URLs++
	list := &l.others
	if k.Status.Base() == 200 {
		l.Documents++
		list = &l.documents
	}
	*list = append(*list, k.URL)
	if len(*list) > sweptExamples {
		*list = slices.Delete(*list, 0, 1)
	}
}

// end makes the examples: documents go before other URLs.
func (l *SweptLine) end() {
	slices.Reverse(l.documents)
	slices.Reverse(l.others)
	l.Examples = slices.Concat(l.documents, l.others)
	l.Examples = l.Examples[:min(len(l.Examples), sweptExamples)]
}
