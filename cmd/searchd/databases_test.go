package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/store"
)

// probed returns databases a, b and c, and a function that answers a probe of the one with that number. Nothing is connected.
func probed(t *testing.T, use string) (*databases, func(n int, h store.Health, err error)) {
	t.Helper()
	d := newDatabases([]string{"host=a", "host=b", "host=c"}, use, 10*time.Second, nil)
	for _, m := range d.list {
		m.db = &store.DB{}
	}
	return d, func(n int, h store.Health, err error) {
		h.Cluster, h.Database = 7, h.Database+"web"
		h.Received = max(h.Received, h.Written)
		d.answered(t.Context(), d.list[n], h, err)
	}
}

// taken returns the databases that the next searches get.
func taken(d *databases, searches int) (names string) {
	for _, m := range d.list {
		m.turn = 0
	}
	for range searches {
		if m, _ := d.take(nil); m != nil {
			d.release(m)
			names += m.name[:1]
		}
	}
	return names
}

var standbyAt100, primaryAt100 = store.Health{Standby: true, Written: 100}, store.Health{Written: 100, Timeline: 1}

func TestSearchesAreSpreadOverStandbys(t *testing.T) {
	for _, c := range []struct{ use, well, oneAway, bothAway, allAway string }{
		{config.PrimaryFallback, "abab", "bbbb", "cccc", "abca"},
		{config.PrimaryAlways, "abca", "bcbc", "cccc", "abca"},
		{config.PrimaryNever, "abab", "bbbb", "abab", "abab"},
	} {
		d, probe := probed(t, c.use)
		for n, h := range []store.Health{standbyAt100, standbyAt100, primaryAt100} {
			probe(n, h, nil)
		}
		got := []string{taken(d, 4)}
		for n := range 3 {
			probe(n, store.Health{}, context.DeadlineExceeded)
			got = append(got, taken(d, 4))
		}
		if want := []string{c.well, c.oneAway, c.bothAway, c.allAway}; strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("PrimarySearches %s: %q, want %q", c.use, got, want)
		}
	}
}

func TestTheLeastBusyStandbyIsTaken(t *testing.T) {
	d, probe := probed(t, config.PrimaryFallback)
	probe(0, standbyAt100, nil)
	probe(1, standbyAt100, nil)
	first, _ := d.take(nil) // stays busy
	if got := taken(d, 3); strings.Contains(got, first.name[:1]) {
		t.Errorf("%s is busy, and the next searches got %q", first.name, got)
	}
}

func TestStatesOfDatabases(t *testing.T) {
	states := func(d *databases) (all string) {
		for _, s := range d.states() {
			all += " " + s.State
		}
		return all[1:]
	}
	d, probe := probed(t, config.PrimaryFallback)
	probe(0, standbyAt100, nil)
	probe(1, standbyAt100, nil)
	probe(2, store.Health{Written: 300, Timeline: 1}, nil)
	d.list[2].way.marks[0].at = time.Now().Add(-time.Minute) // the primary wrote it a minute ago
	probe(0, store.Health{Standby: true, Written: 300}, nil)
	probe(1, standbyAt100, nil)
	if got := states(d); got != "ok behind ok" || taken(d, 2) != "aa" {
		t.Errorf("one is behind: %s", got)
	}
	probe(2, store.Health{}, context.DeadlineExceeded) // what nobody has but the primary that is away does not count
	d.list[0].way = progress{}
	probe(0, standbyAt100, nil)
	probe(1, standbyAt100, nil)
	if got := states(d); got != "ok ok away" || taken(d, 4) != "abab" {
		t.Errorf("the primary is away: %s", got)
	}
	probe(1, store.Health{Written: 120, Timeline: 2}, nil) // promoted
	probe(2, store.Health{Written: 400, Timeline: 1}, nil) // the old primary is back as it was
	if got := states(d); got != "ok ok refused" || d.primary != d.list[1] || taken(d, 2) != "aa" {
		t.Errorf("two primaries: %s, %s is the primary", got, d.primary.name)
	}
	probe(0, store.Health{Standby: true, Written: 120, Database: "other_"}, nil)
	probe(1, store.Health{Written: 120, Timeline: 2}, nil)
	if got := states(d); got != "ok refused refused" {
		t.Errorf("another database: %s", got)
	}
	probe(0, store.Health{Standby: true, Written: 120}, nil)
	d.blame(t.Context(), d.list[0], &pgconn.PgError{Code: "57014"})
	if got := states(d); got != "ok ok refused" {
		t.Errorf("after the time limit of a role: %s", got)
	}
	d.blame(t.Context(), d.list[0], &pgconn.PgError{Code: "40001"})
	probe(0, store.Health{Standby: true, Written: 120}, nil)
	if got := states(d); got != "conflict ok refused" {
		t.Errorf("after a conflict: %s", got)
	}
	d.list[0].resting = time.Now()
	probe(0, store.Health{Standby: true, Written: 120}, nil)
	if got := states(d); got != "ok ok refused" || d.list[0].left != 1 {
		t.Errorf("some time after a conflict: %s, left %d times", got, d.list[0].left)
	}
}

// TestStartBehind: a standby that lacks much is left at once; one that lacks a little of what was written after a pause is not.
func TestStartBehind(t *testing.T) {
	d, probe := probed(t, config.PrimaryFallback)
	probe(2, store.Health{Written: 100 << 20, Timeline: 1}, nil)
	probe(0, store.Health{Standby: true, Written: 10 << 20, Applied: time.Hour}, nil)
	probe(1, store.Health{Standby: true, Written: 99 << 20, Applied: time.Hour}, nil)
	if a, b := d.list[0].state, d.list[1].state; a != stateBehind || b != stateOK {
		t.Errorf("states %s and %s", a, b)
	}
}

// TestOneServerByTwoAddresses: the primary may be named twice, in searchd.conf and with other hosts in spider.cnf.
func TestOneServerByTwoAddresses(t *testing.T) {
	d := newDatabases([]string{"host=a user=u", "host=a user=v", "postgres://a,b:1/web"}, config.PrimaryAlways, time.Minute, nil)
	for n, want := range []string{"a:5432", "a:5432 (2)", "a:5432,b:1"} {
		m := d.list[n]
		m.db = &store.DB{}
		d.answered(t.Context(), m, store.Health{Written: int64(100 + n), Timeline: 3}, nil)
		if m.name != want || m.state != stateOK {
			t.Errorf("%s is %s, want %s", m.name, m.state, want)
		}
	}
}
