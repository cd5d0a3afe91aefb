package program

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/internal/password"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestAdminPages: each action of /admin works as the role for it, and says what the option of index says.
func TestAdminPages(t *testing.T) {
	dsn := storetest.New(t)
	hash, err := password.Hash("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sets.cnf":   "Disallow /private/\nServer http://a.example/\n",
		"spider.cnf": "DBAddr \"" + dsn + "\"\nAdminPassword " + hash + "\nApiListen 127.0.0.1:0\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.Load(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	owner := storetest.Connect(t, dsn)
	for _, q := range []string{
		`INSERT INTO sites (site_id, site) VALUES (1, 'http://a.example/')`,
		`INSERT INTO sitestate (site_id, host, gate, next_due) VALUES (1, 'a.example', 'h', 9000000000)`,
		`INSERT INTO urlword (url_id, site_id, url, next_index_time, status) VALUES (1, 1, 'http://a.example/', 9000000000, 200), (2, 1, 'http://a.example/x_y', 9000000000, 200),
			(3, 1, 'http://a.example/xzy', 9000000000, 200)`,
		`SELECT setval('urlword_url_id_seq', 3)`,
		`INSERT INTO urlstate (url_id) VALUES (1), (2), (3)`,
		`INSERT INTO reindexing (kind, started_at, ended_at, end_reason) VALUES ('crawl', now(), now(), 'complete')`,
		`INSERT INTO site_hold (site_id, run_id, reason, url_id, cause, live, turned_lost) VALUES (1, 1, 'share', 2, 'Not Found', 3, 2)`,
	} {
		if _, err := owner.Exec(t.Context(), q); err != nil {
			t.Fatalf("%v\n%s", err, q)
		}
	}
	for id, u := range map[int]string{1: "http://a.example/", 2: "http://a.example/x_y", 3: "http://a.example/xzy"} {
		h := store.HashURL(u)
		if _, err := owner.Exec(t.Context(), `INSERT INTO urlkey (url_hash, url_id) VALUES ($1, $2)`, h[:], id); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	p := &program{o: &options{}, stop: ctx, out: io.Discard, errOut: io.Discard, cfg: cfg, log: slog.New(slog.NewTextHandler(&log, nil))}
	wait, err := p.serveAdmin(ctx, func() *config.Config { return cfg })
	if err != nil {
		t.Fatal(err)
	}
	if text := log.String(); strings.Contains(text, "login role") {
		t.Errorf("log: %s", text)
	}
	base := "http://" + regexp.MustCompile(`http://([0-9.:]+)/admin`).FindStringSubmatch(log.String())[1]
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar}
	ask := func(path string, form url.Values) string {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		if form != nil {
			r, err = http.NewRequestWithContext(ctx, http.MethodPost, base+path, strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", base)
		}
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	page := ask("/admin/login", url.Values{"password": {"correct horse"}})
	if !strings.Contains(page, "http://a.example/</bdi></b> since") || !strings.Contains(page, "more than MaxLostShare") {
		t.Errorf("page: %s", page)
	}
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(page)[1]
	for _, c := range []struct{ action, value, says, query, want string }{
		{"pause", "", "The crawl is paused.", `SELECT (paused_at IS NOT NULL)::text || paused_by FROM crawl_control`, "true/admin, 127.0.0.1"},
		{"pause", "", "was paused already", "", ""},
		{"resume", "", "The crawl goes on.", `SELECT (paused_at IS NULL)::text FROM crawl_control`, "true"},
		{"resume", "", "was not paused", "", ""},
		{"crawl", "", "A round begins at once.", `SELECT (crawl_asked IS NOT NULL)::text FROM crawl_control`, "true"},
		{"release", "http://a.example/", "released http://a.example/", `SELECT ended_by FROM site_hold`, "released"},
		{"release", "http://a.example/", "is not on hold", "", ""},
		{"add", "http://a.example/new", "inserted 1, known 0", `SELECT count(*)::text FROM urlword WHERE url LIKE '%/new'`, "1"},
		{"add", "http://a.example/private/", "refused by " + filepath.Join(dir, "sets.cnf:1"), "", ""},
		{"add", "http://b.example/", "no Server of sets.cnf covers this site", "", ""},
		{"add", "nonsense", "nonsense", "", ""},
		{"recrawl", "http://a.example/x_y", "is fetched before all others", `SELECT string_agg(url_id::text, ',') FROM urlword WHERE next_index_time = -1`, "2"},
		{"recrawl", "http://a.example/unknown", "is not registered", "", ""},
		{"remove", "http://a.example/x_y", "removed http://a.example/x_y", `SELECT deleted::text FROM urlword WHERE url_id = 2`, "1"},
		{"remove", "http://a.example/unknown", "is not registered", "", ""},
	} {
		page := ask("/admin/do", url.Values{"token": {token}, "action": {c.action}, "value": {c.value}, "sure": {"yes"}})
		if !strings.Contains(page, c.says) {
			t.Errorf("%s %s: %s", c.action, c.value, page)
		}
		var got string
		if c.query != "" {
			if err := owner.QueryRow(ctx, c.query).Scan(&got); err != nil || got != c.want {
				t.Errorf("%s %s: %q, %v, want %q", c.action, c.value, got, err, c.want)
			}
		}
	}
	if text := ask("/metrics", nil); !strings.Contains(text, "\npgseek_figures_ok 1\n") || !strings.Contains(text, `pgseek_crawl_phase{phase="stopped"} 1`) {
		t.Errorf("metrics: %s", text)
	}
	cancel()
	wait()
	if text := log.String(); strings.Contains(text, "level=ERROR") || strings.Contains(text, "correct horse") || strings.Count(text, "an operator's action") != 15 {
		t.Errorf("log: %s", text)
	}
}

// TestAdminRole: the role for /admin cannot change what /admin does not.
func TestAdminRole(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{DSN: storetest.New(t), Role: store.AdminRole})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Role() != store.AdminRole {
		t.Fatalf("acts as %q", s.Role())
	}
	if _, err := crawl.New(s).State(t.Context()); err != nil {
		t.Error(err)
	}
	for _, q := range []string{
		`SELECT query FROM stat`, `DELETE FROM stat`, `UPDATE wordrules SET min_length = 2`, `DELETE FROM wordurl`, `UPDATE wordfile SET urls = ''`, `DELETE FROM urlword`,
		`TRUNCATE urlword`, `DELETE FROM crawl_history`, `UPDATE totals SET documents = 0`, `DELETE FROM subsets`, `INSERT INTO spaces VALUES (1, 1)`, `DELETE FROM goose_db_version`,
		`CREATE TABLE mine (a int)`, `SELECT grant_admin('pgseek_search')`, `DELETE FROM reindexing`, `DELETE FROM sites`,
	} {
		if _, err := s.Pool.Exec(t.Context(), q); err == nil || !strings.Contains(err.Error(), "42501") {
			t.Errorf("%s: got %v, want permission denied", q, err)
		}
	}
}

func TestHashPassword(t *testing.T) {
	var out bytes.Buffer
	p := &program{in: strings.NewReader("correct horse\n"), out: &out, errOut: io.Discard}
	if err := p.hashPassword(t.Context()); err != nil {
		t.Fatal(err)
	}
	hash, ok := strings.CutPrefix(strings.TrimSpace(out.String()), "AdminPassword ")
	if !ok || password.New(hash).Check("a", "correct horse") != nil {
		t.Errorf("got %q", out.String())
	}
	p.in = strings.NewReader("short\n")
	if err := p.hashPassword(t.Context()); err == nil {
		t.Error("a short password is accepted")
	}
}
