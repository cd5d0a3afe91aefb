package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// searchClients is the number of concurrent clients when throughput is measured.
const searchClients = 16

// searchMain is the child process `bench searches`: it runs queries in the engine, one after the other and then
// from many clients at once. It reads the queries from a file and writes the times to another one.
func searchMain(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("bench searches", flag.ContinueOnError)
	dsn := f.String("dsn", "", "connection `URL`")
	queries := f.String("queries", "", "`file` of queries by kind, as JSON")
	out := f.String("out", "", "`file` for the times")
	excerpts := f.Int("excerpts", 0, "excerpts of each document")
	if err := f.Parse(args); err != nil {
		return err
	}
	var byKind map[string][]string
	if err := readJSON(*queries, &byKind); err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{DSN: *dsn, Application: "bench searches", Connections: searchClients})
	if err != nil {
		return err
	}
	defer s.Close()
	engine, err := search.NewEngine(ctx, lookup.New(s), search.EngineOptions{Memory: true})
	if err != nil {
		return err
	}
	one := func(text string) (int, error) {
		q, err := query.Parse(text, query.Options{})
		if err != nil {
			return 0, err
		}
		r, err := engine.Search(ctx, search.Request{Query: q, PerPage: 10, Excerpts: *excerpts})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", text, err)
		}
		return r.URLs, nil
	}
	t, err := timeSearches(byKind, one)
	if err != nil {
		return err
	}
	return writeJSON(*out, t)
}

// searchTimes are the times of searches, by kind.
type searchTimes struct {
	Median, P95 map[string]time.Duration
	Found       map[string]int // documents, all queries together
	PerSecond   float64        // searches of all kinds, by searchClients clients at once
}

// timeSearches runs each query twice and counts the second time, so that every engine has warm caches; then it
// runs all of them at once.
func timeSearches(byKind map[string][]string, one func(string) (int, error)) (*searchTimes, error) {
	t := &searchTimes{Median: map[string]time.Duration{}, P95: map[string]time.Duration{}, Found: map[string]int{}}
	var all []string
	for kind, queries := range byKind {
		all = append(all, queries...)
		var took []time.Duration
		for _, q := range queries {
			if _, err := one(q); err != nil {
				return nil, err
			}
		}
		for _, q := range queries {
			begin := time.Now()
			n, err := one(q)
			if err != nil {
				return nil, err
			}
			took = append(took, time.Since(begin))
			t.Found[kind] += n
		}
		slices.Sort(took)
		t.Median[kind], t.P95[kind] = took[len(took)/2], took[len(took)*95/100]
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	var failed atomic.Value
	begin := time.Now()
	for range searchClients {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(all); i = next.Add(1) - 1 {
				if _, err := one(all[i]); err != nil {
					failed.Store(err)
				}
			}
		})
	}
	wg.Wait()
	if err, _ := failed.Load().(error); err != nil {
		return nil, err
	}
	t.PerSecond = float64(len(all)) / time.Since(begin).Seconds()
	return t, nil
}

func readJSON(file string, into any) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

func writeJSON(file string, what any) error {
	b, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o644)
}
