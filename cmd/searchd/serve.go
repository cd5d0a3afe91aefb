package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/embedded"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/report"
)

// A search waits this long for a database that is being restarted, within its SearchTimeOut; then it is answered 503.
const searchWait = 2 * time.Second

// Pauses between attempts to reach a database that has not answered yet.
const (
	connectPause    = time.Second
	connectPauseMax = 10 * time.Second
)

// besides are the connections that others than searches need: rows of stat, /status, /healthz, the home page.
const besides = 4

// listenError is an address that cannot be had.
type listenError struct{ cause error }

func (e *listenError) Error() string { return e.cause.Error() }
func (e *listenError) Unwrap() error { return e.cause }

// serve answers searches until the program is asked to stop. It answers from the first moment on: 503 until the database
// does, so that the order in which a machine starts its services does not matter. What waiting cannot mend, such as a wrong
// password or a newer schema, ends it.
func (p *program) serve(ctx context.Context) error {
	c := &p.cfg.Search
	server, err := web.NewServer(web.ServerOptions{
		Defaults: p.defaults(), MaxSearches: c.MaxSearches, TimeOut: c.SearchTimeOut,
		StatAddress: c.StatAddress, TrustedProxies: c.TrustedProxies,
	})
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return &listenError{err}
	}
	h := server.HTTP()
	served := make(chan error, 1)
	go func() { served <- h.Serve(listener) }()
	slog.InfoContext(ctx, "searchd answers", "address", "http://"+listener.Addr().String()+"/")

	background, cancel := context.WithCancel(ctx)
	defer cancel()
	connected := make(chan error, 1)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		engine, err := p.connect(background, server)
		connected <- err
		if engine != nil {
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
	if p.store != nil {
		p.stat.close()
		p.store.Close()
	}
	return err
}

// shutdown lets what is under way be answered, for a while.
func shutdown(ctx context.Context, h *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	err := h.Shutdown(ctx)
	if err != nil {
		_ = h.Close()
		slog.WarnContext(ctx, "searches under way were dropped", "cause", err)
		return context.Canceled
	}
	return nil
}

// connect reaches the database, in as many attempts as it takes, and lets the server search in it. Both results are nil when
// ctx ended.
func (p *program) connect(ctx context.Context, server *web.Server) (*search.Engine, error) {
	c := &p.cfg.Search
	for pause := connectPause; ; pause = min(2*pause, connectPauseMax) {
		s, engine, err := p.attempt(ctx)
		switch {
		case err == nil:
			p.store = s
			p.stat = p.newRecorder(ctx, s)
			server.Connect(backend(s, engine, p.stat))
			slog.InfoContext(ctx, "searching", "role", s.Role(), "max_searches", c.MaxSearches)
			if s.Role() == "" {
				slog.WarnContext(ctx, "searches run as the role that logged in, which may do more than search; docs/schema.md tells how to make the other", "missing", store.SearchRole)
			}
			return engine, nil
		case ctx.Err() != nil:
			return nil, nil
		case !passes(err):
			return nil, err
		}
		slog.WarnContext(ctx, "the database does not answer; searches are answered 503 until it does", "again_in", pause, "cause", database.OneLine(err))
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(pause):
		}
	}
}

func (p *program) attempt(ctx context.Context) (*store.DB, *search.Engine, error) {
	c := &p.cfg.Search
	s, err := p.open(ctx, c.DBAddr, store.Options{
		Application: "searchd", Connections: c.MaxSearches + besides, WaitLimit: searchWait, Role: store.SearchRole,
	})
	if err != nil {
		return nil, nil, err
	}
	engine, err := search.NewEngine(ctx, lookup.New(s), search.EngineOptions{
		SiteWeights: c.SiteWeights, Memory: os.Getenv("GOMEMLIMIT") == "", Rules: p.rules, Normalize: p.normalize,
	})
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, engine, nil
}

// normalize brings an address to the form that the index has it in.
func (p *program) normalize(address string) (string, error) {
	u, err := weburl.Normalize(address, p.cfg.Spider.MaxURLLength)
	return u.Text, err
}

// passes reports whether it is worth waiting for the database: it is being started, or has no connection left, or does not
// answer at all.
func passes(err error) bool {
	state := database.SQLState(err)
	var problems config.Errors
	switch {
	case errors.As(err, &problems), errors.Is(err, store.ErrSchemaNewer), errors.Is(err, embedded.ErrNoPrograms), errors.Is(err, embedded.ErrUnreachable):
		return false
	case state != "":
		return strings.HasPrefix(state, "08") || strings.HasPrefix(state, "53") || strings.HasPrefix(state, "57P")
	}
	return errors.Is(err, store.ErrUnavailable)
}

// backend joins the server to the database.
func backend(s *store.DB, engine *search.Engine, stat *recorder) web.Backend {
	return web.Backend{
		Search: engine.Search, Copy: engine.Copy, Record: stat.record, Status: report.New(s).IndexStatus, Size: report.New(s).IndexSize, Ping: s.Ping,
	}
}
