package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/config"
)

// checkConfig is --check-config: it reads the three files, asks each start URL once, and needs no database.
func (p *program) checkConfig(ctx context.Context) error {
	overrides := map[string]string{}
	if p.o.workers > 0 {
		overrides["Threads"] = strconv.Itoa(p.o.workers)
	}
	cfg, err := config.Load(p.o.place, overrides)
	problems := config.Errors{}
	if err := addProblems(&problems, err); err != nil {
		return err
	}
	place := p.o.place
	if info, err := os.Stat(place); cfg != nil {
		place = cfg.Place()
	} else if err == nil && !info.IsDir() {
		place = filepath.Dir(place)
	}
	searching, err := config.LoadSearch(place, nil)
	if _, missing := os.Stat(place); place != "" && missing != nil {
		err = nil // told already
	}
	if err := addProblems(&problems, err); err != nil {
		return err
	}
	if searching != nil {
		rules, err := settings.WordRules(&searching.Spider, searching.SpiderFile)
		if err == nil {
			_, err = settings.Vocabulary(&searching.Search, rules)
		}
		if err := addProblems(&problems, err); err != nil {
			return err
		}
	}
	if cfg == nil || len(problems) > 0 {
		return problems
	}
	if err := cfg.RequireStartURLs(); err != nil {
		return err
	}
	cfg.Spider.ReadTimeOut = min(cfg.Spider.ReadTimeOut, checkTimeOut)
	p.cfg = cfg
	defer func() { _ = p.place.Close() }() // made with the options
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	for _, f := range []struct{ name, file string }{{"sets.cnf", cfg.SetsFile}, {"spider.cnf", cfg.SpiderFile}, {"searchd.conf", searching.SearchFile}} {
		if f.file == "" {
			f.file = "none; the defaults hold"
		}
		fmt.Fprintf(p.out, "%-13s %s\n", f.name, clean(f.file))
	}
	return p.checkStarts(ctx, options)
}

// addProblems adds an error to the problems of a configuration, each once. Any other error is returned.
func addProblems(problems *config.Errors, err error) error {
	var more config.Errors
	if err == nil || !errors.As(err, &more) {
		return err
	}
	for _, e := range more {
		if !slices.ContainsFunc(*problems, func(known config.Error) bool { return known.Error() == e.Error() }) {
			*problems = append(*problems, e)
		}
	}
	return nil
}
