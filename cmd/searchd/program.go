package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/store"
)

// program is one call of the command.
type program struct {
	o      *options
	stop   context.Context // ends when the user asks to stop
	out    io.Writer
	errOut io.Writer
	cfg    *config.SearchConfig
	rules  *document.Rules // those that the index was made with
	store  *store.DB       // once the database has answered
	stat   *recorder       // with store
}

// mode does what the options ask for.
func (p *program) mode(ctx context.Context) error {
	level := slog.LevelInfo
	if p.o.verbose {
		level = slog.LevelDebug
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(p.errOut, &slog.HandlerOptions{Level: level})))

	overrides := map[string]string{}
	if p.o.listen != "" {
		overrides["Listen"] = p.o.listen
	}
	cfg, err := config.LoadSearch(p.o.place, overrides)
	if err != nil {
		return err
	}
	p.cfg = cfg
	if p.rules, err = wordRules(cfg); err != nil {
		return err
	}
	if err := p.checkLanguages(); err != nil {
		return err
	}
	switch {
	case p.o.check:
		p.checked()
		return nil
	case p.o.report:
		return p.asOwner(ctx, "searchd --report", p.report)
	case p.o.purge != "":
		return p.asOwner(ctx, "searchd --stat-purge", p.purge)
	}
	return p.serve(ctx)
}

// checkLanguages refuses a language of WordForms whose word forms nobody here knows.
func (p *program) checkLanguages() error {
	for _, code := range p.defaults().Languages {
		if known := search.FormLanguages(); !slices.Contains(known, code) {
			return config.Errors{{
				File: p.cfg.SearchFile, Keyword: "WordForms",
				Reason: fmt.Sprintf("the word forms of %q are not known; those of %s are", code, strings.Join(known, " ")),
			}}
		}
	}
	return nil
}

// checked is --check-config, when nothing is wrong: where things come from, so that nobody edits another file.
func (p *program) checked() {
	name := func(file string) string {
		if file == "" {
			return "none; the defaults hold"
		}
		return file
	}
	where := "the embedded server under " + p.cfg.Search.DataDir
	if !p.embedded() {
		where = "the server of DBAddr"
	}
	fmt.Fprintf(p.out, "searchd.conf  %s\nspider.cnf    %s\nlisten        %s\ndatabase      %s\nno problem found\n",
		name(p.cfg.SearchFile), name(p.cfg.SpiderFile), p.cfg.Search.Listen, where)
}

// embedded reports whether the database is the embedded one.
func (p *program) embedded() bool { return p.cfg == nil || p.cfg.Search.DBAddr == "" }

// wordRules are the rules by which index cut documents into words (spider.cnf), so that queries have the same words.
func wordRules(cfg *config.SearchConfig) (*document.Rules, error) {
	c := &cfg.Spider
	rules := document.Rules{
		MinWordLength: c.MinWordLength, MaxWordLength: c.MaxWordLength, IndexLimit: int(c.IndexLimit), Stopwords: map[string]string{},
	}
	for _, file := range c.Stopwords {
		for _, word := range file.Words {
			rules.Stopwords[word] = file.Lang
		}
	}
	checked, err := document.NewRules(rules)
	if err != nil {
		return nil, config.Errors{{File: cfg.SpiderFile, Reason: err.Error()}}
	}
	return checked, nil
}

// The excerpts of a result on a page (aspseek.md 9.4).
const (
	excerpts      = 2
	excerptLength = 200
)

// defaults are what searchd.conf says for requests that do not.
func (p *program) defaults() web.Defaults {
	c := &p.cfg.Search
	var languages []string
	if c.WordForms != "yes" && c.WordForms != "no" {
		languages = strings.Split(c.WordForms, ",")
	}
	return web.Defaults{
		Parse:   query.Options{MinFixedPatternLength: c.MinFixedPatternLength, Stored: p.rules.Stored},
		PerPage: c.ResultsPerPage, Flat: !c.AccountDistance, Forms: c.WordForms != "no", Languages: languages,
		Excerpts: excerpts, ExcerptLength: excerptLength,
	}
}

// open opens the database that addr names, the embedded one without. role is the role to take.
func (p *program) open(ctx context.Context, addr string, o store.Options) (*store.DB, error) {
	dsn, err := database.DSN(ctx, addr, p.cfg.Search.DataDir)
	if err != nil {
		return nil, err
	}
	o.DSN = dsn
	s, err := store.Open(ctx, o)
	if database.Misread(err, dsn) {
		at := p.cfg.SearchFile
		if os.Getenv("PGSEEK_DBADDR") != "" {
			at = "PGSEEK_DBADDR"
		} else if addr == p.cfg.Spider.DBAddr {
			at = p.cfg.SpiderFile
		}
		return nil, config.Errors{{File: at, Keyword: "DBAddr", Reason: database.BadAddress}}
	}
	return s, err
}

// asOwner runs a mode that reads or removes what people searched for, which searches themselves may not (reliability.md 5, 10).
func (p *program) asOwner(ctx context.Context, application string, mode func(context.Context, *store.DB) error) error {
	// Nothing is under way before: who is asked to stop waits no longer for a server.
	s, err := p.open(p.stop, p.cfg.Spider.DBAddr, store.Options{Application: application, WaitLimit: p.cfg.Spider.DBWaitLimit})
	if err != nil {
		return err
	}
	defer s.Close()
	return mode(ctx, s)
}
