package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/report"
)

// databases are the copies of one database that searchd searches: those of searchd.conf, and the one of spider.cnf, which index
// writes. Each search has one of them from its beginning to its end. It is safe for concurrent use.
type databases struct {
	list   []*member                                        // in the order of DBAddr
	open   func(context.Context, string) (*store.DB, error) // opens one by its address
	use    string                                           // PrimarySearches
	maxLag time.Duration                                    // MaxStandbyLag

	working sync.WaitGroup
	stop    context.CancelFunc
	changed chan struct{} // has a place; tells that a member was opened or has failed for good

	mu        sync.Mutex
	turn      int64
	onLeave   func()             // called when a database does not answer any more
	primary   *member            // the last one that was known to be the primary; nil = none yet
	records   context.Context    // ends when another one becomes the primary
	replaced  context.CancelFunc // ends records
	unwritten bool               // it was logged that there is no primary
}

// Pauses and limits of probes. A server that does not answer a probe within probeTimeOut is left, and its searches go to another.
const (
	probePause   = time.Second
	probeTimeOut = 2 * time.Second
	longestRest  = 30 * time.Second // of a database that answers probes but fails searches
)

// newDatabases returns the databases of addrs. Nothing is opened before start.
func newDatabases(addrs []string, use string, maxLag time.Duration, open func(context.Context, string) (*store.DB, error)) *databases {
	d := &databases{open: open, use: use, maxLag: maxLag, changed: make(chan struct{}, 1)}
	d.records, d.replaced = context.WithCancel(context.Background())
	for _, addr := range addrs {
		m := &member{addr: addr, name: d.newName(store.ServerName(addr)), state: stateUnknown}
		m.alive, m.leave = context.WithCancel(context.Background())
		d.list = append(d.list, m)
	}
	return d
}

// newName returns a name that no database has: two addresses may differ in the account only.
func (d *databases) newName(name string) string {
	for n, free := 2, name; ; n++ {
		if !slices.ContainsFunc(d.list, func(m *member) bool { return m.name == free }) {
			return free
		}
		free = fmt.Sprintf("%s (%d)", name, n)
	}
}

// several reports whether there is more than one database. A single one is used whatever its state is.
func (d *databases) several() bool { return len(d.list) > 1 }

// start opens and probes the databases until close.
func (d *databases) start(ctx context.Context) {
	ctx, d.stop = context.WithCancel(ctx)
	for _, m := range d.list {
		d.working.Go(func() { d.keep(ctx, m) })
	}
}

// whenOneLeaves sets what is called when a database does not answer any more.
func (d *databases) whenOneLeaves(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.onLeave = f
}

// close closes all connections. No search may be running.
func (d *databases) close() {
	d.stop()
	d.working.Wait()
	for _, m := range d.list {
		if m.db != nil {
			m.db.Close()
		}
	}
	d.replaced()
}

// ready waits until a database can be searched: until each has answered or failed, or until some time after the first one. The error
// is that of the first database when none can be opened and waiting would not help, or that of ctx.
func (d *databases) ready(ctx context.Context) error {
	var enough <-chan time.Time
	for {
		open, waiting, failed := d.opened()
		switch {
		case open > 0 && waiting == 0:
			return nil
		case open == 0 && waiting == 0 && failed != nil:
			return failed
		case open > 0 && enough == nil:
			enough = time.After(probeTimeOut)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.changed:
		case <-enough:
			return nil
		}
	}
}

// opened counts the open databases and those that have neither answered nor failed yet. The error is nil unless all have failed
// for good.
func (d *databases) opened() (open, waiting int, failed error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.list {
		switch {
		case m.state == stateUnknown:
			waiting++
		case m.db != nil:
			open++
		}
	}
	for _, m := range d.list {
		if m.failed == nil {
			return open, waiting, nil
		}
	}
	return open, waiting, d.list[0].failed
}

// onOne runs f with a database. When the database fails, f runs once more, with another one. alone says that no other one is well:
// then f should wait a moment for a server that restarts.
func (d *databases) onOne(ctx context.Context, f func(ctx context.Context, m *member, alone bool) error) error {
	err := errNoDatabase
	var before *member
	for range 2 {
		m, more := d.take(before)
		if m == nil {
			return err
		}
		alone := before != nil || !more
		err = d.run(ctx, m, func(ctx context.Context) error { return f(ctx, m, alone) })
		if err == nil || ctx.Err() != nil || !elsewhere(err) {
			return err
		}
		d.blame(ctx, m, err)
		before = m
	}
	return err
}

var errNoDatabase = fmt.Errorf("none of the databases can be searched: %w", store.ErrUnavailable)

