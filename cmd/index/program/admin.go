package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/pgseek/pgseek/admin"
	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/internal/figures"
	"github.com/pgseek/pgseek/internal/password"
	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/report"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// serveAdmin serves /admin and /metrics at ApiListen until ctx ends; without ApiListen it does nothing. It connects as the role for
// administration. config returns the configuration of the running crawl. The error is that of listening or connecting; wait waits until
// the server has ended.
func (p *program) serveAdmin(ctx context.Context, now func() *config.Config) (wait func(), err error) {
	o := &p.cfg.Spider.Operator
	if o.Listen == "" {
		return func() {}, nil
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("ApiListen: %w", err)
	}
	dsn, err := database.DSN(ctx, p.cfg.Spider.DBAddr, p.cfg.Spider.DataDir)
	var s *store.DB
	if err == nil {
		s, err = store.Open(ctx, store.Options{
			DSN: dsn, Application: "index /admin", WaitLimit: p.cfg.Spider.DBWaitLimit, HistoryKeep: p.cfg.Spider.HistoryKeep, Role: store.AdminRole,
		})
	}
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	if s.Role() == "" {
		p.log.WarnContext(ctx, "/admin acts as the login role, which may do more than /admin does; docs/schema.md says how to create the role for it", "missing", store.AdminRole)
	}
	if o.Password == "" {
		p.log.WarnContext(ctx, "/admin is closed: no password is set; index --hash-password makes the hash for AdminPassword")
	}
	p.log.InfoContext(ctx, "listening", "address", "http://"+listener.Addr().String()+"/admin")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer s.Close()
		err := admin.Serve(ctx, listener, admin.Options{
			Password: password.New(o.Password), Hosts: o.Hosts, Style: web.StyleSheet(), Metrics: adminMetrics(s), Log: p.log,
			Actions: (&desk{p: p, db: s, config: now}).actions(),
		})
		if err != nil {
			p.log.ErrorContext(ctx, "/admin has ended", "cause", err)
		}
	}()
	return func() { <-ended }, nil
}

// adminMetrics answers /metrics of a crawl.
func adminMetrics(s *store.DB) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(figures.New(report.New(s).Figures), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry})
}

// A desk does what /admin asks for. What there is an option of index for, the mode of that option does.
type desk struct {
	p      *program
	db     *store.DB
	config func() *config.Config
}

func (d *desk) actions() admin.Actions {
	mode := func(set func(*options, string), run func(*program, context.Context, *store.DB) error) func(context.Context, string) (string, error) {
		return func(ctx context.Context, value string) (string, error) {
			return d.call(ctx, func(o *options) { set(o, value) }, run)
		}
	}
	return admin.Actions{
		State: d.state,
		CrawlNow: func(ctx context.Context) (string, error) {
			return "A round begins at once.", crawl.New(d.db).CrawlNow(ctx)
		},
		Pause: func(ctx context.Context, who string) (string, error) {
			paused, err := crawl.New(d.db).Pause(ctx, "/admin, "+who)
			return map[bool]string{true: "The crawl is paused.", false: "The crawl was paused already."}[paused], err
		},
		Resume: func(ctx context.Context) (string, error) {
			resumed, err := crawl.New(d.db).Resume(ctx)
			return map[bool]string{true: "The crawl goes on.", false: "The crawl was not paused."}[resumed], err
		},
		Release: mode(func(o *options, v string) { o.release = v }, (*program).release),
		Add:     mode(func(o *options, v string) { o.urls = []string{v} }, (*program).insert),
		Recrawl: d.recrawl,
		Remove:  mode(func(o *options, v string) { o.remove = v }, (*program).remove),
	}
}

// call runs a mode for one value. What it prints is the answer; an error that is not the database's is a refusal.
func (d *desk) call(ctx context.Context, set func(*options), run func(*program, context.Context, *store.DB) error) (string, error) {
	var out, problems bytes.Buffer
	o := &options{text: []string{"/admin"}}
	set(o)
	cfg := d.config()
	p := &program{o: o, stop: d.p.stop, in: bytes.NewReader(nil), out: &out, errOut: &problems, cfg: cfg, log: d.p.log, clock: d.p.clock}
	defer func() { _ = p.place.Close() }()
	err := run(p, ctx, d.db)
	switch {
	case err == nil:
		return strings.TrimSpace(out.String()), nil
	case store.IsDatabase(err), errors.Is(err, errInterrupted), ctx.Err() != nil:
		return "", err
	}
	if text := strings.TrimSpace(strings.ReplaceAll(problems.String(), "index: ", "")); text != "" {
		return "", &admin.Refusal{Why: text}
	}
	return "", &admin.Refusal{Why: err.Error()}
}

// recrawl makes one URL due before all others. --recrawl takes a pattern, in which the signs of LIKE are escaped here.
func (d *desk) recrawl(ctx context.Context, value string) (string, error) {
	u, err := weburl.Typed(value, d.config().Spider.MaxURLLength)
	if err != nil {
		return "", &admin.Refusal{Why: wrongURL(value, err).Error()}
	}
	n, err := crawl.New(d.db).Recrawl(ctx, strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(u.Text))
	if err == nil && n == 0 {
		err = &admin.Refusal{Why: clean(u.Text) + " is not registered"}
	}
	return clean(u.Text) + " is fetched before all others.", err
}

// state reads what the pages show.
func (d *desk) state(ctx context.Context) (x admin.State, err error) {
	c, err := crawl.New(d.db).State(ctx)
	if err != nil {
		return x, err
	}
	x.Phase, x.Paused = c.Phase, !c.PausedAt.IsZero()
	line := func(name, text string) {
		if text != "" {
			x.Lines = append(x.Lines, admin.Line{Name: name, Text: text})
		}
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Local().Format("2006-01-02 15:04:05 MST")
	}
	line("CrawlMode", c.Mode)
	line("Last round began", at(c.Began))
	line("It ended", strings.TrimSuffix(at(c.Ended)+", "+c.EndReason, ", "))
	line("Last merge ended", at(c.Merged))
	line("Next round", at(c.NextRound))
	line("Window ends", at(c.WindowEnds))
	if x.Paused {
		line("Paused", at(c.PausedAt)+" by "+c.PausedBy)
	}
	line("Configuration refused", strings.TrimPrefix(at(c.RefusedAt)+": "+c.Refused, ": "))
	f, err := report.New(d.db).Figures(ctx)
	if err != nil {
		return x, err
	}
	line("Documents", fmt.Sprint(f.Documents))
	line("URLs that are due", atMost(f.Due))
	line("Waiting for a merge", fmt.Sprint(f.JournalRows))
	holds, err := report.New(d.db).Holds(ctx)
	for i := range holds {
		x.Holds = append(x.Holds, admin.Hold{Site: holds[i].Site, Since: holds[i].Since, Why: report.HoldReasons[holds[i].Reason]})
	}
	return x, err
}

func atMost(n int64) string {
	if n >= report.MostCounted {
		return fmt.Sprintf("%d or more", n)
	}
	return fmt.Sprint(n)
}
