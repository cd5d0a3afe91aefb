package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/store"
)

// The states of a database, as /status and /metrics name them.
const (
	stateUnknown  = ""         // it has neither answered nor failed
	stateOK       = "ok"       // it is searched
	stateBehind   = "behind"   // a standby further behind than MaxStandbyLag
	stateConflict = "conflict" // a standby that has canceled a search to apply changes
	stateAway     = "away"     // it does not answer, or has failed a search
	stateRefused  = "refused"  // it is no copy of the others
)

// startDistance is the WAL in bytes that a standby may lack when it is probed for the first time, before its way is known.
const startDistance = 16 << 20

// judge sets the states of all databases that answer, and the primary. The caller holds the mutex.
func (d *databases) judge(ctx context.Context, now time.Time) {
	d.choosePrimary(ctx)
	first := d.firstKnown()
	for _, m := range d.list {
		if m.db == nil || m.at.IsZero() || m.alive.Err() != nil {
			continue
		}
		m.lag = d.lagOf(m)
		newest := d.newestPrimary()
		switch h := &m.health; {
		case now.Before(m.resting):
		case h.Cluster != first.health.Cluster || h.Database != first.health.Database:
			d.enter(ctx, m, stateRefused, "it is no copy of "+first.name+": another cluster or another database")
		case !h.Standby && h.Timeline < newest.health.Timeline: // of the same timeline it is the same server, by another address
			d.enter(ctx, m, stateRefused, "it was the primary before "+newest.name+": make it a standby of that")
		case h.Standby && m.lag > d.maxLag:
			d.enter(ctx, m, stateBehind, fmt.Sprintf("it is %s behind", m.lag.Round(time.Second)))
		default:
			d.enter(ctx, m, stateOK, "")
		}
	}
	d.tellUnwritten(ctx)
}

// firstKnown returns the first database that has answered: the others must be copies of it.
func (d *databases) firstKnown() *member {
	for _, m := range d.list {
		if !m.at.IsZero() {
			return m
		}
	}
	return nil
}

// lagOf returns how far a standby is behind the databases that answer, itself included: it may have received what it has not applied.
func (d *databases) lagOf(m *member) (lag time.Duration) {
	if !m.health.Standby {
		return 0
	}
	for _, other := range d.list {
		if other.at.IsZero() || other.alive.Err() != nil {
			continue
		}
		lag = max(lag, other.way.behind(m.at, m.health.Written))
		if other.health.Received-m.health.Written > startDistance && m.health.Applied > d.maxLag {
			lag = max(lag, m.health.Applied)
		}
	}
	return lag
}

// newestPrimary returns the primary of the newest timeline among the databases that answer, nil = none.
func (d *databases) newestPrimary() (newest *member) {
	for _, m := range d.list {
		if !m.at.IsZero() && m.alive.Err() == nil && !m.health.Standby && (newest == nil || m.health.Timeline > newest.health.Timeline) {
			newest = m
		}
	}
	return newest
}

// choosePrimary notices another primary. One that does not answer stays the primary: it may come back.
func (d *databases) choosePrimary(ctx context.Context) {
	now := d.newestPrimary()
	if now == nil || now == d.primary || d.primary != nil && d.primary.health.Timeline > now.health.Timeline {
		return
	}
	first := d.primary == nil
	d.primary = now
	d.replaced()
	d.records, d.replaced = context.WithCancel(context.Background())
	if d.several() || !first {
		slog.InfoContext(ctx, "searches are recorded on the primary", "database", now.name)
	}
}

// tellUnwritten logs once that no database can record searches.
func (d *databases) tellUnwritten(ctx context.Context) {
	if d.unwritten || !d.onlyStandbys() {
		return
	}
	d.unwritten = true
	slog.WarnContext(ctx, "searches are not recorded: searchd.conf names standbys only, and spider.cnf does not name their primary")
}

// onlyStandbys reports whether all databases have answered and no primary was ever among them.
func (d *databases) onlyStandbys() bool {
	if d.primary != nil {
		return false
	}
	for _, m := range d.list {
		if m.at.IsZero() {
			return false
		}
	}
	return true
}

// enter sets the state of a database, and logs when it leaves and when it is back. The caller holds the mutex.
func (d *databases) enter(ctx context.Context, m *member, state, cause string) {
	before, since := m.state, m.since
	m.cause = cause
	if before == state {
		return
	}
	m.state, m.since = state, time.Now()
	switch {
	case !d.several():
	case before == stateOK || before == stateUnknown && state != stateOK:
		slog.WarnContext(ctx, "a database is left; the others answer its searches", "database", m.name, "state", state, "cause", cause)
	case before != stateUnknown && state == stateOK:
		slog.InfoContext(ctx, "a database is back", "database", m.name, "after", time.Since(since).Round(time.Second))
	}
	if before == stateOK {
		m.left++
	}
	if state == stateAway && d.onLeave != nil {
		d.onLeave()
	}
}

// recording returns the database that records searches; nil = it is not known yet. None says that there is none. The context ends
// when another one takes its place.
func (d *databases) recording() (db *store.DB, until context.Context, none bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.primary != nil {
		db = d.primary.db
	}
	return db, d.records, d.onlyStandbys()
}

// states returns the states for /status and /metrics.
func (d *databases) states() (all []web.Database) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.list {
		state := m.state
		if state == stateUnknown {
			state = stateAway
		}
		all = append(all, web.Database{
			Name: m.name, State: state, Primary: !m.at.IsZero() && !m.health.Standby, Lag: m.lag,
			Running: m.running, Searches: m.searches, Left: m.left,
		})
	}
	return all
}

// role returns the role with which searches run: that of the login, empty, if any of the open databases has no other.
func (d *databases) role() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	role := store.SearchRole
	for _, m := range d.list {
		if m.db != nil && m.db.Role() == "" {
			role = ""
		}
	}
	return role
}