// errLeft is the reason for which the work on a database that does not answer is canceled.
var errLeft = fmt.Errorf("the database does not answer: %w", store.ErrUnavailable)

// run runs f on a database that was taken, until it is left.
func (d *databases) run(ctx context.Context, m *member, f func(context.Context) error) error {
	defer d.release(m)
	if !d.several() {
		return f(ctx)
	}
	alive := d.aliveOf(m)
	if alive.Err() != nil { // it is the last resort
		return f(ctx)
	}
	until, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(alive, cancel)()
	err := f(until)
	if err != nil && alive.Err() != nil && ctx.Err() == nil {
		return errLeft
	}
	return err
}

// elsewhere reports whether another copy may answer: the server is away or full, has canceled the statement, which a standby does
// when the statement hinders it from applying changes, cannot read its files, or has an older schema.
func elsewhere(err error) bool {
	if errors.Is(err, store.ErrUnavailable) {
		return true
	}
	switch store.Classify(err) {
	case store.Conflict, store.ConnectionLost, store.NoRoom:
		return true
	case store.Fatal, store.InvalidValue:
	}
	state := database.SQLState(err) + "  "
	return strings.Contains(" 42 57 58 XX ", " "+state[:2]+" ") && state[0] != ' '
}

// Search is lookup.Store.Search on one of the databases.
func (d *databases) Search(ctx context.Context, f func(*lookup.Tx) error) error {
	return d.onOne(ctx, func(ctx context.Context, m *member, alone bool) error {
		d.count(m)
		if alone {
			return lookup.New(m.db).Search(ctx, f)
		}
		return lookup.New(m.db).SearchOnce(ctx, f)
	})
}

// report runs f with a database, for the pages about the index.
func (d *databases) report(ctx context.Context, f func(context.Context, *report.Store) error) error {
	return d.onOne(ctx, func(ctx context.Context, m *member, _ bool) error { return f(ctx, report.New(m.db)) })
}

// ping asks a database for an answer.
func (d *databases) ping(ctx context.Context) error {
	return d.onOne(ctx, func(ctx context.Context, m *member, _ bool) error { return m.db.Ping(ctx) })
}

func (d *databases) count(m *member) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m.searches++
}

// Stay runs f with one database until another one is better.
func (d *databases) Stay(ctx context.Context, f func(context.Context, *lookup.Store) error) error {
	m, _ := d.take(nil)
	if m == nil {
		return errNoDatabase
	}
	d.release(m)
	if !d.several() {
		return f(ctx, lookup.New(m.db))
	}
	until, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for until.Err() == nil {
			select {
			case <-until.Done():
			case <-time.After(probePause):
				if d.better(m) {
					cancel()
				}
			}
		}
	}()
	err := f(until, lookup.New(m.db))
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case until.Err() != nil:
		return nil
	case elsewhere(err):
		d.blame(ctx, m, err)
	}
	return err
}

// The orders in which databases are used: the lowest first.
const (
	orderGood = iota
	orderPrimary
	orderLate
	orderAway
	orderNever
)

// order says when a database is used.
func (d *databases) order(m *member) int {
	primary := !m.at.IsZero() && !m.health.Standby
	switch {
	case m.db == nil || m.state == stateRefused:
		return orderNever
	case !d.several():
		return orderGood
	case primary && d.use == config.PrimaryNever:
		return orderNever
	case m.state == stateAway || m.state == stateUnknown:
		return orderAway
	case m.state != stateOK:
		return orderLate
	case primary && d.use == config.PrimaryFallback:
		return orderPrimary
	}
	return orderGood
}

// take chooses the database for a search: among the best ones that with the fewest searches, in turn. more says that there is
// another one that answers. The caller calls release.
func (d *databases) take(except *member) (best *member, more bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	usable := 0
	for _, m := range d.list {
		order := d.order(m)
		if m == except || order == orderNever {
			continue
		}
		if order < orderAway {
			usable++
		}
		if best == nil || order < d.order(best) || order == d.order(best) && (m.running < best.running || m.running == best.running && m.turn < best.turn) {
			best = m
		}
	}
	if best == nil {
		return nil, false
	}
	d.turn++
	best.running++
	best.turn = d.turn
	return best, usable > 1
}

func (d *databases) release(m *member) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m.running--
}

// better reports whether another database is to be preferred to m.
func (d *databases) better(m *member) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, other := range d.list {
		if d.order(other) < d.order(m) {
			return true
		}
	}
	return false
}

func (d *databases) aliveOf(m *member) context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	return m.alive
}
