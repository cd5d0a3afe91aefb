package admin

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pgseek/pgseek/internal/password"
	"golang.org/x/crypto/bcrypt"
)

// TestServeBrowser serves the pages to the tests of e2e/browser, which is a separate module. It prints its URL, and serves until its
// input ends. The crawl of these pages is only a variable.
func TestServeBrowser(t *testing.T) {
	if os.Getenv("PGSEEK_SERVE_BROWSER") != "admin" {
		t.Skip("the tests of e2e/browser call it")
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(right), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	style, err := os.ReadFile(filepath.Join("..", "search", "web", "pages", "style.css"))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	paused := ""
	held := true
	say := func(text string) func(context.Context, string) (string, error) {
		return func(_ context.Context, value string) (string, error) {
			if value == "https://www.example.net/" {
				return "", &Refusal{"https://www.example.net/: no Server of sets.cnf covers this site"}
			}
			return text + value, nil
		}
	}
	server := httptest.NewServer(New(Options{Password: password.New(string(hash)), Style: style, Actions: Actions{
		State: func(context.Context) (State, error) {
			s := State{Phase: "waiting", Lines: []Line{
				{"CrawlMode", "continuous"},
				{"Last round began", "2026-11-23 07:40:00 UTC"},
				{"It ended", "2026-11-23 07:49:12 UTC, complete"},
				{"Last merge ended", "2026-11-23 07:49:40 UTC"},
				{"Next round", "2026-11-23 08:19:12 UTC"},
				{"Documents", "12708"},
				{"URLs that are due", "546"},
				{"Waiting for a merge", "0"},
			}}
			if paused != "" {
				s.Phase, s.Paused, s.Lines = "paused", true, append(s.Lines, Line{"Paused", "2026-11-23 08:00:00 UTC by /admin, " + paused})
			}
			if held {
				s.Holds = []Hold{{"https://old.example.org/", at, "more than MaxLostShare of its documents would have been lost"}}
			}
			return s, nil
		},
		CrawlNow: func(context.Context) (string, error) { return "A round begins at once.", nil },
		Pause: func(_ context.Context, who string) (string, error) {
			paused = who
			return "The crawl is paused.", nil
		},
		Resume: func(context.Context) (string, error) {
			paused = ""
			return "The crawl goes on.", nil
		},
		Release: func(_ context.Context, site string) (string, error) {
			held = false
			return "released " + site, nil
		},
		Add: say("inserted "), Recrawl: say("due: "), Remove: say("removed "),
	}}))
	defer server.Close()
	fmt.Printf("serving %s\n", server.URL)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Fatal(err)
	}
}
