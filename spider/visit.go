package spider

import (
	"context"
	"time"

	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// visit is one URL on its way through the crawler. It is made where a batch begins: the URL is parsed and
// compared with the configuration once. The steps are its methods: attempt.go (rules, robots.txt, request,
// judgement), read.go (body, stored content), links.go (links and redirects), reachable.go (--respider),
// record.go (the document transaction).
type visit struct {
	c         *crawler
	token     crawl.Token   // of the lease; without a schedule it has the run only
	due       *crawl.Due    // the row as it was leased, or as the last look found it
	policy    *policy       // of the host's robots.txt; nil until the attempt
	ruleMatch               // the parsed URL, its Server, and what the configuration says of it
	pace      int           // 1 = CrawlFrequently, -1 = CrawlInfrequently
	forced    bool          // ForceRecrawl, or to be converted again
	requests  int           // sent for the URL so far
	answers   time.Duration // how long they took
	whole     bool          // a new body is read whatever other documents have it
	large     permit        // to keep a large body
	unasked   bool          // the host asked for a pause before the URL was visited
}

// newVisit returns the visit of a due URL. One that cannot be parsed is refused.
func (c *crawler) newVisit(token crawl.Token, due *crawl.Due) *visit {
	page, err := weburl.ParseNormalized(due.URL)
	if err != nil {
		return &visit{c: c, token: token, due: due, ruleMatch: ruleMatch{refused: err.Error()}}
	}
	return c.newParsedVisit(token, due, page)
}

// newParsedVisit returns the visit of a due URL that is parsed already.
func (c *crawler) newParsedVisit(token crawl.Token, due *crawl.Due, page weburl.URL) *visit {
	v := &visit{
		c: c, token: token, due: due, ruleMatch: c.o.Scope.match(page, due.Hops),
		pace: c.o.Scope.Pace(page), forced: c.o.Scope.Forced(page) || due.Reconvert,
	}
	v.asListing()
	v.asArchive()
	return v
}

// visits returns the visits of a lease, in the order of its batch.
func (c *crawler) visits(lease *crawl.Lease) []*visit {
	list := make([]*visit, len(lease.URLs))
	for i := range lease.URLs {
		due := &lease.URLs[i]
		list[i] = c.newVisit(crawl.Token{Seq: lease.Seq, Attempt: lease.Attempt, Place: due.Place, Run: c.run}, due)
	}
	return list
}

// run attempts the URL and hands the outcome to the recorder.
func (v *visit) run(ctx context.Context, records *scheduledRecords) error {
	defer v.large.release()
	o, err := v.attempt(ctx)
	if store.BadValue(err) {
		o, err = v.faulty(err), nil
	}
	if err == nil {
		err = v.reach(ctx, o)
	}
	if err != nil {
		return err
	}
	return records.hand(ctx, v, o)
}
