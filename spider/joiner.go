package spider

import (
	"context"
	"sync"
)

// joiner makes one call of several: what comes while a call is under way goes into the next one, together. A
// lone call does not wait. The calls have a context of their own, so none ends because one that takes part in
// it is canceled.
type joiner[T, R any] struct {
	ctx  context.Context
	most int                                               // items of a call
	call func(ctx context.Context, items []T) ([]R, error) // one result for each item, in their order

	mu      sync.Mutex
	busy    bool
	waiting []*joined[T, R]
}

// joined is an item of a call.
type joined[T, R any] struct {
	item   T
	result R
	err    error
	called chan bool // false = it has to make the call itself
}

func newJoiner[T, R any](ctx context.Context, most int, call func(context.Context, []T) ([]R, error)) *joiner[T, R] {
	return &joiner[T, R]{ctx: ctx, most: most, call: call}
}

// do returns the result of an item. An error of a call is that of all its items. A caller that is canceled
// already asks for nothing.
func (j *joiner[T, R]) do(ctx context.Context, item T) (R, error) {
	own := &joined[T, R]{item: item, called: make(chan bool, 1)}
	if err := ctx.Err(); err != nil {
		return own.result, err
	}
	j.mu.Lock()
	if j.busy {
		j.waiting = append(j.waiting, own)
		j.mu.Unlock()
		if <-own.called {
			return own.result, own.err
		}
		j.mu.Lock()
	}
	j.busy = true
	n := min(len(j.waiting), j.most-1)
	others := j.waiting[:n:n]
	j.waiting = j.waiting[n:]
	j.mu.Unlock()

	items := make([]T, 1, 1+n)
	items[0] = item
	for _, o := range others {
		items = append(items, o.item)
	}
	results, err := j.call(j.ctx, items)

	j.mu.Lock()
	if j.busy = len(j.waiting) > 0; j.busy {
		j.waiting[0].called <- false
		j.waiting = j.waiting[1:]
	}
	j.mu.Unlock()
	for i, o := range others {
		if o.err = err; err == nil {
			o.result = results[i+1]
		}
		o.called <- true
	}
	if err != nil {
		return own.result, err
	}
	return results[0], nil
}
