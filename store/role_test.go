package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/report"
	"github.com/pgseek/pgseek/store/storetest"
)

func openAs(t *testing.T, dsn, role string) *store.DB {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "searchd", Role: role})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// TestStoreUnderARole: a store that searches may record a search, and may do nothing that only the owner may.
func TestStoreUnderARole(t *testing.T) {
	s := openAs(t, storetest.New(t), store.SearchRole)
	if s.Role() != store.SearchRole {
		t.Fatalf("acts as %q", s.Role())
	}
	ctx := t.Context()
	if err := report.New(s).RecordSearch(ctx, report.SearchRecord{Query: "a", Start: time.Now(), Finish: time.Now()}); err != nil {
		t.Error(err)
	}
	for what, do := range map[string]func() error{
		"read stat":       func() error { _, err := report.New(s).StatReport(ctx, time.Now(), 1); return err },
		"purge stat":      func() error { _, err := report.New(s).PurgeStat(ctx, time.Now()); return err },
		"clear the index": func() error { return index.New(s).Clear(ctx) },
		"change rules": func() error {
			_, err := index.New(s).KeepWordRules(ctx, index.WordRules{MinLength: 2, MaxLength: 3}, 2)
			return err
		},
	} {
		var pg *pgconn.PgError
		if err := do(); !errors.As(err, &pg) || pg.Code != "42501" {
			t.Errorf("%s: got %v, want permission denied", what, err)
		}
	}
}

// TestStoreWithoutTheRole: where the role does not exist, or may not be taken, a store works as the login
// role, and Role says so.
func TestStoreWithoutTheRole(t *testing.T) {
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	other, login := fmt.Sprintf("other_%d", time.Now().UnixNano()), fmt.Sprintf("login_%d", time.Now().UnixNano())
	exec := func(query string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	exec(`CREATE ROLE ` + other + ` NOLOGIN; CREATE ROLE ` + login + ` LOGIN PASSWORD 'x'; GRANT SELECT ON goose_db_version TO ` + login)
	defer func() {
		_, err := pool.Exec(t.Context(), `DROP OWNED BY `+login+`; DROP ROLE `+login+`, `+other)
		if err != nil {
			t.Error(err)
		}
	}()
	if s := openAs(t, dsn, "no_such_role"); s.Role() != "" {
		t.Errorf("acts as %q", s.Role())
	}
	if s := openAs(t, dsn, ""); s.Role() != "" {
		t.Errorf("without being asked acts as %q", s.Role())
	}
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Options{
		DSN: fmt.Sprintf("host=%s port=%d dbname=%s user=%s password=x sslmode=disable", cfg.Host, cfg.Port, cfg.Database, login), Application: "searchd", Role: other,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Role() != "" {
		t.Errorf("no member of the role, and acts as %q", s.Role())
	}
	if err := report.New(s).RecordSearch(t.Context(), report.SearchRecord{}); err == nil {
		t.Error("who may not write wrote")
	}
}
