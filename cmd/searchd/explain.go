package main

import (
	"context"
	"os"
	"path/filepath"

	index "github.com/pgseek/pgseek/cmd/index/program"
	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// operatorBackend adds what the pages of the operator read.
func (p *program) operatorBackend(d *databases, b web.Backend) web.Backend {
	b.Operator = func(ctx context.Context) (status *report.OperatorStatus, err error) {
		err = d.report(ctx, func(ctx context.Context, s *report.Store) error {
			status, err = s.OperatorStatus(ctx)
			return err
		})
		return status, err
	}
	b.Figures = func(ctx context.Context) (figures *report.Figures, err error) {
		err = d.report(ctx, func(ctx context.Context, s *report.Store) error {
			figures, err = s.Figures(ctx)
			return err
		})
		return figures, err
	}
	b.Explain = func(ctx context.Context, url string) (text string, known bool, err error) {
		err = d.report(ctx, func(ctx context.Context, s *report.Store) error {
			text, known, err = index.Explained(ctx, p.configDir(), s.DB, url)
			if store.Classify(err) != store.Fatal { // of the database, which another one may not have
				return err
			}
			if text == "" && err != nil {
				text = err.Error()
			}
			return nil
		})
		return text, known, err
	}
	return b
}

// configDir returns the directory of the configuration, in which index finds its files.
func (p *program) configDir() string {
	if info, err := os.Stat(p.o.place); p.o.place != "" && err == nil && !info.IsDir() {
		return filepath.Dir(p.o.place)
	}
	return p.o.place
}
