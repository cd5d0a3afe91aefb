package search

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// EngineOptions hold for all searches of an Engine (searchd.conf, rules.md 2.4).
type EngineOptions struct {
	SiteWeights map[string]int // by site name, http://host[:port]/: more goes first; 0 for all others
	CacheBytes  int            // of postings and texts kept in memory; 0 = 64 MiB
	// Memory keeps that of the whole process below 200 MB and 8 bytes a URL (design.md 8) as long as the garbage collector can: it
	// works harder beyond. For a program that does nothing but search.
	Memory bool
	// Rules are those by which the documents were read (spider.cnf): excerpts are cut by them. Nil = the defaults.
	Rules *document.Rules
	// Normalize makes of an address, as somebody typed it, what it is in the index. Nil = nothing.
	Normalize func(url string) (string, error)
}

// defaultCache leaves most of searchd's 200 MB to the searches (design.md 8).
const defaultCache = 64 << 20

// An Engine answers searches from the index in a database. It is safe for concurrent use.
type Engine struct {
	store *lookup.Store
	o     EngineOptions
	cache *blobCache
	kept  wordCache
	shown *lru[store.URLID, *cachedDocument]
	facts atomic.Pointer[docValues]
}

// NewEngine reads what the engine keeps in memory of all documents. It is as of now until Follow renews it.
func NewEngine(ctx context.Context, s *lookup.Store, o EngineOptions) (*Engine, error) {
	if o.CacheBytes == 0 {
		o.CacheBytes = defaultCache
	}
	if o.Rules == nil {
		rules, err := document.NewRules(document.Rules{})
		if err != nil {
			return nil, err
		}
		o.Rules = rules
	}
	e := &Engine{store: s, o: o, cache: newBlobCache(o.CacheBytes), shown: newLRU[store.URLID, *cachedDocument](shownBytes)}
	return e, e.renew(ctx)
}

func (e *Engine) renew(ctx context.Context) error {
	f, err := readFacts(ctx, e.store, e.facts.Load())
	if err != nil {
		return fmt.Errorf("read ranks and dates: %w", err)
	}
	e.facts.Store(f)
	if e.o.Memory {
		debug.SetMemoryLimit(memoryLimit(max(len(f.links), len(f.dates))))
	}
	return nil
}

// memoryLimit is what the runtime may take of the memory of a search program: the program itself takes the rest.
func memoryLimit(urls int) int64 {
	const all, program = 200 << 20, 40 << 20
	return all - program + 8*int64(urls)
}

// Pauses of Follow: a merge says after each batch that the index has changed, and a database that is away may be so
// for long.
const (
	renewPause  = time.Second
	followPause = 2 * time.Second
)

// Follow renews link ranks and dates whenever a merge has changed them, until ctx ends. What breaks is logged and tried
// again: searches go on with what they have.
func (e *Engine) Follow(ctx context.Context) {
	changed := make(chan struct{}, 1)
	go func() {
		for ctx.Err() == nil {
			err := e.store.WatchIndex(ctx, func(string) {
				select {
				case changed <- struct{}{}:
				default: // it is known already
				}
			})
			if ctx.Err() == nil {
				slog.WarnContext(ctx, "cannot listen for index changes; retrying", "cause", err)
				sleep(ctx, followPause)
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		if err := e.renew(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "cannot reload link ranks and dates; using the previous ones", "cause", err)
		}
		sleep(ctx, renewPause)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
