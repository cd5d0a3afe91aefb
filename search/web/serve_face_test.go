package web

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// faceName is a hostile name of a search.
const faceName = `Küche <script>alert(1)</script> "&`

// serveFace serves a searchd with a face of its own, below a prefix, to e2e/browser.
func serveFace(t *testing.T) string {
	look, err := ownLook(t, map[string]string{
		"part-header.html": `<div class="note"><a href="/intranet">Intranet</a> <b>{{.Name}}</b> <script>alert(2)</script><i onclick="alert(3)">x</i></div>`,
		"fail.html":        `{{define "content"}}<h1>{{.Fail.Title}}</h1><p class="own">{{.Fail.Text}}</p>{{end}}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	look.Name = faceName
	look.Logo = File{Path: "logo.svg", Body: []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20"><rect width="60" height="20" fill="#335577"/></svg>`)}
	look.Colors = []Color{{"link", "#224488", "#aaccff"}, {"button", "#224488", "#aaccff"}}
	s, err := NewServer(ServerOptions{Defaults: Defaults{Root: "/find/"}, Look: look})
	if err != nil {
		t.Fatal(err)
	}
	at := sampleNow
	x := &fakeIndex{
		answer: func(_ context.Context, r search.Request) (*search.Result, error) {
			if r.Query.String() == "nothing" {
				return sampleEmpty().Result, nil
			}
			result := sampleResult(r.Explain)
			result.Facets = sampleFacets()
			return result, nil
		},
		status: &report.IndexStatus{
			At: at, Documents: 12804, Clones: 12, Words: 1234567, Bytes: 1 << 30, AllSites: 3,
			Statuses: []report.StatusCount{{Status: 200, Total: 12804}, {Status: 800, Total: 3}},
			Sites:    []report.SiteStatus{{Site: "https://www.postgresql.org/", Known: 4, Live: 3, Lost: 1}},
			Runs:     []report.PastRun{{ID: 1, Kind: "crawl", Started: at, Ended: &at, Reason: "complete", Counts: store.Counts{Documents: 3, Failed: 2}}},
		},
	}
	s.Connect(x.backend())
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}
