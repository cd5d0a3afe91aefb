package main

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestMadeDocumentsAreSound verifies that -X1 finds no damage in synthetic documents, as a crawl leaves them,
// after their merge, and after a change. So -X1 reads all of a million of them.
func TestMadeDocumentsAreSound(t *testing.T) {
	const documents = 400
	dsn := storetest.New(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "bench"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rules, err := document.NewRules(document.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	sound := func(when string) {
		t.Helper()
		sum, err := merge.Check(t.Context(), index.New(s), merge.CheckOptions{Clones: true, Rules: rules, Report: func(f index.Finding) error {
			t.Errorf("%s: %s", when, f)
			return nil
		}})
		if err != nil || sum.Documents != documents {
			t.Fatalf("%s: %+v, %v", when, sum, err)
		}
	}
	const first = "http://127.0.0.1:8080/"
	d := &database{name: "synthetic", dsn: dsn, conn: conn}
	if err := d.loadSites(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if err := d.load(t.Context(), first, synthFirstURL, synthFirstURL+documents, documents); err != nil {
		t.Fatal(err)
	}
	sound("loaded")
	if _, err := merge.Run(t.Context(), index.New(s), merge.Options{}); err != nil {
		t.Fatal(err)
	}
	sound("merged")
	if err := d.change(t.Context(), first, []int32{3, 17, 200}, 1, documents); err != nil {
		t.Fatal(err)
	}
	sound("changed")
	if _, err := merge.Run(t.Context(), index.New(s), merge.Options{}); err != nil {
		t.Fatal(err)
	}
	sound("merged again")
}
