package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/cli"
	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/store"
)

// program is one call of the command.
type program struct {
	o          *options
	stop       context.Context // ends when the user asks to stop
	out        io.Writer
	errOut     io.Writer
	cfg        *config.SearchConfig
	rules      *document.Rules    // with which the index was built
	vocabulary *search.Vocabulary // as of the start
	databases  *databases         // of serve
}

// mode reads the configuration and does what the options ask for.
func (p *program) mode(ctx context.Context) error {
	level := slog.LevelInfo
	if p.o.verbose {
		level = slog.LevelDebug
	}
	slog.SetDefault(slog.New(cli.LogHandler(p.errOut, config.LogText, level)))

	cfg, err := config.LoadSearch(p.o.place, p.overrides())
	if err != nil {
		return err
	}
	p.cfg = cfg
	if cfg.Search.LogFormat != config.LogText {
		slog.SetDefault(slog.New(cli.LogHandler(p.errOut, cfg.Search.LogFormat, level)))
	}
	if p.rules, err = settings.WordRules(&cfg.Spider, cfg.SpiderFile); err != nil {
		return err
	}
	if err := p.checkLanguages(); err != nil {
		return err
	}
	if p.vocabulary, err = settings.Vocabulary(&cfg.Search, p.rules); err != nil {
		return err
	}
	if err := p.checkLook(); err != nil {
		return err
	}
	switch {
	case p.o.check:
		if err := p.checkAddresses(); err != nil {
			return err
		}
		p.checked()
		return nil
	case p.o.report:
		return p.asOwner(ctx, "searchd --report", p.report)
	case p.o.purge != "":
		return p.asOwner(ctx, "searchd --stat-purge", p.purge)
	}
	return p.serve(ctx)
}

// overrides returns the settings that options give.
func (p *program) overrides() map[string]string {
	overrides := map[string]string{}
	if p.o.listen != "" {
		overrides["Listen"] = p.o.listen
	}
	return overrides
}

// checkLanguages refuses a language of WordForms whose word forms are not known.
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

// checkLook refuses a Language that the pages do not have.
func (p *program) checkLook() error {
	if known := web.Languages(); !slices.Contains(known, p.cfg.Search.Language) {
		return config.Errors{{
			File: p.cfg.SearchFile, Keyword: "Language",
			Reason: fmt.Sprintf("the pages have no messages in %q; they have them in %s", p.cfg.Search.Language, strings.Join(known, " ")),
		}}
	}
	look, err := p.look()
	if err != nil {
		return err
	}
	if len(look.Files) > 0 {
		_, err = web.NewPages(look)
	}
	return badTemplate(err)
}

// look reads what searchd.conf says about how the pages look.
func (p *program) look() (web.Look, error) {
	face := &p.cfg.Search.Face
	look := web.Look{
		Language: p.cfg.Search.Language, Name: face.Name, Suggest: p.cfg.Search.Suggest && p.cfg.Search.SuggestMemory > 0,
		FileLinks: p.cfg.Search.FileLinks,
	}
	for _, c := range face.Colors {
		look.Colors = append(look.Colors, web.Color(c))
	}
	var err error
	if strings.Contains(face.Logo, "://") {
		look.LogoURL = face.Logo
	} else if face.Logo != "" {
		look.Logo, err = web.ReadFile(face.Logo)
	}
	if err == nil && face.Templates != "" {
		err = look.ReadTemplates(face.Templates)
	}
	for name, path := range map[string]string{"header": face.Header, "footer": face.Footer} {
		if err == nil && path != "" {
			err = look.ReadPart(name, path)
		}
	}
	return look, badTemplate(err)
}

// badTemplate returns an error in a file of the operator as one of the configuration.
func badTemplate(err error) error {
	var bad *web.TemplateError
	if errors.As(err, &bad) {
		return config.Errors{{File: bad.File, Line: bad.Line, Reason: bad.Text}}
	}
	return err
}

// checkAddresses refuses a DBAddr that the driver cannot read.
func (p *program) checkAddresses() error {
	for _, addr := range append([]string{p.cfg.Spider.DBAddr}, p.cfg.Search.DBAddrs...) {
		if addr != "" && database.Misread(store.CheckDSN(addr), addr) {
			return settings.BadAddress(p.fileOf(addr))
		}
	}
	return nil
}

// fileOf returns the file that has an address, as messages name it.
func (p *program) fileOf(addr string) string {
	if addr == p.cfg.Spider.DBAddr {
		return p.cfg.SpiderFile
	}
	return p.cfg.SearchFile
}

// checked is --check-config without problems: it prints which files were read, so that the operator edits the
// right one.
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
		var names []string
		for _, addr := range p.addresses() {
			names = append(names, store.ServerName(addr))
		}
		if len(names) > 1 {
			where = "the servers of DBAddr: " + strings.Join(names, ", ")
		}
	}
	fmt.Fprintf(p.out, "searchd.conf  %s\nspider.cnf    %s\nlisten        %s\ndatabase      %s\nno problem found\n",
		name(p.cfg.SearchFile), name(p.cfg.SpiderFile), p.cfg.Search.Listen, where)
}

// embedded reports whether the database is the embedded one.
func (p *program) embedded() bool { return p.cfg == nil || len(p.cfg.Search.DBAddrs) == 0 }

// excerptLength is the length of an excerpt on a page, in characters.
const excerptLength = 200

// defaults returns the settings of searchd.conf for requests that do not choose.
func (p *program) defaults() web.Defaults {
	d := settings.SearchDefaults(&p.cfg.Search, p.rules)
	d.ExcerptLength = excerptLength
	return d
}

// open opens the database at addr, or the embedded one if addr is empty.
func (p *program) open(ctx context.Context, addr string, o store.Options) (*store.DB, error) {
	dsn, err := database.DSN(ctx, addr, p.cfg.Search.DataDir)
	if err != nil {
		return nil, err
	}
	o.DSN = dsn
	s, err := store.Open(ctx, o)
	if database.Misread(err, dsn) {
		return nil, settings.BadAddress(p.fileOf(addr))
	}
	return s, err
}

// asOwner runs a mode that reads or deletes recorded searches. The role for searches has no right to do that, so
// it connects as the owner.
func (p *program) asOwner(ctx context.Context, application string, mode func(context.Context, *store.DB) error) error {
	// No work has begun: a signal ends the wait for a server.
	s, err := p.open(p.stop, p.cfg.Spider.DBAddr, store.Options{Application: application, WaitLimit: p.cfg.Spider.DBWaitLimit})
	if err != nil {
		return err
	}
	defer s.Close()
	return mode(ctx, s)
}
