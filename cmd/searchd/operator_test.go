package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/internal/password"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestOperatorPages: searchd shows what a crawl left behind to this machine and to who has the password, as the role for searches: the
// whole /status, the text of index --explain, and the figures for Prometheus.
func TestOperatorPages(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<title>Start</title>word <a href="/gone">gone</a> <a href="/picture">picture</a>`))
		case "/picture":
			w.Header().Set("Content-Type", "image/png")
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	hash, err := password.Hash("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	in := newInstall(t, storetest.New(t), "Server "+site.URL+"/\n", "AllowNetwork 127.0.0.0/8\nAdminPassword "+hash+"\n", "")
	in.run()
	in.serve()
	ask := func(target, word string, headers ...string) page {
		t.Helper()
		if word != "" {
			r := &http.Request{Header: http.Header{}}
			r.SetBasicAuth("operator", word)
			headers = append(headers, "Authorization", r.Header.Get("Authorization"))
		}
		p, err := in.ask(t.Context(), target, headers...)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	const seen = "Last failures"
	proxy := []string{"X-Forwarded-For", "192.0.2.1"}
	whole := ask("/status", "")
	for _, text := range []string{seen, "State of the crawl: no program crawls", `href="/explain?url=` + strings.NewReplacer(":", "%3a", "/", "%2f").Replace(site.URL+"/gone"), "image/png"} {
		if whole.status != 200 || !strings.Contains(whole.body, text) {
			t.Errorf("/status has no %q: %d %s", text, whole.status, whole.body)
		}
	}
	if p := ask("/status", "", proxy...); p.status != 200 || strings.Contains(p.body, seen) || !strings.Contains(p.body, "/status?details=on") {
		t.Errorf("through a proxy: %d %s", p.status, p.body)
	}
	if p := ask("/status", "correct horse", proxy...); p.status != 200 || !strings.Contains(p.body, seen) {
		t.Errorf("with the password: %d", p.status)
	}
	if p := ask("/status", "wrong horse", proxy...); p.status != 401 {
		t.Errorf("with a wrong one: %d", p.status)
	}
	_, want := in.try("--explain", site.URL+"/gone")
	explained := ask("/explain?url="+site.URL+"/gone", "")
	for _, label := range []string{"Registered", "Server", "robots.txt", "Status", "In the index", "Next visit", "Fetches"} {
		if explained.status != 200 || !strings.Contains(explained.body, label) || !strings.Contains(want, label) {
			t.Errorf("/explain has no %s: %d %s", label, explained.status, explained.body)
		}
	}
	if p := ask("/explain?url="+site.URL+"/unknown", ""); p.status != 404 || !strings.Contains(p.body, "not a start URL") {
		t.Errorf("a URL that is not registered: %d %s", p.status, p.body)
	}
	if p := ask("/explain?url=nonsense:", ""); p.status != 404 || !strings.Contains(p.body, "nonsense") {
		t.Errorf("no URL: %d %s", p.status, p.body)
	}
	figures := ask("/metrics", "").body
	for _, line := range []string{"pgseek_figures_ok 1", "pgseek_documents 1", `pgseek_last_run_documents{kind="crawl",result="failed"} 1`, `pgseek_crawl_phase{phase="stopped"} 1`} {
		if !strings.Contains(figures, "\n"+line+"\n") {
			t.Errorf("/metrics has no %s:\n%s", line, figures)
		}
	}
	if strings.Contains(in.said.String(), "correct horse") || strings.Contains(in.said.String(), "level=ERROR") {
		t.Errorf("log: %s", in.said)
	}
}
