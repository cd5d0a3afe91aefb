package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/cli"
	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/internal/password"
	"github.com/pgseek/pgseek/internal/version"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/embedded"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/report"
)

// searchWait bounds how long a search waits for a database that restarts, within its SearchTimeOut. Then it is
// answered 503.
const searchWait = 2 * time.Second

// Pauses between attempts to reach a database that has not answered yet.
const (
	connectPause    = time.Second
	connectPauseMax = 10 * time.Second
)

// extraConnections are the connections to a database that are not used by searches: rows of stat, /status, /healthz, the home
// page.
const extraConnections = 4

// listenError is an address that cannot be listened on.
type listenError struct{ cause error }

func (e *listenError) Error() string { return e.cause.Error() }
func (e *listenError) Unwrap() error { return e.cause }

// serve answers searches until the program is asked to stop. It answers at once, with 503 until the database can
// be reached, so that services can start in any order. An error that waiting cannot resolve, such as a wrong
// password or a newer schema, ends it.
func (p *program) serve(ctx context.Context) error {
	options, err := p.serverOptions()
	if err != nil {
		return err
	}
	server, err := web.NewServer(options)
	if err != nil {
		return badTemplate(err)
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", p.cfg.Search.Listen)
	if err != nil {
		return &listenError{err}
	}
	hangup, release := hangups()
	defer release()
	h := server.HTTP()
	served := make(chan error, 1)
	go func() { served <- h.Serve(listener) }()
	slog.InfoContext(ctx, "listening", "version", version.Number(), "address", "http://"+listener.Addr().String()+"/")
	cli.Ready(ctx, "listening at http://"+listener.Addr().String()+"/")

	background, cancel := context.WithCancel(ctx)
	defer cancel()
	connected := make(chan error, 1)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		engine, err := p.connect(background, server)
		connected <- err
		if engine != nil {
			go p.reloadOnHangup(background, hangup, engine, server)
			engine.Follow(background)
		}
	}()
	for {
		select {
		case err = <-connected:
			if err == nil {
				continue
			}
		case err = <-served: // the listener broke
		case <-p.stop.Done():
		}
		break
	}
	if stopped := shutdown(ctx, h); err == nil {
		err = stopped
	}
	server.Close()
	cancel()
	<-closed
	if p.databases != nil {
		p.databases.close()
	}
	return err
}

// serverOptions returns the settings of searchd.conf for the web server. The error is that of a file of the operator.
func (p *program) serverOptions() (web.ServerOptions, error) {
	c := &p.cfg.Search
	look, err := p.look()
	return web.ServerOptions{
		Defaults: p.defaults(), Look: look, MaxSearches: c.MaxSearches, TimeOut: c.SearchTimeOut,
		Suggest: c.SuggestMemory > 0, Origins: c.AllowOrigins, StatAddress: c.StatAddress, TrustedProxies: c.TrustedProxies,
		Password: password.New(p.cfg.Spider.Operator.Password),
	}, err
}

// shutdown lets the searches in progress finish, within cli.StopTimeout.
func shutdown(ctx context.Context, h *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, cli.StopTimeout)
	defer cancel()
	err := h.Shutdown(ctx)
	if err != nil {
		_ = h.Close()
		slog.WarnContext(ctx, "searches in progress were canceled", "cause", err)
		return context.Canceled
	}
	return nil
}

