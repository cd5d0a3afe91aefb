package crawl

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// ControlState is the view crawl_state. Times that are not known are zero.
type ControlState struct {
	Mode, Phase string
	Programs    int
	Run         store.RunID
	Began       time.Time // of the last crawl
	Ended       time.Time // zero while it runs
	EndReason   string
	Merged      time.Time // end of the last merge
	NextRound   time.Time
	WindowEnds  time.Time
	PausedAt    time.Time
	PausedBy    string
	Refused     string
	RefusedAt   time.Time
}

const controlStateSQL = `
	SELECT /* store.State */ mode, phase, programs, coalesce(run, 0), crawl_began, crawl_ended, coalesce(end_reason, ''), merge_ended,
		next_round, window_ends, paused_at, coalesce(paused_by, ''), coalesce(refused, ''), refused_at
	FROM crawl_state`

// State returns what the crawl does at the moment.
func (s *Store) State(ctx context.Context) (c ControlState, err error) {
	err = s.InTx(ctx, "crawl state", func(tx pgx.Tx) error {
		c, err = StateIn(ctx, tx)
		return err
	})
	return c, err
}

// StateIn is State in a transaction.
func StateIn(ctx context.Context, tx pgx.Tx) (c ControlState, err error) {
	var began, ended, merged, next, window, paused, refused *time.Time
	err = tx.QueryRow(ctx, controlStateSQL).Scan(&c.Mode, &c.Phase, &c.Programs, &c.Run, &began, &ended, &c.EndReason, &merged,
		&next, &window, &paused, &c.PausedBy, &c.Refused, &refused)
	for _, t := range []struct {
		from *time.Time
		to   *time.Time
	}{{began, &c.Began}, {ended, &c.Ended}, {merged, &c.Merged}, {next, &c.NextRound}, {window, &c.WindowEnds}, {paused, &c.PausedAt}, {refused, &c.RefusedAt}} {
		if t.from != nil {
			*t.to = *t.from
		}
	}
	return c, err
}

// Outlook is what a program needs to know between two rounds.
type Outlook struct {
	Now      time.Time // by the clock of the database
	Paused   bool
	Stop     bool      // somebody asked the crawl to stop since this program began
	Asked    time.Time // for a round at once; zero = not
	Rules    []byte    // hash of the configuration that a program read last
	RulesOf  string    // the program
	NextDue  time.Time // when the next URL becomes due; zero = none does
	Late     bool      // schedules are open, which processes without a round have left
	Unmerged bool      // the merge has something to do
	Merged   time.Time // end of the last merge
	Clean    bool      // the last crawl was a round that ended well
}

// outlookSQL reads sitestate by an index, and of the other tables one row.
const outlookSQL = `
	SELECT /* store.Outlook */ clock_timestamp(), c.paused_at IS NOT NULL, coalesce(c.stop_asked > $1 AND c.stop_reason = 'stopped', false),
		c.crawl_asked, c.rules_hash, coalesce(c.rules_of, ''),
		(SELECT min(next_due) FROM sitestate WHERE lease_seq = 0),                  -- sitestate_due
		EXISTS (SELECT 1 FROM schedule WHERE status = 's'),                         -- schedule_open
		EXISTS (SELECT 1 FROM journal) OR EXISTS (SELECT 1 FROM markdel) OR c.retags <> (SELECT retags FROM totals),
		(SELECT ended_at FROM reindexing WHERE kind = 'merge' AND ended_at IS NOT NULL ORDER BY run_id DESC LIMIT 1),
		coalesce((SELECT round AND end_reason NOT IN ('failed', 'stopped') FROM reindexing WHERE kind = 'crawl' ORDER BY run_id DESC LIMIT 1), false)
	FROM crawl_control c`

// Outlook returns what there is to do.
func (r *Rounds) Outlook(ctx context.Context) (o Outlook, err error) {
	var asked, merged *time.Time
	var due *int64
	err = r.store.InTx(ctx, "outlook", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, outlookSQL, r.began).Scan(&o.Now, &o.Paused, &o.Stop, &asked, &o.Rules, &o.RulesOf, &due, &o.Late, &o.Unmerged, &merged, &o.Clean)
	})
	if err != nil {
		return o, err
	}
	if asked != nil {
		o.Asked = *asked
	}
	if merged != nil {
		o.Merged = *merged
	}
	if due != nil && *due < neverDue {
		o.NextDue = time.Unix(max(*due, 0), 0)
	}
	return o, nil
}

const takeAskedSQL = `UPDATE /* store.TakeAsked */ crawl_control SET crawl_asked = NULL WHERE crawl_asked <= $1`

// TakeAsked says that a round has begun that was asked for.
func (r *Rounds) TakeAsked(ctx context.Context, asked time.Time) error {
	return r.store.InTx(ctx, "take asked", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, takeAskedSQL, asked)
		return err
	})
}

// announceSQL writes only what is new.
const announceSQL = `
	UPDATE /* store.Announce */ crawl_control SET next_round = $1, window_ends = $2
	WHERE next_round IS DISTINCT FROM $1 OR window_ends IS DISTINCT FROM $2`

// Announce records when the next round begins and the present window ends; zero = not known, none.
func (r *Rounds) Announce(ctx context.Context, next, window time.Time) error {
	return r.store.InTx(ctx, "announce", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, announceSQL, nullTime(next), nullTime(window))
		return err
	})
}

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

const takeRulesSQL = `
	UPDATE /* store.TakeRules */ crawl_control SET rules_hash = $1, rules_of = $2, refused = NULL, refused_at = NULL`

// TakeRules records the configuration that this program has read.
func (r *Rounds) TakeRules(ctx context.Context, hash []byte) error {
	_, err := r.store.control(ctx, "take rules", takeRulesSQL, hash, r.who)
	return err
}

const refuseRulesSQL = `
	UPDATE /* store.RefuseRules */ crawl_control SET refused = $1, refused_at = now() WHERE refused IS DISTINCT FROM $1`

// RefuseRules records why a changed configuration was not taken; "" = it was.
func (r *Rounds) RefuseRules(ctx context.Context, why string) error {
	return r.store.InTx(ctx, "refuse rules", func(tx pgx.Tx) error {
		var text *string
		if why != "" {
			text = &why
		}
		_, err := tx.Exec(ctx, refuseRulesSQL, text)
		return err
	})
}

// forgetRoundsSQL leaves those that others refer to: the last one with start URLs, and the runs of --respider.
const forgetRoundsSQL = `
	DELETE /* store.ForgetRounds */ FROM reindexing
	WHERE round AND ended_at < now() - interval '90 days' AND NOT respider
		AND run_id < (SELECT max(run_id) FROM reindexing WHERE kind = 'crawl' AND starts <> '{}')`

// ForgetRounds deletes the rows of rounds that ended 90 days ago.
func (r *Rounds) ForgetRounds(ctx context.Context) error {
	return r.store.InTx(ctx, "forget rounds", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, forgetRoundsSQL)
		return err
	})
}
