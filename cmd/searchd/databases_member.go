package main

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/store"
)

// member is one of the databases. The mutex of databases guards its fields.
type member struct {
	addr, name string
	db         *store.DB // nil = not opened yet. Set once
	failed     error     // why it cannot be opened, if waiting does not help

	state  string // see databases_state.go
	cause  string // of a state that is not stateOK
	since  time.Time
	health store.Health // of the last probe that was answered
	at     time.Time    // of that probe
	way    progress
	lag    time.Duration

	rest    time.Duration // how long it is left when a search fails
	resting time.Time     // until when it is left

	alive context.Context // ends when probes are not answered: searches in progress are repeated elsewhere
	leave context.CancelFunc

	running        int
	turn           int64
	searches, left int64
}

// keep opens a database and then probes it, until ctx ends.
func (d *databases) keep(ctx context.Context, m *member) {
	if !d.openOne(ctx, m) {
		return
	}
	probe := m.db.Probe()
	defer probe.Close()
	for ctx.Err() == nil {
		asking, cancel := context.WithTimeout(ctx, probeTimeOut)
		h, err := probe.Ask(asking)
		cancel()
		if ctx.Err() != nil {
			return
		}
		d.answered(ctx, m, h, err)
		select {
		case <-ctx.Done():
		case <-time.After(probePause):
		}
	}
}

// openOne opens a database, retrying until it answers. It gives up, and returns false, when ctx ends, or when waiting does not
// help and there is no other database.
func (d *databases) openOne(ctx context.Context, m *member) bool {
	said := ""
	for pause := connectPause; ; pause = min(2*pause, connectPauseMax) {
		db, err := d.open(ctx, m.addr)
		if ctx.Err() != nil {
			if err == nil {
				db.Close()
			}
			return false
		}
		d.mu.Lock()
		m.db, m.failed = db, nil
		if err != nil {
			m.db = nil
			if !passes(err) {
				m.failed = err
			}
			m.state, m.cause, m.since = stateAway, database.OneLine(err), time.Now()
		}
		failed := m.failed
		d.mu.Unlock()
		switch {
		case err == nil:
			return true
		case failed != nil && !d.several():
			d.tell()
			return false
		case !d.several():
			slog.WarnContext(ctx, "cannot reach the database; searches are answered 503 until it answers", "again_in", pause, "cause", m.cause)
		case said != m.cause:
			said = m.cause
			slog.WarnContext(ctx, "cannot reach a database; it is tried again until it answers", "database", m.name, "cause", said)
		}
		d.tell()
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
}

// tell wakes ready.
func (d *databases) tell() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// answered takes in the result of a probe.
func (d *databases) answered(ctx context.Context, m *member, h store.Health, err error) {
	defer d.tell()
	if database.SQLState(err) == "55000" { // it was promoted during the probe
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if err != nil {
		m.way = progress{}
		m.leave()
		d.enter(ctx, m, stateAway, database.OneLine(err))
		return
	}
	if m.alive.Err() != nil {
		m.alive, m.leave = context.WithCancel(context.Background())
	}
	m.health, m.at = h, now
	m.way.note(now, h.Received)
	if m.state == stateUnknown || m.state == stateAway && !now.Before(m.resting) {
		m.cause = ""
	}
	d.judge(ctx, now)
}

// blame leaves a database that has failed a search, until a later probe.
func (d *databases) blame(ctx context.Context, m *member, err error) {
	if !d.several() {
		return
	}
	if state := database.SQLState(err); state == "57014" || strings.HasPrefix(state, "42") {
		return // a limit of the server, or something about this search: the database is well
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if m.state == stateAway || m.state == stateRefused {
		return
	}
	now := time.Now()
	if now.Sub(m.resting) > time.Minute {
		m.rest = 0
	}
	m.rest = min(max(2*m.rest, probePause), longestRest)
	m.resting = now.Add(m.rest)
	state := stateAway
	if store.Classify(err) == store.Conflict {
		state = stateConflict
	}
	d.enter(ctx, m, state, database.OneLine(err))
}