// connect connects to the databases, retrying until one answers, and gives them to the server. Both results are nil when ctx
// ended.
func (p *program) connect(ctx context.Context, server *web.Server) (*search.Engine, error) {
	c := &p.cfg.Search
	d := newDatabases(p.addresses(), c.PrimarySearches, c.MaxStandbyLag, func(ctx context.Context, addr string) (*store.DB, error) {
		return p.open(ctx, addr, store.Options{
			Application: "searchd", Connections: c.MaxSearches + extraConnections, WaitLimit: searchWait, Role: store.SearchRole,
			KeepSchema: addr != "" && !slices.Contains(c.DBAddrs, addr), // of spider.cnf: index migrates it
		})
	})
	p.databases = d
	d.start(ctx)
	err := d.ready(ctx)
	for pause := connectPause; err == nil; pause = min(2*pause, connectPauseMax) {
		var engine *search.Engine
		if engine, err = p.newEngine(ctx, d); err == nil {
			d.whenOneLeaves(engine.Forget)
			server.Connect(p.operatorBackend(d, backend(d, engine)))
			role := d.role()
			slog.InfoContext(ctx, "searching", "role", role, "max_searches", c.MaxSearches, "databases", len(d.list))
			if role == "" {
				slog.WarnContext(ctx, "searches run as the login role, which may do more than search; docs/schema.md says how to create the role for searches", "missing", store.SearchRole)
			}
			return engine, nil
		}
		if ctx.Err() != nil || !passes(err) {
			break
		}
		slog.WarnContext(ctx, "cannot read the database; searches are answered 503 until it answers", "again_in", pause, "cause", database.OneLine(err))
		select {
		case <-ctx.Done():
		case <-time.After(pause):
			err = nil
		}
	}
	if ctx.Err() != nil {
		return nil, nil
	}
	return nil, err
}

// addresses returns the addresses of the databases: those of searchd.conf, and behind them that of spider.cnf, which is the primary when
// searchd.conf names standbys. The embedded server has an empty one.
func (p *program) addresses() []string {
	addrs := p.cfg.Search.DBAddrs
	if len(addrs) == 0 {
		return []string{""}
	}
	if index := p.cfg.Spider.DBAddr; index != "" && !slices.Contains(addrs, index) {
		return append(slices.Clip(addrs), index)
	}
	return addrs
}

func (p *program) newEngine(ctx context.Context, d *databases) (*search.Engine, error) {
	c := &p.cfg.Search
	version := 0
	err := d.Stay(ctx, func(ctx context.Context, s *lookup.Store) (err error) {
		version, err = s.WordRulesVersion(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	database.WarnOfWordRules(ctx, version)
	engine, err := search.NewEngine(ctx, d, search.EngineOptions{
		SiteWeights: c.SiteWeights, Weigh: c.Weigh(), Memory: os.Getenv("GOMEMLIMIT") == "", Rules: p.rules, Normalize: p.normalize,
		Suggest: search.SuggestOptions{Bytes: int(c.SuggestMemory), Queries: c.StatAddress != config.StatNone},
	})
	if err != nil {
		return nil, err
	}
	engine.SetVocabulary(p.vocabulary)
	return engine, nil
}

// normalize returns an address in the form that the index has.
func (p *program) normalize(address string) (string, error) {
	u, err := weburl.Normalize(address, p.cfg.Spider.MaxURLLength)
	return u.Text, err
}

// passes reports whether the error may pass: the database is starting, has no connection left, or does not answer.
func passes(err error) bool {
	state := database.SQLState(err)
	var problems config.Errors
	switch {
	case errors.As(err, &problems), database.WrongSchema(err), errors.Is(err, embedded.ErrNoPrograms), errors.Is(err, embedded.ErrUnreachable):
		return false
	case state != "":
		return strings.HasPrefix(state, "08") || strings.HasPrefix(state, "53") || strings.HasPrefix(state, "57P")
	}
	return errors.Is(err, store.ErrUnavailable)
}

// backend returns the functions that the server calls.
func backend(d *databases, engine *search.Engine) web.Backend {
	return web.Backend{
		Search: engine.Search, Copy: engine.Copy, Suggest: engine.Suggest, Record: (&recorder{d}).record, Ping: d.ping, Databases: d.states,
		Status: func(ctx context.Context, sites, runs int) (status *report.IndexStatus, err error) {
			err = d.report(ctx, func(ctx context.Context, s *report.Store) error {
				status, err = s.IndexStatus(ctx, sites, runs)
				return err
			})
			return status, err
		},
		Size: func(ctx context.Context) (size *report.IndexSize, err error) {
			err = d.report(ctx, func(ctx context.Context, s *report.Store) error {
				size, err = s.IndexSize(ctx)
				return err
			})
			return size, err
		},
		Unread: func(ctx context.Context) (n int64, err error) {
			err = d.report(ctx, func(ctx context.Context, s *report.Store) error {
				n, err = s.UnreadURLs(ctx)
				return err
			})
			return n, err
		},
	}
}
