package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/cli"
	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store/crawl"
)

// rulesState is how a crawl without end stands to its files. A configuration that is wrong, or that the gate of rulesgate.go refuses,
// does not end it: the one before goes on.
type rulesState struct {
	asked   bool      // SIGHUP: read the files again
	stale   bool      // another program has read other rules since
	told    string    // the last warning
	refused bool      // the files were not taken
	hash    []byte    // of the refused configuration; nil = it could not be read
	files   [2]string // their paths
	changed [2]time.Time
}

// remember remembers the state of the files.
func (s *rulesState) remember(p *program) {
	s.files = [2]string{p.cfg.SetsFile, p.cfg.SpiderFile}
	s.changed = s.times()
}

func (s *rulesState) times() (times [2]time.Time) {
	for i, file := range s.files {
		if info, err := os.Stat(file); err == nil {
			times[i] = info.ModTime()
		}
	}
	return times
}

// reread reads the configuration again when that was asked for, when another program has read other rules, and when refused files have
// changed or were accepted.
func (r *rounds) reread(ctx context.Context, o *crawl.Outlook) error {
	select {
	case <-r.hup:
		r.rules.asked = true
	default:
	}
	other := o.Rules != nil && !bytes.Equal(o.Rules, r.p.cfg.Hash[:])
	r.rules.stale = r.rules.stale && other
	changed := r.rules.times() != r.rules.changed
	again := r.rules.asked || other && !r.rules.stale || changed && (r.rules.stale || r.rules.refused)
	if !again && r.rules.refused && r.rules.hash != nil {
		accepted, err := crawl.New(r.s).RulesKnown(ctx, r.rules.hash)
		if err != nil {
			return err
		}
		again = accepted
	}
	if !again {
		return nil
	}
	follow := other && !r.rules.asked // the rules of the other program, not those of the files
	r.rules.asked, r.rules.changed = false, r.rules.times()
	next, err := r.read(ctx, !follow)
	switch {
	case err != nil:
		r.rules.stale = follow // two programs with different rules would hide and bring back the same documents by turns
		return r.refuse(ctx, next, err)
	case follow && !bytes.Equal(o.Rules, next.cfg.Hash[:]):
		r.rules.stale = true
		r.warn(ctx, fmt.Sprintf("%s crawls by other rules than the files here; this program waits until they agree, or for SIGHUP to crawl by these", o.RulesOf))
		return r.held.RefuseRules(ctx, r.rules.told)
	}
	same := bytes.Equal(next.cfg.Hash[:], r.p.cfg.Hash[:])
	r.take(next)
	r.past.starts = r.past.starts || !same // a round begins at once: it tests all URLs by the new rules
	slog.InfoContext(ctx, "configuration read again", "rules_changed", !same)
	return r.held.TakeRules(ctx, next.cfg.Hash[:])
}

// refuse records why the files were not taken. An error of the database is returned.
func (r *rounds) refuse(ctx context.Context, next *reading, err error) error {
	if f, known := cli.Classify(err, "", ""); r.p.stop.Err() != nil || errors.Is(err, context.Canceled) || known && f.Code == cli.ExitDatabase {
		return err
	}
	r.rules.refused, r.rules.hash = true, nil
	if next != nil {
		r.rules.hash = next.cfg.Hash[:]
	}
	why := reasonsOf(err)
	r.warn(ctx, why)
	return r.held.RefuseRules(ctx, why)
}

// reading is a configuration that was read again, with what the rounds need of it.
type reading struct {
	cfg     *config.Config
	program *program
	options *spider.Options
}

// read reads the files and asks the gates, without changing anything here. With an error, the configuration is that which was refused,
// nil if it could not be read.
func (r *rounds) read(ctx context.Context, admit bool) (*reading, error) {
	cfg, err := config.Load(r.p.o.place, r.p.overrides())
	if err != nil {
		return nil, err
	}
	p := *r.p
	p.cfg = cfg
	next := &reading{cfg: cfg, program: &p}
	if err := cfg.RequireStartURLs(); err != nil {
		return next, err
	}
	if cfg.Spider.DBAddr != r.p.cfg.Spider.DBAddr || cfg.Spider.DataDir != r.p.cfg.Spider.DataDir {
		return next, config.Errors{{File: cfg.SpiderFile, Reason: "DBAddr or DataDir has changed: restart index to use the other database"}}
	}
	if next.options, err = p.crawlOptions(ctx); err != nil {
		return next, err
	}
	if admit {
		return next, p.admit(ctx, r.s, next.options)
	}
	return next, nil
}

// take puts a configuration in force.
func (r *rounds) take(next *reading) {
	r.p, r.options = next.program, next.options
	r.inForce.Store(next.cfg)
	r.rules.stale, r.rules.refused, r.rules.told = false, false, ""
	r.rules.remember(r.p)
}

// warn logs a reason once.
func (r *rounds) warn(ctx context.Context, why string) {
	if why != r.rules.told {
		slog.WarnContext(ctx, "the changed configuration is not in force; the crawl goes on with the one before", "cause", why)
	}
	r.rules.told = why
}

// reasonsOf returns why a configuration was refused, and what to do, on one line.
func reasonsOf(err error) string {
	var problems config.Errors
	if errors.As(err, &problems) {
		var lines []string
		for _, problem := range problems {
			lines = append(lines, problem.Error())
		}
		return enumerate(lines)
	}
	f := classify(err)
	if f.Code == cli.ExitUsage && f.Hint != "" {
		return database.OneLine(f.Err) + "; " + strings.TrimSpace(f.Hint)
	}
	return database.OneLine(err)
}
