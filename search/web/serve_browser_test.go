package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/report"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestServeBrowser serves pages to the tests of e2e/browser, which is a separate module. It starts the server
// that PGSEEK_SERVE_BROWSER names, prints its URL, and serves until its input ends.
func TestServeBrowser(t *testing.T) {
	var base string
	switch what := os.Getenv("PGSEEK_SERVE_BROWSER"); what {
	case "":
		t.Skip("the tests of e2e/browser call it")
	case "sample":
		base = serveSample(t)
	case "index", "suggest":
		base = serveIndex(t, what == "suggest")
	case "face":
		base = serveFace(t)
	default:
		t.Fatalf("PGSEEK_SERVE_BROWSER=%s", what)
	}
	fmt.Printf("serving %s\n", base)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Fatal(err)
	}
}

// serveSample serves the sample pages like searchd, with PagePolicy, and returns the URL.
func serveSample(t *testing.T) string {
	p := testPages(t)
	send := func(w http.ResponseWriter, status int, write func(io.Writer) error) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		if err := write(w); err != nil {
			t.Error(err)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, func(w io.Writer) error { return p.Home(w, sampleHome()) })
	})
	mux.HandleFunc("GET /search", func(w http.ResponseWriter, r *http.Request) {
		send(w, http.StatusOK, func(w io.Writer) error { return p.Results(w, sampleAnswer(r.URL.Query())) })
	})
	mux.HandleFunc("GET /advanced", func(w http.ResponseWriter, r *http.Request) {
		v := AdvancedView{}
		if r.URL.Query().Has("iq") {
			v = sampleAdvanced()
		}
		send(w, http.StatusOK, func(w io.Writer) error { return p.Advanced(w, v) })
	})
	mux.HandleFunc("GET /help", func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, func(w io.Writer) error { return p.Help(w, sampleHelp()) })
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, func(w io.Writer) error { return p.Status(w, sampleStatus()) })
	})
	mux.HandleFunc("GET /operator", func(w http.ResponseWriter, _ *http.Request) { // searchd shows it at /status
		send(w, http.StatusOK, func(w io.Writer) error { return p.Status(w, sampleOperator()) })
	})
	mux.HandleFunc("GET /explain", func(w http.ResponseWriter, r *http.Request) {
		send(w, http.StatusOK, func(w io.Writer) error { return p.Explain(w, sampleExplain(r.URL.Query().Get("url"))) })
	})
	mux.HandleFunc("GET /hostile/{page}", func(w http.ResponseWriter, r *http.Request) {
		for _, s := range samplePages() {
			if s.name == "hostile-"+r.PathValue("page") {
				send(w, http.StatusOK, func(w io.Writer) error { return s.write(p, w) })
				return
			}
		}
		http.NotFound(w, r)
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		body, contentType, ok := p.Static(strings.TrimPrefix(r.URL.Path, "/"), "http://"+r.Host+"/")
		if !ok {
			send(w, http.StatusNotFound, func(w io.Writer) error { return p.Fail(w, FailView{Status: http.StatusNotFound}) })
			return
		}
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(body)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", PagePolicy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// sampleAnswer returns the sample for a query.
func sampleAnswer(form url.Values) ResultsView {
	q := form.Get("q")
	if q == "" {
		q = form.Get("iq")
	}
	if _, err := query.Parse(q, query.Options{}); err != nil {
		return sampleError(q)
	}
	var v ResultsView
	switch {
	case strings.Contains(q, "treshold"):
		v = sampleEmpty()
	case strings.Contains(q, "tablespace"):
		v = sampleApart()
	case form.Get("explain") != "":
		v = sampleExplained()
	default:
		page := slices.Index([]string{"", "1", "2", "3", "4", "5"}, form.Get("np"))
		v = sampleResults(max(0, page))
	}
	v.Query = q
	if v.Result != nil && !strings.Contains(q, "the") {
		v.Result.Notes = nil
	}
	return sampleLinks(v)
}

// writeIndex writes documents with their contents and their index, as a crawl and a merge would.
func writeIndex(t *testing.T, dsn string, pages []string) {
	t.Helper()
	rules, err := document.NewRules(document.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO sites VALUES (1, 'http://a.example/')`)
	batch.Queue(`UPDATE totals SET documents = $1`, len(pages))
	places := map[string][]posting.Entry{}
	for i, page := range pages {
		id := int32(i + 1)
		d, err := document.Parse([]byte(page), "text/html; charset=utf-8", rules)
		if err != nil {
			t.Fatal(err)
		}
		batch.Queue(`INSERT INTO urlword (url_id, site_id, url, status, last_index_time) VALUES ($1, 1, $2, 200, 1750000000)`,
			id, fmt.Sprintf("http://a.example/%d.html", id))
		batch.Queue(fmt.Sprintf(`INSERT INTO urlwords%02d (url_id, title, txt, content_type, charset, words)
			VALUES ($1, $2, $3, 'text/html; charset=utf-8', 'utf-8', $4)`, id%16), id, d.Title, d.Text, store.PackContent([]byte(page)))
		batch.Queue(`INSERT INTO docdates (url_id, created, modified, modified_from) VALUES ($1, now(), now(), 'fetch')`, id)
		for _, w := range d.Words {
			places[w.Text] = append(places[w.Text], posting.Entry{Site: 1, URL: id, Positions: w.Positions})
		}
	}
	next := 1
	for word, entries := range places {
		slices.SortFunc(entries, func(a, b posting.Entry) int { return cmp.Compare(a.URL, b.URL) })
		batch.Queue(`INSERT INTO wordurl VALUES ($1, $2, $3, $4, 0)`, word, next, posting.AppendBlob(nil, entries), len(entries))
		next++
	}
	if err := storetest.Connect(t, dsn).SendBatch(t.Context(), batch).Close(); err != nil {
		t.Fatal(err)
	}
}

// serveIndex serves searchd's pages over an index of 25 documents, and returns the URL. /recorded lists the
// statistics of queries. suggest enables suggestions.
func serveIndex(t *testing.T, suggest bool) string {
	var pages []string
	for i := range 25 {
		pages = append(pages, fmt.Sprintf(`<title>Page %d about vacuum</title><script>alert(1)</script>
			<p>Number%d: a <b>full</b> table, and how to vacuum it.`, i, i))
	}
	dsn := storetest.New(t)
	writeIndex(t, dsn, pages)
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	engine, err := search.NewEngine(t.Context(), lookup.New(s), search.EngineOptions{Suggest: search.SuggestOptions{Bytes: 1 << 20, Queries: true}})
	if err != nil {
		t.Fatal(err)
	}
	server, err := NewServer(ServerOptions{Defaults: Defaults{Excerpts: 2}, Suggest: suggest, Look: Look{Suggest: suggest}})
	if err != nil {
		t.Fatal(err)
	}
	if suggest {
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		go engine.Follow(ctx)
	}
	var mu sync.Mutex
	var recorded []StatRow
	server.Connect(Backend{
		Search: engine.Search, Copy: engine.Copy, Status: report.New(s).IndexStatus, Size: report.New(s).IndexSize, Ping: s.Ping,
		Suggest: engine.Suggest,
		Record: func(_ context.Context, r StatRow) error {
			mu.Lock()
			defer mu.Unlock()
			recorded = append(recorded, r)
			return nil
		},
	})
	mux := http.NewServeMux()
	mux.Handle("/", server)
	mux.HandleFunc("GET /recorded", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if err := json.NewEncoder(w).Encode(recorded); err != nil {
			t.Error(err)
		}
	})
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	return web.URL
}
