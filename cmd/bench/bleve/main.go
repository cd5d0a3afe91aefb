// Command bench-bleve measures searches of an in-process full-text engine over the texts of make bench, for comparison. It is a
// module of its own, so that pgseek depends on nothing of it.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/simple"
	"github.com/blevesearch/bleve/v2/search/query"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "bench-bleve: %v\n", err)
		os.Exit(1)
	}
}

type times struct {
	Median, P95 map[string]time.Duration
	Found       map[string]int
	PerSecond   float64
}

func run() error {
	texts := flag.String("texts", "", "`file` of texts, each ended by a NUL")
	folder := flag.String("folder", "", "`folder` of the index")
	queries := flag.String("queries", "", "`file` of queries by kind")
	out := flag.String("out", "", "`file` for the times")
	clients := flag.Int("clients", 16, "`number` of searches at once")
	flag.Parse()
	index, err := build(*texts, *folder)
	if err != nil {
		return err
	}
	defer func() { _ = index.Close() }()
	var byKind map[string][]string
	b, err := os.ReadFile(*queries)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &byKind); err != nil {
		return err
	}
	one := func(text string) (int, error) {
		r, err := index.Search(bleve.NewSearchRequestOptions(parse(text), 10, 0, false))
		if err != nil {
			return 0, err
		}
		return int(r.Total), nil
	}
	t := &times{Median: map[string]time.Duration{}, P95: map[string]time.Duration{}, Found: map[string]int{}}
	var all []string
	for kind, list := range byKind {
		all = append(all, list...)
		for _, q := range list {
			if _, err := one(q); err != nil {
				return err
			}
		}
		var took []time.Duration
		for _, q := range list {
			begin := time.Now()
			n, err := one(q)
			if err != nil {
				return err
			}
			took = append(took, time.Since(begin))
			t.Found[kind] += n
		}
		slices.Sort(took)
		t.Median[kind], t.P95[kind] = took[len(took)/2], took[len(took)*95/100]
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for range *clients {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(all); i = next.Add(1) - 1 {
				_, _ = one(all[i]) // each has been put before
			}
		})
	}
	wg.Wait()
	t.PerSecond = float64(len(all)) / time.Since(begin).Seconds()
	if b, err = json.Marshal(t); err != nil {
		return err
	}
	return os.WriteFile(*out, b, 0o644)
}

// build indexes the texts with positions, without stemming and stop words, as pgseek does.
func build(file, folder string) (bleve.Index, error) {
	mapping := bleve.NewIndexMapping()
	field := bleve.NewTextFieldMapping()
	field.Analyzer = simple.Name
	field.Store, field.IncludeInAll, field.DocValues = false, false, false
	field.IncludeTermVectors = true
	mapping.DefaultMapping.AddFieldMappingsAt("text", field)
	mapping.DefaultMapping.Dynamic = false
	index, err := bleve.New(folder, mapping)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	batch := index.NewBatch()
	for i, text := range bytes.Split(b, []byte{0}) {
		if len(text) == 0 {
			continue
		}
		if err := batch.Index(strconv.Itoa(i), map[string]string{"text": string(text)}); err != nil {
			return nil, err
		}
		if batch.Size() == 500 {
			if err := index.Batch(batch); err != nil {
				return nil, err
			}
			batch.Reset()
		}
	}
	return index, index.Batch(batch)
}

// parse makes a query of one of the kinds.
func parse(text string) query.Query {
	text, _, _ = strings.Cut(text, " site:")
	switch {
	case strings.HasPrefix(text, `"`):
		q := bleve.NewMatchPhraseQuery(strings.Trim(text, `"`))
		q.SetField("text")
		return q
	case strings.HasSuffix(text, "*"):
		q := bleve.NewPrefixQuery(strings.TrimSuffix(text, "*"))
		q.SetField("text")
		return q
	}
	q := bleve.NewMatchQuery(text)
	q.SetField("text")
	q.SetOperator(query.MatchQueryOperatorAnd)
	return q
}
