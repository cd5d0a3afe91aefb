package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/report"
	"github.com/pgseek/pgseek/store/storetest"
)

// shelved makes documents with their content and the index of them, as a crawl and a merge leave them.
func shelved(t *testing.T, dsn string, pages []string) {
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

// TestBrowserSearchesAnIndex drives searchd's server over an index as a person does: search, paging, cached copy, advanced
// form, an empty result and what it suggests, an error, all by the keyboard or by clicks.
func TestBrowserSearchesAnIndex(t *testing.T) {
	var pages []string
	for i := range 25 {
		pages = append(pages, fmt.Sprintf(`<title>Page %d about vacuum</title><script>alert(1)</script>
			<p>Number%d: a <b>full</b> table, and how to vacuum it.`, i, i))
	}
	dsn := storetest.New(t)
	shelved(t, dsn, pages)
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	engine, err := search.NewEngine(t.Context(), lookup.New(s), search.EngineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	server, err := NewServer(ServerOptions{Defaults: Defaults{Excerpts: 2}})
	if err != nil {
		t.Fatal(err)
	}
	var rows []StatRow
	server.Connect(Backend{
		Search: engine.Search, Copy: engine.Copy, Status: report.New(s).IndexStatus, Size: report.New(s).IndexSize, Ping: s.Ping,
		Record: func(_ context.Context, r StatRow) error { rows = append(rows, r); return nil }, // one browser, one request at a time
	})
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	b := startBrowser(t, web.URL)

	text := func() string { return js[string](b, `document.querySelector("main").innerText`) }
	shows := func(what string, pieces ...string) {
		t.Helper()
		for _, piece := range pieces {
			if got := text(); !strings.Contains(got, piece) {
				t.Errorf("%s: no %q in\n%s", what, piece, got)
			}
		}
	}
	b.open("/")
	b.keys(`"full table"`)
	b.loads("Enter", chromedp.KeyEvent(kb.Enter))
	shows("results", "25 documents", "Page 3 about vacuum", "a full table, and how to vacuum it.")
	if got := js[int](b, `document.querySelectorAll("mark").length`); got < 20 {
		t.Errorf("%d words are marked", got)
	}
	b.loads("next page", chromedp.Click(chromedp.CSS(`a[rel=next]`)))
	if got := js[int](b, `document.querySelectorAll(".hits > li").length`); got != 5 {
		t.Errorf("the second page has %d results, want 5", got)
	}
	b.loads("cached copy", chromedp.Click(chromedp.CSS(`a[href^="/cache"]`)))
	if got := js[string](b, `document.body.innerText`); !strings.Contains(got, "how to vacuum it.") || !strings.Contains(got, "http://a.example/") {
		t.Errorf("the copy says:\n%s", got)
	}
	if got := js[int](b, `document.querySelectorAll("mark").length * (document.scripts.length + 1)`); got < 2 {
		t.Error("nothing is marked in the copy")
	}
	inBrowser(b, "back", chromedp.NavigateBack())
	shows("back from the copy", "25 documents")

	b.open("/advanced")
	b.until(`document.activeElement.name === "iq"`)
	b.keys("vacuum")
	b.loads("Enter", chromedp.KeyEvent(kb.Enter))
	shows("the advanced form", "25 documents")

	b.open("/search?q=vacum")
	shows("an empty result", "vacum")
	b.loads("the suggestion", chromedp.Click(chromedp.CSS(`main a[href*="q=vacuum"]`)))
	shows("the suggestion", "25 documents")

	b.open("/search?q=number7+OR")
	shows("an error", "“OR” at byte 9", "number7 OR")
	b.open("/status")
	shows("status", "25", "http://a.example/")
	if first, last := rows[0], rows[len(rows)-1]; first.Query != `"full table"` || first.URLs != 25 || last.URLs != -1 {
		t.Errorf("recorded first %+v, last %+v", first, last)
	}
	b.quiet()
}
