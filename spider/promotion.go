package spider

import (
	"bytes"
	"context"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// mayLeaveGroup reports whether a live document may leave its clone group by an outcome.
func mayLeaveGroup(o *outcome) bool {
	switch {
	case o.settled:
		return o.status != statusAllowedAgain
	case ok(o, nil):
		return o.crc != o.due.CRC
	}
	return forbidden(o, &crawl.Previous{}) || redirect(o, nil) || notIndexed(o, nil) || badForGood(o, nil) || isSoft404(o, nil) && o.crc == o.due.CRC ||
		o.status == statusCanonical
}

// promotedContent returns the content that a successor takes over from its original: the same words, and
// the links resolved against its own URL when it was visited under the present rules. Otherwise it keeps
// the original's links until it is visited.
func (v *visit) promotedContent(ctx context.Context, o *outcome, doc *document.Document) (h crawl.PromotedContent, err error) {
	h = crawl.PromotedContent{
		Words: store.PackWords(words(doc)), WordCount: doc.WordCount, TotalCount: doc.TotalCount,
		Mode:   v.readingStored(),
		Itself: !forbidden(o, &crawl.Previous{}) && v.linksToItself(doc),
	}
	if o.settled {
		return h, nil
	}
	due, err := v.c.store.Look(ctx, o.successor)
	if err != nil {
		return h, err
	}
	successor := v.c.newVisit(v.token, &due)
	successor.policy = v.c.robots.known(successor.page)
	if successor.refused != "" || successor.policy == nil || !bytes.Equal(due.LinksHash, successor.linksHash()) {
		return h, nil
	}
	h.LinksHash, h.Links = due.LinksHash, []store.URLID{}
	if successor.follows(doc, due.IndexMode) {
		h.Links, err = successor.links(ctx, doc)
	}
	h.Links = withLink(h.Links, due.Canonical)
	return h, err
}
