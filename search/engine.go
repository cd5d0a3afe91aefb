package search

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// EngineOptions apply to all searches of an Engine. Most come from searchd.conf.
type EngineOptions struct {
	SiteWeights map[string]int // by site name, http://host[:port]/: higher weights first; 0 for all others
	// Weigh returns the factor of the scores of a document by its URL (Weight). It is called once for each. Nil = 1 for all.
	Weigh      func(url string) float64
	CacheBytes int // of postings and texts kept in memory; 0 = 64 MiB
	// Memory keeps the memory of the whole process below 200 MB, 10 bytes for each URL and twice Suggest.Bytes: the garbage
	// collector works harder when that is used up. It is for programs that only search.
	Memory bool
	// Suggest says what is suggested while somebody types.
	Suggest SuggestOptions
	// Rules are the rules by which the documents were parsed (spider.cnf). Excerpts are cut by them. Nil =
	// the defaults.
	Rules *document.Rules
	// Normalize returns the normal form of an address that a person typed. Nil = addresses are used as typed.
	Normalize func(url string) (string, error)
}

// defaultCache leaves most of searchd's 200 MB to the searches.
const defaultCache = 64 << 20

// A Source gives an engine its database: a *lookup.Store, or several databases that are copies of one.
type Source interface {
	// Search runs f on one snapshot of one database. It may run f again on another one, when the first could not answer.
	Search(ctx context.Context, f func(*lookup.Tx) error) error
	// Stay runs f with one database. It ends the context of f, and returns nil, when another one is to be preferred.
	Stay(ctx context.Context, f func(context.Context, *lookup.Store) error) error
}

// An Engine answers searches from the index in a database. It is safe for concurrent use.
type Engine struct {
	source        Source
	watched       atomic.Pointer[lookup.Store] // the database whose changes are noticed; nil = none yet
	o             EngineOptions
	cache         *blobCache
	words         wordCache
	documentCache *lru[store.URLID, *cachedDocument]
	values        atomic.Pointer[docValues]
	languages     atomic.Pointer[[]string] // of the documents
	vocabulary    atomic.Pointer[Vocabulary]
	siteWeights   atomic.Pointer[map[string]int]
	weigh         atomic.Pointer[func(url string) float64] // of nil = 1 for all
	noQueries     atomic.Bool                              // searches of others are not suggested
	renewing      sync.Mutex
	resuggest     chan struct{}               // the suggestions have to be read again
	suggestions   atomic.Pointer[suggestions] // nil = not read yet
}

// NewEngine returns an engine and reads the values of all documents that it keeps in memory. They are as of
// now until Follow reloads them.
func NewEngine(ctx context.Context, s Source, o EngineOptions) (*Engine, error) {
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
	e := &Engine{
		source: s, o: o, cache: newBlobCache(o.CacheBytes), documentCache: newLRU[store.URLID, *cachedDocument](documentCacheBytes),
		resuggest: make(chan struct{}, 1),
	}
	e.SetSiteWeights(o.SiteWeights)
	e.noQueries.Store(!o.Suggest.Queries)
	return e, e.SetWeights(ctx, o.Weigh)
}

// renew reads the values of all documents again.
func (e *Engine) renew(ctx context.Context) error {
	e.renewing.Lock()
	defer e.renewing.Unlock()
	return e.read(ctx, e.values.Load(), *e.weigh.Load())
}

// onWatched runs f with the database whose changes are noticed: what another one has may be older, and nothing would tell when
// that changes.
func (e *Engine) onWatched(ctx context.Context, f func(context.Context, *lookup.Store) error) error {
	if s := e.watched.Load(); s != nil {
		return f(ctx, s)
	}
	return e.source.Stay(ctx, f)
}

// Forget empties the caches of postings, words and documents. Their keys and states tell two states of one history apart. A
// database that takes the place of another one, without its last transactions, has another history from there on.
func (e *Engine) Forget() {
	e.words.forget()
	e.cache.clear()
	e.documentCache.clear()
}

// read reads the values of all documents. before has the weights that are known; nil = none.
func (e *Engine) read(ctx context.Context, before *docValues, weigh func(url string) float64) error {
	var f *docValues
	var languages []string
	err := e.onWatched(ctx, func(ctx context.Context, s *lookup.Store) (err error) {
		if f, err = readDocValues(ctx, s, before, weigh); err != nil {
			return fmt.Errorf("read ranks, dates, lengths and kinds: %w", err)
		}
		if languages, err = readLanguages(ctx, s); err != nil {
			return fmt.Errorf("read languages: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if f == nil || languages == nil {
		return errLeft
	}
	e.values.Store(f)
	e.languages.Store(&languages)
	if e.o.Memory {
		debug.SetMemoryLimit(memoryLimit(max(len(f.links), len(f.dates))) + 2*int64(e.o.Suggest.Bytes))
	}
	return nil
}

// errLeft says that the database was left before everything was read.
var errLeft = fmt.Errorf("the database was left meanwhile: %w", store.ErrUnavailable)

// memoryLimit returns the limit for the Go runtime in a search program. The code of the program takes the
// rest.
func memoryLimit(urls int) int64 {
	const all, program = 200 << 20, 40 << 20
	return all - program + 10*int64(urls)
}

// Pauses of Follow: a merge notifies after each batch, and a database may be unavailable for a long time.
const (
	renewPause  = time.Second
	followPause = 2 * time.Second
)

// Follow reloads link ranks, dates and suggestions whenever a merge has changed them, until ctx ends. Errors are logged
// and retried; meanwhile searches use the previous values.
func (e *Engine) Follow(ctx context.Context) {
	changed, suggest := make(chan struct{}, 1), e.resuggest
	go e.followSuggestions(ctx, suggest)
	go func() {
		for again := false; ctx.Err() == nil; again = true {
			err := e.source.Stay(ctx, func(ctx context.Context, s *lookup.Store) error {
				if again {
					e.Forget()
				}
				e.watched.Store(s)
				return s.WatchIndex(ctx, func(what string) {
					notify(suggest)
					if what != store.SuggestionsChanged {
						notify(changed)
					}
				})
			})
			if err != nil && ctx.Err() == nil {
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

// notify wakes the reader of a channel with one place.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // already notified
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// Languages returns the languages of the documents, as of the last merge that the engine has noticed.
func (e *Engine) Languages() []string { return *e.languages.Load() }
