package e2e

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestAdminOfACrawl: a crawl without end serves /admin and its figures at ApiListen, closed without a password, and ends with it.
func TestAdminOfACrawl(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", "start")
	var lc net.ListenConfig
	free, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	_ = free.Close()
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("ApiListen " + at + "\n")
	cmd, out := w.start("--continuous")
	get := func(path string) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return ""
		}
		defer func() { _ = answer.Body.Close() }()
		body, _ := io.ReadAll(answer.Body)
		return string(body)
	}
	w.until(`SELECT phase = 'waiting' AND programs = 1 FROM crawl_state`)
	if page := get("/admin"); !strings.Contains(page, "No password is set") {
		t.Errorf("/admin: %s", page)
	}
	if figures := get("/metrics"); !strings.Contains(figures, "\npgseek_figures_ok 1\n") {
		t.Errorf("/metrics: %s", figures)
	}
	w.index("-E")
	running{cmd, out}.ends(t, 0)
	if get("/admin") != "" {
		t.Error("/admin goes on")
	}
}
