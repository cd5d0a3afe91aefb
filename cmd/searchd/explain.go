package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"github.com/pgseek/pgseek/cmd/internal/explain"
	"github.com/pgseek/pgseek/config"
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
			text, known, err = explained(ctx, p.configDir(), s.DB, url)
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

// explained returns the report of a URL under the configuration at a place, and whether the URL is registered.
// With a text the error says that it is not.
func explained(ctx context.Context, place string, s *store.DB, url string) (text string, known bool, err error) {
	cfg, err := config.Load(place, nil)
	if err != nil {
		return "", false, err
	}
	var out bytes.Buffer
	err = explain.Write(ctx, &out, cfg, s, url)
	return out.String(), err == nil, err
}

// configDir returns the directory of the configuration, in which index finds its files.
func (p *program) configDir() string {
	if info, err := os.Stat(p.o.place); p.o.place != "" && err == nil && !info.IsDir() {
		return filepath.Dir(p.o.place)
	}
	return p.o.place
}
