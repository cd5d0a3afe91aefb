package search

import (
	"context"
	"errors"
	"slices"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// checkEvery is how many documents are found between two looks at whether the search is still wanted, and how many are
// asked about at once whether they are still there.
const checkEvery = 4096

// rankAtOnce is how many documents are ranked at once.
const rankAtOnce = 64

// evaluate goes through what matches, in the order of the index, and hands it to the collector.
func (p *plan) evaluate(ctx context.Context, f *docValues, c *collector) error {
	root := p.root()
	root.scan()
	d := p.req.Dates
	if d != (Dates{}) {
		filter := &dateFilter{from: 0, to: 1<<63 - 1, of: func(url int32) int64 { return p.date(f, url) }}
		if !d.From.IsZero() {
			filter.from = d.From.Unix()
		}
		if !d.To.IsZero() {
			filter.to = d.To.Unix()
		}
		p.filters = append(p.filters, filter)
	}
	// Several at once: each link rank stands somewhere else in memory.
	hits := make([]found, rankAtOnce)
	if !p.goneAll {
		hits = make([]found, checkEvery)
	}
	s := p.scorer(root, f, c)
	n, ready := 0, 0
next:
	for at := place(1); ; at++ {
		if at = root.seek(at); at == noPlace {
			break
		}
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for _, w := range p.filters {
			if q := w.next(at); q == noPlace {
				break next
			} else if q > at {
				at = q - 1
				continue next
			}
		}
		if p.gone.has(at.url()) {
			continue
		}
		hit := &hits[ready]
		hit.at = at
		s.score(hit)
		if ready++; ready == len(hits) {
			if err := p.collect(ctx, hits, f, c); err != nil {
				return err
			}
			ready = 0
		}
	}
	if err := p.load.err; err != nil {
		return err
	}
	return p.collect(ctx, hits[:ready], f, c)
}

// A scorer scores documents. Where the words of an And stand is looked at only when the document may be shown: most match and are not.
type scorer struct {
	root      cursor
	words     *allCursor // the root, if it is an And of words and ranks decide; else nil
	facts     *docValues
	collector *collector
}

func (p *plan) scorer(root cursor, f *docValues, c *collector) *scorer {
	s := &scorer{root: root, facts: f, collector: c}
	if all, ok := root.(*allCursor); ok && len(all.words) > 1 && p.req.Order == ByRank && len(p.weights) == 0 {
		s.words = all
	}
	return s
}

// score scores the document at which the root stands. One that is not to be shown may get a score that is too high, and not high
// enough all the same.
func (s *scorer) score(hit *found) {
	if s.words != nil {
		if bar := s.collector.bar(hit.at.site()); bar > 0 {
			s.words.bound(&hit.score)
			if rankOf(hit.score, s.facts.linkAtMost(hit.at.url())) < bar {
				return
			}
		}
	}
	s.root.score(&hit.score)
}

// collect gives documents that match their rank, and hands over those that are still there.
func (p *plan) collect(ctx context.Context, hits []found, f *docValues, c *collector) error {
	p.rankAll(hits, f, c)
	if !p.goneAll {
		return p.scoreCandidates(ctx, hits, c)
	}
	for i := range hits {
		c.add(&hits[i])
	}
	return nil
}

// root is the cursor of the whole query.
func (p *plan) root() cursor {
	if p.linking != nil {
		return p.linking
	}
	return p.cursor(p.req.Query.Root)
}

// rankAll says what documents that were found are worth, 0 when it is known that they are not to be shown: the link rank of each
// stands somewhere else in memory, and waiting for it took a sixth of a query of one frequent word.
func (p *plan) rankAll(hits []found, f *docValues, c *collector) {
	if p.req.Order == ByDate {
		for i := range hits {
			h := &hits[i]
			h.rank, h.weight = uint32(p.date(f, h.at.url())), p.weights[h.at.site()]
		}
		return
	}
	bar := uint32(0)
	if len(p.weights) == 0 && !c.groups {
		bar = c.bar(0)
	}
	for i := range hits {
		h := &hits[i]
		h.rank, h.link = 0, 0
		if bar > 0 && rankOf(h.score, f.linkAtMost(h.at.url())) < bar {
			continue
		}
		h.link = f.link(h.at.url())
		h.rank = rankOf(h.score, h.link)
		if len(p.weights) > 0 {
			h.weight = p.weights[h.at.site()]
		}
	}
}

// date is when a document last changed, in epoch seconds, 0 when nobody knows.
func (p *plan) date(f *docValues, url int32) int64 {
	if at, ok := p.dates[url]; ok {
		return at.Unix()
	}
	return f.date(url)
}

// scoreCandidates collects those of the documents that are still there.
func (p *plan) scoreCandidates(ctx context.Context, hits []found, c *collector) error {
	if len(hits) == 0 {
		return nil
	}
	urls := make([]store.URLID, len(hits))
	for i := range hits {
		urls[i] = store.URLID(hits[i].at.url())
	}
	p.look.GoneOf(urls, func(u store.URLID) { p.gone.add(int32(u)) })
	if err := p.look.Send(ctx); err != nil {
		return err
	}
	for i := range hits {
		if !p.gone.has(hits[i].at.url()) {
			c.add(&hits[i])
		}
	}
	p.gone.clear()
	return nil
}

// askLink finds the documents that link to an address: to itself, with a / behind it if it is not known without, and to
// where it redirects (aspseek.md 9.1). A clone is linked to under its own address, so that of its original counts, too.
func (p *plan) askLink(ctx context.Context, addresses []string) error {
	p.linking = &listCursor{}
	var targets []store.URLID
	for _, address := range addresses {
		p.look.URL(address, func(u lookup.SearchURL) { targets = append(targets, u.ID) })
		if err := p.look.Send(ctx); err != nil {
			return err
		}
		if len(targets) > 0 {
			break
		}
	}
	if len(targets) == 0 {
		p.notes = append(p.notes, query.Note{Kind: query.UnknownAddress, Text: query.Quote(p.req.Query.Link) + " is not in the index."})
		return nil
	}
	p.look.Chain(targets[0], func(u store.URLID) {
		if !slices.Contains(targets, u) {
			targets = append(targets, u)
		}
	})
	if err := p.look.Send(ctx); err != nil {
		return err
	}
	p.look.Referrers(targets, func(site store.SiteID, u store.URLID) {
		p.linking.places = append(p.linking.places, placeOf(int32(site), int32(u)))
	})
	return p.look.Send(ctx)
}

var errNoQuery = errors.New("search: request without a query")
