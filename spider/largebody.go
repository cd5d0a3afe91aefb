package spider

import (
	"context"
	"runtime"

	"github.com/pgseek/pgseek/document"
	"golang.org/x/sync/semaphore"
)

// There may be a thousand fetchers, and each may meet a page of several megabytes. Most fetchers wait for their hosts, and most pages
// are small. So few large bodies are kept at a time, and few pages are parsed at a time.

// MaxLargeBodies is how many bodies of more than fetch.LargeBody bytes are kept at a time: up to 12 MiB each, with their words and texts.
const MaxLargeBodies = 64

func newLargeBodies() *semaphore.Weighted { return semaphore.NewWeighted(MaxLargeBodies) }

// permit is the right of a visit to keep a large body.
type permit struct{ of *semaphore.Weighted }

// take waits for the permit, unless the visit has it.
func (p *permit) take(ctx context.Context, of *semaphore.Weighted) error {
	if p.of != nil {
		return nil
	}
	if err := of.Acquire(ctx, 1); err != nil {
		return err
	}
	p.of = of
	return nil
}

// release gives the permit back, if the visit has it.
func (p *permit) release() {
	if p.of != nil {
		p.of.Release(1)
		p.of = nil
	}
}

// newParsers bounds the pages that are parsed at a time.
func newParsers() *semaphore.Weighted {
	return semaphore.NewWeighted(int64(2 * runtime.GOMAXPROCS(0)))
}

// parse parses a page that was received, when its turn comes.
func (v *visit) parse(ctx context.Context, body []byte, contentType string) (*document.Document, error) {
	if err := v.c.parsers.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer v.c.parsers.Release(1)
	return parse(ctx, body, contentType, v.rules())
}
