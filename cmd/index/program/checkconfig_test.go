package program

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// checkConfigOf runs index --check-config on a directory with these files.
func checkConfigOf(t *testing.T, stop context.Context, files map[string]string) (code int, out, errOut string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var o, e bytes.Buffer
	code = Run(t.Context(), stop, []string{"--check-config", "--config", dir}, nil, &o, &e)
	return code, strings.ReplaceAll(o.String(), dir, "DIR"), strings.ReplaceAll(e.String(), dir, "DIR")
}

// TestCheckConfigAsksStartURLs: a line for each start URL says what it answers and what to write; each is asked once, and robots.txt once
// a host. No database is there to be opened. What a server sends cannot reach the terminal (B81).
func TestCheckConfigAsksStartURLs(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /no/\x1b[31m\nDisallow: /no/\n")
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>A</title>words")
		case "/away":
			http.Redirect(w, r, "https://www.example.org/\u202egro", http.StatusMovedPermanently)
		case "/in":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/secret":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	var sets strings.Builder
	for _, path := range []string{"/", "/away", "/in", "/secret", "/no/a", "/no/%1B%5B31m", "/gone"} {
		fmt.Fprintf(&sets, "Server %s%s\n", site.URL, path)
	}
	sets.WriteString("Server http://127.0.0.1:1/\nServer http://localhost:1/\n")
	code, out, errOut := checkConfigOf(t, t.Context(), map[string]string{"sets.cnf": sets.String()})
	out = strings.ReplaceAll(out, site.URL, "SITE")
	want := `sets.cnf      DIR/sets.cnf
spider.cnf    none; the defaults hold
searchd.conf  none; the defaults hold
ok   SITE/ 200 text/html; robots.txt 200, allowed
bad  SITE/away redirects to https://www.example.org/%E2%80%AEgro, which no Server line covers; write: Server https://www.example.org/%E2%80%AEgro
ok   SITE/in 302 to SITE/, 200 text/html; robots.txt 200, allowed
bad  SITE/secret answered 401: it asks for a password; write above its Server line (DIR/sets.cnf:4): AuthBasic USER:PASSWORD
bad  SITE/no/a is barred by robots.txt line 3: Disallow: /no/; write above its Server line (DIR/sets.cnf:5): Robots no
bad  SITE/no/%1B%5B31m is barred by robots.txt line 2: Disallow: /no/\x1b[31m; write above its Server line (DIR/sets.cnf:6): Robots no
bad  SITE/gone answered 404 Not found
bad  http://127.0.0.1:1/ brought nothing: 702 Connection refused: robots.txt: dial tcp 127.0.0.1:1: connect: connection refused
bad  http://localhost:1/ (DIR/sets.cnf:9): localhost leads to a denied address (AllowHost localhost or AllowNetwork `
	if i := strings.LastIndex(out, "AllowNetwork "); i >= 0 {
		out = out[:i+len("AllowNetwork ")] // 127.0.0.1 or ::1
	}
	if diff := cmp.Diff(want, out); diff != "" || code != 1 || errOut != "index: 7 of 9 start URLs cannot be crawled as configured\n" {
		t.Errorf("exit code %d, %q (-want +got):\n%s", code, errOut, diff)
	}
	if asked["/robots.txt"] != 1 || asked["/gone"] != 1 || asked["/no/a"] != 0 {
		t.Errorf("requests: %v", asked)
	}
}

// TestCheckConfigReadsAllFiles: the mistakes of all files are told together, before anybody is asked (exit code 2).
func TestCheckConfigReadsAllFiles(t *testing.T) {
	t.Parallel()
	code, out, errOut := checkConfigOf(t, t.Context(), map[string]string{
		"sets.cnf": "Server http://192.0.2.1/\nServr x\n", "spider.cnf": "Threds 4\n", "searchd.conf": "Listn :1\nSynonymFile none.txt\n",
	})
	for _, want := range []string{"DIR/sets.cnf:2: Servr: ", "DIR/spider.cnf:1: Threds: unknown keyword; did you mean Threads?\n", "DIR/searchd.conf:1: Listn: ", "none.txt"} {
		if strings.Count(errOut, want) != 1 {
			t.Errorf("%q not once in:\n%s", want, errOut)
		}
	}
	if code != 2 || out != "" {
		t.Errorf("exit code %d, %s", code, out)
	}
	if code, _, errOut := checkConfigOf(t, t.Context(), nil); code != 2 || !strings.Contains(errOut, "no start URL") {
		t.Errorf("without a file: exit code %d, %s", code, errOut)
	}
}

// TestCheckConfigStops: a signal ends the wait for a server that does not answer.
func TestCheckConfigStops(t *testing.T) {
	t.Parallel()
	stop, cancel := context.WithCancel(t.Context())
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(site.Close)
	began := time.Now()
	code, _, _ := checkConfigOf(t, stop, map[string]string{"sets.cnf": "Server " + site.URL + "/\n"})
	if code != 130 || time.Since(began) > checkTimeOut/2 {
		t.Errorf("exit code %d after %s", code, time.Since(began))
	}
}
